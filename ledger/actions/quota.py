"""Actions on quota and status: numbers 70 to 89."""

from ledger.actions.base import AGENTS, ANYONE, PEOPLE, WORKERS, Action, who
from ledger.rules import admissions, quota, slot_params, slots

ROWS = (
    Action(
        name="quota.should-run",
        number=70,
        params=quota.ShouldRun,
        who=ANYONE,
        example="quota should-run --goal-id docs --agent-id builder",
    ),
    Action(
        name="quota.reserve",
        number=71,
        params=slot_params.ReserveTurn,
        who=AGENTS,
        decide=admissions.decide_reserve,
        example="quota reserve --goal-id docs --turn-instance-id turn-1 --slots 1 --ttl-seconds 900",
    ),
    Action(
        name="quota.spend-slot",
        number=72,
        params=slot_params.SpendSlot,
        who=AGENTS,
        decide=slots.decide_spend,
        example="quota spend-slot --goal-id docs --todo-id todo_000012 --turn-instance-id turn-1",
    ),
    Action(
        name="quota.void-slot",
        number=73,
        params=slot_params.VoidSlot,
        who=WORKERS,
        decide=slots.decide_void,
        example="quota void-slot --goal-id docs --spend-id spend_000020 --reason 'Reported for the wrong turn'",
    ),
    Action(
        name="quota.set",
        number=74,
        params=slot_params.SetQuota,
        who=PEOPLE,
        decide=slots.decide_set,
        example="quota set --goal-id docs --compute 0.5 --window-hours 24",
    ),
    Action(
        name="quota.status",
        number=75,
        params=slot_params.ShowQuota,
        who=ANYONE,
        example="quota status --goal-id docs",
    ),
    Action(
        name="quota.plan",
        number=76,
        params=slot_params.PlanQuota,
        who=ANYONE,
        example="quota plan --agent-id builder",
    ),
    Action(
        name="quota.release",
        number=77,
        params=slot_params.ReleaseAdmission,
        who=WORKERS,
        decide=admissions.decide_release,
        example="quota release --goal-id docs --turn-instance-id turn-1",
    ),
    Action(
        name="quota.expire-admission",
        number=78,
        params=slot_params.ExpireAdmission,
        who=who("daemon"),
        decide=admissions.decide_expire,
        hidden=True,
    ),
    Action(name="status.show", number=80, params=quota.ShowStatus, who=ANYONE, example="status"),
)
