"""Moves on requests between peers: sent, received, answered, given work, returned, delivered, taken back."""

from ledger.ids import MemberId
from ledger.parts.requests import Request
from ledger.records import Artifact
from ledger.state import Goal
from tests.support.walks.base import NEVER, Move, Walk, given

PEERS = ("builder", "helper", "ann", "bob", "critic")
LONG: dict[str, object] = {
    "context": "x" * 6_000, "constraint": ["y" * 500] * 12, "acceptance": ["z" * 500] * 12,
}  # fmt: skip


def send(walk: Walk, goal: Goal) -> Move:
    """Ask something of a peer, now and then for work of one's own or for a request that one has."""
    if sum(one.is_open for one in goal.requests.by_id.values()) >= 4 and not walk.slip():
        return go_on(walk, goal)
    who: str = walk.anybody() if walk.slip() else walk.choose(PEERS)
    to = walk.choose((who, "stranger", "nobody")) if walk.slip() else walk.choose([one for one in PEERS if one != who])
    mine = [*goal.requests.open_for.get(MemberId(who), ()), *(["request_none"] if walk.slip() else [])]
    todos = [todo.todo_id for todo in goal.todos.values() if todo.claimed_by in {None, who}]
    params: dict[str, object] = {
        "to": to,
        "purpose": "Check the links",
        "acceptance": ["Each is named"],
        "return_requirement": "A list",
        "parent_id": walk.choose(mine) if mine and walk.one_in(2) else None,
        "blocks_todo_id": walk.todo(goal) if walk.slip() else walk.choose(todos) if todos and walk.one_in(3) else None,
        "request_id": walk.choose((None, None, None, "request_a")),
        "origin": walk.choose((None, "talk-1")),
    }
    if goal.artifacts and walk.one_in(3):
        params["input"] = [_input(walk, walk.choose([*goal.artifacts.values()]))]
    if walk.slip():
        params |= LONG
    return Move(who, "request.send", given(goal, params), **_place(walk))


def _place(walk: Walk) -> dict[str, str]:
    return {"surface": "lark", "channel_id": "oc_docs"} if walk.one_in(5) else {}


def _input(walk: Walk, artifact: Artifact) -> dict[str, object]:
    sha256 = NEVER if walk.slip() else artifact.sha256
    return {"ref": artifact.artifact_id, "sha256": sha256, "relation": "revises"}


def go_on(walk: Walk, goal: Goal) -> Move:
    """The next step of a request, mostly by whoever is to take it."""
    every = [*goal.requests.by_id.values()]
    moving = [one for one in every if one.is_open or one.delivered is None]
    if not every:
        return send(walk, goal)
    one = walk.choose(moving) if moving and not walk.slip() else walk.choose(every)
    if walk.slip():
        return walk.choose((_receive, _respond, _commit, _return, acknowledge, withdraw))(walk, goal, one)
    if one.returned is not None and walk.one_in(4):
        return _return(walk, goal, one)
    if one.returned is not None:
        return acknowledge(walk, goal, one)
    if one.received is None and walk.one_in(2):
        return _receive(walk, goal, one)
    if one.adopted is None or walk.one_in(12):
        return _respond(walk, goal, one)
    if (one.committed is None and not walk.one_in(4)) or walk.one_in(8):
        return _commit(walk, goal, one)
    return _fulfil(walk, goal, one)


def _about(one: Request, **more: object) -> dict[str, object]:
    return {"request_id": one.request_id} | more


def _receiver(walk: Walk, one: Request) -> str:
    return walk.anybody() if walk.slip() else one.receiver


def _receive(walk: Walk, goal: Goal, one: Request) -> Move:
    return Move(_receiver(walk, one), "request.receive", given(goal, _about(one)))


def _respond(walk: Walk, goal: Goal, one: Request) -> Move:
    answer = walk.choose(("adopt",) * 6 + ("defer", "reject", "no_change"))
    reason = "" if walk.slip() else "Because"
    return Move(_receiver(walk, one), "request.respond", given(goal, _about(one, decision=answer, reason=reason)))


def _commit(walk: Walk, goal: Goal, one: Request) -> Move:
    work: dict[str, object] = {"text": "Check them"} if walk.one_in(2) else {"todo_id": walk.todo(goal)}
    return Move(_receiver(walk, one), "request.commit", given(goal, _about(one, **({} if walk.slip() else work))))


def _fulfil(walk: Walk, goal: Goal, one: Request) -> Move:
    """Finish its work, which returns it; or return it by hand."""
    work = None if one.todo_id is None else goal.todos[one.todo_id]
    if work is None or work.status != "open" or walk.one_in(4):
        return _return(walk, goal, one)
    proofs = [artifact.artifact_id for artifact in goal.artifacts.values() if artifact.todo_id == work.todo_id]
    if work.role == "user":
        return Move(walk.owner(goal), "todo.complete", given(goal, {"todo_id": work.todo_id}))
    if work.claimed_by is None:
        return Move(one.receiver, "todo.claim", given(goal, {"todo_id": work.todo_id}))
    if not proofs:
        proof = {"label": "list", "sha256": "a" * 64, "size_bytes": 1, "todo_id": work.todo_id}
        return Move(work.claimed_by, "artifact.submit", given(goal, proof))
    done = {"todo_id": work.todo_id, "evidence": proofs[:2]} | walk.fenced(goal, work.todo_id)
    return Move(work.claimed_by, "todo.complete", given(goal, done))


def _return(walk: Walk, goal: Goal, one: Request) -> Move:
    mine = [artifact.artifact_id for artifact in goal.artifacts.values() if artifact.submitted_by == one.receiver]
    every = [*goal.artifacts] or ["art_none"]
    chosen = walk.choose([*goal.artifacts, "art_none"]) if walk.slip() else walk.choose(mine or every)
    return Move(
        _receiver(walk, one), "request.return", given(goal, _about(one, artifact=[chosen], summary="Two are broken"))
    )


def acknowledge(walk: Walk, goal: Goal, one: Request) -> Move:
    """The return arrived: the sender says so, or the bot that carried it."""
    who = walk.anybody() if walk.one_in(4) else walk.choose((one.sender, "bot"))
    return Move(who, "request.acknowledge", given(goal, _about(one)))


def withdraw(walk: Walk, goal: Goal, one: Request) -> Move:
    """Take it back."""
    return Move(walk.anybody() if walk.slip() else one.sender, "request.withdraw", given(goal, _about(one)))


def take_back(walk: Walk, goal: Goal) -> Move:
    """Take back one that is open, or one that is not there."""
    every = [*goal.requests.by_id.values()]
    if not every or walk.slip():
        return Move("ann", "request.withdraw", given(goal, {"request_id": "request_none"}))
    return withdraw(walk, goal, walk.choose(every))


COMMANDS = (*(send,) * 3, *(go_on,) * 10, take_back)
