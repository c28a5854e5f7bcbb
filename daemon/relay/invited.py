"""The invited: whoever was invited answers by the one card that was sent to them, before they are a member.

The button says which invitation and which answer. Who pressed is what the platform says, and the ledger compares that
with who was invited: on a forwarded copy, in another chat or by somebody else it is refused, and audited.
"""

from collections.abc import Mapping

from daemon.api.envelope import refusal_envelope
from daemon.buttons import Button, ButtonKeys, ForgedError, audience_of
from daemon.relay.asked import name_here
from daemon.relay.deliveries import Deliveries
from daemon.relay.people import bot_caller, home_tenant, lark_proof
from daemon.relay.refusals import RelayRefusal
from daemon.relay.subjects.identity import ANSWERS, KIND, invited_place
from daemon.relay.toast import toast_for, toast_of
from daemon.relay.wire import Press
from daemon.service import Service
from ledger.catalogue import ACTIONS
from ledger.refusals import Refusal
from ledger.rules.common import refuse
from ledger.rules.identities import open_digest
from ledger.rules.invitations import AnswerInvitation, InvitationRefusal
from ledger.writer import Answer, Request

ANSWER = ACTIONS["member.answer-invitation"]
Document = dict[str, object]


class Invited:
    """Answers to invitations."""

    def __init__(self, service: Service, keys: ButtonKeys, deliveries: Deliveries, app_id: str | None) -> None:
        self._service = service
        self._keys = keys
        self._deliveries = deliveries
        self._app_id = app_id

    async def press(self, ask: Press) -> Document | None:
        """What came of a press on an invitation; None for a press of anything else."""
        button = self._button(ask.token)
        about = None if button is None else _about(button)
        if button is None or about is None:
            return None
        invitation_id, given = about
        subject = f"{KIND}:invitation:{invitation_id}"
        slot = f"{subject}@{invited_place(invitation_id)}"
        answer = await self._service.submit(
            Request(
                action=ANSWER,
                params=AnswerInvitation.model_validate(
                    {
                        "invitation_id": invitation_id,
                        "answer": given,
                        "tenant_key": ask.tenant_key,
                        "app_id": ask.app_id,
                        "open_id": ask.operator.open_id,
                        "union_id": ask.operator.union_id,
                    }
                ),
                caller=bot_caller(),
                proof=lark_proof(ask.event_id),
                # Whoever it is for answers once; what others press is refused and uses up nothing.
                request_key=f"invitation-{invitation_id}-{given}-{_presser(ask)}",
                refused=self._elsewhere(ask, button, slot, invitation_id),
            )
        )
        return self._told(ask, answer, given, slot)

    def _button(self, token: str) -> Button | None:
        workspace = self._service.committed
        try:
            return self._keys.verify(token, workspace.button_keys, self._service.clock.now_ms())
        except ForgedError:
            return None

    def _elsewhere(self, ask: Press, button: Button, slot: str, invitation_id: str) -> Refusal | None:
        """Why this press does not count, whoever it is by; the invited person is compared by the rule itself."""
        home = home_tenant(self._service.committed)
        if (self._app_id is not None and ask.app_id != self._app_id) or ask.tenant_key != (home or ask.tenant_key):
            return refuse(RelayRefusal.TENANT_FOREIGN)
        if button.audience != audience_of(ask.tenant_key, invited_place(invitation_id)):
            return refuse(RelayRefusal.BUTTON_ELSEWHERE)
        if not self._deliveries.is_place_of(slot, ask.message_id):
            return refuse(InvitationRefusal.INVITATION_NOT_YOURS)
        return refuse(RelayRefusal.BUTTON_EXPIRED) if button.expired else None

    def _told(self, ask: Press, answer: Answer, given: str, slot: str) -> Document:
        workspace = self._service.committed
        if answer.refusal is not None:
            told: Mapping[str, object] = refusal_envelope(ANSWER.name, answer.refusal, answer.seq, ask.locale)
            toast = toast_for(ANSWER.name, answer, workspace, None, None)
        else:
            events = [{"seq": event.seq, "kind": event.kind} for event in answer.events]
            done: Document = {"ok": True, "action": ANSWER.name, "outcome": "committed", "seq": answer.seq}
            told = done | {"events": events, "replayed": answer.replayed}
            member_id = getattr(answer.events[-1].facts, "member_id", None) if answer.events else None
            name = name_here(workspace, member_id if given == "accept" else None)
            toast = toast_of(f"toast.done.member.answer_invitation.{given}", **({"name": name} if name else {}))
        return {"envelope": told, "toast": toast, "goal_id": None, "slots": [slot]}


def _presser(ask: Press) -> str:
    return open_digest(ask.tenant_key, ask.app_id, ask.operator.open_id)[:16]


def _about(button: Button) -> tuple[str, str] | None:
    """The invitation that a button answers, and how."""
    if button.action is not ANSWER:
        return None
    subject, _, given = button.subject.rpartition(":")
    prefix = f"{KIND}:invitation:"
    return (subject.removeprefix(prefix), given) if subject.startswith(prefix) and given in ANSWERS else None
