"""The rules of turns as ladders: admissions, spends, settings, runs, monitors and usage."""

from ledger.rules.admissions import AdmissionRefusal as A
from ledger.rules.runs import RunRefusal as R
from ledger.rules.slots import SlotRefusal as S
from tests.support.ladder import Ladder, Rung
from tests.support.world import DOCS, World

TURN = {"goal_id": DOCS, "turn_instance_id": "turn-1"}
WORK = TURN | {"todo_id": "todo_one"}
HASH = "a" * 64


def ready(world: World, goal: dict[str, object]) -> None:
    """A goal with one todo."""
    world.activate(**({"owner": ["ann"]} | goal))
    world.add("todo_one")


def proved(world: World, goal: dict[str, object]) -> None:
    """The builder finished it, and reported the turn."""
    ready(world, {name: value for name, value in goal.items() if name != "outcome"})
    artifact_id = world.finish("todo_one")
    outcome = str(goal.get("outcome", "outcome_progress"))
    world.do("builder", "run.report", **WORK, delivery_outcome=outcome, evidence=[artifact_id])


def spent(world: World, goal: dict[str, object]) -> None:
    """And paid for it."""
    proved(world, goal)
    world.do("builder", "quota.spend-slot", **WORK)


def paid_in_another_turn(world: World) -> None:
    """The same evidence was paid for under another turn."""
    other = WORK | {"turn_instance_id": "turn-0"}
    evidence = list(world.todo("todo_one").evidence)
    world.do("builder", "run.report", **other, delivery_outcome="outcome_progress", evidence=evidence)
    world.do("builder", "quota.spend-slot", **other)


def taken_back(world: World) -> None:
    """The turn was paid for, and its spend was taken back."""
    (event,) = world.do("builder", "quota.spend-slot", **WORK)
    world.do("ann", "quota.void-slot", goal_id=DOCS, spend_id=event.facts.spend_id, reason="Twice")


def finished_two(world: World, goal: dict[str, object]) -> None:
    """The builder finished two todos and reported nothing."""
    ready(world, goal)
    world.add("todo_two")
    for todo_id in ("todo_one", "todo_two"):
        world.finish(todo_id)


def spend_id(world: World) -> str:
    """The spend."""
    return str(next(iter(world.goal().slots.spends)))


def paused(world: World) -> None:
    """Nothing new begins."""
    world.do("ann", "goal.pause", goal_id=DOCS)


def reserved(world: World, goal: dict[str, object]) -> None:
    """A turn is admitted."""
    ready(world, goal)
    world.do("builder", "quota.reserve", **TURN, ttl_seconds=60)


def open_work(world: World) -> str:
    """Other work, open and untouched; its id."""
    world.add("todo_other")
    return "todo_other"


def watched(world: World, goal: dict[str, object]) -> None:
    """A monitor beside the work."""
    ready(world, goal)
    world.add("todo_watch", task_class="continuous_monitor", cadence_seconds=60)


def barred(world: World) -> str:
    """A monitor that the builder may not look at; its id."""
    world.add("todo_barred", task_class="continuous_monitor", excluded_agent=["builder"])
    return "todo_barred"


def barred_work(world: World) -> str:
    """Work that the builder may not do; its id."""
    world.add("todo_barred", excluded_agent=["builder"])
    return "todo_barred"


def reported(world: World) -> None:
    """The id is taken by another run."""
    world.do("builder", "run.report", **WORK, run_id="run_taken", delivery_outcome="no_progress")


def used(world: World) -> None:
    """The id is taken by another report."""
    world.do("builder", "usage.report", goal_id=DOCS, usage_id="usage_taken", source="provider", tokens_in=1)


