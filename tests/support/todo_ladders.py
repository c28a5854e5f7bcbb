"""The rules of todos as ladders, and the worlds that they are climbed in."""

import dataclasses

from ledger.rules import completion, todos
from ledger.rules.agreed import AgreedRefusal as A
from ledger.rules.gates import gate_basis
from ledger.rules.todos import TodoRefusal as R
from tests.support.ladder import Ladder, Rung
from tests.support.plans import lane, propose
from tests.support.world import DOCS, World

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}
KEY = {"task_lease_idempotency_key": "run-1"}
FENCE = KEY | {"task_lease_expected_version": 1}


def confirmed_goal(world: World, goal: dict[str, object]) -> None:
    """A confirmed goal of which Builder and Helper are capable, unless the rung wants it unconfirmed."""
    asked = {"capability": ["docs"], "by": "ann"} | goal
    confirmed = asked.pop("confirmed", True)
    world.propose(**asked)
    if confirmed:
        world.confirm()


def with_work(world: World, goal: dict[str, object]) -> None:
    confirmed_goal(world, goal)
    if world.goal().confirmed:
        world.add("todo_zero")
        world.add("todo_one", by="builder")
        world.add("todo_barred", excluded_agent=["builder", "stranger"])
        world.add("todo_hard", required_capability=["gpu"], depends_on=["todo_zero"])
        world.add("todo_waiting", depends_on=["todo_zero"])
        world.add("todo_user", role="user", task_class="user_action")
        world.add("todo_decide", role="user", task_class="user_action", depends_on=["todo_zero"])


def claimed(world: World, goal: dict[str, object]) -> None:
    with_work(world, goal)
    world.do("builder", "todo.claim", **ONE)


def proved(world: World, goal: dict[str, object]) -> None:
    """Todo one is Builder's, and proved; under hard leases only a lease can bring the claim."""
    with_work(world, goal)
    if world.goal().intent.handoff_mode == "hard_lease":
        world.lease("todo_one")
    else:
        world.do("builder", "todo.claim", **ONE)
    world.submit("todo_one")


def plan_it(world: World) -> None:
    """A plan that nobody has decided on has a lane of its own."""
    propose(world, lane("links"))


def stop_goal(world: World) -> None:
    world.do("ann", "goal.stop", goal_id=DOCS)


def block_it(world: World) -> None:
    world.do("ann", "todo.block", **ONE, reason="The site is down")


def take_lease(world: World) -> None:
    world.ask("builder", "task-lease.acquire", **ONE, idempotency_key="run-1")


def helper_claims(world: World) -> None:
    for todo_id in ("todo_one", "todo_barred"):
        if world.todo(todo_id).claimed_by is not None:
            world.do("ann", "todo.release", goal_id=DOCS, todo_id=todo_id)
        world.do("helper", "todo.claim", goal_id=DOCS, todo_id=todo_id)


def revise(world: World) -> None:
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Better docs")
    world.confirm()


def deliver_it(world: World) -> None:
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_one")
    world.finish("todo_zero")
    world.deliver()


def fill_up(_: World) -> None:
    """The goal can take no more work."""
    for module in (todos, completion):
        module.TODOS_MAX = 0


ADD = Ladder(
    action="todo.add",
    who="builder",
    base=lambda world, goal: (confirmed_goal(world, goal), world.goal().confirmed and few(world)),
    params={"goal_id": DOCS, "text": "Check the headings"},
    rungs=(
        Rung(code=R.GOAL_CLOSED, world=stop_goal, late=True, alone=True),
        Rung(code=R.GOAL_NOT_CONFIRMED, goal={"confirmed": False}, alone=True),
        Rung(code=R.GOAL_NOT_EXECUTABLE, world=deliver_it, late=True),
        Rung(code=R.TODO_EXISTS, params={"todo_id": "todo_one"}),
        Rung(code=R.TODO_ID_RESERVED, world=plan_it, params={"todo_id": "todo_plan_docs_links"}),
        Rung(code=R.TOO_MANY_TODOS, world=fill_up, late=True),
        Rung(code=R.DEPENDENCY_NOT_FOUND, params={"depends_on": ["todo_none"]}),
        Rung(code=R.INVALID_WRITE_SCOPE, params={"required_write_scope": ["src/**", "/etc"]}),
        Rung(code=R.SCOPE_OUTSIDE_BOUNDARY, params={"required_write_scope": ["src/**"]}),
        Rung(code=R.ACTOR_REQUIRED, params={"role": "user"}),
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        Rung(code=R.ACTOR_EXCLUDED, params={"bound_agent": "helper", "excluded_agent": ["helper"]}),
    ),
)


