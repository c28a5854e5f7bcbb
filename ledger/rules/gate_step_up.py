"""Stepping up: a yes to a gate for which a plain button is not enough.

A one-time code is checked by the daemon, which holds the key, before the command comes here: rules see the time step
that the code is of, or what is wrong with it. Each step counts once for each person, and the ledger remembers that, so
that a code which somebody saw over a shoulder is worth nothing. In a shell the credential is proof enough without a
code, for it is not on the device that a chat is open on; a code that was given there must be good all the same.
"""

from ledger.parts.gates import Gate
from ledger.refusals import Refusal
from ledger.rules.common import Caller, refuse
from ledger.rules.gate_refusals import GateRefusal
from ledger.state import Workspace

_PROBLEMS = {
    "not_enrolled": GateRefusal.STEP_UP_NOT_ENROLLED,
    "wait": GateRefusal.STEP_UP_WAIT,
    "wrong": GateRefusal.STEP_UP_WRONG,
}


def not_stepped_up(workspace: Workspace, caller: Caller, gate: Gate, *, given: str | None) -> Refusal | None:
    """Why this caller's yes is not enough, if it is not. A code that nobody has checked is none."""
    check = caller.code
    if check is None:
        if caller.surface != "lark" and given is None:
            return None
        return refuse(GateRefusal.STEP_UP_REQUIRED, gate_id=gate.gate_id, severity=gate.severity)
    if check.problem is not None:
        return refuse(
            _PROBLEMS[check.problem],
            gate_id=gate.gate_id,
            member_id=caller.member_id,
            retry_after_s=check.retry_after_s,
        )
    if check.step is None or check.step <= workspace.authority.code_steps.get(caller.member_id, 0):
        return refuse(GateRefusal.STEP_UP_USED, gate_id=gate.gate_id, member_id=caller.member_id)
    return None
