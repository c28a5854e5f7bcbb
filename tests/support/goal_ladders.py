"""The rules of goals as ladders, and the worlds that they are climbed in."""

from dataclasses import replace

from ledger.rules import deliveries, goals
from ledger.rules.goals import GoalRefusal as R
from tests.support.ladder import Ladder, Rung
from tests.support.world import DOCS, World

ID = {"goal_id": DOCS}
STALE = "b1:" + "0" * 32


def proposed(world: World, goal: dict[str, object]) -> None:
    """A goal that waits for its owner's yes."""
    world.propose(**goal)


def active(world: World, goal: dict[str, object]) -> None:
    """A confirmed goal without work."""
    world.activate(**goal)


def revised_mode(world: World, goal: dict[str, object]) -> None:
    """A revision waits that changes how work is held."""
    world.activate(**goal)
    world.add("todo_one")
    world.do("ann", "goal.revise", **ID, handoff_mode="hard_lease")


def finished(world: World, goal: dict[str, object]) -> None:
    """A goal whose only work is done, or was given up where the rung says so."""
    world.activate(review=goal.get("review", "owner"))
    world.add("todo_one")
    if "given_up" in goal:
        world.do("ann", "todo.cancel", **ID, todo_id="todo_one")
    else:
        world.finish("todo_one")


def delivered(world: World, goal: dict[str, object]) -> None:
    """A goal whose result is before its owner."""
    finished(world, goal)
    world.deliver()


def paused(world: World, goal: dict[str, object]) -> None:
    """A goal on which nothing new begins."""
    world.activate(**goal)
    world.do("ann", "goal.pause", **ID)


def stop(world: World) -> None:
    """End the goal, whatever its state."""
    goal = world.goal()
    if goal.confirmed:
        world.do("ann", "goal.stop", **ID)
    else:
        world.do("ann", "goal.decline", **ID, basis=goal.intent.basis)


def erase_promise(world: World) -> None:
    """Nobody can read what was proposed."""
    seqs = [row.seq for row in world.store.events(0) if row.kind == "goal.proposed"]
    world.do("ann", "words.erase", **ID, seq=seqs, reason_code="mistake")


def ask(world: World) -> None:
    """Leave a question open."""
    world.do("builder", "goal.clarify", **ID, question="Which folder?")


def send_back(world: World) -> None:
    """Ask for changes to what was delivered."""
    world.do("ann", "goal.request-changes", **ID, basis=world.goal().delivery.basis, reason="Check the anchors too")


def fill_up(_: World) -> None:
    """No goal can take another revision or delivery."""
    goals.REVISIONS_MAX = deliveries.DELIVERIES_MAX = 0


def confirm_basis(world: World) -> str:
    """What an owner sees of the revision that waits."""
    return world.goal().intents[-1].basis


def accept_basis(world: World) -> str:
    """What an owner sees of the delivery that waits."""
    return world.goal().delivery.basis


PROPOSE = Ladder(
    action="goal.propose",
    who="builder",
    base=lambda world, goal: world.propose("taken"),
    params={"objective": "Check the docs", "criterion": ["Every link works"]},
    rungs=(
        Rung(code=R.GOAL_ID_TAKEN, params={"goal_id": "taken"}),
        Rung(code=R.OWNER_UNKNOWN, params={"owner": ["builder"]}),
        Rung(code=R.OWNER_NOT_ENTITLED, params={"owner": ["bob"]}),
        Rung(code=R.INVALID_WRITE_SCOPE, params={"write_scope": ["../docs"]}),
        Rung(code=R.ENFORCEMENT_NOT_SUPPORTED, params={"enforce": ["budget"]}),
    ),
)
REVISE = Ladder(
    action="goal.revise",
    who="bob",
    base=lambda world, goal: world.propose(**({"by": "bob"} | goal)),
    params=ID | {"objective": "Better docs"},
    rungs=(
        Rung(code=R.GOAL_NOT_FOUND, params={"goal_id": "none"}, alone=True),
        Rung(code=R.NOT_THE_PROPOSER, who="builder"),
        Rung(code=R.INVALID_WRITE_SCOPE, params={"write_scope": ["~/docs"]}),
        Rung(code=R.ENFORCEMENT_NOT_SUPPORTED, params={"enforce": ["constraints"]}),
        Rung(code=R.GOAL_STATE_FORBIDS, world=stop, late=True),
        Rung(code=R.STALE_BASIS, params={"basis": STALE}),
        Rung(code=R.TOO_MANY_REVISIONS, world=fill_up, late=True),
        Rung(code=R.NOTHING_TO_CHANGE, params={"objective": None, "priority": "P2"}),
    ),
)
ASK = Ladder(
    action="goal.clarify",
    who="builder",
    base=proposed,
    params=ID | {"question": "Which folder?"},
    rungs=(
        Rung(code=R.QUESTION_OR_ANSWER, params={"answer": "docs"}),
        Rung(code=R.NOT_AN_OWNER, who="bob", alone=True),
        Rung(code=R.GOAL_NOT_GRANTED, who="stranger"),
        Rung(code=R.GOAL_STATE_FORBIDS, world=stop, late=True, alone=True),
        Rung(code=R.QUESTION_OPEN, world=ask),
    ),
)
ANSWER = Ladder(
    action="goal.clarify",
    who="ann",
    base=lambda world, goal: (proposed(world, goal), ask(world)),
    params=ID | {"answer": "docs"},
    rungs=(
        Rung(code=R.QUESTION_OR_ANSWER, params={"question": "Which folder?"}),
        Rung(code=R.NOT_THE_PROPOSER, who="builder"),
        Rung(code=R.QUESTION_NOT_FOUND, params={"question_id": "q_1"}),
    ),
)
CONFIRM = Ladder(
    action="goal.confirm",
    who="ann",
    base=proposed,
    params=ID | {"basis": confirm_basis},
    rungs=(
        Rung(code=R.GOAL_NOT_FOUND, params={"goal_id": "none"}, alone=True),
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        Rung(code=R.NOTHING_TO_CONFIRM, world=lambda w: w.confirm(), late=True),
        Rung(code=R.BASIS_REQUIRED, params={"basis": None}, alone=True),
        Rung(code=R.STALE_BASIS, params={"basis": STALE}),
        Rung(code=R.PROMISE_ERASED, world=erase_promise),
        Rung(code=R.QUESTION_OPEN, world=ask),
    ),
)
MODE_CHANGE = Ladder(
    action="goal.confirm",
    who="ann",
    base=revised_mode,
    params=ID | {"basis": confirm_basis},
    rungs=(
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        Rung(code=R.STALE_BASIS, params={"basis": STALE}),
        Rung(code=R.HANDOFF_MODE_NOT_QUIESCENT, world=lambda w: w.lease("todo_one", by="helper")),
    ),
)
DECLINE = replace(CONFIRM, action="goal.decline", rungs=CONFIRM.rungs[:-2])
WITHDRAW = Ladder(
    action="goal.withdraw",
    who="bob",
    base=lambda world, goal: world.propose(by="bob"),
    params=ID,
    rungs=(
        Rung(code=R.NOT_THE_PROPOSER, who="builder"),
        Rung(code=R.NOTHING_TO_CONFIRM, world=lambda w: w.confirm(), late=True),
        Rung(code=R.STALE_BASIS, params={"basis": STALE}),
    ),
)


