"""The rules of gates as ladders, and the worlds that they are climbed in."""

from dataclasses import replace

from ledger.rules.gate_refusals import GateRefusal as R
from ledger.rules.gates import gate_basis
from tests.support.ladder import Ladder, Rung
from tests.support.world import DOCS, World

ONE = {"goal_id": DOCS, "gate_id": "gate_one"}
STALE = f"b1:{'0' * 32}"
QUESTION = {"question": "May the pages be published?"}


def ready(world: World, goal: dict[str, object]) -> None:
    """A goal with one todo that needs a decision, one that needs none, and a person who may decide beside its owner."""
    world.activate(**({"owner": ["ann"]} | goal))
    world.do("operator", "member.add", member_id="cara", kind="person", display_name="Cara")
    world.add("todo_one", required_decision_scope=["publish:action:site"])
    world.add("todo_two")


def asked(world: World, by: str = "builder", name: str = "gate_one", **more: object) -> None:
    """A gate that waits."""
    world.do(by, "gate.open", **(QUESTION | {"goal_id": DOCS, "gate_id": name, "blocks_todo": ["todo_two"]} | more))


def waiting(world: World, goal: dict[str, object]) -> None:
    """A gate that Ann decides, and that ends as a no after a minute."""
    ready(world, goal)
    asked(world, approver=["ann"], expires_in_seconds=60, on_expiry="deny")


def by_ann(world: World) -> None:
    """A gate that its own asker may not decide, and is no approver of either."""
    asked(world, by="ann", name="gate_anns", approver=["cara"])


def graver(world: World) -> None:
    """A gate on the same matter that asks two people, one of whom is no owner."""
    world.do("operator", "member.add", member_id="dora", kind="person", display_name="Dora", role=["approver"])
    asked(world, name="gate_grave", approver=["ann", "dora"], quorum=2)


def in_person(world: World) -> None:
    """A gate whose approvers decide in person."""
    asked(world, name="gate_strict", approver=["ann"], not_delegable=True)


def by_helper(world: World) -> None:
    """A gate of another agent."""
    asked(world, by="helper", name="gate_helpers", approver=["ann"])


def shown(world: World, name: str = "gate_one") -> str:
    """What is seen of the gate now."""
    return gate_basis(world.goal(), world.goal().gates.by_id[name])


def rejected(world: World) -> None:
    """Somebody said no already."""
    world.do("ann", "gate.reject", **ONE, basis=shown(world))


def over(world: World) -> None:
    """Its time has passed."""
    world.now_ms += 60_000


def stopped(world: World) -> None:
    """The goal is at its end."""
    world.do("ann", "goal.stop", goal_id=DOCS)


def standing(world: World, goal: dict[str, object]) -> None:
    """A standing grant in the goal."""
    ready(world, goal)
    asked(world, name="gate_broad", blocks_todo=[], decision_scope="publish:goal:*", approver=["ann"])
    world.do("ann", "gate.approve", goal_id=DOCS, gate_id="gate_broad", basis=shown(world, "gate_broad"))


def grant_id(world: World) -> str:
    """Its id."""
    return str(next(iter(world.state.grants.by_id)))


def claimed(world: World) -> None:
    """Somebody else has the work."""
    world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_two")


CLOSED = Rung(code=R.GOAL_CLOSED, world=stopped, late=True)
UNKNOWN = Rung(code=R.GATE_NOT_FOUND, params={"gate_id": "gate_none", "basis": STALE}, alone=True)
RESOLVED = Rung(code=R.GATE_ALREADY_RESOLVED, world=rejected)

