"""One whole goal, from proposal to acceptance, cut at any of its steps: before the step was stored, or after.

Whoever asks again with the same key has it done once, and the goal comes to the end that an uncut one comes to.
"""

from collections.abc import Callable

from tests.support.scene import PROMISE, Scene
from tests.support.surfaces import AnswerLostError, Document, FrailSurface
from tests.support.world import digest

ONE: Document = {"todo_id": "todo_one"}
LEASE: Document = ONE | {"idempotency_key": "run-1", "ttl_seconds": 600}
FENCE: Document = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
Step = Callable[[Scene], tuple[str, str, Document]]


def _proved(scene: Scene) -> Document:
    listed = scene.surface.read("artifact.list", {"goal_id": scene.goal_id}, "ann")["artifacts"]
    assert isinstance(listed, list)
    return ONE | FENCE | {"evidence": [artifact["artifact_id"] for artifact in listed]}


def _successor(scene: Scene) -> Document:
    return {"todo_id": next(todo_id for todo_id in scene.todos() if todo_id != "todo_one")}


STEPS: tuple[Step, ...] = (
    lambda _: ("ann", "goal.propose", dict(PROMISE)),
    lambda _: ("ann", "goal.revise", {"budget": "three hours"}),
    lambda scene: ("ann", "goal.confirm", {"basis": scene.basis("confirm")}),
    lambda _: ("ann", "todo.add", ONE | {"text": "Check the links"}),
    lambda _: ("builder", "task-lease.acquire", LEASE),
    lambda _: ("builder", "artifact.submit", ONE | {"label": "report", "sha256": digest("report"), "size_bytes": 8}),
    lambda scene: ("builder", "todo.complete", _proved(scene) | {"next_agent_todo": "Check the anchors"}),
    lambda scene: ("ann", "todo.cancel", _successor(scene)),
    lambda _: ("builder", "goal.deliver", {"summary": "All links work"}),
    lambda scene: ("ann", "goal.accept", {"basis": scene.basis("accept")}),
)
"""Who, what, and with which parameters; each is asked for when its turn comes."""
WHOLE = [
    "goal.proposed",
    "goal.revised",
    "goal.confirmed",
    "todo.added",
    "lease.acquired",
    "artifact.submitted",
    "lease.released",
    "todo.completed",
    "todo.added",
    "todo.cancelled",
    "goal.delivered",
    "goal.accepted",
]
"""What an uncut goal leaves behind, and every cut one too."""


def a_goal_cut_at_one_step_comes_to_the_same_end(
    surface: FrailSurface, cut_at: int, *, stored: bool, goal_id: str
) -> None:
    """The answer to one step is lost; asked again with its key it is done, once, and all of it."""
    scene = Scene(surface, goal_id)
    begun = len(surface.history())
    for number, step in enumerate(STEPS):
        who, action, params = step(scene)
        key = f"{goal_id}-step-{number}"
        if number == cut_at:
            _lose(scene, stored, who, action, key, params)
        reply = scene.do(who, action, key, **params)
        assert reply.replayed is (stored and number == cut_at)
        again = scene.act(who, action, key, **params)
        assert (again.receipt_id, again.events, again.replayed) == (reply.receipt_id, reply.events, True)
    assert [kind for _, kind in surface.history()[begun:]] == WHOLE
    assert scene.show()["state"] == "accepted"


def _lose(scene: Scene, stored: bool, who: str, action: str, key: str, params: Document) -> None:
    surface = scene.surface
    before = len(surface.history())
    surface.lose_next(stored=stored)  # type: ignore[attr-defined]  # the scene was made with a frail one
    try:
        scene.act(who, action, key, **params)
    except AnswerLostError:
        assert (len(surface.history()) > before) is stored, "a part of the step, or the step although it failed"
    else:
        raise AssertionError("the answer was to be lost")
