"""Cards that a conversation asks for and nothing in the ledger says: how one is paired, and the form of an invitation.

They are kept in memory and bounded: losing one costs that its card is not drawn again, never an effect. What came of an
invitation that was sent from its form is read from the ledger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ledger.events import Recorded
from ledger.ids import MemberId
from ledger.projections.cards import Offer
from ledger.projections.identity_cards import invitation_view, is_waiting
from ledger.projections.identity_views import InviteView, PairingState, PairingView
from ledger.rules.identity_events import InvitationOffered
from ledger.state import Workspace

ASKED_MAX = 2_000
INVITE: Final = "identity:invite:"
PAIRING: Final = "identity:pairing:"
KEPT: Final = ("display_name", "member_id", "role")
"""What is kept of a form that was refused; whom the platform named is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteForm:
    """One form of an invitation: what was typed, what was wrong, what was sent."""

    values: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)
    invitation_id: str | None = None


class AskedCards:
    """What was asked for in conversations, by slot."""

    def __init__(self) -> None:
        self._kept: dict[str, InviteForm | PairingView] = {}

    def pairing(self, place: str, message_id: str, state: PairingState, name: str = "") -> str:
        """Say who somebody is here; the slot of the card that says it."""
        return self._put(f"{PAIRING}{message_id}@{place}", PairingView(state=state, name=name))

    def invite(self, place: str, message_id: str) -> str:
        """A form by which somebody can be invited; its slot."""
        slot = f"{INVITE}{message_id}@{place}"
        return slot if slot in self._kept else self._put(slot, InviteForm())

    def done(self, slot: str, events: Sequence[Recorded]) -> None:
        """The form became an invitation, or its invitation ended."""
        for event in events:
            if isinstance(event.facts, InvitationOffered):
                self._put(slot, InviteForm(invitation_id=event.facts.invitation_id))

    def fixed(self, slot: str, action_name: str, tenant_key: str, app_id: str) -> dict[str, object]:
        """Parameters that the card or the event says, and nobody types."""
        if action_name == "member.invite":
            return {"tenant_key": tenant_key, "app_id": app_id}
        form = self._kept.get(slot)
        invitation_id = form.invitation_id if isinstance(form, InviteForm) else None
        return {} if invitation_id is None else {"invitation_id": invitation_id}

    def refused(self, slot: str, values: Mapping[str, str], code: str, details: Mapping[str, str]) -> None:
        """Keep what was typed beside what was wrong with it."""
        form = self._kept.get(slot, InviteForm())
        if isinstance(form, InviteForm) and form.invitation_id is None:
            typed = {name: values.get(name, "") for name in KEPT}
            self._put(slot, replace(form, values=typed, code=code, details=details))

    def view(self, workspace: Workspace, slot: str, now_ms: int) -> InviteView | PairingView | None:
        """What the card shows, or None if it is not remembered."""
        kept = self._kept.get(slot)
        if kept is None or isinstance(kept, PairingView):
            return kept
        invitation = workspace.identity.invitations.get(kept.invitation_id or "")
        sent = None if invitation is None else invitation_view(workspace, invitation, now_ms)
        return InviteView(
            values=dict(kept.values), problem_code=kept.code, problem_details=dict(kept.details), sent=sent
        )

    def offers(self, workspace: Workspace, slot: str, now_ms: int) -> tuple[Offer, ...]:
        """The buttons it carries now."""
        kept, subject = self._kept.get(slot), slot.rpartition("@")[0]
        if not isinstance(kept, InviteForm):
            return ()
        if kept.invitation_id is None:
            return (Offer("member.invite", subject, None),)
        invitation = workspace.identity.invitations[kept.invitation_id]
        waits = is_waiting(workspace, invitation, now_ms)
        return (Offer("member.withdraw-invitation", subject, None),) if waits else ()

    def names(self) -> tuple[str, ...]:
        """The slots whose cards may still change."""
        return tuple(slot for slot, kept in self._kept.items() if isinstance(kept, InviteForm))

    def _put(self, slot: str, kept: InviteForm | PairingView) -> str:
        self._kept.pop(slot, None)
        self._kept[slot] = kept
        if len(self._kept) > ASKED_MAX:
            del self._kept[next(iter(self._kept))]
        return slot


def is_asked(subject: str) -> bool:
    """Whether a subject is one of a card that is kept here."""
    return subject.startswith((INVITE, PAIRING))


def name_here(workspace: Workspace, member_id: MemberId | None) -> str:
    """What a member is called, or nothing for nobody."""
    return "" if member_id is None else workspace.members[member_id].display_name
