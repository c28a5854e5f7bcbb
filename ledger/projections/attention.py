"""What waits for one member, or for everybody: each open decision, question and obstacle once, most urgent first."""

from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Final, cast

from ledger.ids import MemberId
from ledger.params import Params
from ledger.projections.channel import SEVERITIES, Reading, read_goal
from ledger.projections.needs import Need, needs_of
from ledger.projections.privacy import Screen
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules import view_params
from ledger.rules.common import Caller, refuse, registered
from ledger.rules.members import MemberRefusal
from ledger.state import Goal, Workspace
from ledger.text.lines import need_line
from ledger.text.times import rfc3339_or_none

Document = dict[str, object]
TEXT_CHARS_MAX = 260
_RANK: Final = {severity: rank for rank, severity in enumerate(SEVERITIES)}


Waiting = tuple[tuple[int, str, int], Need, Callable[[], Document]]
"""What waits: how urgent it is, what it is, and what makes its row."""


def _show(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    def waiting() -> Iterable[Waiting]:
        for goal, _, needs in read_open_goals(workspace, now_ms):
            for need in needs:
                yield urgency(goal, need), need, partial(item, need, Screen(), "")

    return attention_document(workspace, caller, cast("view_params.ShowAttention", asked), waiting)


def attention_document(
    workspace: Workspace, caller: Caller, ask: view_params.ShowAttention, waiting: Callable[[], Iterable[Waiting]]
) -> Document | Refusal:
    """What waits for whoever is asked about, of all that waits in the open goals."""
    whom = _whom(workspace, caller, ask)
    if isinstance(whom, Refusal):
        return whom
    mine = [one for one in waiting() if whom is None or is_for(one[1], whom)]
    mine.sort(key=itemgetter(0))
    return {
        "schema_version": "frontstage_attention_v1",
        "mode": "read_only",
        "member_id": whom,
        "items": [row() for _, _, row in mine[: ask.limit]],
        "total": len(mine),
        "by_severity": by_severity(need for _, need, _ in mine),
        "source_warnings": [],
    }


def _whom(workspace: Workspace, caller: Caller, ask: view_params.ShowAttention) -> MemberId | Refusal | None:
    """Whose items are asked for; None for everybody's. What waits for others is told to owners and the operator."""
    member = registered(workspace, caller.member_id)
    decides = caller.kind in {"operator", "bot"} or (member is not None and "owner" in member.roles)
    if ask.everybody and ask.member_id is not None:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="everybody", problem="is given beside a member")
    if (ask.everybody or ask.member_id not in {None, caller.member_id}) and not decides:
        return refuse(GeneralRefusal.NOT_PERMITTED, action="attention.show")
    if ask.member_id is not None and registered(workspace, MemberId(ask.member_id)) is None:
        return refuse(MemberRefusal.MEMBER_NOT_FOUND, member_id=ask.member_id)
    if ask.everybody or (ask.member_id is None and member is None):
        return None
    return MemberId(ask.member_id or caller.member_id)


def read_open_goals(workspace: Workspace, now_ms: int) -> list[tuple[Goal, Reading, list[Need]]]:
    """Every open goal, read once, with what waits in it."""
    found: list[tuple[Goal, Reading, list[Need]]] = []
    for goal in workspace.goals.live():
        reading = read_goal(workspace, goal, now_ms)
        found.append((goal, reading, needs_of(workspace, goal, reading, now_ms)))
    return found


def is_for(need: Need, member_id: MemberId) -> bool:
    """Whether it waits for this member, or is theirs to know of."""
    return member_id in need.waits_for or member_id in need.concerns


def urgency(goal: Goal, need: Need) -> tuple[int, str, int]:
    """Most urgent first; of two alike, the one whose goal matters more, then the one that has waited longer."""
    return (_RANK[need.severity], goal.intent.priority, need.seq)


def by_severity(needs: Iterable[Need]) -> dict[str, int]:
    """How many there are of each, those of which there are none included."""
    counted = dict.fromkeys(SEVERITIES, 0)
    for need in needs:
        counted[need.severity] += 1
    return counted


def item(need: Need, screen: Screen, path: str) -> Document:
    """One thing that waits. `recommended_action` is a sentence; programs read `action` and `subject`."""
    return {
        "goal_id": need.goal_id,
        "kind": need.kind,
        "waiting_on": need.waiting_on,
        "waits_for": list(need.waits_for),
        "severity": need.severity,
        "recommended_action": need_line(need.kind, need.code, need.subject, "en"),
        "action": need.action,
        "subject": need.subject,
        "basis": need.basis,
        "gate_id": need.gate_id,
        "reason_code": need.code,
        "text": screen.show(need.text, TEXT_CHARS_MAX, f"{path}.text"),
        "opened_at": rfc3339_or_none(need.at_ms),
        "seq": need.seq,
    }


READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {"attention.show": _show}
"""By the name of the action."""
