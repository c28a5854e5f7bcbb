"""The rules of amendments as ladders, and the worlds that they are climbed in."""

from dataclasses import replace

from ledger.rules.amendment_graph import OperationRefusal as O
from ledger.rules.amendments import AmendmentRefusal as R
from ledger.rules.amendments import amendment_basis
from tests.support.ladder import Ladder, Rung
from tests.support.world import DOCS, World

ONE = {"goal_id": DOCS, "amendment_id": "amend_one"}
STALE = f"b1:{'0' * 32}"
URGENT = {"op": "reprioritise", "todo_id": "todo_one", "priority": "P0"}


def ready(world: World, goal: dict[str, object]) -> None:
    """A goal with two todos, the second of which waits for the first."""
    world.activate(**({"owner": ["ann"]} | goal))
    world.add("todo_one")
    world.add("todo_two", depends_on=["todo_one"])


def proposed_only(world: World, goal: dict[str, object]) -> None:
    """A goal that nobody confirmed."""
    world.propose(**goal)


def submitted(world: World, goal: dict[str, object]) -> None:
    """A change that waits."""
    ready(world, goal)
    submit(world)


def submit(world: World, **more: object) -> None:
    """Put a change forward."""
    asked = ONE | {"amendment_class": "lane_route", "operation": [URGENT], "why": "Links first"} | more
    world.do("builder", "amendment.submit", **asked)


def shown(world: World) -> str:
    """What is seen of it now."""
    return amendment_basis(world.goal(), world.goal().amendments.by_id["amend_one"])


def rejected(world: World) -> None:
    """It was turned down."""
    world.do("ann", "amendment.reject", **ONE)


def stopped(world: World) -> None:
    """The goal is at its end."""
    world.do("ann", "goal.stop", goal_id=DOCS)


def delivered(world: World) -> None:
    """The result is before the owners."""
    world.finish("todo_one")
    world.finish("todo_two")
    world.deliver()


def moved(world: World) -> None:
    """What it was made for is not so any more."""
    world.do("ann", "todo.update", goal_id=DOCS, todo_id="todo_one", priority="P3")


def held(world: World) -> None:
    """Somebody has the work in hand."""
    world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_one")


def operations(*rows: dict[str, object], code: O, **more: object) -> Rung:
    """A change that cannot be done."""
    return Rung(code=code, params={"operation": list(rows)} | more, alone=True)


CLOSED = Rung(code=R.GOAL_CLOSED, world=stopped, late=True)
UNKNOWN = Rung(code=R.AMENDMENT_NOT_FOUND, params={"amendment_id": "amend_none"}, alone=True)
DECIDED = Rung(code=R.AMENDMENT_DECIDED, world=rejected)

