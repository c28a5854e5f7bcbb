"""Actions on leases: numbers 50 to 59."""

from ledger.actions.base import AGENTS, ANYONE, Action, who
from ledger.rules import leases

ROWS = (
    Action(
        name="task-lease.acquire",
        number=50,
        params=leases.AcquireLease,
        who=AGENTS,
        decide=leases.decide_acquire,
        example="task-lease acquire --goal-id docs --todo-id todo_000012 --idempotency-key run-1 --ttl-seconds 900",
    ),
    Action(
        name="task-lease.renew",
        number=51,
        params=leases.RenewLease,
        who=AGENTS,
        decide=leases.decide_renew,
        example="task-lease renew --goal-id docs --todo-id todo_000012 --idempotency-key run-1 --expected-version 1",
    ),
    Action(
        name="task-lease.release",
        number=52,
        params=leases.ReleaseLease,
        who=AGENTS,
        decide=leases.decide_release,
        example="task-lease release --goal-id docs --todo-id todo_000012 --idempotency-key run-1 --expected-version 2",
    ),
    Action(
        name="task-lease.inspect",
        number=53,
        params=leases.InspectLease,
        who=ANYONE,
        example="task-lease inspect --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="task-lease.expire",
        number=54,
        params=leases.ExpireLease,
        who=who("daemon"),
        decide=leases.decide_expire,
        hidden=True,
    ),
)
