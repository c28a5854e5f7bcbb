"""From the platform's answer to a kind of fault: by code, never by text or HTTP status alone.

The platform reports business errors under HTTP 200, 400 or 429 and documents the pairing loosely, so the body's
`code` is what counts; the status decides only when the body says nothing. The lists are the error codes of the
public reference (see the ADR on the gateway); a code that is not listed is a bad request, because repeating what
nobody understands is how a bot hammers a platform.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from bot.lark import BotInfo, LarkFault, LarkFaultKind, SentMessage

RETRY_AFTER_S_MAX: Final = 3_600.0

_KINDS: Final[Mapping[LarkFaultKind, frozenset[int]]] = {
    LarkFaultKind.RATE_LIMITED: frozenset({99991400, 230020, 11232}),
    LarkFaultKind.TOKEN: frozenset({99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 99991677}),
    LarkFaultKind.GONE: frozenset({230011, 230019, 230031, 230110, 231003}),
    LarkFaultKind.CHAT_LOST: frozenset(
        {230002, 230013, 230018, 230027, 230029, 230035, 230038, 230053, 230075, 232009, 232011}
    ),
    LarkFaultKind.REFUSED_CARD: frozenset(
        {230022, 230025, 230028, 230099}
        # The same faults when they are reported as the code itself.
        | {
            11310,
            100290,
            200380,
            200381,
            200530,
            200550,
            200570,
            200621,
            200732,
            200737,
            200830,
            200861,
            200914,
            200915,
        }
    ),
    # 230049: the first send with this uuid is still on its way; the same call again gives its outcome.
    LarkFaultKind.UNKNOWN_OUTCOME: frozenset({230049}),
    LarkFaultKind.FATAL: frozenset({10003, 10014, 99991401, 99991403, 99991672, 99991679, 230006}),
}
_KIND_OF_CODE: Final = {code: kind for kind, codes in _KINDS.items() for code in codes}

_FATAL_REASONS: Final[Mapping[int, str]] = {
    10003: "the app id is not valid on this domain; check app_id and domain",
    10014: "the app secret is wrong; check app_secret and domain",
    99991401: "this machine's address is not on the app's IP allow-list",
    99991403: "the app's monthly call quota is used up",
    99991672: "the app lacks a permission; grant it in the developer console and publish a version",
    99991679: "the app lacks a permission of a user; grant it in the developer console",
    230006: "the app's bot ability is off; turn it on in the developer console and publish a version",
}

_SUB_CODE: Final = re.compile(r"ErrCode:\s*(\d{1,12})")


def read_answer(status: int, headers: Mapping[str, str], content: bytes | None) -> Mapping[str, Any]:
    """Return the body of a successful answer; raise the fault that any other answer means."""
    body = _object(content)
    code = None if body is None else body.get("code")
    if body is None or not isinstance(code, int) or isinstance(code, bool):
        # A gateway's HTML page, an empty body, a body without a code: the request may or may not have been carried out.
        if status == 429:
            raise LarkFault(LarkFaultKind.RATE_LIMITED, retry_after_s=retry_after_s(headers))
        raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason=f"HTTP {status} without a readable answer")
    if code == 0 and status < 500:
        return body
    raise fault_of(code, status, headers, body.get("msg"))


def sent_message(body: Mapping[str, Any]) -> SentMessage:
    """Read which message was posted. If the answer does not say, the same call with the same key says it again."""
    data = _mapping(body, "data")
    message_id, chat_id = data.get("message_id"), data.get("chat_id")
    if not isinstance(message_id, str) or not message_id:
        raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason="the answer does not say which message was posted")
    return SentMessage(message_id=message_id, chat_id=chat_id if isinstance(chat_id, str) else "")


def bot_identity(body: Mapping[str, Any]) -> BotInfo:
    """Read who the bot is."""
    bot = _mapping(body, "bot")
    open_id, name = bot.get("open_id"), bot.get("app_name")
    if not isinstance(open_id, str) or not open_id:
        raise LarkFault(LarkFaultKind.UNKNOWN_OUTCOME, reason="the answer does not say who the bot is")
    return BotInfo(open_id=open_id, name=name if isinstance(name, str) else "")


def fault_of(code: int, status: int, headers: Mapping[str, str], message: object = None) -> LarkFault:
    """Classify one refusal. The message is looked at for the card's sub code only, and never kept."""
    kind = kind_of(code, status)
    found = _SUB_CODE.search(message) if isinstance(message, str) else None
    return LarkFault(
        kind,
        code=code,
        sub_code=int(found[1]) if found else None,
        retry_after_s=retry_after_s(headers) if kind is LarkFaultKind.RATE_LIMITED else None,
        reason=_FATAL_REASONS.get(code, ""),
    )


def kind_of(code: int, status: int) -> LarkFaultKind:
    """What this code asks for. A listed code wins over the status; an unlisted one is judged by it."""
    listed = _KIND_OF_CODE.get(code)
    if listed is not None:
        return listed
    if status == 429:
        return LarkFaultKind.RATE_LIMITED
    if status >= 500:
        return LarkFaultKind.UNKNOWN_OUTCOME
    return LarkFaultKind.BAD_REQUEST


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long the platform asked us to wait; None when it did not say, or said nonsense."""
    lowered = {name.lower(): value for name, value in headers.items()}
    for name in ("x-ogw-ratelimit-reset", "retry-after"):
        text = lowered.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII):
            return min(float(text), RETRY_AFTER_S_MAX)
    return None


def _object(content: bytes | None) -> Mapping[str, Any] | None:
    try:
        body = orjson.loads(content or b"")
    except orjson.JSONDecodeError:
        return None
    return body if isinstance(body, dict) else None


def _mapping(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    return value if isinstance(value, dict) else {}