SUBMIT = Ladder(
    action="amendment.submit",
    who="builder",
    base=ready,
    params=ONE | {"amendment_class": "lane_route", "operation": [URGENT], "why": "Links first"},
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        CLOSED,
        Rung(code=R.AMENDMENT_EXISTS, world=submit),
        operations({"op": "add", "todo_id": "todo_one", "title": "Again"}, code=O.CLASS_TOO_LOW),
        operations(URGENT, URGENT, code=O.OPERATION_CONFLICT),
        operations(URGENT | {"todo_id": "todo_none"}, code=O.TODO_NOT_FOUND),
        Rung(code=R.DISPOSITION_CONFLICT, params={"stop_todo": ["todo_one"], "continue_todo": ["todo_one"]}),
        Rung(code=R.DISPOSITION_REQUIRED, world=held),
    ),
)
GRAPH = Ladder(
    action="amendment.submit",
    who="builder",
    base=ready,
    params=SUBMIT.params | {"amendment_class": "shared_work_graph"},
    rungs=(
        Rung(code=R.GOAL_NOT_EXECUTABLE, world=delivered, late=True),
        operations({"op": "restate", "todo_id": "todo_one", "acceptance": "It loads"}, code=O.CLASS_TOO_LOW),
        operations({"op": "cancel", "todo_id": "todo_one"}, URGENT, code=O.OPERATION_CONFLICT),
        operations({"op": "cancel", "todo_id": "todo_none"}, code=O.TODO_NOT_FOUND),
        Rung(code=O.TODO_NOT_OPEN, world=lambda world: world.finish("todo_one"), alone=True),
        operations({"op": "add", "todo_id": "todo_one", "title": "Again"}, code=O.TODO_EXISTS),
        operations({"op": "rewire", "todo_id": "todo_one", "depends_on": ["todo_none"]}, code=O.DEPENDENCY_NOT_FOUND),
        operations({"op": "cancel", "todo_id": "todo_one"}, code=O.TODO_HAS_DEPENDENTS),
        operations({"op": "rewire", "todo_id": "todo_one", "depends_on": ["todo_two"]}, code=O.DEPENDENCY_CYCLE),
        operations({"op": "rescope", "todo_id": "todo_one", "write_scope": ["../x"]}, code=O.INVALID_WRITE_SCOPE),
        operations({"op": "rescope", "todo_id": "todo_one", "write_scope": ["src/**"]}, code=O.SCOPE_OUTSIDE_BOUNDARY),
        operations({"op": "rebind", "todo_id": "todo_one", "agent": "stranger"}, code=O.AGENT_NOT_GRANTED),
    ),
)
UNCONFIRMED = Ladder(
    action="amendment.submit",
    who="builder",
    base=proposed_only,
    params=SUBMIT.params,
    rungs=(Rung(code=R.GOAL_NOT_CONFIRMED),),
    expected=R.GOAL_NOT_CONFIRMED.value,
)
COMMIT = Ladder(
    action="amendment.commit",
    who="ann",
    base=submitted,
    params=ONE | {"basis": shown},
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        Rung(code=R.AMENDMENT_NOT_FOUND, params={"amendment_id": "amend_none", "basis": STALE}),
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        DECIDED,
        CLOSED,
        Rung(code=R.BASIS_REQUIRED, params={"basis": None}, alone=True),
        Rung(code=R.STALE_BASIS, params={"basis": STALE}),
        Rung(code=R.NEEDS_REBASE, world=moved),
    ),
)
PROTECTED = Ladder(
    action="amendment.commit",
    who="ann",
    base=lambda world, goal: (ready(world, goal), submit(world, amendment_class="protected_authority")),
    params=COMMIT.params,
    rungs=(
        Rung(code=R.STALE_BASIS, params={"basis": STALE}),
        # Without its gate it is refused whatever has moved.
        Rung(code=R.GATE_REQUIRED, world=moved),
    ),
    expected=R.GATE_REQUIRED.value,
)
REJECT = replace(COMMIT, action="amendment.reject", rungs=(*COMMIT.rungs[:4], COMMIT.rungs[6]))
WITHDRAW = Ladder(
    action="amendment.withdraw",
    who="builder",
    base=submitted,
    params=ONE,
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        UNKNOWN,
        Rung(code=R.NOT_THE_PROPOSER, who="helper"),
        DECIDED,
    ),
)
REBASE = replace(
    WITHDRAW,
    action="amendment.rebase",
    rungs=(*WITHDRAW.rungs, CLOSED, Rung(code=R.NOTHING_TO_CHANGE)),
    expected=R.NOTHING_TO_CHANGE.value,
)


def rebasing(world: World, goal: dict[str, object]) -> None:
    """The change was made, and whoever has the work reads it first."""
    ready(world, goal)
    held(world)
    submit(world, rebase_todo=["todo_one"])
    world.do("ann", "amendment.commit", **ONE, basis=shown(world))


ADOPT = Ladder(
    action="amendment.adopt",
    who="helper",
    base=rebasing,
    params=ONE | {"todo_id": "todo_one"},
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        UNKNOWN,
        Rung(code=R.NOTHING_TO_ADOPT, params={"todo_id": "todo_two"}),
        Rung(code=R.ADOPTED_BY_ANOTHER, who="builder"),
    ),
)
LADDERS = (SUBMIT, GRAPH, UNCONFIRMED, COMMIT, PROTECTED, REJECT, WITHDRAW, REBASE, ADOPT)
