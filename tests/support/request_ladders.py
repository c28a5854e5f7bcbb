"""The rules of requests as ladders, and the worlds that they are climbed in."""

from ledger.rules.goals import state_basis
from ledger.rules.requests import RequestRefusal as R
from tests.support.ladder import Ladder, Rung
from tests.support.world import DOCS, World, digest

ONE = {"goal_id": DOCS, "request_id": "request_one"}


def brief(name: str = "one", to: str = "helper", **more: object) -> dict[str, object]:
    """A brief that nothing is wrong with."""
    asked: dict[str, object] = {
        "goal_id": DOCS,
        "request_id": f"request_{name}",
        "to": to,
        "purpose": "Check the links of the reference",
        "acceptance": ["Each broken link is named"],
        "return_requirement": "A list of links",
    }
    return asked | more


def send(world: World, by: str = "builder", **more: object) -> None:
    world.do(by, "request.send", **brief(**more))


def adopt(world: World, by: str = "helper", request_id: str = "request_one") -> None:
    world.do(by, "request.respond", goal_id=DOCS, request_id=request_id, decision="adopt")


def commit(world: World, by: str = "helper", request_id: str = "request_one", **more: object) -> str:
    """Plan work for a request; the id of the todo."""
    asked = more or {"text": "Check the links"}
    world.do(by, "request.commit", goal_id=DOCS, request_id=request_id, **asked)
    return str(world.goal().requests.by_id[request_id].todo_id)


def submit(world: World, by: str, todo_id: str | None = None, name: str = "found") -> str:
    """Hand in evidence; its id."""
    asked: dict[str, object] = {"goal_id": DOCS, "label": name, "sha256": digest(name), "size_bytes": 3}
    if todo_id is not None:
        asked["todo_id"] = todo_id
    world.do(by, "artifact.submit", **asked)
    return str(list(world.goal().artifacts)[-1])


def ready(world: World, goal: dict[str, object]) -> None:
    world.activate(**({"owner": ["ann"]} | goal))
    for todo_id in ("todo_one", "todo_two"):
        world.add(todo_id)


def sent(world: World, goal: dict[str, object]) -> None:
    ready(world, goal)
    send(world)


def adopted(world: World, goal: dict[str, object]) -> None:
    sent(world, goal)
    adopt(world)


def with_evidence(world: World, goal: dict[str, object]) -> None:
    adopted(world, goal)
    submit(world, "helper")


def returned(world: World, goal: dict[str, object]) -> None:
    sent(world, goal)
    world.do("helper", "request.respond", **ONE, decision="no_change", reason="All fine")


def decided(world: World, verb: str) -> None:
    world.do("ann", f"goal.{verb}", goal_id=DOCS, basis=state_basis(world.goal()), reason="x")


def stopped(world: World) -> None:
    decided(world, "stop")


def paused(world: World) -> None:
    decided(world, "pause")


def withdrawn(world: World) -> None:
    world.do("builder", "request.withdraw", **ONE)


def other_digest(world: World) -> list[dict[str, object]]:
    """An input that names an artifact with a digest it has not."""
    return [{"ref": submit(world, "helper"), "sha256": digest("other")}]


def done(world: World) -> None:
    world.do("helper", "todo.claim", goal_id=DOCS, todo_id="todo_one")
    world.do(
        "helper", "todo.complete", goal_id=DOCS, todo_id="todo_one", evidence=[submit(world, "helper", "todo_one")]
    )


def with_third(world: World, goal: dict[str, object]) -> None:
    ready(world, goal)
    world.do("operator", "member.add", member_id="third", kind="agent", display_name="Third")


def claimed_by_third(world: World) -> None:
    world.do("third", "todo.claim", goal_id=DOCS, todo_id="todo_one")


CLOSED = Rung(code=R.GOAL_CLOSED, world=stopped, late=True)
STRANGER = Rung(code=R.ACTOR_NOT_REGISTERED, who="stranger")
UNKNOWN = Rung(code=R.REQUEST_NOT_FOUND, params={"request_id": "request_none"})
NOT_MINE = Rung(code=R.REQUEST_NOT_YOURS, who="builder")
OVER = Rung(code=R.REQUEST_CLOSED, world=withdrawn, late=True)

