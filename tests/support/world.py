"""A small workspace for tests of the core: its people, its store (which may be told to fail), and one virtual clock.

Every command goes through the real writer. `state` is what a reader sees: it is folded from the events that came
back, never taken from the writer, so that the two can be held against each other.
"""

import json
from collections.abc import Callable, Iterator
from itertools import count

from ledger.catalogue import ACTIONS
from ledger.codec import decode_event
from ledger.decide import decide
from ledger.events import Proof, Recorded, Surface
from ledger.ids import BOT, DAEMON, OPERATOR, GoalId, MemberId, TodoId
from ledger.params import Params
from ledger.ports import Store
from ledger.records import Todo
from ledger.reduce import fold
from ledger.refusals import Refusal
from ledger.rules.common import Caller, Decision, Held
from ledger.state import Goal, Workspace
from ledger.store.memory import MemoryStore, Records
from ledger.testing import FailingStore
from ledger.verify import Report, verify
from ledger.writer import Answer, Request, Writer

START_MS = 1_790_000_000_000
DOCS = GoalId("docs")
KINDS = {
    "ann": "person",
    "bob": "person",
    "builder": "agent",
    "helper": "agent",
    "stranger": "agent",
    OPERATOR: "operator",
    DAEMON: "daemon",
    BOT: "bot",
}
"""Ann owns the workspace, Bob has no role; Builder and Helper may work on every goal, Stranger on another one only."""


def digest(text: str | int) -> str:
    """A value that looks like a SHA-256 digest; another one for each text."""
    return json.dumps(text).encode().hex().ljust(64, "0")[-64:]


def parse(action: str, params: dict[str, object]) -> Params:
    """Parameters as they come in at the edge: from JSON."""
    return ACTIONS[action].params.model_validate_json(json.dumps(params))


def recorded(store: Store) -> Iterator[Recorded]:
    """The events that are stored."""
    for row in store.events(0):
        yield decode_event(row.body, row.words, row.hash)


def replay(store: Store) -> Workspace:
    """The state that the stored bytes make."""
    workspace = Workspace()
    for event in recorded(store):
        fold(workspace, event)
    return workspace


