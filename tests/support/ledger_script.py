"""A ledger played as a script: commands by the members of a small workspace, on a clock that only the script moves.

Every command goes through the real writer on the store in memory, and the script's state is folded from the events
that came back, as a reader's is. `replayed()` folds the same history again from the stored bytes.
"""

from collections.abc import Iterator
from itertools import count

from ledger.catalogue import ACTIONS
from ledger.codec import decode_event
from ledger.events import Proof, Recorded, Surface
from ledger.ids import BOT, DAEMON, OPERATOR, GoalId, MemberId
from ledger.params import Params
from ledger.projections.documents import READERS
from ledger.reduce import fold
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.state import Goal, Workspace
from ledger.store.memory import MemoryStore
from ledger.writer import Answer, Request, Writer

START_MS = 1_780_000_000_000
"""When a script begins: 2026-05-28T20:26:40Z."""

_KINDS = {OPERATOR: "operator", DAEMON: "daemon", BOT: "bot"}


def digest_of(number: int) -> str:
    """A SHA-256 digest that no other number has."""
    return f"{number:064x}"


class Script:
    """One ledger, its writer, and what its readers see."""

    def __init__(self, name: str = "Docs team") -> None:
        self._store = MemoryStore()
        self._keys = count(1)
        self.now_ms = START_MS
        self.seen = Workspace()
        salts = (number.to_bytes(16, "big") for number in count(1))
        term = self._store.open_term("0" * 32)
        self.writer = Writer(self._store, term, Workspace(), lambda size: next(salts)[:size], self.replayed)
        self.do(
            DAEMON,
            "workspace.create",
            name=name,
            incarnation="0" * 32,
            owner="ann",
            owner_name="Ann Li",
            owner_secret_digest=digest_of(1),
            bot_secret_digest=digest_of(2),
        )

    def add_agent(self, member_id: str, display_name: str | None = None, **grants: object) -> MemberId:
        """Register an agent."""
        self.do(
            OPERATOR, "member.add", member_id=member_id, kind="agent", display_name=display_name or member_id, **grants
        )
        return MemberId(member_id)

    def add_person(self, member_id: str, display_name: str, *roles: str) -> MemberId:
        """Register a person."""
        self.do(OPERATOR, "member.add", member_id=member_id, kind="person", display_name=display_name, role=roles)
        return MemberId(member_id)

    def ask(self, actor: str, action: str, /, *, surface: Surface = "cli", **params: object) -> Answer:
        """Try a command; the answer may be a refusal."""
        kind = ACTIONS[action]
        request = Request(
            action=kind,
            params=parse(kind.params, params),
            caller=self.caller(actor, surface),
            proof=Proof(kind="token", reference=f"tok_{actor}"),
            request_key=f"key-{next(self._keys)}",
        )
        (answer,) = self.writer.drain([request], self.now_ms)
        for event in answer.events:
            fold(self.seen, event)
        return answer

    def do(self, actor: str, action: str, /, **params: object) -> tuple[Recorded, ...]:
        """A command that must be taken."""
        answer = self.ask(actor, action, **params)
        assert answer.refusal is None, answer.refusal
        return answer.events

    def read(self, reader: str, action: str, /, **params: object) -> dict[str, object]:
        """A document that must be there."""
        found = self.try_read(reader, action, **params)
        assert not isinstance(found, Refusal), found
        return found

    def try_read(self, reader: str, action: str, /, **params: object) -> dict[str, object] | Refusal:
        """A document, or why there is none."""
        asked = parse(ACTIONS[action].params, params)
        return READERS[action](self.seen, self.caller(reader), asked, self.now_ms)

    def caller(self, member_id: str, surface: Surface = "cli") -> Caller:
        """A member as the edge would prove them."""
        member = self.seen.members.get(MemberId(member_id))
        kind = _KINDS.get(MemberId(member_id)) or ("agent" if member is None else member.kind)
        return Caller(member_id=MemberId(member_id), kind=kind, surface=surface)

    def goal(self, goal_id: str = "docs") -> Goal:
        """A goal as readers see it."""
        return self.seen.goals[GoalId(goal_id)]

    def pass_ms(self, span_ms: int) -> None:
        """Let time pass."""
        self.now_ms += span_ms

    def events(self) -> Iterator[Recorded]:
        """The history as it is stored."""
        for row in self._store.events(0):
            yield decode_event(row.body, row.words, row.hash)

    def replayed(self) -> Workspace:
        """The state made anew from the stored bytes."""
        workspace = Workspace()
        for event in self.events():
            fold(workspace, event)
        return workspace

    # The usual moves, so that a test says only what is special about it.

    def propose(self, goal_id: str = "docs", by: str = "ann", **changes: object) -> Goal:
        """Propose the sample goal."""
        asked: dict[str, object] = {
            "goal_id": goal_id,
            "title": "Check the docs",
            "objective": "Every page of docs/ can be followed from top to bottom.",
            "criterion": ("Every link works", "Every command runs"),
            "write_scope": ("reports/**",),
            "review": "owner",
        }
        self.do(by, "goal.propose", **(asked | changes))
        return self.goal(goal_id)

    def activate(self, goal_id: str = "docs", **changes: object) -> Goal:
        """Propose it and let its owner confirm it."""
        self.propose(goal_id, **changes)
        return self.confirm(goal_id)

    def confirm(self, goal_id: str = "docs", by: str = "ann") -> Goal:
        """Confirm the revision that waits."""
        goal = self.goal(goal_id)
        self.do(by, "goal.confirm", goal_id=goal_id, basis=goal.intents[goal.pending - 1].basis)
        return self.goal(goal_id)

    def add_todo(self, text: str = "Check the links", goal_id: str = "docs", by: str = "ann", **changes: object) -> str:
        """Add work; its id comes back."""
        (event,) = self.do(by, "todo.add", goal_id=goal_id, text=text, **changes)
        return str(event.facts.todo_id)  # type: ignore[attr-defined]

    def finish(self, todo_id: str, by: str, goal_id: str = "docs", criterion: tuple[str, ...] = ("c1",)) -> str:
        """Claim a todo, hand in evidence and complete it; the artifact's id comes back."""
        self.do(by, "todo.claim", goal_id=goal_id, todo_id=todo_id)
        (event,) = self.do(
            by,
            "artifact.submit",
            goal_id=goal_id,
            todo_id=todo_id,
            label="report.json",
            sha256=digest_of(self.seen.seq),
            size_bytes=812,
            criterion=criterion,
        )
        artifact_id = str(event.facts.artifact_id)  # type: ignore[attr-defined]
        self.do(by, "todo.complete", goal_id=goal_id, todo_id=todo_id, evidence=(artifact_id,))
        return artifact_id

    def deliver(self, goal_id: str = "docs", by: str = "builder") -> Goal:
        """Put the result before the owners."""
        self.do(by, "goal.deliver", goal_id=goal_id, summary="All links work.")
        return self.goal(goal_id)

    def accept(self, goal_id: str = "docs", by: str = "ann") -> Goal:
        """Accept the delivery that waits."""
        delivery = self.goal(goal_id).delivery
        assert delivery is not None
        self.do(by, "goal.accept", goal_id=goal_id, basis=delivery.basis)
        return self.goal(goal_id)

    def send_back(self, goal_id: str = "docs", by: str = "ann", reason: str = "Check the anchors too.") -> Goal:
        """Ask for changes to the delivery that waits."""
        delivery = self.goal(goal_id).delivery
        assert delivery is not None
        self.do(by, "goal.request-changes", goal_id=goal_id, basis=delivery.basis, reason=reason)
        return self.goal(goal_id)


