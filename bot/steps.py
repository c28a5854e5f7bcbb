"""What to do about one card: desired against delivered, decided on values alone.

The states of a delivery and the ways between them:

    (none) ─▶ posting ─▶ live ─taken away─▶ reposting ─▶ reposted ─taken away─▶ gone
                          │  ▲                              │
            card refused  ▼  │ a card again                 │
                         text ◀─────────────────────────────┘     paused: from any, until the chat is heard of again

A post is written down before it is made, because between the platform's taking it and our hearing of that anything may
happen. What was written down is posted again under the same key, even if the card is closed by then: the message that
comes back may be the one that went before, and if its content is in doubt the next look patches it.

A card that still wants something from somebody is *open*. Only an open card is posted anew, when it was taken away or
grows too old to be changed; a closed one gets its last patch and is left alone.
"""

from dataclasses import dataclass
from typing import Final

import msgspec

from bot.backend import Delivery
from bot.lark import LarkFaultKind
from ledger.projections.views import CardView

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
# The platform changes no message older than 14 days; the day before that is ours to replace it in.
REPOST_AGE_MS: Final = 13 * DAY_MS
PATCH_AGE_MS_MAX: Final = 14 * DAY_MS
IN_DOUBT: Final = frozenset({"posting", "reposting"})
LEFT_ALONE: Final = frozenset({"paused", "gone"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The card as it should be: its content's digest, the seq it is true at, and whether anybody still needs it."""

    slot: str
    chat_id: str
    digest: str
    version: int
    is_open: bool
    posts_closed: bool = False
    """Whether a first message is worth posting even if the card is closed: a goal's own card, which tells."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Post:
    """Post a new message; it replaces the message of id `replaces`, if there was one."""

    replaces: str = ""
    reposted: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Patch:
    """Change the message that is there."""

    message_id: str


Step = Post | Patch | None


def next_step(wanted: Wanted, delivered: Delivery | None, now_ms: int) -> Step:
    """The one thing to do now, if anything. An older version never follows a newer one."""
    if delivered is None:
        return Post() if wanted.is_open or wanted.posts_closed else None
    if delivered.state in LEFT_ALONE or wanted.version < delivered.version:
        return None
    if delivered.state in IN_DOUBT:
        return Post(replaces=delivered.message_id, reposted=delivered.state == "reposting")
    age_ms = now_ms - delivered.sent_at_ms
    if delivered.message_id and age_ms >= REPOST_AGE_MS and wanted.is_open:
        return Post(replaces=delivered.message_id)
    if wanted.digest == delivered.digest:
        return None
    if not delivered.message_id:
        return Post() if wanted.is_open else None
    return Patch(message_id=delivered.message_id) if age_ms < PATCH_AGE_MS_MAX else None


def intended(wanted: Wanted, step: Post, delivered: Delivery | None, now_ms: int) -> Delivery:
    """What to write down before a post: the digest of its content, or none if posts with other content went before."""
    if delivered is not None and delivered.state in IN_DOUBT:
        return delivered if delivered.digest == wanted.digest else msgspec.structs.replace(delivered, digest="")
    if delivered is not None and not delivered.message_id:
        # A text stands there in its place; that must not be forgotten, or there would be a second one.
        return delivered
    return Delivery(
        slot=wanted.slot,
        chat_id=wanted.chat_id,
        message_id=step.replaces,
        digest=wanted.digest,
        version=wanted.version,
        sent_at_ms=now_ms if delivered is None else delivered.sent_at_ms,
        state="reposting" if step.reposted else "posting",
    )


def posted(wanted: Wanted, step: Post, intent: Delivery, message_id: str, now_ms: int) -> Delivery:
    """What to remember of a post: of content that is in doubt no digest, so that the next look patches it."""
    is_sure = intent.state in IN_DOUBT and intent.digest == wanted.digest
    return Delivery(
        slot=wanted.slot,
        chat_id=wanted.chat_id,
        message_id=message_id,
        digest=wanted.digest if is_sure else "",
        version=wanted.version,
        sent_at_ms=now_ms,
        state="reposted" if step.reposted else "live",
    )


def patched(wanted: Wanted, delivered: Delivery) -> Delivery:
    """What to remember of a patch: the message keeps its age."""
    state = "live" if delivered.state == "text" else delivered.state
    return msgspec.structs.replace(delivered, digest=wanted.digest, version=wanted.version, state=state)


def texted(wanted: Wanted, delivered: Delivery | None, now_ms: int) -> Delivery:
    """What to remember of a card that the platform refused: this content is not tried again."""
    known = delivered or unsent(wanted, now_ms)
    return msgspec.structs.replace(known, digest=wanted.digest, version=wanted.version, state="text")


def given_up(wanted: Wanted, delivered: Delivery | None, now_ms: int) -> Delivery:
    """What to remember of what is posted once, and was refused for good."""
    return msgspec.structs.replace(delivered or unsent(wanted, now_ms), state="gone", version=wanted.version)


def paused(wanted: Wanted, delivered: Delivery | None, now_ms: int) -> Delivery:
    """What to remember when the chat cannot be reached."""
    return msgspec.structs.replace(delivered or unsent(wanted, now_ms), state="paused")


def resumed(delivered: Delivery) -> Delivery:
    """What to remember once a chat was heard of again: the content is looked at anew."""
    return msgspec.structs.replace(delivered, state="live" if delivered.message_id else "posting", digest="")


def doubted(delivered: Delivery) -> Delivery:
    """What to remember of a message that may have been taken away: the next look changes it, and so finds out."""
    return msgspec.structs.replace(delivered, digest="")


def adopted(slot: str, chat_id: str, message_id: str, delivered: Delivery | None, now_ms: int) -> Delivery | None:
    """What to remember when somebody pressed a message of a slot that none is known of: its record was lost."""
    if not message_id or (delivered is not None and (delivered.message_id or delivered.state not in IN_DOUBT)):
        return None
    return Delivery(
        slot=slot,
        chat_id=chat_id,
        message_id=message_id,
        digest="",
        version=0 if delivered is None else delivered.version,
        sent_at_ms=now_ms,
    )


def after_gone(wanted: Wanted, delivered: Delivery) -> Post | Delivery:
    """A message was taken away: replace it once if somebody still needs it, else remember that it is gone."""
    if wanted.is_open and delivered.state != "reposted":
        return Post(replaces=delivered.message_id, reposted=True)
    return msgspec.structs.replace(delivered, state="gone", version=wanted.version)


def unsent(wanted: Wanted, now_ms: int) -> Delivery:
    """A slot that has no message yet."""
    return Delivery(
        slot=wanted.slot,
        chat_id=wanted.chat_id,
        message_id="",
        digest="",
        version=wanted.version,
        sent_at_ms=now_ms,
    )


def wanted_of(view: CardView, *, slot: str, chat_id: str, digest: str, version: int) -> Wanted:
    """The card as it should be, from its view."""
    return Wanted(
        slot=slot,
        chat_id=chat_id,
        digest=digest,
        version=version,
        is_open=view.open,
        posts_closed=view.tells,
    )


RETRIED: Final = frozenset({LarkFaultKind.RATE_LIMITED, LarkFaultKind.UNKNOWN_OUTCOME})
"""Faults that a call may be repeated after at once; the key of a send and the nature of a patch make it safe."""
LATER: Final = RETRIED | {LarkFaultKind.TOKEN, LarkFaultKind.FATAL}
"""Faults after which the card is still wanted, and is tried again with growing patience."""