class World:
    """One ledger and those who act on it."""

    def __init__(self, open_store: Callable[[], Store] | None = None) -> None:
        self.records = Records()
        self._open_store = open_store or (lambda: MemoryStore(self.records))
        self.now_ms = START_MS
        self._keys = count(1)
        self._salts = count(1)
        self.asked: list[Request] = []
        self.stored = self._open_store()
        self._begin()
        if not self.state.created:
            self._people()

    def restart(self) -> None:
        """A new writer on what is stored, as after a crash."""
        self.stored.close()
        self.stored = self._open_store()
        self._begin()

    def _begin(self) -> None:
        self.store = FailingStore(self.stored)
        term = self.store.open_term("0" * 32)
        self.state = replay(self.store)
        self.writer = Writer(self.store, term, replay(self.store), self._salt, lambda: replay(self.store))

    def _salt(self, size: int) -> bytes:
        return next(self._salts).to_bytes(size, "big")

    def _people(self) -> None:
        secrets = {"owner_secret_digest": digest("ann"), "bot_secret_digest": digest("bot")}
        created = {"name": "Docs team", "incarnation": "0" * 32, "owner": "ann", "owner_name": "Ann"} | secrets
        self.do(DAEMON, "workspace.create", **created)
        self.do(OPERATOR, "member.add", member_id="bob", kind="person", display_name="Bob")
        for agent in ("builder", "helper"):
            self.do(OPERATOR, "member.add", member_id=agent, kind="agent", display_name=agent, capability=["docs"])
        self.do(
            OPERATOR, "member.add", member_id="stranger", kind="agent", display_name="Stranger", goal_id=["elsewhere"]
        )

    def caller(self, who: str, surface: Surface = "cli", channel_id: str | None = None) -> Caller:
        """A member as the edge would have proved them."""
        member = self.state.members.get(MemberId(who))
        kind = KINDS.get(who) or ("agent" if member is None else member.kind)
        return Caller(member_id=MemberId(who), kind=kind, surface=surface, channel_id=channel_id)

    def request(
        self, who: str, action: str, key: str | None = None, surface: Surface = "cli", **params: object
    ) -> Request:
        """A command as it reaches the writer; each gets a key of its own unless one is given."""
        return Request(
            action=ACTIONS[action],
            params=parse(action, params),
            caller=self.caller(who, surface),
            proof=Proof(kind="token", reference=f"tok-{who}"),
            request_key=f"key-{next(self._keys)}" if key is None else key,
        )

    def drain(self, *requests: Request) -> list[Answer]:
        """Have the writer answer a batch; what it committed becomes visible, and nothing else."""
        self.asked.extend(requests)
        answers = self.writer.drain(requests, self.now_ms)
        for answer in answers:
            if not answer.replayed:
                for event in answer.events:
                    fold(self.state, event)
        if self.writer.refolded is not None:
            self.writer.refolded.swap_into(self.state)
        return answers

    def ask(self, who: str, action: str, key: str | None = None, **params: object) -> Answer:
        """Try a command."""
        (answer,) = self.drain(self.request(who, action, key, **params))
        return answer

    def do(self, who: str, action: str, key: str | None = None, **params: object) -> tuple[Recorded, ...]:
        """A command that must be committed."""
        answer = self.ask(who, action, key, **params)
        assert answer.refusal is None, (action, answer.refusal)
        assert answer.events, (action, answer.held)
        return answer.events

    def decide(self, who: str, action: str, **params: object) -> Decision:
        """What would come of a command now, without asking the writer."""
        return decide(self.state, ACTIONS[action], self.caller(who), parse(action, params), self.now_ms)

    def outcome(self, who: str, action: str, **params: object) -> str:
        """The refusal's code, `held`, or `committed`."""
        match self.decide(who, action, **params):
            case Refusal(code=code):
                return code.value
            case Held():
                return "held"
            case _:
                return "committed"

    def goal(self, goal_id: str = DOCS) -> Goal:
        """A goal as readers see it."""
        return self.state.goals[GoalId(goal_id)]

    def todo(self, todo_id: str, goal_id: str = DOCS) -> Todo:
        """A todo as readers see it."""
        return self.goal(goal_id).todos[TodoId(todo_id)]

    def proved(self) -> Report:
        """The whole history, checked as `ledger verify` does."""
        reader = self.stored.reader()
        return verify(reader.events(0), receipts=reader.receipts(), refusals=reader.refusals(0))

    def codes(self) -> list[str]:
        """The reasons in the refusals' chain, one for each row."""
        return [json.loads(row.body)["code"] for row in self.store.refusals(0)]

    # The usual moves, so that a test says only what is special about it.

    def propose(self, goal_id: str = DOCS, by: str = "ann", **changes: object) -> Goal:
        """Propose the sample goal."""
        asked: dict[str, object] = {
            "goal_id": goal_id,
            "objective": "Every page of the docs can be followed from top to bottom.",
            "criterion": ["Every link works", "Every command runs"],
            "write_scope": ["reports/**", "docs/**"],
            "review": "owner",
        }
        self.do(by, "goal.propose", **(asked | changes))
        return self.goal(goal_id)

    def confirm(self, goal_id: str = DOCS, by: str = "ann") -> Goal:
        """Confirm the revision that waits."""
        self.do(by, "goal.confirm", goal_id=goal_id, basis=self.goal(goal_id).intents[-1].basis)
        return self.goal(goal_id)

    def activate(self, goal_id: str = DOCS, **changes: object) -> Goal:
        """A goal that is confirmed."""
        self.propose(goal_id, **changes)
        return self.confirm(goal_id)

    def add(self, todo_id: str, goal_id: str = DOCS, by: str = "ann", **changes: object) -> None:
        """Add work under an id that the test chooses."""
        self.do(by, "todo.add", **({"goal_id": goal_id, "todo_id": todo_id, "text": f"Do {todo_id}"} | changes))

    def lease(self, todo_id: str, by: str = "builder", key: str = "run-1", **changes: object) -> None:
        """Take a lease."""
        self.do(by, "task-lease.acquire", **({"goal_id": DOCS, "todo_id": todo_id, "idempotency_key": key} | changes))

    def submit(self, todo_id: str | None, by: str = "builder", goal_id: str = DOCS, **changes: object) -> str:
        """Hand in evidence; its id comes back."""
        asked: dict[str, object] = {"goal_id": goal_id, "label": "report.json", "sha256": digest(self.state.seq)}
        asked |= {"size_bytes": 812} | ({} if todo_id is None else {"todo_id": todo_id})
        event, *_ = self.do(by, "artifact.submit", **(asked | changes))
        return str(event.facts.artifact_id)

    def finish(self, todo_id: str, by: str = "builder", goal_id: str = DOCS, **changes: object) -> str:
        """Claim it, prove it, complete it; the artifact's id comes back."""
        if self.todo(todo_id, goal_id).claimed_by is None:
            self.do(by, "todo.claim", goal_id=goal_id, todo_id=todo_id)
        artifact_id = self.submit(todo_id, by, goal_id)
        self.do(by, "todo.complete", goal_id=goal_id, todo_id=todo_id, evidence=[artifact_id], **changes)
        return artifact_id

    def deliver(self, goal_id: str = DOCS, by: str = "builder") -> Goal:
        """Put the result before the owners."""
        self.do(by, "goal.deliver", goal_id=goal_id, summary="All links work.")
        return self.goal(goal_id)

    def over(self) -> None:
        """All work of the goal is done, delivered and accepted."""
        for todo_id in [todo_id for todo_id, todo in self.goal().todos.items() if todo.status == "open"]:
            self.finish(todo_id)
        self.deliver()
        delivery = self.goal().delivery
        assert delivery is not None
        self.do("ann", "goal.accept", goal_id=DOCS, basis=delivery.basis)

    def delivered(self, goal_id: str = DOCS) -> Goal:
        """A goal whose only work is done and delivered."""
        self.activate(goal_id)
        self.add("todo_one", goal_id)
        self.finish("todo_one", goal_id=goal_id)
        return self.deliver(goal_id)
