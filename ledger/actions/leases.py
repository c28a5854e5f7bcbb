"""Actions on leases and on how work is held: numbers 50 to 59, and 35."""

from ledger.actions.base import AGENTS, ANYONE, PEOPLE, Action, who
from ledger.rules import beginning, handoff_params, lease_transfer, leases

ROWS = (
    Action(
        name="task-lease.acquire",
        number=50,
        params=leases.AcquireLease,
        who=AGENTS,
        decide=beginning.decide_acquire,
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
    Action(
        name="task-lease.transfer",
        number=55,
        params=handoff_params.TransferLease,
        who=AGENTS,
        decide=lease_transfer.decide_transfer,
        example=(
            "task-lease transfer --goal-id docs --todo-id todo_000012 --idempotency-key run-1 --expected-version 1 "
            "--new-owner helper --new-idempotency-key run-2"
        ),
    ),
    Action(
        name="goal.set-handoff-mode",
        number=35,
        params=handoff_params.SetHandoffMode,
        who=PEOPLE,
        decide=lease_transfer.decide_set_mode,
        example="goal set-handoff-mode --goal-id docs --handoff-mode hard_lease",
    ),
)