RESERVE = Ladder(
    action="quota.reserve",
    who="builder",
    base=ready,
    params=TURN,
    rungs=(
        Rung(code=A.CLAIM_ACTOR_MISMATCH, params={"agent_id": "helper"}),
        Rung(code=A.TURN_NOT_ADMITTED, world=paused),
        Rung(
            code=A.SLOTS_EXHAUSTED,
            world=lambda world: world.do("ann", "quota.set", goal_id=DOCS, allowed_slots=2),
            params={"slots": 3},
        ),
    ),
)
RELEASE = Ladder(
    action="quota.release",
    who="builder",
    base=reserved,
    params=TURN,
    rungs=(
        Rung(code=A.CLAIM_ACTOR_MISMATCH, params={"agent_id": "helper"}),
        Rung(code=A.ADMISSION_NOT_FOUND, params={"turn_instance_id": "turn-9"}),
    ),
)
EXPIRE = Ladder(
    action="quota.expire-admission",
    who="daemon",
    base=reserved,
    params={"goal_id": DOCS, "todo_id": "todo_one"},
    rungs=(
        Rung(code=A.ADMISSION_NOT_FOUND, params={"todo_id": "todo_none"}),
        Rung(code=A.ADMISSION_IN_FORCE),
    ),
    expected=A.ADMISSION_IN_FORCE.value,
)
SPEND = Ladder(
    action="quota.spend-slot",
    who="builder",
    base=proved,
    params=WORK,
    rungs=(
        Rung(code=S.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=S.CLAIM_ACTOR_MISMATCH, params={"agent_id": "helper"}),
        Rung(code=S.SPEND_VOIDED, world=taken_back, alone=True),
        Rung(code=S.DELIVERY_REQUIRED, params={"todo_id": open_work}),
        Rung(code=S.RUN_NOT_REPORTED, params={"turn_instance_id": "turn-9"}, alone=True),
        Rung(code=S.OUTCOME_EARNS_NO_SPEND, goal={"outcome": "surface_only"}),
        Rung(code=S.DELIVERY_ALREADY_PAID, world=paid_in_another_turn),
        Rung(code=S.SLOTS_EXHAUSTED, params={"slots": 60}, goal={"allowed_slots": 2}),
    ),
)
VOID = Ladder(
    action="quota.void-slot",
    who="builder",
    base=spent,
    params={"goal_id": DOCS, "spend_id": spend_id, "reason": "Twice"},
    rungs=(
        Rung(code=S.SPEND_NOT_FOUND, params={"spend_id": "spend_999999"}),
        Rung(code=S.NOT_THE_SPENDER, who="helper"),
    ),
)
SET = Ladder(
    action="quota.set",
    who="ann",
    base=ready,
    params={"goal_id": DOCS, "window_hours": 12},
    rungs=(
        Rung(code=S.NOT_AN_OWNER, who="bob"),
        Rung(code=S.GOAL_STATE_FORBIDS, world=World.over, late=True),
        Rung(code=S.NOTHING_TO_CHANGE, params={"window_hours": 24}),
    ),
)
REPORT = Ladder(
    action="run.report",
    who="builder",
    base=ready,
    params=WORK | {"delivery_outcome": "no_progress"},
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger"),
        Rung(code=R.RUN_ID_REUSED, world=reported, params={"run_id": "run_taken", "classification": "failed"}),
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=R.ACTOR_EXCLUDED, params={"todo_id": barred_work}),
        Rung(code=R.CLAIM_OWNER_MISMATCH, params={"delivery_outcome": "outcome_progress"}),
    ),
)
RESULT = Ladder(
    action="run.report",
    who="builder",
    base=finished_two,
    params=WORK
    | {"delivery_outcome": "outcome_progress", "evidence": lambda world: list(world.todo("todo_one").evidence)},
    rungs=(
        Rung(code=R.CLAIM_OWNER_MISMATCH, who="helper"),
        Rung(code=R.EVIDENCE_REQUIRED, params={"evidence": []}, alone=True),
        Rung(code=R.ARTIFACT_NOT_FOUND, params={"evidence": ["art_none"]}, alone=True),
        Rung(
            code=R.ARTIFACT_OF_ANOTHER_TODO,
            params={"evidence": lambda world: list(world.todo("todo_two").evidence)},
        ),
    ),
)
REPLAN = Ladder(
    action="run.replan",
    who="builder",
    base=ready,
    params={"goal_id": DOCS, "summary": "Another way"},
    rungs=(Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger"), Rung(code=R.REPLAN_NOT_DUE)),
    expected=R.REPLAN_NOT_DUE.value,
)
OBSERVE = Ladder(
    action="run.observe",
    who="builder",
    base=watched,
    params={"goal_id": DOCS, "todo_id": "todo_watch", "result_hash": HASH},
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger"),
        Rung(code=R.GOAL_NOT_EXECUTABLE, world=paused, late=True),
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=R.NOT_A_MONITOR, params={"todo_id": "todo_one"}, alone=True),
        Rung(code=R.ACTOR_EXCLUDED, params={"todo_id": barred}, alone=True),
        Rung(
            code=R.CLAIM_OWNER_MISMATCH,
            world=lambda world: world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_watch"),
            alone=True,
        ),
        Rung(
            code=R.TODO_NOT_OPEN,
            world=lambda world: world.do("ann", "todo.block", goal_id=DOCS, todo_id="todo_watch", reason="Down"),
        ),
    ),
)
USAGE = Ladder(
    action="usage.report",
    who="builder",
    base=ready,
    params={"goal_id": DOCS, "source": "provider", "tokens_in": 7},
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger"),
        Rung(code=R.USAGE_ID_REUSED, world=used, params={"usage_id": "usage_taken"}),
        Rung(code=R.RUN_NOT_FOUND, params={"run_id": "run_none"}),
    ),
)
LADDERS = (RESERVE, RELEASE, EXPIRE, SPEND, VOID, SET, REPORT, RESULT, REPLAN, OBSERVE, USAGE)
