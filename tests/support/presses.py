"""People at cards: who there is in a chat, and the usual moves on a daemon that is served inside the test.

Ann and Chen own the workspace, he reads Chinese; Vic may look, Bob has no role, Rex was an owner once. A person is
told in both languages what came of a press, and the client shows the one they read.
"""

from dataclasses import dataclass

from ledger.ids import OPERATOR
from tests.support.homes import CHAT, Scribe, activate, pair, person
from tests.support.served import Served

FORM = {
    "title": "Docs that can be followed",
    "objective": "Every page of the docs can be followed from top to bottom.",
    "criteria": "Every link works\nEvery command runs",
    "non_goals": "Style",
    "write_scopes": "reports/**\ndocs/**",
    "budget": "two hours",
    "stop_conditions": "The site is gone",
}
STRANGER = {"open_id": "ou_stranger", "union_id": "on_stranger"}


def everybody(scribe: Scribe) -> None:
    """Register the others and pair them; nobody has decided anything yet."""
    for who, name, role in (
        ("chen", "陈博", ("owner",)),
        ("vic", "Vic Viewer", ("viewer",)),
        ("rex", "Rex", ("owner",)),
    ):
        scribe.do(OPERATOR, "member.add", member_id=who, kind="person", display_name=name, role=role)
        pair(scribe, who)
    scribe.do(OPERATOR, "member.revoke", member_id="rex")


def delivered(scribe: Scribe) -> None:
    """The same, and a goal `docs` whose only work is done and delivered."""
    everybody(scribe)
    activate(scribe)
    work_done(scribe, "todo_000")


def work_done(scribe: Scribe, todo_id: str) -> None:
    """Builder does a todo of `docs` and delivers."""
    scribe.do("builder", "todo.claim", goal_id="docs", todo_id=todo_id)
    digest = f"{scribe.state.seq:064x}"
    report = {"label": "report.json", "sha256": digest, "size_bytes": 812}
    (event,) = scribe.do("builder", "artifact.submit", goal_id="docs", todo_id=todo_id, **report).events
    evidence = (event.facts.artifact_id,)
    scribe.do("builder", "todo.complete", goal_id="docs", todo_id=todo_id, evidence=evidence)
    scribe.do("builder", "goal.deliver", goal_id="docs", summary="All links work.")


@dataclass(frozen=True)
class Pressed:
    """What came of a press."""

    document: dict

    @property
    def code(self) -> str:
        """The refusal's code, or nothing."""
        return self.document["envelope"].get("code", "")

    @property
    def kind(self) -> str:
        """How the toast looks."""
        return self.document["toast"]["type"]

    @property
    def en(self) -> str:
        """What an English reader is told."""
        return self.document["toast"]["en"]

    @property
    def zh(self) -> str:
        """What a Chinese reader is told."""
        return self.document["toast"]["zh"]

    @property
    def slots(self) -> list[str]:
        """The cards that are to be looked at."""
        return self.document["slots"]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the events that it stands for."""
        return [event["kind"] for event in self.document["envelope"].get("events", ())]

    @property
    def replayed(self) -> bool:
        """Whether it was done before."""
        return self.document["envelope"].get("replayed", False)


class Table:
    """The people of a daemon that is served, at their cards in one chat."""

    def __init__(self, daemon: Served) -> None:
        self.daemon = daemon

    async def token(self, slot: str, action: str) -> str:
        """What the button of a card carries now."""
        return (await self.daemon.view(f"{slot}@{CHAT}"))["tokens"][action]

    async def press(self, who: str, token: str, form: dict[str, str] | None = None, **changes: object) -> Pressed:
        """Somebody presses; the daemon always has an answer."""
        by = {"operator": STRANGER} if who == "stranger" else {}
        answer = await self.daemon.press(token, who=who, form=form or {}, **(by | changes))
        assert answer.status == 200, answer.document
        return Pressed(answer.document)

    async def form(self, who: str = "ann", text: str = "propose", **changes: object) -> str:
        """Somebody asks for a form; the subject of its slot."""
        reply = (await self.daemon.message(text, who=who, **changes)).document["reply"]
        assert reply["kind"] == "card", reply
        return reply["slot"].rpartition("@")[0]

    async def submit(self, who: str, form: str, values: dict[str, str]) -> Pressed:
        """Somebody sends a form off as it is shown now."""
        return await self.press(who, await self.token(form, "goal.propose"), values)

    async def proposed(self, who: str = "ann", values: dict[str, str] = FORM) -> str:
        """A goal that waits for its owners, made by a form; its id."""
        pressed = await self.submit(who, await self.form(who), values)
        assert pressed.code == "", pressed.document
        return pressed.document["goal_id"]

    def seq(self) -> int:
        """The last event."""
        return self.daemon.seq

    def codes(self) -> list[tuple[str, str, str]]:
        """Actor, action and reason of every audited attempt."""
        return [(row["actor"], row["action"], row["code"]) for row in self.daemon.audited()]


def named(who: str) -> dict[str, object]:
    """A person as the operator of a press."""
    return {"operator": person(who)}
