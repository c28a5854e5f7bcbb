"""Drafts: what a person typed into a form on a card, kept when it was refused, so that it comes back filled in.

A card that a group shares never shows one person's draft. There the same card comes to that person directly, filled
in, with what was wrong; where only that person reads, the card itself is filled in. What has no card any more to be
sent from is shown as not sent. Drafts live in memory and are bounded: losing one costs typing, never an effect.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from daemon.relay.slots import Slot, addressee, parse, place_of, split
from ledger.ids import MemberId
from ledger.projections.form_views import TypedView
from ledger.state import Workspace

DRAFTS_MAX = 1_000
DRAFTS_CHARS_MAX = 4_000_000
PRIVATE_CHATS_MAX = 10_000
NOTHING_TYPED = frozenset({"gate.delegate", "gate.approve"})
"""Actions whose forms hold choices alone, or a one-time code: there is nothing that could be lost."""
NEVER_KEPT = frozenset({"code"})
"""Inputs whose values are kept nowhere, whatever form they come in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What was typed into one form, and what was wrong; a form that was only opened has neither."""

    action: str
    values: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)

    @property
    def chars(self) -> int:
        """How much was typed."""
        return sum(len(value) for value in self.values.values())

    def view(self) -> TypedView:
        """As a card draws it."""
        return TypedView(
            action=self.action, values=dict(self.values), problem_code=self.code, problem_details=dict(self.details)
        )


class Drafts:
    """The drafts by slot and action, and the chats that are known to be between the bot and one person."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Draft] = {}
        self._chars = 0
        self._private: dict[str, None] = {}

    def heard_in_private(self, chat_id: str) -> None:
        """Nobody but one person reads this chat."""
        self._private.pop(chat_id, None)
        self._private[chat_id] = None
        if len(self._private) > PRIVATE_CHATS_MAX:
            del self._private[next(iter(self._private))]

    def is_private(self, place: str) -> bool:
        """Whether one person alone reads what is shown there, as far as is known."""
        return addressee(place) is not None or place in self._private

    def place_for(self, place: str, member_id: MemberId) -> str:
        """Where this person's draft may be shown: here if only they read here, else between the bot and them."""
        return place if self.is_private(place) else place_of(member_id)

    def keep(self, slot: str, draft: Draft) -> None:
        """Remember a draft; the oldest give way when there are too many, or too much is in them."""
        self.drop(slot, draft.action)
        while self._kept and (len(self._kept) >= DRAFTS_MAX or self._chars + draft.chars > DRAFTS_CHARS_MAX):
            self.drop(*next(iter(self._kept)))
        self._kept[slot, draft.action] = draft
        self._chars += draft.chars

    def drop(self, slot: str, action: str) -> None:
        """Forget a draft: it was sent."""
        draft = self._kept.pop((slot, action), None)
        self._chars -= 0 if draft is None else draft.chars

    def of(self, slot: str) -> tuple[Draft, ...]:
        """The drafts on the card of a slot."""
        return tuple(draft for (kept, _), draft in self._kept.items() if kept == slot)

    def names(self) -> Iterator[str]:
        """The slots that have a draft."""
        yield from dict.fromkeys(slot for slot, _ in self._kept)


def is_typed(action: str, form: Mapping[str, str]) -> bool:
    """Whether a form holds anything that somebody could be sorry to lose."""
    return action not in NOTHING_TYPED and any(value.strip() for value in form.values())


def direct_slots(workspace: Workspace, names: Iterable[str], goal_id: str | None) -> Iterator[Slot]:
    """Those of the named slots that are between the bot and one person, of one goal and of none, or of all."""
    for name in names:
        subject, place = split(name)
        member_id = addressee(place)
        address = None if member_id is None else workspace.addresses.get(member_id)
        if member_id is None or address is None or workspace.members[member_id].revoked:
            continue
        target = parse(workspace, subject)
        about = None if target is None or target.goal is None else target.goal.goal_id
        if goal_id is None or about in {None, goal_id}:
            yield Slot(
                subject=subject,
                place=place,
                receive_id=address.open_id,
                receive_id_type="open_id",
                open=True,
                urgent=True,
            )
