"""One view for every state of the card of a gate."""

import msgspec

from ledger.projections.gate_views import GateCause, GateDelegateView, GateView, GateVoteView
from ledger.projections.views import CardView, GoalView

DECIDE = ("gate.approve", "gate.reject", "gate.defer", "gate.delegate")
NOW_MS = 1_764_500_000_000
HOUR_MS = 3_600_000

OPENED = GateCause(
    seq=44, kind="gate.opened", actor_name="link-checker", at_ms=NOW_MS - HOUR_MS, short_hash="51c0ffee9a12"
)
WAITING = GateView(
    gate_id="gate_000044",
    generation=1,
    asked_anew=False,
    status="waiting_on_user",
    open=True,
    kind="publish",
    severity="high",
    question="May the checked pages be published on the public site?",
    options=("Publish all", "Publish the guide only"),
    default="Publish all",
    waiting_work=("Publish the guide", "Tell the readers"),
    blocks_goal=False,
    evidence_digest="3f2a91c0d4be77a1" + "0" * 48,
    votes=(),
    votes_counted=0,
    quorum=2,
    waits_for=("Ann Li", "Ben Ortiz"),
    delegates=(),
    expires_at_ms=NOW_MS + 24 * HOUR_MS,
    on_expiry="deny",
    step_up=False,
    opened_by="link-checker",
    decided_by=None,
    on_behalf_of=None,
    decided_at_ms=None,
    reason="",
    basis="b1:" + "a" * 32,
    cause=OPENED,
)
ANN = GateVoteView(seat="Ann Li", voter="Ann Li")
FOR_BEN = GateVoteView(seat="Ben Ortiz", voter="Cara Roy")


def changed(**changes: object) -> GateView:
    return msgspec.structs.replace(WAITING, **changes)


def ended(status: str, kind: str, who: str = "Ben Ortiz", **changes: object) -> GateView:
    cause = GateCause(seq=51, kind=kind, actor_name=who, at_ms=NOW_MS - 60_000, short_hash="")
    over = {"open": False, "waits_for": (), "delegates": (), "expires_at_ms": None}
    decided = {"status": status, "decided_by": who, "decided_at_ms": NOW_MS - 60_000, "cause": cause}
    return changed(**(over | decided | changes))


def waiting_gates() -> dict[str, tuple[GateView, tuple[str, ...]]]:
    """What still waits, and the buttons that it has."""
    voted = GateCause(seq=46, kind="gate.vote_recorded", actor_name="Ann Li", at_ms=NOW_MS - 120_000, short_hash="")
    delegated = changed(
        votes=(ANN,),
        votes_counted=1,
        waits_for=("Cara Roy",),
        delegates=(GateDelegateView(seat="Ben Ortiz", delegate="Cara Roy", until_ms=NOW_MS + 8 * HOUR_MS),),
        cause=GateCause(seq=47, kind="gate.delegated", actor_name="Ben Ortiz", at_ms=None, short_hash=""),
    )
    put_off = GateCause(seq=48, kind="gate.deferred", actor_name="", at_ms=None, short_hash="")
    critical = changed(severity="critical", step_up=True, blocks_goal=True, generation=2, evidence_digest=None)
    return {
        "gate_waiting_on_user": (WAITING, DECIDE),
        "gate_direct": (WAITING, DECIDE[:3]),
        "gate_voted": (changed(votes=(ANN,), votes_counted=1, waits_for=("Ben Ortiz",), cause=voted), DECIDE),
        "gate_delegated": (delegated, DECIDE),
        "gate_step_up": (critical, DECIDE),
        "gate_deferred": (changed(status="deferred", reason="Not before Monday", cause=put_off), DECIDE),
    }


def ended_gates() -> dict[str, GateView]:
    both = {"votes": (ANN, FOR_BEN), "votes_counted": 2}
    gone: dict[str, object] = {"asked_anew": True, "question": "", "options": (), "default": ""}
    return {
        "gate_approved": ended("approved", "gate.approved", "Cara Roy", on_behalf_of="Ben Ortiz", **both),
        "gate_rejected": ended("rejected", "gate.refused", reason="The site is being moved."),
        "gate_cancelled": ended("cancelled", "gate.refused"),
        "gate_expired": ended("expired", "gate.expired", "daemon"),
        "gate_withdrawn": ended("withdrawn", "gate.lifted", "link-checker"),
        "gate_superseded": ended("superseded", "gate.lifted", "link-checker"),
        "gate_anew": ended(
            "superseded", "gate.opened", decided_by=None, decided_at_ms=None, evidence_digest=None, **gone
        ),
        "gate_goal_over": changed(open=False, waits_for=(), expires_at_ms=None),
    }


def gate_cards(goal: GoalView, tokens) -> dict[str, CardView]:
    """The views by name; the goal that they are about, and how tokens are made, come from the other views."""

    def view(name: str, gate: GateView, *offered: str) -> CardView:
        audience = "direct" if name == "gate_direct" else "group"
        return CardView(kind="gate", audience=audience, tokens=tokens(*offered), goal=goal, gate=gate)

    waiting = {name: view(name, gate, *offered) for name, (gate, offered) in waiting_gates().items()}
    return waiting | {name: view(name, gate) for name, gate in ended_gates().items()}
