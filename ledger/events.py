"""The envelope every event travels in, and the drafts that become events.

An event has *facts*, which rules decide on, and *words*, which people read. The chain covers the facts
themselves and only a salted digest of the words: words can be erased under a recorded event while the
chain still verifies and says what was redacted. No rule reads words.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from ledger.ids import GoalId, MemberId

ERASED = "[erased]"
"""What stands where words were erased."""

Surface = Literal["cli", "http", "lark", "mcp", "daemon"]


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule may decide on; each event kind is one subclass, named in `ledger.wire`."""


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """What people wrote or are called; erasable, and read by no rule."""


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """How the actor was proved: by peer uid, by a token, by a Lark identity, or as the daemon itself.

    `reference` is the uid, the token's id, or a digest of the Lark event; never a secret or a person's id.
    """

    kind: Literal["peer", "token", "lark", "daemon"]
    reference: str
    relayed_by: str | None = None
    code_step: int | msgspec.UnsetType = msgspec.UNSET
    """Which time step's one-time code was given besides; the code itself is nowhere. Left out where none was."""


class CodeStep(msgspec.Struct, frozen=True, kw_only=True):
    """What of a proof is folded: a one-time code counts once, and the ledger alone remembers that it did."""

    code_step: int | None = None


NO_CODE = CodeStep()


def code_step_of(proof: Proof) -> CodeStep:
    """The part of a proof that is folded."""
    return NO_CODE if proof.code_step is msgspec.UNSET else CodeStep(code_step=proof.code_step)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """One event as a decider yields it, before it has a place in the ledger."""

    facts: Facts
    words: Words | None = None
    goal_id: GoalId | None = None


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """Who caused a group of events, proved how, from where and by which receipt."""

    actor: MemberId
    proof: Proof
    surface: Surface
    on_behalf_of: MemberId | None
    cause: str | None


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """An event in its place: what the reducer folds."""

    seq: int
    at_ms: int
    kind: str
    goal_id: GoalId | None
    actor: MemberId
    surface: Surface
    facts: Facts
    words: Words | None
    hash: bytes
    proof: CodeStep = NO_CODE


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """The hashed part of an event; its canonical bytes are stored and never re-made."""

    seq: int
    at_ms: int
    kind: str
    version: int
    goal_id: GoalId | None
    actor: MemberId
    proof: Proof
    surface: Surface
    on_behalf_of: MemberId | None
    cause: str | None
    facts: Any
    words_digest: str | None


class Kind(NamedTuple):
    """One event kind at one version; each family lists its own.

    `upcast` makes the facts of an old version into those of the present one; None is the present version.
    """

    name: str
    version: int
    facts: type[Facts]
    words: type[Words] | None = None
    upcast: Callable[[dict[str, object]], dict[str, object]] | None = None
