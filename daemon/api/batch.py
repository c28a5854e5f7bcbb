"""Many actions in one request: each is its own command, with its own request key, transaction and receipt.

They are decided in their order and answered in it. One that is refused undoes nothing of the others and, unless the
caller says so, stops none of them. The body is asked again as a whole after a lost answer: every key is answered from
its receipt.
"""

import asyncio
from typing import Annotated

import msgspec
from aiohttp import web

from daemon.api.edge import BODY_BYTES_MAX, Principal, given_twice, parse_body, prove
from daemon.api.envelope import envelope_once, locale_of, refusal_envelope, refused, respond
from daemon.api.routes import Routes
from daemon.api.whole import Whole
from daemon.service import Service
from ledger.catalogue import ACTIONS, Action
from ledger.ids import is_request_key
from ledger.params import NamedTwice, Params, require_named_once
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.text.say import Locale
from ledger.writer import Request

ACTIONS_MAX = 64
BODY_SECONDS_MAX = 15.0
PATH = "/v1/batch"


class _One(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    action: str
    request_key: str
    params: msgspec.Raw = msgspec.Raw(b"{}")


class _Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    actions: Annotated[list[_One], msgspec.Meta(min_length=1, max_length=ACTIONS_MAX)]
    stop_on_refusal: bool = False


_decode = msgspec.json.Decoder(_Asked, strict=True).decode


class Batch:
    """The route."""

    def __init__(self, service: Service, own_uid: int) -> None:
        self._service = service
        self._own_uid = own_uid

    def add_to(self, routes: Routes) -> None:
        """Add the route."""
        routes.add("POST", PATH, self.run)

    async def run(self, request: web.Request) -> Whole:
        """Decide every action of the body; the answers are in its order."""
        service, locale = self._service, locale_of(request)
        principal = prove(request, service, self._own_uid)
        asked = principal if isinstance(principal, Refusal) else await _asked(request)
        if isinstance(principal, Refusal) or isinstance(asked, Refusal):
            assert isinstance(asked, Refusal), "a refused caller asked nothing"
            return refused(request, "batch", asked, service.committed.seq)
        answers: list[dict[str, object]] = []
        if asked.stop_on_refusal:
            for one in asked.actions:
                answers.append(await self._one(principal, one, locale))
                if not answers[-1]["ok"]:
                    break
        else:
            # Queued together, in their order: they may share one sync, and are transactions of their own all the same.
            answers = list(await asyncio.gather(*(self._one(principal, one, locale) for one in asked.actions)))
        document: dict[str, object] = {
            "schema_version": "frontstage_batch_v1",
            "ok": all(answer["ok"] for answer in answers) and len(answers) == len(asked.actions),
            "answers": answers,
            "not_asked": len(asked.actions) - len(answers),
            "seq": service.committed.seq,
        }
        return respond(document, 0 if document["ok"] else 1, 200)

    async def _one(self, principal: Principal, one: _One, locale: Locale) -> dict[str, object]:
        service = self._service
        found = _found(one)
        if isinstance(found, Refusal):
            service.counters.malformed += 1
            return _with_exit(refusal_envelope(one.action[:64], found, service.committed.seq, locale), found)
        action, params = found
        answer = await service.submit(
            Request(
                action=action,
                params=params,
                caller=principal.caller,
                proof=principal.proof,
                request_key=one.request_key,
            )
        )
        return _with_exit(envelope_once(service, action, params, answer, locale), answer.refusal)


def _with_exit(document: dict[str, object], refusal: Refusal | None) -> dict[str, object]:
    """An answer with what a command line would end with: one HTTP status cannot say it for many."""
    document["exit_code"] = 0 if refusal is None else refusal.status.exit_code
    return document


async def _asked(request: web.Request) -> _Asked | Refusal:
    if (request.content_length or 0) > BODY_BYTES_MAX:
        return refuse(GeneralRefusal.BODY_TOO_LARGE, limit_bytes=BODY_BYTES_MAX)
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            body = await request.read()
        if len(body) > BODY_BYTES_MAX:
            return refuse(GeneralRefusal.BODY_TOO_LARGE, limit_bytes=BODY_BYTES_MAX)
        asked = _decode(body)
        require_named_once(body)
    except TimeoutError:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="the body did not arrive in time")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        problem = f"is an object with 1 to {ACTIONS_MAX} actions, each with action, request_key and params"
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem=problem)
    except NamedTwice as error:
        return given_twice(error.field)
    except (ValueError, RecursionError):
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="cannot be decoded")
    return asked


def _found(one: _One) -> tuple[Action, Params] | Refusal:
    action = ACTIONS.get(one.action)
    if action is None or action.hidden or not action.writes:
        return refuse(GeneralRefusal.UNKNOWN_ACTION, action=one.action[:64])
    if not is_request_key(one.request_key):
        return refuse(GeneralRefusal.REQUEST_KEY_MALFORMED, header="request_key")
    params = parse_body(action, bytes(one.params))
    return params if isinstance(params, Refusal) else (action, params)
