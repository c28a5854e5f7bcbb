"""A scene: one goal on a surface, the people around it, and the usual moves; a scenario says only what is special."""

from itertools import count

from tests.support.surfaces import Document, Reply, Surface
from tests.support.world import digest

PROMISE: Document = {
    "title": "Docs that can be followed",
    "objective": "Every page of docs/ 都能从头走到尾 <at id=all></at>.",
    "criterion": ["Every link works", "Every command runs", "Every link works"],
    "non_goal": ["Style"],
    "constraint": ["No network but the site itself"],
    "write_scope": ["reports/**", "docs"],
    "budget": "two hours",
    "stop_condition": ["The site is gone"],
    "allowed_slots": 60,
    "review": "owner",
    "priority": "P0",
}
SHOWN_AS = {"criterion": "criteria", "non_goal": "non_goals", "constraint": "constraints"}
SHOWN_AS |= {"write_scope": "write_scopes", "stop_condition": "stop_conditions"}


class Scene:
    """A goal on a surface, with the usual moves; each act has a key of its own unless one is given."""

    def __init__(self, surface: Surface, goal_id: str) -> None:
        self.surface = surface
        self.goal_id = goal_id
        self._keys = (f"{goal_id}-{number}" for number in count(1))

    def act(self, who: str, action: str, key: str | None = None, **params: object) -> Reply:
        """Try something with the goal."""
        return self.surface.act(action, {"goal_id": self.goal_id} | params, who, key or next(self._keys))

    def do(self, who: str, action: str, key: str | None = None, **params: object) -> Reply:
        """Something that must be committed, with effects that are stored."""
        reply = self.act(who, action, key, **params)
        assert reply.outcome == "committed", (action, reply)
        assert reply.events, f"{action} succeeded and did nothing"
        assert set(reply.events) <= set(self.surface.history())
        return reply

    def show(self) -> Document:
        """The goal as its owner reads it."""
        return self.surface.read("goal.show", {"goal_id": self.goal_id}, "ann")

    def basis(self, of: str) -> str:
        """What a card or a shell would carry now."""
        return str(_part(self.show(), "basis")[of])

    def promise(self, review: str = "review") -> Document:
        """The promise that is shown, by field."""
        fields = _part(self.show(), review)["fields"]
        assert isinstance(fields, list)
        return {field["name"]: field["items"] for field in fields}

    def todos(self) -> dict[str, Document]:
        """The work that is shown, by id."""
        listed = self.surface.read("todo.list", {"goal_id": self.goal_id}, "ann")["todos"]
        assert isinstance(listed, list)
        return {todo["todo_id"]: todo for todo in listed}

    def propose(self, **changes: object) -> None:
        """Put the promise before Ann."""
        self.do("ann", "goal.propose", **(PROMISE | changes))

    def confirm(self) -> Reply:
        """Ann says yes to what is shown."""
        return self.do("ann", "goal.confirm", basis=self.basis("confirm"))

    def finish(self, todo_id: str, **changes: object) -> Reply:
        """Builder claims, proves and completes."""
        self.do("builder", "todo.claim", todo_id=todo_id)
        return self.do("builder", "todo.complete", todo_id=todo_id, evidence=[self.prove(todo_id)], **changes)

    def prove(self, todo_id: str) -> str:
        """Builder hands in evidence; its id comes back."""
        proof = {"label": "report.json", "sha256": digest(todo_id), "size_bytes": 812}
        seq, _ = self.do("builder", "artifact.submit", todo_id=todo_id, **proof).events[0]
        return f"art_{seq:06d}"

    def delivered(self) -> None:
        """A result is before Ann."""
        self.propose()
        self.confirm()
        self.do("ann", "todo.add", todo_id="todo_one", text="Check the links")
        self.finish("todo_one")
        self.do("builder", "goal.deliver", summary="All links work")


def _part(document: Document, name: str) -> Document:
    part = document[name]
    assert isinstance(part, dict), name
    return part
