"""A review packet: all that one decision needs on one page, and nothing that decides it.

It names the question, what to read before answering, the evidence as it stands, the answers there are, and whether what
is shown is still fresh. Answers are actions with their subject and the basis they would be given on; whoever draws the
packet makes a line or a button of them. A suggestion is made where the asker named one or where a rule would refuse the
yes; on anything else the packet has no opinion.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, cast

from ledger.ids import ArtifactId, GoalId
from ledger.params import Params
from ledger.parts.gates import Gate
from ledger.projections.attention import urgency
from ledger.projections.cards import speaks_to
from ledger.projections.channel import Reading, cause_of, cause_row, read_goal
from ledger.projections.needs import Need, needs_of
from ledger.projections.privacy import Screen
from ledger.projections.reviews import status_of
from ledger.projections.verdict import decision_frame, interaction_contract
from ledger.records import Artifact, Delivery
from ledger.refusals import Refusal
from ledger.rules import view_params
from ledger.rules.amendment_graph import needs_rebase
from ledger.rules.common import Caller, refuse
from ledger.rules.gate_refusals import GateRefusal
from ledger.rules.gates import awaited, counted, gate_basis
from ledger.rules.goals import GoalRefusal
from ledger.rules.plan_gaps import gaps_of
from ledger.rules.reviews import counts
from ledger.state import Goal, Workspace
from ledger.text.lines import need_line, warning_line
from ledger.text.times import rfc3339_or_none

Document = dict[str, object]
QUESTION_CHARS_MAX = 2_000
LABEL_CHARS_MAX = 120
EVIDENCE_MAX = 20
READS_MAX = 20
OPTIONS_MAX = 16

_PACKET_KINDS: Final = ("question", "confirmation", "acceptance", "gate", "plan", "amendment")
"""What a packet is made for, and which goes first where several wait equally."""
_ANSWERS: Final[dict[str, tuple[str, ...]]] = {
    "question": ("goal.clarify",),
    "confirmation": ("goal.confirm", "goal.decline"),
    "acceptance": ("goal.accept", "goal.request-changes"),
    "gate": ("gate.approve", "gate.reject", "gate.defer", "gate.cancel"),
    "plan": ("plan.confirm", "plan.reject"),
    "amendment": ("amendment.commit", "amendment.reject"),
}
_SUBJECT_OF: Final = {"question": ("question_id",), "gate": ("gate_id",), "plan": ("plan_id",),
                      "amendment": ("amendment_id",)}  # fmt: skip
"""What an answer must name beside the goal."""


class Suggested(NamedTuple):
    """What to answer, if there is anything to say on it, and why."""

    action: str | None
    because: str
    text: str = ""


class Content(NamedTuple):
    """What is special about one kind of decision."""

    suggested: Suggested
    reads: list[Document]
    evidence: list[Document]
    stale: list[str]
    options: tuple[str, ...] = ()


def _show(workspace: Workspace, _caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
    ask = cast("view_params.ShowReviewPacket", asked)
    goal = workspace.goals.get(GoalId(ask.goal_id))
    if goal is None:
        return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=ask.goal_id)
    gate = None if ask.gate_id is None else goal.gates.by_id.get(ask.gate_id)
    if ask.gate_id is not None and gate is None:
        return refuse(GateRefusal.GATE_NOT_FOUND, gate_id=ask.gate_id)
    found = read_goal(workspace, goal, now_ms)
    needs = needs_of(workspace, goal, found, now_ms)
    if gate is None:
        return _packet(workspace, goal, found, _first(goal, needs), now_ms)
    need = next((one for one in needs if one.kind == "gate" and one.gate_id == gate.gate_id), None)
    if need is None:
        return _settled(workspace, goal, found, gate)
    return _packet(workspace, goal, found, need, now_ms)


def _first(goal: Goal, needs: list[Need]) -> Need | None:
    """The decision to turn to first: the most urgent, then the kind that goes before, then the oldest."""
    decisions = [need for need in needs if need.kind in _PACKET_KINDS and need.code != "needs_rebase"]
    return min(
        decisions, key=lambda need: (urgency(goal, need)[0], _PACKET_KINDS.index(need.kind), need.seq), default=None
    )


def _packet(workspace: Workspace, goal: Goal, found: Reading, need: Need | None, now_ms: int) -> Document:
    if need is None:
        return _page(workspace, goal, found, kind="nothing")
    screen = Screen()
    content = _CONTENTS[need.kind](workspace, goal, need, screen, now_ms)
    actions = [_answer(goal, need, action) for action in _ANSWERS[need.kind]]
    gate = None if need.gate_id is None else goal.gates.by_id[need.gate_id]
    return _page(
        workspace,
        goal,
        found,
        kind=need.kind,
        screen=screen,
        question=need_line(need.kind, need.code, need.subject, "en"),
        asked=screen.show(need.text, QUESTION_CHARS_MAX, "asked"),
        gate_kind=None if gate is None else gate.kind,
        gate_id=need.gate_id,
        blocks=[] if gate is None else list(gate.blocked_todo_ids),
        blocks_goal=gate is not None and gate.blocks_goal,
        status="open",
        severity=need.severity,
        waits_for=list(need.waits_for),
        opened_at=rfc3339_or_none(need.at_ms),
        basis=need.basis,
        reason_code=need.code,
        subject=need.subject,
        actions=actions,
        content=content,
    )


def _answer(goal: Goal, need: Need, action: str) -> Document:
    names = _SUBJECT_OF.get(need.kind, ())
    subject = {"goal_id": goal.goal_id} | {name: need.subject[name] for name in names}
    return {"action": action, "subject": subject, "basis": need.basis}


def _settled(workspace: Workspace, goal: Goal, found: Reading, gate: Gate) -> Document:
    """A gate that waits for nobody: how it came out, and no way to answer it."""
    screen = Screen()
    code = "time_over" if gate.is_open else "already_decided"
    content = Content(Suggested(None, code), [], [], [code])
    return _page(
        workspace, goal, found, kind="gate", screen=screen, content=content, gate_kind=gate.kind, gate_id=gate.gate_id,
        asked=screen.show(gate.question, QUESTION_CHARS_MAX, "asked"), status=gate.status, basis=gate_basis(goal, gate),
        resolved_by=gate.resolved_by, resolved_at=rfc3339_or_none(gate.resolved_at_ms),
        subject={"goal_id": goal.goal_id, "gate_id": gate.gate_id},
    )  # fmt: skip


_NOTHING: Final = Content(Suggested(None, "nothing_waits"), [], [], [])
_EMPTY: Final[Document] = {
    "question": "",
    "asked": "",
    "gate_kind": None,
    "gate_id": None,
    "blocks": [],
    "blocks_goal": False,
    "status": "none",
    "severity": "info",
    "waits_for": [],
    "opened_at": None,
    "basis": None,
    "reason_code": None,
    "subject": {},
    "actions": [],
    "resolved_by": None,
    "resolved_at": None,
}


def _page(
    workspace: Workspace, goal: Goal, found: Reading, *, kind: str, screen: Screen | None = None,
    content: Content = _NOTHING, **given: object
) -> Document:  # fmt: skip
    shown = screen or Screen()
    suggested, stale, verdict = content.suggested, content.stale, found.given.verdict
    return {
        "schema_version": "frontstage_review_packet_v1",
        "mode": "read_only",
        "goal_id": goal.goal_id,
        "display_name": shown.show(goal.intent.title, LABEL_CHARS_MAX, "display_name"),
        "state": goal.state,
        "kind": kind,
        **(_EMPTY | given),
        "options": [shown.show(one, LABEL_CHARS_MAX, f"options[{at}]") for at, one in enumerate(content.options)],
        "suggested_decision": {
            "action": suggested.action,
            "because": suggested.because,
            "text": shown.show(suggested.text, LABEL_CHARS_MAX, "suggested_decision.text"),
        },
        "required_reads": content.reads[:READS_MAX],
        "required_reads_total": len(content.reads),
        "evidence": content.evidence[:EVIDENCE_MAX],
        "evidence_total": len(content.evidence),
        "decision_freshness_warning": (
            {"codes": stale, "text": " ".join(warning_line(code, "en") for code in stale)} if stale else None
        ),
        "decision_frame": decision_frame(verdict),
        "interaction_contract": interaction_contract(verdict, found.step),
        "cause": cause_row(workspace, cause_of(goal)),
        "source_warnings": shown.warnings,
    }


def _read(what: str, action: str, **subject: object) -> Document:
    return {"what": what, "action": action, "subject": subject}


def _evidence(goal: Goal, artifact: Artifact, screen: Screen, path: str) -> Document:
    return {
        "artifact_id": artifact.artifact_id,
        "label": screen.show(artifact.label, LABEL_CHARS_MAX, f"{path}.label"),
        "sha256": artifact.sha256,
        "status": status_of(goal, artifact.artifact_id),
        "counts": counts(goal, artifact.artifact_id),
        "missing": False,
    }


def _of_question(_workspace: Workspace, goal: Goal, _need: Need, _screen: Screen, _now_ms: int) -> Content:
    reads = [_read("promise", "goal.show", goal_id=goal.goal_id)]
    options = () if goal.question is None else goal.question.options[:OPTIONS_MAX]
    return Content(Suggested(None, "yours_to_judge"), reads, [], [], options)


def _of_confirmation(_workspace: Workspace, goal: Goal, _need: Need, _screen: Screen, _now_ms: int) -> Content:
    reads = [_read("promise", "goal.show", goal_id=goal.goal_id)]
    stale = ["work_goes_on"] if goal.confirmed and goal.mine else []
    return Content(Suggested(None, "yours_to_judge"), reads, [], stale)


def _of_acceptance(_workspace: Workspace, goal: Goal, _need: Need, screen: Screen, _now_ms: int) -> Content:
    delivery = goal.delivery
    assert delivery is not None, "an acceptance waits for a delivery"
    artifacts = [goal.artifacts[one] for one in delivery.artifact_ids]
    evidence = [_evidence(goal, one, screen, f"evidence[{at}]") for at, one in enumerate(artifacts)]
    # While a delivery waits, the rules let neither its evidence nor the promise move; what was older before stays so.
    stale = ["evidence_of_earlier_revision"] if any(one.revision < delivery.revision for one in artifacts) else []
    reads = [_read("result", "goal.show", goal_id=goal.goal_id)]
    reads += [_read("evidence", "artifact.list", goal_id=goal.goal_id)] if artifacts else []
    return Content(_on_evidence(goal, delivery, artifacts), reads, evidence, stale)


def _on_evidence(goal: Goal, delivery: Delivery, artifacts: list[Artifact]) -> Suggested:
    """What the evidence says of the criteria, as the acceptance shows it; owners say whether it convinces."""
    intent = goal.intents[delivery.revision - 1]
    spoken = {name for artifact in artifacts for name in speaks_to(goal, intent, artifact)}
    bare = [name for name in intent.criterion_ids if name not in spoken]
    if not spoken:
        return Suggested(None, "evidence_names_no_criterion")
    if bare:
        return Suggested("goal.request-changes", "criterion_without_evidence", ", ".join(bare))
    return Suggested(None, "yours_to_judge")


def _of_gate(workspace: Workspace, goal: Goal, need: Need, screen: Screen, now_ms: int) -> Content:
    gate = goal.gates.by_id[need.gate_id or ""]
    reads = [_read("gate", "gate.show", goal_id=goal.goal_id, gate_id=gate.gate_id)]
    reads += [_read("waiting_work", "todo.list", goal_id=goal.goal_id)] if gate.blocked_todo_ids else []
    # The asker's choice is one of several answers: whether it is a yes is not for us to read into it.
    suggested = Suggested(None, "asker_suggests" if gate.default else "yours_to_judge", gate.default)
    evidence = [] if gate.evidence_digest is None else [_digest(goal, gate.evidence_digest, screen)]
    return Content(suggested, reads, evidence, _gate_stale(workspace, goal, gate, evidence, now_ms), gate.options)


def _digest(goal: Goal, sha256: str, screen: Screen) -> Document:
    """The artifact a gate rests on, or that the goal has none of this digest."""
    for artifact in reversed(goal.artifacts.values()):
        if artifact.sha256 == sha256:
            return _evidence(goal, artifact, screen, "evidence[0]")
    return {"artifact_id": None, "label": "", "sha256": sha256, "status": "missing", "counts": False, "missing": True}


def _gate_stale(workspace: Workspace, goal: Goal, gate: Gate, evidence: list[Document], now_ms: int) -> list[str]:
    ends = gate.policy.expires_at_ms
    over = [goal.todos[one].status in {"done", "cancelled"} for one in gate.blocked_todo_ids]
    stale = {
        "evidence_missing": any(one["missing"] for one in evidence),
        "evidence_undone": any(not goal.reviews.is_sound(ArtifactId(str(one["artifact_id"]))) for one in evidence
                               if not one["missing"]),
        "waiting_work_over": bool(over) and all(over),
        "asked_again": gate.generation > 1 and not counted(workspace, gate),
        "time_over": ends is not None and ends <= now_ms,
        "nobody_may_vote": not awaited(workspace, gate, now_ms),
    }  # fmt: skip
    return [code for code, holds in stale.items() if holds]


def _of_plan(workspace: Workspace, goal: Goal, need: Need, _screen: Screen, now_ms: int) -> Content:
    plan = goal.plans.by_id[str(need.subject["plan_id"])]
    gaps = gaps_of(workspace, goal, plan.lanes, now_ms)
    moved = [gap.lane_id for gap in gaps] != [gap.lane_id for gap in plan.gaps]
    stale = (["gaps_moved"] if moved else []) + (["plan_revised"] if plan.revision > 1 else [])
    reads = [_read("plan", "plan.show", goal_id=goal.goal_id, plan_id=plan.plan_id)]
    if len(gaps) == len(plan.lanes):
        suggested = Suggested("plan.reject", "no_lane_can_be_staffed")
    elif gaps:
        suggested = Suggested(None, "some_lanes_have_gaps", ", ".join(gap.lane_id for gap in gaps))
    else:
        suggested = Suggested(None, "yours_to_judge")
    return Content(suggested, reads, [], stale)


def _of_amendment(_workspace: Workspace, goal: Goal, need: Need, _screen: Screen, now_ms: int) -> Content:
    amendment = goal.amendments.by_id[str(need.subject["amendment_id"])]
    reads = [_read("amendment", "amendment.show", goal_id=goal.goal_id, amendment_id=amendment.amendment_id)]
    stale = ["graph_moved"] if needs_rebase(goal, amendment, now_ms) else []
    return Content(Suggested(None, "yours_to_judge"), reads, [], stale)


_CONTENTS: Final[dict[str, Callable[[Workspace, Goal, Need, Screen, int], Content]]] = {
    "question": _of_question,
    "confirmation": _of_confirmation,
    "acceptance": _of_acceptance,
    "gate": _of_gate,
    "plan": _of_plan,
    "amendment": _of_amendment,
}

READERS: dict[str, Callable[[Workspace, Caller, Params, int], Document | Refusal]] = {"review-packet.show": _show}
"""By the name of the action."""