def _state_ladder(action, base, forbidden) -> Ladder:
    return Ladder(
        action=action,
        who="ann",
        base=base,
        params=ID,
        rungs=(
            Rung(code=R.NOT_AN_OWNER, who="bob"),
            Rung(code=R.GOAL_STATE_FORBIDS, world=forbidden, late=True),
            Rung(code=R.STALE_BASIS, params={"basis": STALE}),
        ),
    )


PAUSE = _state_ladder("goal.pause", active, stop)
RESUME = _state_ladder("goal.resume", paused, stop)
STOP = _state_ladder("goal.stop", delivered, stop)
ADOPT = Ladder(
    action="goal.adopt",
    who="builder",
    base=active,
    params=ID | {"revision": 1},
    rungs=(
        Rung(code=R.GOAL_NOT_GRANTED, who="stranger"),
        Rung(code=R.GOAL_STATE_FORBIDS, world=stop, late=True),
        Rung(code=R.REVISION_UNKNOWN, params={"revision": 2}),
    ),
)
DELIVER = Ladder(
    action="goal.deliver",
    who="builder",
    base=finished,
    params=ID | {"summary": "All links work"},
    rungs=(
        Rung(code=R.ACTOR_NOT_REGISTERED, who="bob", alone=True),
        Rung(code=R.GOAL_NOT_GRANTED, who="stranger"),
        Rung(code=R.GOAL_STATE_FORBIDS, world=lambda w: w.do("ann", "goal.pause", **ID), late=True),
        Rung(code=R.REVISION_PENDING, world=lambda w: w.do("ann", "goal.revise", **ID, objective="Better docs")),
        Rung(code=R.TOO_MANY_REVISIONS, world=fill_up, late=True),
        Rung(code=R.WORK_OPEN, world=lambda w: w.add("todo_two")),
        Rung(code=R.NOTHING_TO_DELIVER, goal={"given_up": True}, alone=True),
        Rung(code=R.CRITERION_UNPROVED, goal={"review": "independent"}, alone=True),
        Rung(code=R.DELIVERY_UNCHANGED, world=lambda w: (w.deliver(), send_back(w))),
    ),
)
ACCEPT = Ladder(
    action="goal.accept",
    who="ann",
    base=delivered,
    params=ID | {"basis": accept_basis},
    rungs=(
        Rung(code=R.NOT_AN_OWNER, who="bob"),
        Rung(code=R.GOAL_STATE_FORBIDS, world=send_back, late=True),
        Rung(code=R.BASIS_REQUIRED, params={"basis": None}, alone=True),
        Rung(code=R.STALE_BASIS, params={"basis": STALE}),
    ),
)
REQUEST_CHANGES = replace(ACCEPT, action="goal.request-changes", params=ACCEPT.params | {"reason": "Check the anchors"})
LADDERS = (
    PROPOSE,
    REVISE,
    ASK,
    ANSWER,
    CONFIRM,
    MODE_CHANGE,
    DECLINE,
    WITHDRAW,
    PAUSE,
    RESUME,
    STOP,
    ADOPT,
    DELIVER,
    ACCEPT,
    REQUEST_CHANGES,
)
