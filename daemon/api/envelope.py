"""Answers: one envelope for every action on every surface.

Success means at least one durable effect, named by its seq. A wish that already held names the event that made it so.
"""

import shlex
from functools import cache

import msgspec

from daemon.api.edge import Heard
from daemon.api.enrolment import enrolment_text, with_enrolment
from daemon.api.whole import TEXT, Whole, good
from daemon.service import Service
from ledger.catalogue import ACTIONS, Action
from ledger.events import Recorded
from ledger.ids import GoalId, TodoId
from ledger.params import Params
from ledger.projections.documents import lease_document
from ledger.projections.summaries import rows_in_chat
from ledger.refusals import Refusal
from ledger.rules.channels import channel_name
from ledger.rules.plan_events import PlanConfirmed
from ledger.rules.summaries import said_of
from ledger.rules.summary_events import SummaryPosted
from ledger.text.explain import explain
from ledger.text.lines import committed_line, held_line
from ledger.text.say import Locale
from ledger.text.summaries_text import posted_text
from ledger.writer import Answer

SCHEMA_VERSION = "frontstage_result_v1"
_PRIVATE = frozenset(
    {
        "secret_digest",
        "code_digest",
        "identity_digest",
        "idempotency_key",
        "owner_secret_digest",
        "bot_secret_digest",
        "channel_id",
        "open_digest",
        "fates",
    }
)
_encode = msgspec.json.Encoder().encode


def envelope(service: Service, action: Action, params: Params, answer: Answer, locale: Locale) -> dict[str, object]:
    """The answer to a write, as every surface gives it."""
    if answer.refusal is not None:
        return refusal_envelope(action.name, answer.refusal, answer.seq, locale)
    events = [{"seq": event.seq, "kind": event.kind} for event in answer.events]
    facts = result_of(answer.events) if answer.held is None else dict(answer.held.facts)
    if answer.held is not None:
        events = [{"seq": answer.held.seq, "kind": "held"}]
    if isinstance(told := facts.get("goals"), tuple) and action.name == "summary.post":
        facts["goals"] = rows_in_chat(service.committed, told)
    lease = _lease_beside(service, action, params)
    if lease is not None:
        facts["lease"] = lease
    return {
        "schema_version": SCHEMA_VERSION,
        "ok": True,
        "action": action.name,
        "outcome": _outcome(answer),
        "receipt_id": answer.receipt_id,
        "replayed": answer.replayed,
        "seq": answer.seq,
        "events": events,
        "result": facts,
        "cli": command_line(action, params),
    }


def envelope_once(
    service: Service, action: Action, params: Params, answer: Answer, locale: Locale
) -> dict[str, object]:
    """The same for whoever asked over the API, with a secret that is shown once beside it; a relayed press has none."""
    return with_enrolment(envelope(service, action, params, answer, locale), service, answer)


def _outcome(answer: Answer) -> str:
    """A plan of which some lanes had a gap is done in part, and says so each time it is asked."""
    if answer.held is not None:
        return "noop"
    confirmed = next((event.facts for event in answer.events if isinstance(event.facts, PlanConfirmed)), None)
    return "committed" if confirmed is None else confirmed.outcome


def refusal_envelope(action_name: str, refusal: Refusal, seq: int, locale: Locale) -> dict[str, object]:
    """A refusal: its code, the reason and the next step in the reader's language."""
    message, hint = explain(refusal, locale)
    return {
        "schema_version": SCHEMA_VERSION,
        "ok": False,
        "action": action_name,
        "outcome": refusal.status.outcome,
        "code": refusal.code.value,
        "message": message,
        "hint": hint,
        "details": refusal.details,
        "basis": refusal.basis,
        "seq": seq,
    }


def result_of(events: tuple[Recorded, ...]) -> dict[str, object]:
    """What the events say, without what nobody needs to know again; the first event's word stands."""
    facts: dict[str, object] = {}
    for event in events:
        for name, value in msgspec.structs.asdict(event.facts).items():
            if name not in _PRIVATE and name not in facts:
                facts[name] = value
        if isinstance(event.facts, SummaryPosted):
            facts |= said_of(event.facts, preview=False, text=getattr(event.words, "text", ""))
        if event.goal_id is not None:
            facts.setdefault("goal_id", event.goal_id)
    if events and (channel_id := getattr(events[0].facts, "channel_id", None)) is not None:
        facts["channel"] = channel_name(channel_id)
    return facts