def parse(model: type[Params], params: dict[str, object]) -> Params:
    """Parameters as the edge would parse them."""
    return model.model_validate(params)


def script_in(state: str, goal_id: str = "docs") -> Script:
    """A script whose goal is in this state, by the shortest way there."""
    script = Script()
    script.add_agent("builder", "Builder")
    script.propose(goal_id)
    if state in _BEFORE_CONFIRMATION:
        _BEFORE_CONFIRMATION[state](script, goal_id)
        return script
    script.confirm(goal_id)
    script.finish(script.add_todo(goal_id=goal_id), "builder", goal_id)
    match state:
        case "active":
            script.add_todo("Check the headings", goal_id)
        case "paused":
            script.do("ann", "goal.pause", goal_id=goal_id, reason="The site moves.")
        case "stopped":
            script.do("ann", "goal.stop", goal_id=goal_id, reason="No longer needed.")
        case "delivered":
            script.deliver(goal_id)
        case "accepted":
            script.deliver(goal_id)
            script.accept(goal_id)
        case "changes_requested":
            script.deliver(goal_id)
            script.send_back(goal_id)
        case _:
            raise ValueError(state)
    return script


_BEFORE_CONFIRMATION = {
    "proposed": lambda script, goal_id: None,
    "clarifying": lambda script, goal_id: script.do(
        "ann", "goal.clarify", goal_id=goal_id, question="Which folder?", option=("docs", "site")
    ),
    "declined": lambda script, goal_id: script.do(
        "ann", "goal.decline", goal_id=goal_id, basis=script.goal(goal_id).intents[-1].basis, reason="Not now."
    ),
    "withdrawn": lambda script, goal_id: script.do("ann", "goal.withdraw", goal_id=goal_id),
}
