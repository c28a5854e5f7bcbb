"""What one card is drawn from: the view of its subject, and a token for each button it may carry now."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec

from daemon.buttons import LIFE_MS, ButtonKeys, audience_of
from daemon.relay.forms import Forms
from daemon.relay.slots import FAMILIES, addressee, parse, split
from daemon.relay.subjects.base import Family, Target
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.projections.cards import Offer, goal_view
from ledger.projections.outlet import shown_in_chat
from ledger.projections.views import CardView
from ledger.state import Workspace

DAY_MS = 86_400_000


class Views:
    """Card views with their tokens."""

    def __init__(self, service: Service, keys: ButtonKeys, forms: Forms) -> None:
        self._service = service
        self._keys = keys
        self._forms = forms

    def view(self, slot: str, tenant_key: str) -> CardView | None:
        """The view of a slot as its chat may see it, or None if there is nothing to show there."""
        view = self._made(slot, tenant_key)
        return None if view is None else shown_in_chat(self._service.committed, view)

    def _made(self, slot: str, tenant_key: str) -> CardView | None:
        subject, chat_id = split(slot)
        if subject.startswith("form:"):
            return self._form(slot, subject, tenant_key, chat_id)
        workspace, now_ms = self._service.committed, self._service.clock.now_ms()
        target = parse(workspace, subject)
        if target is None:
            return None
        target = replace(target, place=chat_id)
        family = FAMILIES[target.kind]
        offered = _for_place(family, target, family.offers(workspace, target, now_ms), chat_id)
        tokens = {offer.action: self._token(offer, tenant_key, chat_id) for offer in offered}
        part = family.view(workspace, target, now_ms)
        # The goal stands above whatever is about it.
        about = None if target.goal is None else goal_view(workspace, target.goal, now_ms)
        card = CardView(
            kind=target.kind,
            audience="group" if addressee(chat_id) is None else "direct",
            tokens=tokens,
            goal=about,
            mentions=_mentions(workspace, family, target) if part.open else (),
            # A card without a button has no reason to be drawn anew when the key changes.
            button_key=workspace.button_key_id if tokens else 0,
        )
        return msgspec.structs.replace(card, **{target.kind: part})

    def _form(self, slot: str, subject: str, tenant_key: str, chat_id: str) -> CardView | None:
        form = self._forms.find(slot)
        if form is None:
            return None
        tokens = (
            {}
            if form.goal_id
            else {"goal.propose": self._token(Offer("goal.propose", subject, None), tenant_key, chat_id)}
        )
        return CardView(kind="form", audience="group", tokens=tokens, form=form.view())

    def _token(self, offer: Offer, tenant_key: str, chat_id: str) -> str:
        # The end falls on a day's boundary, so that a card drawn twice on one day carries the same token.
        expires_at_ms = (self._service.clock.now_ms() // DAY_MS + 1) * DAY_MS + LIFE_MS
        return self._keys.mint(
            self._service.committed.button_key_id,
            action=ACTIONS[offer.action],
            subject=offer.subject,
            basis=offer.basis,
            audience=audience_of(tenant_key, chat_id),
            expires_at_ms=expires_at_ms,
            turn=offer.turn,
        )


def _for_place(family: Family, target: Target, offers: Iterable[Offer], place: str) -> Iterator[Offer]:
    """The buttons for whoever is there: on a copy for one person none that only another may press."""
    person = addressee(place)
    for offer in offers:
        if person is None or family.may_press is None or family.may_press(target, offer.action, person):
            yield offer


def _mentions(workspace: Workspace, family: Family, target: Target) -> tuple[str, ...]:
    named = () if family.mentions is None else family.mentions(workspace, target)
    addresses = (workspace.addresses.get(member_id) for member_id in named)
    return tuple(address.open_id for address in addresses if address is not None)
