"""Making a home: the ledger's first events, its secrets, and nothing that could be guessed.

Secrets are made here and written to files that only their owner can read; the ledger gets their digests.
"""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from daemon.clock import SystemClock
from daemon.paths import Home
from daemon.service import replay
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import DAEMON
from ledger.ports import Store
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.rules.members import CreateWorkspace
from ledger.writer import Request, Writer

SECRET_BYTES = 32


class AlreadyInitialised(Exception):
    """There is a ledger here."""


class InitRefused(Exception):
    """The first events were refused; nothing was kept."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(refusal.code.value)


@dataclass(frozen=True, slots=True)
class Created:
    """What was made."""

    home: Path
    owner: str
    seq: int


def new_secret() -> str:
    """A credential's secret; the prefix lets a log filter recognise it."""
    return "fs_" + secrets.token_urlsafe(SECRET_BYTES)


def digest(secret: str) -> str:
    """What the ledger keeps of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def write_secret(path: Path, secret: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(secret + "\n")


def create_home(
    home: Home, store: Store, *, name: str, owner: str, owner_name: str, now_ms: int | None = None
) -> Created:
    """Begin a ledger in an empty home, at `now_ms` or by the clock. Raises AlreadyInitialised or InitRefused."""
    if store.head().seq:
        raise AlreadyInitialised(home.path)
    incarnation = secrets.token_hex(16)
    term = store.open_term(incarnation)
    owner_secret, bot_secret = new_secret(), new_secret()
    params = CreateWorkspace(
        name=name,
        incarnation=incarnation,
        owner=owner,
        owner_name=owner_name,
        owner_secret_digest=digest(owner_secret),
        bot_secret_digest=digest(bot_secret),
    )
    writer = Writer(store, term, replay(store), os.urandom, lambda: replay(store))
    request = Request(
        action=ACTIONS["workspace.create"],
        params=params,
        caller=Caller(member_id=DAEMON, kind="daemon", surface="daemon"),
        proof=Proof(kind="daemon", reference="init"),
        request_key=None,
    )
    # The files come first: a ledger whose owner's secret was never written would be locked for ever.
    for path, secret in (
        (home.owner_token, owner_secret),
        (home.bot_token, bot_secret),
        (home.button_key, secrets.token_hex(SECRET_BYTES)),
        (home.code_key, secrets.token_hex(SECRET_BYTES)),
    ):
        Path(path).unlink(missing_ok=True)
        write_secret(Path(path), secret)
    answer = writer.drain([request], SystemClock().wall_ms() if now_ms is None else now_ms)[0]
    if answer.refusal is not None:
        raise InitRefused(answer.refusal)
    return Created(Path(home.path), params.owner, answer.seq)
