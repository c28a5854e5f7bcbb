"""What is said of a press on a gate: how many votes count, who votes in whose place, and when it was decided."""

from ledger.refusals import Refusal
from ledger.rules.gate_events import GateDelegated, GateDelegationEnded, GateVoteRecorded
from ledger.rules.gate_refusals import GateRefusal
from ledger.state import Workspace
from ledger.text.say import Locale, one_line, say
from ledger.text.times import rfc3339
from ledger.writer import Answer

Said = tuple[str, str, dict[str, object]]


def gate_toast(answer: Answer, workspace: Workspace) -> Said | None:
    """How the toast looks, its key and its values, where what happened to a gate has numbers or names to tell."""
    held = {} if answer.held is None else answer.held.facts
    if "votes" in held:
        return "info", "toast.gate.voted_before", {"votes": held["votes"], "quorum": held["quorum"]}
    if answer.replayed or not answer.events:
        return None
    match answer.events[0].facts:
        case GateVoteRecorded(votes=votes, quorum=quorum):
            return "success", "toast.gate.voted", {"votes": votes, "quorum": quorum}
        case GateDelegated(delegate=delegate, until_ms=until_ms):
            name = one_line(workspace.members[delegate].display_name)
            return "success", "toast.gate.delegated", {"name": name, "until": rfc3339(until_ms // 1000 * 1000)}
        case GateDelegationEnded():
            return "success", "toast.gate.delegation_ended", {}
        case _:
            return None


def resolved_when(refusal: Refusal, locale: Locale) -> str | None:
    """How a gate was resolved already, and when; who did it is said beside it."""
    if refusal.code is not GateRefusal.GATE_ALREADY_RESOLVED:
        return None
    status, at_ms = refusal.details["status"], refusal.details.get("resolved_at_ms")
    at = rfc3339(at_ms // 1000 * 1000) if isinstance(at_ms, int) else ""
    return say("toast.gate.resolved", locale, status=say(f"state.gate.{status}", locale), at=at)