def _lease_beside(service: Service, action: Action, params: Params) -> dict[str, object] | None:
    if action.noun != "task-lease":
        return None
    goal = service.committed.goals.get(GoalId(params.goal_id))  # type: ignore[attr-defined]  # every lease action has one
    lease = None if goal is None else goal.leases.get(TodoId(params.todo_id))  # type: ignore[attr-defined]
    return None if goal is None or lease is None else lease_document(goal, lease)


def command_line(action: Action, params: Params) -> str:
    """The exact line that does the same from a shell."""
    first, flags = _line_of(action.name)
    words, given = [first], params.model_fields_set
    for name, flag in flags:
        value = getattr(params, name) if name in given else None
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        for one in value if isinstance(value, tuple) else (value,):
            # An object is typed as JSON.
            text = one.model_dump_json(exclude_unset=True) if isinstance(one, Params) else str(one)
            # A value that begins with a dash would be taken for a flag, were it to stand alone.
            between = "=" if text.startswith("-") else " "
            words.append(f"{flag}{between}{text if text.isalnum() else shlex.quote(text)}")
    return " ".join(words)


@cache
def _line_of(action_name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """How the line begins, and the flags that may follow; what the command makes itself is not among them."""
    action = ACTIONS[action_name]
    first = "frontstage status" if action_name == "status.show" else f"frontstage {action.noun} {action.verb}"
    kept_out = {action.mints, "code" if action.takes_code else None}
    return first, tuple((name, flag_of(name)) for name in action.params.model_fields if name not in kept_out)


@cache
def flag_of(name: str) -> str:
    """The flag of a parameter."""
    return "--" + name.replace("_", "-")


def respond(document: dict[str, object], exit_code: int, http_status: int, retry_after_s: int | None = None) -> Whole:
    """A JSON answer with its exit code beside it."""
    return Whole(_encode(document), status=http_status, exit_code=exit_code, retry_after_s=retry_after_s)


def respond_text(text: str, exit_code: int, http_status: int, retry_after_s: int | None = None) -> Whole:
    """The same for a person at a shell."""
    body = (text + "\n").encode()
    return Whole(body, media=TEXT, status=http_status, exit_code=exit_code, retry_after_s=retry_after_s)


def refused(request: Heard, action_name: str, refusal: Refusal, seq: int) -> Whole:
    """A refusal in the form that was asked for."""
    status, locale = refusal.status, locale_of(request)
    after = refusal.details.get("retry_after_s")
    retry_after_s = after if isinstance(after, int) else None
    if not wants_text(request):
        document = refusal_envelope(action_name, refusal, seq, locale)
        return respond(document, status.exit_code, status.http_status, retry_after_s)
    message, hint = explain(refusal, locale)
    text = f"{message}\n{hint}" if hint else message
    if refusal.basis:
        text += f"\nbasis: {refusal.basis}"
    return respond_text(text, status.exit_code, status.http_status, retry_after_s)


def answered(request: Heard, service: Service, action: Action, params: Params, answer: Answer) -> Whole:
    """The answer to a write in the form that was asked for."""
    if answer.refusal is not None:
        return refused(request, action.name, answer.refusal, answer.seq)
    locale = locale_of(request)
    document = envelope_once(service, action, params, answer, locale)
    if not wants_text(request):
        return respond(document, 0, 200)
    if action.name == "summary.post":
        return respond_text(posted_text(msgspec.to_builtins(document["result"]), locale), 0, 200)
    if answer.held is not None:
        return respond_text(held_line(action.name, answer.held.seq, locale), 0, 200)
    return respond_text(committed_line(action.name, document, locale) + enrolment_text(document), 0, 200)


def answered_alone(request: Heard, service: Service, action: Action, params: Params, answer: Answer) -> bytes:
    """The same, head and body, for a connection that stays; what nearly every answer is takes no response object."""
    if answer.refusal is None and not wants_text(request):
        return good(_encode(envelope_once(service, action, params, answer, locale_of(request))))
    return answered(request, service, action, params, answer).alone()


def wants_text(request: Heard) -> bool:
    """Whether a person reads the answer."""
    return request.headers.get("accept", "").startswith("text/plain")


def locale_of(request: Heard) -> Locale:
    """The reader's language."""
    return "zh" if request.headers.get("x-frontstage-locale", "en").startswith("zh") else "en"
