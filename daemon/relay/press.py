"""A press: from a signed token and a platform identity to one audited command and a toast.

Nothing on the card is trusted but the token. It says what may be asked and where it was shown; who may ask it is
decided by the same rules as on every other surface, for the person whom the ledger knows. The receipt key is nonce,
person and action: a double submit is one effect, a second person is not blocked.
"""

import hashlib
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import ValidationError

from daemon.api.edge import malformed
from daemon.api.envelope import envelope, refusal_envelope
from daemon.buttons import Button, ButtonKeys, ForgedError, audience_of
from daemon.relay.answers import Answers
from daemon.relay.asked import AskedCards, is_asked
from daemon.relay.deliveries import Deliveries
from daemon.relay.drafts import NEVER_KEPT, Draft, Drafts, is_typed
from daemon.relay.forms import ATTACHED, Forms, as_typed, digest_of, shown_details, to_parameters, with_material
from daemon.relay.invited import Invited
from daemon.relay.people import People, bot_caller, home_tenant, lark_proof, person_caller
from daemon.relay.refusals import RelayRefusal
from daemon.relay.slots import FAMILIES, is_let_go, parse, place_of
from daemon.relay.subjects import revise
from daemon.relay.subjects.base import Target
from daemon.relay.suggestions import missing, suggested, unanswered
from daemon.relay.toast import toast_for, toast_of, with_draft
from daemon.relay.wire import Press
from daemon.service import Service
from ledger.catalogue import Action
from ledger.events import Proof
from ledger.ids import GoalId, MemberId
from ledger.params import Params
from ledger.projections.revision_form import MAY_BE_EMPTIED, changed
from ledger.receipts import receipt_key
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller, refuse
from ledger.rules.goal_params import ReviseGoal
from ledger.rules.goals import GoalRefusal, decide_revise
from ledger.writer import Answer, Request

_PRESS = Action(name="card.press", number=0, params=Params, who=frozenset(), hidden=True)
"""Stands in the audit for a press whose own action could not be trusted."""


class _Subject(Params):
    """What a refused press was about, for the audit."""

    goal_id: str | None = None
    basis: str | None = None


PERSON_FIELD = "person_"
"""Begins the name of an input in which a person of the platform is picked; the rest is the parameter."""
UNPAIRED = "-"
"""No member's name: whoever was picked is not paired."""
_DONE_BEFORE = frozenset({GeneralRefusal.IDEMPOTENCY_CONFLICT, RelayRefusal.FORM_SUBMITTED})
Document: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Seen:
    """A press whose token, place and person were verified."""

    button: Button
    member_id: MemberId
    place: str
    target: Target | None
    """What the card is about; a form is about nothing yet, and what a card was about may be gone."""

    @property
    def slot(self) -> str:
        """The slot of the card that was pressed."""
        return f"{self.button.subject}@{self.place}"

    @property
    def goal_id(self) -> GoalId | None:
        """The goal that the card is about."""
        return None if self.target is None or self.target.goal is None else self.target.goal.goal_id

    @property
    def request_key(self) -> str:
        """What makes the same press the same request; of a form the same in every place where it is shown."""
        if self.is_form:
            return f"form-{hashlib.sha256(self.button.subject.encode()).hexdigest()[:32]}"
        return f"press-{self.button.nonce.hex()}-{self.button.action.number}"

    @property
    def is_form(self) -> bool:
        """Whether it submits a proposal form, of which one goal is made."""
        return self.button.action.name == "goal.propose"


