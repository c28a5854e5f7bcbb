"""One-time codes (RFC 6238): checked here, before a command is queued, and nowhere kept.

A person's secret follows from the home's own key, who they are and the number of their enrolment, so that the ledger
holds no secret and enrolling again ends the codes of before. A code is taken out of the command that it came with; what
goes on is the time step that it is of, or what is wrong with it. Whether that step has counted already is decided where
commands are decided, by what the ledger recorded, so that two commands at once cannot both use it. Guesses are few: the
tries of one person within a while are counted here, and while there were too many not even a good code is looked at.
"""

import base64
import hmac
import unicodedata
from dataclasses import dataclass

from msgspec.structs import replace

from daemon.clock import LedgerClock
from ledger.ids import MemberId
from ledger.rules.common import CodeCheck
from ledger.state import Workspace
from ledger.writer import Keep, Request

STEP_S = 30
STEPS_AROUND = 1
"""How many steps the two clocks may be apart."""
DIGITS = 6
SECRET_BYTES = 20
TRIES_MAX = 5
TRIES_WINDOW_MS = 10 * 60_000
_BETWEEN = str.maketrans("", "", " -\u2010\u2011\u2012\u2013\u2014\u2015\t")
"""What people put between digits."""


@dataclass(slots=True)
class _Tries:
    since_ms: int
    count: int


class Codes:
    """The one-time codes of everybody who is enrolled."""

    def __init__(self, key: bytes, clock: LedgerClock) -> None:
        self._key = key
        self._clock = clock
        self._tries: dict[MemberId, _Tries] = {}

    def checked(self, request: Request | Keep, workspace: Workspace) -> Request | Keep:
        """The same command with what came of its code in the place of the code."""
        if isinstance(request, Keep) or not request.action.takes_code or request.refused is not None:
            return request
        code: str | None = getattr(request.params, "code", None)
        if code is None:
            return request
        check = self._check(request.caller.member_id, code, workspace)
        proof = request.proof if check.step is None else replace(request.proof, code_step=check.step)
        return replace(
            request,
            params=request.params.model_copy(update={"code": None}),
            caller=replace(request.caller, code=check),
            proof=proof,
        )

    def uri(self, workspace: Workspace, member_id: MemberId, number: int) -> str | None:
        """What an authenticator is given, while this enrolment is the one that counts."""
        if workspace.authority.codes.get(member_id) != number:
            return None
        import pyotp  # noqa: PLC0415  (only who uses codes pays for it)

        name, issuer = str(member_id), workspace.name or "Frontstage"
        return pyotp.TOTP(self._secret(member_id, number)).provisioning_uri(name=name, issuer_name=issuer)

    def _check(self, member_id: MemberId, code: str, workspace: Workspace) -> CodeCheck:
        number = workspace.authority.codes.get(member_id)
        if number is None:
            return CodeCheck(problem="not_enrolled")
        now_ms = self._clock.now_ms()
        tries = self._tries.get(member_id)
        if tries is not None and now_ms - tries.since_ms >= TRIES_WINDOW_MS:
            del self._tries[member_id]
            tries = None
        if tries is not None and tries.count >= TRIES_MAX:
            left_ms = tries.since_ms + TRIES_WINDOW_MS - now_ms
            return CodeCheck(problem="wait", retry_after_s=-(-left_ms // 1_000))
        step = self._step_of(self._secret(member_id, number), code, now_ms)
        if step is None:
            self._tries[member_id] = _Tries(now_ms, 1) if tries is None else _Tries(tries.since_ms, tries.count + 1)
            return CodeCheck(problem="wrong")
        return CodeCheck(step=step)

    def _step_of(self, secret: str, code: str, now_ms: int) -> int | None:
        """The time step that a code is of, if it is of one about now; the newest where it is of several."""
        import pyotp  # noqa: PLC0415  (only who uses codes pays for it)

        given = unicodedata.normalize("NFKC", code).translate(_BETWEEN).encode(errors="replace")
        otp, now = pyotp.TOTP(secret, digits=DIGITS, interval=STEP_S), now_ms // 1_000 // STEP_S
        found = None
        # All are compared, so that how long it takes says nothing.
        for step in range(now - STEPS_AROUND, now + STEPS_AROUND + 1):
            if hmac.compare_digest(otp.generate_otp(step).encode(), given):
                found = step
        return found

    def _secret(self, member_id: MemberId, number: int) -> str:
        digest = hmac.digest(self._key, b"one-time code\0%b\0%d" % (member_id.encode(), number), "sha256")
        return base64.b32encode(digest[:SECRET_BYTES]).decode("ascii")