def few(world: World) -> None:
    world.add("todo_zero")
    world.add("todo_one")


CLAIM = Ladder(
    action="todo.claim",
    who="builder",
    base=with_work,
    params=ONE,
    rungs=(
        Rung(code=R.GOAL_NOT_CONFIRMED, goal={"confirmed": False}, alone=True),
        Rung(code=R.GOAL_NOT_EXECUTABLE, world=lambda w: w.do("ann", "goal.pause", goal_id=DOCS), late=True),
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}),
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger"),
        Rung(code=R.ACTOR_EXCLUDED, params={"todo_id": "todo_barred"}),
        Rung(code=R.CLAIM_ACTOR_MISMATCH, params={"agent_id": "helper"}),
        Rung(code=R.TODO_LEASE_CONFLICT, world=lambda w: w.lease("todo_one", "helper", "run-8"), late=True),
        Rung(code=R.CLAIM_OWNER_MISMATCH, world=helper_claims),
        Rung(code=R.TODO_NOT_OPEN, world=block_it, late=True),
        Rung(code=R.OBJECTIVE_REVIEW_REQUIRED, world=revise),
        Rung(code=R.CAPABILITY_MISSING, params={"todo_id": "todo_hard"}),
        Rung(code=R.DEPENDENCY_UNMET, params={"todo_id": "todo_waiting"}),
        Rung(code=R.HANDOFF_MODE_REQUIRES_LEASE, goal={"handoff_mode": "hard_lease"}),
    ),
)
RELEASE = Ladder(
    action="todo.release",
    who="builder",
    base=claimed,
    params=ONE,
    rungs=(
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}),
        Rung(code=R.CLAIM_OWNER_MISMATCH, who="helper"),
        Rung(code=R.LEASE_FENCE_REQUIRED, world=take_lease, alone=True),
        Rung(code=R.NOTHING_TO_CHANGE, world=lambda w: w.do("builder", "todo.release", **ONE)),
    ),
)
TOUCH = (
    Rung(code=R.GOAL_CLOSED, world=stop_goal, late=True),
    Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}),
    Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
    Rung(code=R.NOT_AN_OWNER, who="bob", alone=True),
    Rung(code=R.ACTOR_EXCLUDED, params={"todo_id": "todo_barred"}),
    Rung(code=R.CLAIM_OWNER_MISMATCH, world=helper_claims),
)


def voted(world: World) -> None:
    """Somebody said yes to the work as it stands."""
    asked = {"gate_id": "gate_one", "question": "May it?", "blocks_todo": ["todo_one"], "approver": ["ann"]}
    world.do("builder", "gate.open", goal_id=DOCS, **asked)
    seen = gate_basis(world.goal(), world.goal().gates.by_id["gate_one"])
    world.do("ann", "gate.approve", goal_id=DOCS, gate_id="gate_one", basis=seen)


