"""What stands between an agent and work that is otherwise free, or done: as ladders, with their worlds."""

from dataclasses import replace

from msgspec.structs import replace as changed

from ledger.rules.amendments import amendment_basis
from ledger.rules.beginning import BeginRefusal as B
from ledger.rules.completion import CompletionRefusal as C
from tests.support.ladder import Ladder, Rung
from tests.support.request_ladders import send
from tests.support.reviewing import passed, reject
from tests.support.world import DOCS, World

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}
NEEDS = ("publish:action:site",)


def ready(world: World, goal: dict[str, object]) -> None:
    """Work that takes a capability which was granted for a minute, to the builder and to a guest."""
    world.activate(**({"owner": ["ann"]} | goal))
    dreamer = {"member_id": "dreamer", "kind": "agent", "display_name": "Dreamer", "capability": ["gpu"]}
    world.do("operator", "member.add", **dreamer, profile_role="dreaming_proposer")
    world.do("operator", "member.add", member_id="able", kind="agent", display_name="Able", capability=["gpu"])
    world.do("ann", "member.grant", member_id="builder", capability=["gpu"], ttl_seconds=60)
    world.do("ann", "member.grant", member_id="stranger", goal_id=[DOCS], capability=["gpu"], ttl_seconds=60)
    world.add("todo_one", required_capability=["gpu"], required_write_scope=["reports/one/**"])


def over(world: World) -> None:
    """The minute is over, and nobody has written so."""
    world.now_ms += 60_000


def other_kinds(world: World) -> None:
    """The builder is held to kinds that this work is none of."""
    world.do("ann", "member.grant", member_id="builder", action_kind=["check"])


def other_scopes(world: World) -> None:
    """The builder is held to places that this work is not in."""
    world.do("ann", "member.grant", member_id="builder", write_scope=["docs/**"])


def amended(world: World, who: str = "able", choice: str = "stop_todo") -> None:
    """Work in hand was stopped by an amendment that nobody has adopted since."""
    if world.todo("todo_one").claimed_by is None:
        world.do(who, "todo.claim", **ONE)
    urgent = [{"op": "reprioritise", "todo_id": "todo_one", "priority": "P0"}]
    asked = {"goal_id": DOCS, "amendment_id": "amend_one", "amendment_class": "lane_route", "why": "Links first"}
    world.do("ann", "amendment.submit", **asked, operation=urgent, **{choice: ["todo_one"]})
    basis = amendment_basis(world.goal(), world.goal().amendments.by_id["amend_one"])
    world.do("ann", "amendment.commit", goal_id=DOCS, amendment_id="amend_one", basis=basis)


def asked_first(world: World) -> None:
    """A request stands before it."""
    send(world, by="ann", blocks_todo_id="todo_one")


def gated(world: World, name: str = "gate_one", **more: object) -> None:
    """A gate stands before it."""
    asked = {"goal_id": DOCS, "gate_id": name, "question": "May we?", "blocks_todo": ["todo_one"], "approver": ["bob"]}
    world.do("ann", "gate.open", **asked, **more)


def undecided(world: World) -> None:
    """It needs a decision that nobody made; said of the state, because work begins before its needs are known."""
    todos = world.goal().todos
    todos[world.todo("todo_one").todo_id] = changed(world.todo("todo_one"), required_decision_scopes=NEEDS)


def contradicted(world: World) -> None:
    """A gate names it for a decision that is none of those it needs."""
    gated(world, name="gate_other", decision_scope="budget:action:site", kind="budget")
    undecided(world)


def promised(world: World) -> None:
    """Another turn has reserved it."""
    world.do("able", "quota.reserve", goal_id=DOCS, turn_instance_id="turn-able")


CLAIM = Ladder(
    action="todo.claim",
    who="builder",
    base=ready,
    params=ONE,
    rungs=(
        Rung(code=B.PROPOSER_ONLY, who="dreamer", alone=True),
        Rung(code=B.GOAL_NOT_GRANTED, who="stranger", world=over, late=True, alone=True),
        Rung(code=B.ACTION_KIND_NOT_GRANTED, world=other_kinds),
        Rung(code=B.WRITE_SCOPE_NOT_GRANTED, world=other_scopes),
        Rung(code=B.CAPABILITY_MISSING, world=over, late=True),
        Rung(code=B.AMENDMENT_HOLDS, world=amended),
        Rung(code=B.REQUEST_HOLDS, world=asked_first, late=True),
        Rung(code=B.PROJECTION_REPAIR_REQUIRED, world=contradicted, late=True),
        Rung(code=B.GATE_BLOCKS, world=gated, late=True),
        Rung(code=B.DECISION_SCOPE_UNAPPROVED, world=undecided, late=True),
        Rung(code=B.TODO_RESERVED, world=promised),
    ),
)
ACQUIRE = replace(CLAIM, action="task-lease.acquire", params=ONE | {"idempotency_key": "run-1"})


def proved(world: World, goal: dict[str, object]) -> None:
    """Work that the builder has, with evidence that passed its check."""
    world.activate(**({"owner": ["ann"]} | goal))
    world.add("todo_one", validator=["links"])
    world.add("todo_decide", role="user", task_class="user_gate")
    world.do("builder", "todo.claim", **ONE)
    passed(world, world.submit("todo_one"))


def evidence(world: World) -> list[str]:
    """What the builder handed in, and was checked."""
    return [str(next(iter(world.goal().artifacts)))]


def turned_down(world: World) -> None:
    """A reviewer said no to it."""
    reject(world, evidence(world)[0])


def failed(world: World) -> None:
    """The check does not pass any more."""
    passed(world, evidence(world)[0], exit_code=1)


def unchecked(world: World) -> list[str]:
    """Evidence that nobody checked."""
    return [world.submit("todo_one", sha256="b" * 64)]


COMPLETE = Ladder(
    action="todo.complete",
    who="builder",
    base=proved,
    params=ONE | {"evidence": evidence},
    rungs=(
        Rung(code=C.DECISION_OUTCOME_REQUIRED, params={"todo_id": "todo_decide"}, alone=True),
        Rung(code=C.DECISION_OUTCOME_UNEXPECTED, params={"decision_outcome": "approve"}),
        Rung(code=C.AMENDMENT_HOLDS, world=lambda world: amended(world, "builder", "rebase_todo")),
        Rung(code=C.REQUEST_HOLDS, world=asked_first, late=True),
        Rung(code=C.PROJECTION_REPAIR_REQUIRED, world=contradicted, late=True),
        Rung(code=C.GATE_BLOCKS, world=gated, late=True),
        Rung(code=C.DECISION_SCOPE_UNAPPROVED, world=undecided, late=True),
        Rung(code=C.EVIDENCE_NOT_SOUND, world=turned_down, alone=True),
        Rung(code=C.VALIDATOR_REQUIRED, params={"evidence": unchecked}, alone=True),
        Rung(code=C.VALIDATOR_FAILED, world=failed),
    ),
)
UNSOUND = replace(
    COMPLETE,
    rungs=(Rung(code=C.EVIDENCE_NOT_SOUND, world=turned_down), Rung(code=C.VALIDATOR_FAILED, world=failed)),
)
LADDERS = (CLAIM, ACQUIRE, COMPLETE, UNSOUND)