class Presses:
    """Presses relayed by the bot."""

    def __init__(
        self,
        service: Service,
        keys: ButtonKeys,
        forms: Forms,
        drafts: Drafts,
        asked: AskedCards,
        deliveries: Deliveries,
        answers: Answers,
        app_id: str | None,
    ) -> None:
        self._service = service
        self._keys = keys
        self._forms = forms
        self._drafts = drafts
        self._asked = asked
        self._deliveries = deliveries
        self._answers = answers
        self._app_id = app_id
        self._people = People(service)
        self._invited = Invited(service, keys, deliveries, app_id)

    async def press(self, ask: Press) -> Document:
        """Act on one press; every outcome has a toast."""
        proof = lark_proof(ask.event_id)
        if (answered := await self._invited.press(ask)) is not None:
            return answered
        member_id = await self._people.known(ask.tenant_key, ask.app_id, ask.operator, ask.event_id)
        seen = self._verify(ask, member_id)
        if isinstance(seen, Refusal):
            # What another organisation or app says of a person proves nothing here.
            named = None if seen.code is RelayRefusal.TENANT_FOREIGN else member_id
            caller = bot_caller() if named is None else person_caller(named, ask.chat_id)
            answer = await self._audit(_PRESS, Params(), seen, caller, proof)
            return self._refused(_PRESS.name, ask, answer, presser=member_id, goal_id=None, slots=[])
        await self._people.heard_in(ask.chat_id, ask.event_id)
        if not seen.is_form:
            return await self._decide(seen, proof, ask)
        async with self._forms.turn(seen.button.subject):
            return await self._decide(seen, proof, ask)

    def _verify(self, ask: Press, member_id: MemberId | None) -> Seen | Refusal:
        workspace, now_ms = self._service.committed, self._service.clock.now_ms()
        if self._app_id is not None and ask.app_id != self._app_id:
            return refuse(RelayRefusal.TENANT_FOREIGN)
        if ask.tenant_key != (home_tenant(workspace) or ask.tenant_key):
            return refuse(RelayRefusal.TENANT_FOREIGN)
        try:
            button = self._keys.verify(ask.token, workspace.button_keys, now_ms)
        except ForgedError:
            return refuse(RelayRefusal.BUTTON_FORGED)
        place = _place_of(button, ask, member_id)
        if place is None or not self._deliveries.is_place_of(f"{button.subject}@{place}", ask.message_id):
            return refuse(RelayRefusal.BUTTON_ELSEWHERE)
        if member_id is None:
            return refuse(RelayRefusal.IDENTITY_UNPAIRED)
        return Seen(button, member_id, place, parse(workspace, button.subject))

    async def _decide(self, seen: Seen, proof: Proof, ask: Press) -> Document:
        """What comes of a press whose token, place and person are good."""
        caller = person_caller(seen.member_id, ask.chat_id)
        broken = self._ended(seen)
        if broken is None and _opens_revision(seen):
            return await self._open_revision(seen, caller, proof, ask)
        if broken is None and not seen.button.action.writes:
            opened = self._answers.open(seen.slot, seen.button.basis, seen.member_id, ask)
            if isinstance(opened, dict):
                return opened
            broken = opened
        params = broken if broken is not None else self._parameters(seen, ask)
        if isinstance(params, Refusal):
            action, about = seen.button.action, _Subject(goal_id=seen.goal_id, basis=seen.button.basis)
            answer = await self._audit(action, about, params, caller, proof)
            return self._not_done(seen, ask, answer, seen.goal_id)
        return await self._act(seen, caller, proof, params, ask)

    def _ended(self, seen: Seen) -> Refusal | None:
        """Why this button does nothing any more, whatever is asked with it."""
        if seen.button.expired:
            return refuse(RelayRefusal.BUTTON_EXPIRED)
        if seen.target is not None and is_let_go(self._service.committed, seen.target, seen.place):
            return refuse(RelayRefusal.CHANNEL_LET_GO)
        if not seen.is_form:
            return None
        goal_id = self._goal_of_form(seen)
        return None if goal_id is None else refuse(RelayRefusal.FORM_SUBMITTED, goal_id=goal_id)

    def _goal_of_form(self, seen: Seen) -> str | None:
        """The goal that another press has made of this form; the same press again is the receipt's to answer."""
        reader, key = self._service.reader, seen.request_key
        if reader.receipt(receipt_key(seen.member_id, key)) is not None:
            return None
        if (made := self._forms.goal_of(seen.button.subject)) is not None:
            return made
        for member_id in self._service.committed.addresses:
            receipt = reader.receipt(receipt_key(member_id, key))
            if receipt is not None:
                return next(reader.events(receipt.first_seq - 1, limit=1)).goal_id
        return None

    def _parameters(self, seen: Seen, ask: Press) -> Params | Refusal:
        button, target = seen.button, seen.target
        values = self._typed(seen, ask)
        if isinstance(values, Refusal):
            return values
        if target is not None:
            values |= FAMILIES[target.kind].chosen(ask.form)
            values |= FAMILIES[target.kind].fixed(target, button.action.name)
        if is_asked(button.subject):
            values |= self._asked.fixed(seen.slot, button.action.name, ask.tenant_key, ask.app_id)
        if button.action.goal_bound:
            if seen.goal_id is None:
                return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=button.subject.split(":")[1])
            values["goal_id"] = seen.goal_id
        if button.basis is not None and "basis" in button.action.params.model_fields:
            values["basis"] = button.basis
        for name, field in button.action.params.model_fields.items():
            if field.is_required() and name not in values:
                return missing(name)
        if button.action.name == "goal.clarify" and "answer" not in values:
            return unanswered(target, ask.form)
        try:
            return button.action.params.model_validate(values, strict=False)
        except ValidationError as error:
            return as_typed(malformed(error), ask.form)

    def _typed(self, seen: Seen, ask: Press) -> dict[str, object] | Refusal:
        """What the inputs say, as parameters of the action."""
        target, form = seen.target, self._people_named(ask)
        if any(UNPAIRED in form[_bare(name)].splitlines() for name in ask.form if name.startswith(PERSON_FIELD)):
            return refuse(RelayRefusal.PERSON_UNPAIRED)
        if seen.is_form and (attached := form.get(ATTACHED, "").strip()):
            material = self._forms.material(seen.button.subject)
            if digest_of(material) != attached:
                return refuse(RelayRefusal.FORM_MATERIAL_LOST)
            if form.get("objective", "").strip():
                form = with_material(form, material, ask.locale)
        if target is None or target.goal is None or target.kind != revise.KIND:
            return to_parameters(seen.button.action, form | suggested(target, form))
        form = changed(self._service.committed, target.goal, target.number, form)
        if emptied := next((name for name in form if not form[name].strip() and name not in MAY_BE_EMPTIED), None):
            return refuse(RelayRefusal.FORM_FIELD_EMPTIED, field=emptied)
        return {name: "" for name in form if name in MAY_BE_EMPTIED} | to_parameters(seen.button.action, form)

    async def _open_revision(self, seen: Seen, caller: Caller, proof: Proof, ask: Press) -> Document:
        """The form that revises a goal comes to whoever may revise it, directly and filled with what holds."""
        action, goal = seen.button.action, None if seen.target is None else seen.target.goal
        assert goal is not None, "a revision is of a goal"
        about = ReviseGoal(goal_id=goal.goal_id)
        refused = decide_revise(self._service.committed, caller, about, self._service.clock.now_ms())
        if isinstance(refused, Refusal) and refused.code is not GoalRefusal.NOTHING_TO_CHANGE:
            answer = await self._audit(action, about, refused, caller, proof)
            return self._not_done(seen, ask, answer, goal.goal_id)
        slot = f"{revise.subject_of(goal)}@{place_of(seen.member_id)}"
        if not self._drafts.of(slot):
            self._drafts.keep(slot, Draft(action=action.name))
        return {
            "envelope": {"ok": True, "action": action.name, "seq": self._service.committed.seq},
            "toast": toast_of("chat.revise.opened"),
            "goal_id": goal.goal_id,
            "slots": [seen.slot, slot],
        }

    def _people_named(self, ask: Press) -> dict[str, str]:
        """The form with members in place of the platform's people; whom nobody has paired stays as no member's name."""
        return {
            _bare(name): "\n".join(self._member_named(ask, one) for one in value.splitlines())
            if name.startswith(PERSON_FIELD)
            else value
            for name, value in ask.form.items()
        }

    def _member_named(self, ask: Press, open_id: str) -> str:
        if not open_id.strip():
            return ""
        found = (one for one in self._service.committed.addresses.values() if one.open_id == open_id.strip())
        address = next((one for one in found if one.tenant_key == ask.tenant_key and one.app_id == ask.app_id), None)
        return UNPAIRED if address is None else address.member_id

    async def _act(self, seen: Seen, caller: Caller, proof: Proof, params: Params, ask: Press) -> Document:
        action = seen.button.action
        answer = await self._service.submit(
            Request(action=action, params=params, caller=caller, proof=proof, request_key=seen.request_key)
        )
        goal_id = answer.events[0].goal_id if answer.events else seen.goal_id
        if answer.refusal is not None:
            return self._not_done(seen, ask, answer, goal_id)
        slots = [seen.slot]
        if is_asked(seen.button.subject):
            self._asked.done(seen.slot, answer.events)
        if seen.is_form and goal_id is not None:
            slots = self._forms.submitted(seen.slot, self._people_named(ask), goal_id)
        for place in {seen.place, place_of(seen.member_id)}:
            self._drafts.drop(f"{seen.button.subject}@{place}", action.name)
        told = envelope(self._service, action, params, answer, ask.locale)
        if is_asked(seen.button.subject):
            # The line would name somebody by the platform's id.
            told["cli"] = ""
        return {
            "envelope": told,
            "toast": toast_for(action.name, answer, self._service.committed, goal_id, seen.member_id),
            "goal_id": goal_id,
            "slots": slots,
        }

    def _not_done(self, seen: Seen, ask: Press, answer: Answer, goal_id: GoalId | None) -> Document:
        """A refusal to a person at a card of ours: what they typed stays, and they are told where."""
        assert answer.refusal is not None, "only refusals come here"
        kept = self._keep(seen, ask, answer.refusal)
        slots = list(dict.fromkeys((seen.slot, *kept)))
        document = self._refused(
            seen.button.action.name, ask, answer, presser=seen.member_id, goal_id=goal_id, slots=slots
        )
        if slots != [seen.slot]:
            document["toast"] = with_draft(
                toast_for(seen.button.action.name, answer, self._service.committed, goal_id, seen.member_id)
            )
        return document

    def _keep(self, seen: Seen, ask: Press, refusal: Refusal) -> tuple[str, ...]:
        """Keep what was typed, unless it was done already; the slots of the cards that show it."""
        action = seen.button.action.name
        if is_asked(seen.button.subject):
            self._asked.refused(seen.slot, ask.form, refusal.code.value, shown_details(refusal.details))
            return ()
        if refusal.code in _DONE_BEFORE or not (seen.is_form or is_typed(action, ask.form)):
            return ()
        slot = f"{self._subject_of_now(seen)}@{self._drafts.place_for(seen.place, seen.member_id)}"
        # The platform's ids of people are not kept; who is paired stays chosen.
        people = {_bare(name) for name in ask.form if name.startswith(PERSON_FIELD)}
        typed = {
            name: _without_unpaired(value) if name in people else value
            for name, value in self._people_named(ask).items()
            if name not in NEVER_KEPT
        }
        code, details = refusal.code.value, refusal.details
        if seen.is_form:
            if is_typed(action, ask.form) or slot == seen.slot:
                self._forms.refused(slot, typed, code, details)
                return (slot,)
            return ()
        self._drafts.keep(slot, Draft(action=action, values=typed, code=code, details=shown_details(details)))
        return (slot,)

    def _subject_of_now(self, seen: Seen) -> str:
        """Where what was typed can still be sent from: what took the card's place, if something did."""
        now = None if seen.target is None else FAMILIES[seen.target.kind].now
        found = None if now is None or seen.target is None else now(seen.target)
        return found or seen.button.subject

    async def _audit(self, action: Action, about: Params, refusal: Refusal, caller: Caller, proof: Proof) -> Answer:
        job = Request(action=action, params=about, caller=caller, proof=proof, request_key=None, refused=refusal)
        return await self._service.submit(job)

    def _refused(
        self,
        action_name: str,
        ask: Press,
        answer: Answer,
        *,
        presser: MemberId | None,
        goal_id: GoalId | None,
        slots: list[str],
    ) -> Document:
        assert answer.refusal is not None, "only refusals come here"
        return {
            "envelope": refusal_envelope(action_name, answer.refusal, answer.seq, ask.locale),
            "toast": toast_for(action_name, answer, self._service.committed, goal_id, presser),
            "goal_id": goal_id,
            "slots": slots,
        }


def _opens_revision(seen: Seen) -> bool:
    """Whether the button opens the form that revises a goal, and does not send it."""
    return seen.button.action.name == "goal.revise" and seen.target is not None and seen.target.kind != revise.KIND


def _without_unpaired(value: str) -> str:
    return "\n".join(one for one in value.split("\n") if one != UNPAIRED)


def _bare(name: str) -> str:
    return name.removeprefix(PERSON_FIELD)


def _place_of(button: Button, ask: Press, member_id: MemberId | None) -> str | None:
    """Where the pressed card is shown: the chat, or what the bot and this very person have between them."""
    places = (ask.chat_id, *(() if member_id is None else (place_of(member_id),)))
    return next((place for place in places if button.audience == audience_of(ask.tenant_key, place)), None)