LADDERS = (
    Ladder(
        action="request.send",
        who="builder",
        base=with_third,
        params=brief("two"),
        rungs=(
            Rung(code=R.GOAL_NOT_EXECUTABLE, world=stopped, late=True),
            STRANGER,
            Rung(code=R.REQUEST_NOT_FOUND, params={"parent_id": "request_none"}, alone=True),
            Rung(code=R.REQUEST_EXISTS, world=lambda world: send(world, name="two")),
            Rung(code=R.REQUEST_TOO_LARGE, params={"context": "中" * 5_500}),
            Rung(code=R.RECEIVER_NOT_REGISTERED, params={"to": "stranger"}, alone=True),
            Rung(code=R.REQUEST_TO_YOURSELF, params={"to": "builder"}),
            Rung(code=R.INPUT_DIGEST_MISMATCH, params={"input": other_digest}),
            Rung(code=R.TODO_NOT_FOUND, params={"blocks_todo_id": "todo_none"}, alone=True),
            Rung(code=R.TODO_NOT_OPEN, world=done, params={"blocks_todo_id": "todo_one"}, alone=True),
            Rung(code=R.CLAIM_OWNER_MISMATCH, world=claimed_by_third, params={"blocks_todo_id": "todo_one"}),
        ),
    ),
    Ladder(
        action="request.receive", who="helper", base=sent, params=ONE, rungs=(CLOSED, STRANGER, UNKNOWN, NOT_MINE, OVER)
    ),
    Ladder(
        action="request.respond",
        who="helper",
        base=sent,
        params=ONE | {"decision": "reject", "reason": "Not mine"},
        rungs=(
            CLOSED,
            STRANGER,
            UNKNOWN,
            NOT_MINE,
            OVER,
            Rung(code=R.REQUEST_ANSWERED, world=adopt),
            Rung(code=R.REASON_REQUIRED, params={"reason": " "}),
        ),
    ),
    Ladder(
        action="request.commit",
        who="helper",
        base=adopted,
        params=ONE | {"todo_id": "todo_one"},
        rungs=(
            CLOSED,
            Rung(code=R.GOAL_NOT_EXECUTABLE, world=paused, late=True),
            STRANGER,
            UNKNOWN,
            NOT_MINE,
            OVER,
            Rung(code=R.REQUEST_COMMITTED, world=commit, alone=True),
            Rung(code=R.WORK_REQUIRED, params={"todo_id": None}, alone=True),
            Rung(code=R.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
            Rung(code=R.TODO_NOT_OPEN, world=done, alone=True),
            Rung(
                code=R.CLAIM_OWNER_MISMATCH,
                world=lambda world: world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one"),
            ),
        ),
    ),
    Ladder(
        action="request.commit",
        who="helper",
        base=sent,
        params=ONE | {"todo_id": "todo_one"},
        rungs=(Rung(code=R.REQUEST_NOT_ADOPTED),),
        expected="request_not_adopted",
    ),
    Ladder(
        action="request.return",
        who="helper",
        base=with_evidence,
        params=ONE | {"artifact": lambda world: [next(iter(world.goal().artifacts))], "summary": "Two"},
        rungs=(
            CLOSED,
            STRANGER,
            UNKNOWN,
            NOT_MINE,
            OVER,
            Rung(code=R.REQUEST_WORK_OPEN, world=commit),
            Rung(code=R.ARTIFACT_NOT_FOUND, params={"artifact": ["art_none"]}, alone=True),
            Rung(code=R.ARTIFACT_OF_ANOTHER, params={"artifact": lambda world: [submit(world, "builder", name="b")]}),
        ),
    ),
    Ladder(
        action="request.acknowledge",
        who="builder",
        base=returned,
        params=ONE,
        rungs=(UNKNOWN, Rung(code=R.REQUEST_NOT_YOURS, who="helper")),
    ),
    Ladder(
        action="request.acknowledge",
        who="builder",
        base=sent,
        params=ONE,
        rungs=(Rung(code=R.REQUEST_NOT_RETURNED),),
        expected="request_not_returned",
    ),
    Ladder(
        action="request.withdraw",
        who="builder",
        base=sent,
        params=ONE,
        rungs=(
            UNKNOWN,
            Rung(code=R.REQUEST_NOT_YOURS, who="helper"),
            Rung(
                code=R.REQUEST_CLOSED,
                world=lambda world: world.do("helper", "request.respond", **ONE, decision="reject", reason="No"),
            ),
        ),
    ),
    Ladder(
        action="request.send",
        who="helper",
        base=adopted,
        params=brief("two", to="ann", parent_id="request_one"),
        rungs=(
            Rung(code=R.REQUEST_NOT_YOURS, params={"to": "helper"}, who="builder"),
            OVER,
            Rung(code=R.REQUEST_EXISTS, params={"request_id": "request_one"}),
            Rung(code=R.REQUEST_CYCLE, params={"to": "builder"}),
        ),
    ),
)