UPDATE = Ladder(
    action="todo.update",
    who="builder",
    base=claimed,
    params=ONE | {"priority": "P1"},
    rungs=(
        *TOUCH,
        Rung(code=R.TODO_NOT_BLOCKED, params={"status": "open"}),
        Rung(code=R.TODO_NOT_OPEN, world=lambda w: w.do("ann", "todo.cancel", **ONE), alone=True),
        Rung(code=R.NOTHING_TO_CHANGE, params={"priority": "P2"}, alone=True),
        Rung(code=A.AMENDMENT_REQUIRED, params={"todo_id": "todo_zero", "text": "Another"}, alone=True),
        Rung(code=A.GATE_RESTS_ON_IT, world=voted, params={"text": "Another"}),
    ),
)
FENCED = (
    Rung(code=R.LEASE_NOT_ACTIVE, params=FENCE, alone=True),
    Rung(code=R.LEASE_FENCE_REQUIRED, world=take_lease, alone=True),
    Rung(
        code=R.LEASE_CAS_MISMATCH,
        world=take_lease,
        params={"task_lease_idempotency_key": "run-2", "task_lease_expected_version": None},
    ),
    Rung(code=R.VERSION_REQUIRED, world=take_lease, params=KEY, alone=True),
    Rung(
        code=R.VERSION_MISMATCH,
        world=take_lease,
        params=KEY | {"task_lease_expected_version": 2},
    ),
)
BLOCK = Ladder(
    action="todo.block",
    who="builder",
    base=claimed,
    params=ONE | {"reason": "The site is down"},
    rungs=(*TOUCH, Rung(code=R.TODO_NOT_OPEN, world=block_it, late=True, alone=True), *FENCED),
)
CANCEL = Ladder(
    action="todo.cancel",
    who="builder",
    base=claimed,
    params=ONE,
    rungs=(
        *TOUCH[:-1],
        dataclasses.replace(TOUCH[-1], alone=True),
        Rung(code=R.TODO_NOT_OPEN, world=lambda w: w.do("ann", "todo.cancel", **ONE), alone=True),
        Rung(code=A.AMENDMENT_REQUIRED, params={"todo_id": "todo_zero"}, alone=True),
        *FENCED,
        Rung(code=R.TODO_HAS_DEPENDENTS, world=lambda w: w.add("todo_next", depends_on=["todo_one"])),
    ),
)


def proof_of_one(world: World) -> list[str]:
    """The evidence that was handed in for todo one."""
    return [artifact.artifact_id for artifact in world.goal().artifacts.values() if artifact.todo_id == "todo_one"]


def other_proof(world: World) -> list[str]:
    return [artifact.artifact_id for artifact in world.goal().artifacts.values() if artifact.todo_id != "todo_one"]


def prove_another(world: World) -> None:
    world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_zero")
    world.submit("todo_zero")


def complete_it(world: World, **changes: object) -> None:
    world.do("builder", "todo.complete", **(ONE | {"evidence": proof_of_one(world)} | changes))


def follow(world: World) -> None:
    """The successor of leased work comes with a claim and without a lease."""
    complete_it(world, **FENCE, next_agent_todo="Check the commands", next_claimed_by="builder")


COMPLETE = Ladder(
    action="todo.complete",
    who="builder",
    base=proved,
    params=ONE | {"evidence": proof_of_one},
    rungs=(
        Rung(code=R.GOAL_CLOSED, world=stop_goal, late=True),
        Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=R.TOO_MANY_TODOS, world=fill_up, late=True, params={"next_agent_todo": "Check the commands"}),
        Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        Rung(code=R.NOT_AN_OWNER, params={"todo_id": "todo_user"}, alone=True),
        Rung(code=R.ACTOR_EXCLUDED, params={"todo_id": "todo_barred"}),
        Rung(code=R.CLAIM_OWNER_MISMATCH, world=helper_claims, alone=True),
        Rung(
            code=R.COMPLETION_TURN_KEY_MISMATCH,
            world=lambda w: complete_it(w, completion_turn_key="turn-1"),
            params={"completion_turn_key": "turn-2"},
            alone=True,
        ),
        Rung(code=R.TODO_NOT_OPEN, world=block_it, late=True, alone=True),
        Rung(code=R.DEPENDENCY_UNMET, who="ann", params={"todo_id": "todo_decide"}),
        Rung(code=R.LEASE_NOT_ACTIVE, params=FENCE, alone=True),
        Rung(
            code=R.HANDOFF_MODE_REQUIRES_LEASE,
            goal={"handoff_mode": "hard_lease"},
            world=follow,
            params={"todo_id": lambda w: w.todo("todo_one").successor_todo_ids[0]},
            alone=True,
        ),
        *FENCED[1:],
        Rung(code=R.EVIDENCE_REQUIRED, params={"evidence": []}, alone=True),
        Rung(
            code=R.ARTIFACT_NOT_FOUND,
            world=prove_another,
            params={"evidence": lambda w: [*other_proof(w), "art_none"]},
            alone=True,
        ),
        Rung(code=R.ARTIFACT_OF_ANOTHER_TODO, world=prove_another, params={"evidence": other_proof}),
        Rung(
            code=R.OWNER_NOT_REGISTERED,
            params={"next_agent_todo": "Check the commands", "next_claimed_by": "stranger"},
        ),
    ),
)
LADDERS = (ADD, CLAIM, RELEASE, UPDATE, BLOCK, CANCEL, COMPLETE)