OPEN = Ladder(
    action="gate.open",
    who="builder",
    base=ready,
    params=QUESTION | {"goal_id": DOCS, "gate_id": "gate_one", "blocks_todo": ["todo_two"]},
    rungs=(
        Rung(code=R.GOAL_NOT_GRANTED, who="stranger", alone=True),
        Rung(code=R.NOT_AN_OWNER, who="bob", alone=True),
        Rung(code=R.GATE_NOT_FOUND, params={"supersedes": "gate_none"}, alone=True),
        Rung(code=R.GATE_NOT_YOURS, world=by_helper, params={"supersedes": "gate_helpers"}),
        CLOSED,
        Rung(code=R.GATE_EXISTS, world=asked),
        Rung(code=R.TODO_NOT_FOUND, params={"blocks_todo": ["todo_none"]}, alone=True),
        Rung(code=R.CLAIM_OWNER_MISMATCH, world=claimed),
        Rung(code=R.GATE_TARGET_AMBIGUOUS, params={"blocks_goal": True}, alone=True),
        Rung(code=R.GATE_UNSCOPED, params={"blocks_todo": []}, alone=True),
        Rung(
            code=R.GATE_TARGET_REQUIRED,
            params={"blocks_todo": [], "decision_scope": "publish:action:site"},
            alone=True,
        ),
        Rung(
            code=R.DECISION_SCOPE_MISMATCH,
            params={"blocks_todo": ["todo_one"], "decision_scope": "budget:action:site"},
        ),
        Rung(code=R.APPROVER_UNKNOWN, params={"approver": ["helper"]}, alone=True),
        Rung(code=R.APPROVER_NOT_ENTITLED, params={"approver": ["bob"]}),
        Rung(code=R.QUORUM_UNREACHABLE, params={"quorum": 5}),
        Rung(code=R.EXPIRY_REQUIRED, params={"on_expiry": "deny"}),
        Rung(code=R.GATE_TOO_WEAK, world=graver, params={"approver": ["dora"]}),
    ),
)
SUPERSEDE = Ladder(
    action="gate.open",
    who="builder",
    base=waiting,
    params=OPEN.params | {"gate_id": "gate_two", "supersedes": "gate_one"},
    rungs=(CLOSED, Rung(code=R.EXPIRY_REQUIRED, params={"on_expiry": "deny"}), RESOLVED),
)
BEYOND = Ladder(
    action="gate.open",
    who="ann",
    base=ready,
    params=QUESTION | {"goal_id": DOCS, "blocks_todo": [], "decision_scope": "publish:global:*", "approver": ["cara"]},
    rungs=(
        Rung(code=R.APPROVER_UNKNOWN, params={"approver": ["helper"]}, alone=True),
        Rung(code=R.SCOPE_BEYOND_APPROVERS),
    ),
    expected=R.SCOPE_BEYOND_APPROVERS.value,
)
APPROVE = Ladder(
    action="gate.approve",
    who="ann",
    base=waiting,
    params=ONE | {"basis": shown},
    rungs=(
        UNKNOWN,
        Rung(code=R.GATE_PROPOSER_EXCLUDED, world=by_ann, params={"gate_id": "gate_anns"}, alone=True),
        Rung(code=R.NOT_AN_APPROVER, who="bob"),
        CLOSED,
        RESOLVED,
        Rung(code=R.GATE_EXPIRED, world=over, late=True),
        Rung(code=R.BASIS_REQUIRED, params={"basis": None}, alone=True),
        Rung(code=R.GATE_STALE, params={"basis": STALE}),
    ),
)
DELEGATE = Ladder(
    action="gate.delegate",
    who="ann",
    base=waiting,
    params=ONE | {"to": "cara"},
    rungs=(
        Rung(code=R.GATE_NOT_FOUND, params={"gate_id": "gate_none"}, alone=True),
        Rung(code=R.NOT_AN_APPROVER, who="bob"),
        CLOSED,
        replace(RESOLVED, alone=True),
        Rung(code=R.GATE_NOT_DELEGABLE, world=in_person, params={"gate_id": "gate_strict"}),
        Rung(code=R.DELEGATE_NOT_ELIGIBLE, params={"to": "helper"}),
    ),
)
WITHDRAW = Ladder(
    action="gate.withdraw",
    who="builder",
    base=waiting,
    params=ONE,
    rungs=(
        Rung(code=R.GATE_NOT_FOUND, params={"gate_id": "gate_none"}, alone=True),
        Rung(code=R.GATE_NOT_YOURS, who="helper"),
        CLOSED,
        RESOLVED,
    ),
)
REVISE = Ladder(
    action="gate.revise",
    who="builder",
    base=waiting,
    params=ONE | {"question": "And the index?"},
    rungs=(
        *WITHDRAW.rungs,
        Rung(code=R.GATE_EXPIRED, world=over, late=True),
        Rung(code=R.NOTHING_TO_CHANGE, params={"question": "May the pages be published?"}),
    ),
)
REVOKE = Ladder(
    action="gate.revoke-grant",
    who="ann",
    base=standing,
    params={"grant_id": grant_id},
    rungs=(
        Rung(code=R.STANDING_GRANT_NOT_FOUND, params={"grant_id": "standing_999999"}),
        Rung(code=R.NOT_AN_OWNER, who="bob"),
    ),
)
LADDERS = (
    OPEN,
    SUPERSEDE,
    BEYOND,
    APPROVE,
    replace(APPROVE, action="gate.reject"),
    replace(APPROVE, action="gate.cancel"),
    replace(APPROVE, action="gate.defer"),
    DELEGATE,
    WITHDRAW,
    REVISE,
    REVOKE,
)
