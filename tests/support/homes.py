"""Homes for tests: a ledger with its people and their credentials, begun in this process and ready to be served.

Ann owns the workspace and is paired with Lark, Bob is paired and has no role, Builder and Helper are agents; each has a
token. What else a test needs is said as commands, which go through the real writer before anybody serves the home.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from daemon.clock import SystemClock
from daemon.init import create_home
from daemon.paths import Home
from daemon.service import replay
from ledger.catalogue import ACTIONS
from ledger.events import Proof, Surface
from ledger.ids import BOT, DAEMON, OPERATOR, MemberId
from ledger.ports import Store
from ledger.rules.common import Caller
from ledger.rules.identities import identity_digest
from ledger.state import Workspace
from ledger.store.sqlite import open_sqlite
from ledger.writer import Answer, Request, Writer

KINDS = {"ann": "person", "bob": "person", "builder": "agent", "helper": "agent"}
KINDS |= {OPERATOR: "operator", DAEMON: "daemon", BOT: "bot"}
APP, TENANT, CHAT = "cli_tests", "tenant_tests", "oc_tests"
Command = tuple[str, str, dict[str, object]]


def secret_of(member_id: str) -> str:
    """The credential of a member of a test's home."""
    return "fs_" + hashlib.sha256(f"secret of {member_id}".encode()).hexdigest()


def person(member_id: str) -> dict[str, str]:
    """Who somebody is on the platform."""
    return {"open_id": f"ou_{member_id}0000", "union_id": f"on_{member_id}0000"}


def sha256(text: str) -> str:
    """A digest as the ledger takes it."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Made:
    """A home and how to be somebody in it."""

    home: Home
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self.home.path)


class Scribe:
    """Commands through the real writer, without anybody serving."""

    def __init__(self, store: Store, now_ms: int) -> None:
        self._store = store
        self._keys = count(1)
        self.now_ms = now_ms
        self.chat: str | None = None
        """The chat that whoever acts is in, if they act from one."""
        self.kinds = dict(KINDS)
        """Who is what; whoever is not named is an agent."""
        term = store.open_term("0" * 32)
        self._writer = Writer(store, term, replay(store), os.urandom, lambda: replay(store))

    @property
    def state(self) -> Workspace:
        """The state that is stored."""
        return replay(self._store)

    def ask(self, who: str, action: str, /, **params: object) -> Answer:
        """One command."""
        row = ACTIONS[action]
        surface: Surface = "cli" if self.chat is None else "lark"
        kind = self.kinds.get(who, "agent")
        request = Request(
            action=row,
            params=row.params.model_validate(params),
            caller=Caller(member_id=MemberId(who), kind=kind, surface=surface, channel_id=self.chat),
            proof=Proof(kind="token", reference=f"tok_{who}"),
            request_key=f"seed-{next(self._keys)}",
        )
        return self._writer.drain([request], self.now_ms)[0]

    def do(self, who: str, action: str, /, **params: object) -> Answer:
        """A command that must be taken."""
        answer = self.ask(who, action, **params)
        assert answer.refusal is None, (action, answer.refusal)
        return answer


def people(scribe: Scribe) -> dict[str, str]:
    """Register everybody but the owner, give each a token, pair the people; the tokens come back."""
    for who in ("bob", "builder", "helper"):
        scribe.do(OPERATOR, "member.add", member_id=who, kind=KINDS[who], display_name=who.title())
    for who in ("ann", "bob", "builder", "helper"):
        scribe.do(OPERATOR, "token.issue", member_id=who, secret_digest=sha256(secret_of(who)))
    for who in ("ann", "bob"):
        pair(scribe, who)
    return {who: secret_of(who) for who in ("ann", "bob", "builder", "helper")}


def pair(scribe: Scribe, who: str) -> None:
    """Bind a person's Lark identity."""
    scribe.do(OPERATOR, "member.pair", member_id=who, code_digest=sha256(f"code of {who}"))
    named = person(who)
    scribe.do(
        BOT,
        "member.bind",
        code_digest=sha256(f"code of {who}"),
        identity_digest=identity_digest(TENANT, APP, named["open_id"], named["union_id"]),
        tenant_key=TENANT,
        app_id=APP,
        **named,
    )


def activate(scribe: Scribe, goal_id: str = "docs", todos: int = 1) -> None:
    """A confirmed goal with open todos `todo_000`, `todo_001` and so on"""
    scribe.do(
        "ann",
        "goal.propose",
        goal_id=goal_id,
        objective="Every page of the docs can be followed",
        criterion=("Every link works",),
        write_scope=("reports/**", "docs/**"),
        review="owner",
    )
    basis = scribe.state.goals[goal_id].intents[-1].basis
    scribe.do("ann", "goal.confirm", goal_id=goal_id, basis=basis)
    for number in range(todos):
        scribe.do("ann", "todo.add", goal_id=goal_id, todo_id=f"todo_{number:03d}", text=f"Do part {number}")


def begin(folder: Path, store: Store | None = None) -> tuple[Made, Scribe]:
    """A new ledger in `folder`, on a store of its own or on the one given, with its people."""
    folder.mkdir(mode=0o700, exist_ok=True)
    home = Home(str(folder))
    own = store or open_sqlite(Path(home.ledger))
    create_home(home, own, name="Docs team", owner="ann", owner_name="Ann Li")
    scribe = Scribe(own, SystemClock().wall_ms())
    made = Made(home, people(scribe))
    made.tokens["bot"] = Path(home.bot_token).read_text(encoding="ascii").strip()
    return made, scribe


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name, whatever the test is called."""
    folder = Path(tempfile.mkdtemp(prefix="fs-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
