"""What one card is drawn from: the view of its subject, and a token for each button it may carry now."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal, cast

import msgspec

from daemon.buttons import LIFE_MS, ButtonKeys, audience_of
from daemon.relay.answers import Answers
from daemon.relay.asked import AskedCards, is_asked
from daemon.relay.drafts import Drafts, direct_slots
from daemon.relay.forms import Forms
from daemon.relay.shown import OPENS, basis_of
from daemon.relay.slots import FAMILIES, Slot, addressee, desired, is_let_go, parse, split
from daemon.relay.subjects.base import Family, Target
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.outlines import outline_of
from ledger.projections.cards import Offer, goal_view
from ledger.projections.form_views import ChoiceView, FormView, TypedView
from ledger.projections.identity_views import UnshownView
from ledger.projections.outlet import shown_in_chat, title_in_chat
from ledger.projections.views import CardKind, CardView
from ledger.state import Workspace

DAY_MS = 86_400_000
CHOICES_MAX = 50
"""As many as one choice on a card holds."""


class Views:
    """Card views with their tokens."""

    def __init__(
        self,
        service: Service,
        keys: ButtonKeys,
        forms: Forms,
        drafts: Drafts,
        answers: Answers,
        asked: AskedCards,
    ) -> None:
        self._service = service
        self._keys = keys
        self._forms = forms
        self._drafts = drafts
        self._answers = answers
        self._asked = asked

    def view(self, slot: str, tenant_key: str) -> CardView | None:
        """The view of a slot as its chat may see it, or None if there is nothing to show there."""
        view = self._made(slot, tenant_key)
        return None if view is None else shown_in_chat(self._service.committed, view)

    def slots(self, goal_id: str | None) -> list[Slot]:
        """Every card that should be somewhere: those that the state asks for, and those that show somebody's draft."""
        workspace = self._service.committed
        listed = {slot.name: slot for slot in desired(workspace, self._service.clock.now_ms(), goal_id)}
        for slot in direct_slots(workspace, (*self._drafts.names(), *self._forms.names()), goal_id):
            listed.setdefault(slot.name, slot)
        now_ms = self._service.clock.now_ms()
        for slot in self._answers.attention.slots(workspace, now_ms, anew=goal_id is None):
            listed.setdefault(slot.name, slot)
        return list(listed.values())

    def _made(self, slot: str, tenant_key: str) -> CardView | None:
        subject, chat_id = split(slot)
        if subject.startswith("form:"):
            return self._form(slot, subject, tenant_key, chat_id)
        if is_asked(subject):
            return self._of_asked(slot, tenant_key, chat_id)
        workspace, now_ms = self._service.committed, self._service.clock.now_ms()
        target = parse(workspace, subject)
        if target is None:
            return self._answer(slot, tenant_key)
        target = replace(target, place=chat_id)
        if is_let_go(workspace, target, chat_id):
            return _let_go(workspace, target)
        family = FAMILIES[target.kind]
        if family.shows is not None and not family.shows(workspace, target):
            return None
        offered = _for_place(family, target, family.offers(workspace, target, now_ms), chat_id)
        tokens = {offer.name or offer.action: self._token(offer, tenant_key, chat_id) for offer in offered}
        part = family.view(workspace, target, now_ms)
        typed = tuple(draft.view() for draft in self._drafts.of(slot)) if self._drafts.is_private(chat_id) else ()
        if isinstance(part, FormView):
            part, typed = _filled(part, typed), ()
        # The goal stands above whatever is about it.
        about = None if target.goal is None else goal_view(workspace, target.goal, now_ms)
        card = CardView(
            kind=target.kind,
            audience=_audience(chat_id),
            tokens=tokens,
            goal=about,
            mentions=_mentions(workspace, family, target) if part.open else (),
            # A card without a button has no reason to be drawn anew when the key changes.
            button_key=workspace.button_key_id if tokens else 0,
            typed=typed,
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
        shown = form.view()
        if self._drafts.is_private(chat_id):
            # Nobody else is here who could be picked.
            shown = msgspec.structs.replace(shown, people=choices(self._service.committed))
        return CardView(kind="form", audience=_audience(chat_id), tokens=tokens, form=shown)

    def _answer(self, slot: str, tenant_key: str) -> CardView | None:
        """The card of an answer: it is about no single goal, and its tokens alone tell what its buttons open."""
        shown = self._answers.shown(slot)
        if shown is None:
            return None
        subject, place = split(slot)
        tokens = {
            name: self._token(Offer(OPENS, subject, basis_of(opened)), tenant_key, place)
            for name, opened in shown.opens.items()
        }
        card = CardView(
            kind=cast("CardKind", subject.partition(":")[0]),
            audience=_audience(place),
            tokens=tokens,
            button_key=self._service.committed.button_key_id if tokens else 0,
        )
        return msgspec.structs.replace(card, **{card.kind: shown.part})

    def _of_asked(self, slot: str, tenant_key: str, place: str) -> CardView | None:
        workspace, now_ms = self._service.committed, self._service.clock.now_ms()
        part = self._asked.view(workspace, slot, now_ms)
        if part is None:
            return None
        offers = self._asked.offers(workspace, slot, now_ms)
        return CardView(
            kind="identity",
            audience=_audience(place),
            tokens={offer.action: self._token(offer, tenant_key, place) for offer in offers},
            identity=part,
            button_key=workspace.button_key_id if offers else 0,
        )

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


def _let_go(workspace: Workspace, target: Target) -> CardView:
    """The last that a chat sees of a goal that it shows no longer."""
    assert target.goal is not None, "only a goal's card is let go"
    title = title_in_chat(workspace, outline_of(target.goal))
    return CardView(kind="identity", audience="group", tokens={}, identity=UnshownView(title=title))


def _for_place(family: Family, target: Target, offers: Iterable[Offer], place: str) -> Iterator[Offer]:
    """The buttons for whoever is there: on a copy for one person none that only another may press."""
    person = addressee(place)
    for offer in offers:
        if person is None or family.may_press is None or family.may_press(target, offer.action, person):
            yield offer


def _audience(place: str) -> Literal["group", "direct"]:
    return "group" if addressee(place) is None else "direct"


def _filled(form: FormView, typed: tuple[TypedView, ...]) -> FormView:
    """The form with what was typed into it in place of what it began with."""
    draft = next((one for one in typed if one.problem_code is not None), None)
    if draft is None or not form.open:
        return form
    return msgspec.structs.replace(
        form,
        values=draft.values,
        problem_code=draft.problem_code,
        problem_details=draft.problem_details,
        left_as_they_are=tuple(name for name in form.left_as_they_are if not draft.values.get(name, "").strip()),
    )


def choices(workspace: Workspace) -> tuple[ChoiceView, ...]:
    """The people who can be chosen for a part in a goal; more than a card holds are left to the command line."""
    people = (one for one in workspace.members.values() if one.kind == "person" and not one.revoked)
    return tuple(ChoiceView(member_id=one.member_id, name=one.display_name) for one in islice(people, CHOICES_MAX))


def _mentions(workspace: Workspace, family: Family, target: Target) -> tuple[str, ...]:
    named = () if family.mentions is None else family.mentions(workspace, target)
    addresses = (workspace.addresses.get(member_id) for member_id in named)
    return tuple(address.open_id for address in addresses if address is not None)
