"""What each step of a turn asks of the ledger: the action, its parameters, and the key that makes asking again safe."""

import hashlib
import json
from typing import NamedTuple

from daemon.agents.worker_result import EARNS, SaidCheck
from daemon.agents.worker_turn import Hand, Piece, Step, Turn

TEXT_CHARS_MAX = 2_000
REPORT_EVIDENCE_MAX = 16
SOURCE = "worker"


class Ask(NamedTuple):
    """One write, or with no key one read."""

    action: str
    params: dict[str, object]
    key: str | None


def asked(turn: Turn, step: Step) -> Ask:
    """What a step asks. It follows from the turn alone, so that whoever resumes it asks the same."""
    key = f"{turn.turn_id}/{step.name}/{step.number}/{step.part}"
    simple = _simple(turn)
    if step.name in simple:
        action, params = simple[step.name]
        return Ask(action, {"goal_id": turn.goal_id, **params}, None if step.name == "inspect" else key)
    assert turn.hand is not None, "only what was judged is written back"
    return _of_hand(turn, turn.hand, step, key)


def _simple(turn: Turn) -> dict[str, tuple[str, dict[str, object]]]:
    """The steps that need no more than the turn's names."""
    todo: dict[str, object] = {"todo_id": turn.subject}
    slot: dict[str, object] = {"turn_instance_id": turn.turn_id}
    lease = {**todo, "idempotency_key": turn.turn_id}
    ttl = {"ttl_seconds": turn.lease_seconds}
    return {
        "reserve": ("quota.reserve", {**slot, **ttl, "agent_id": turn.agent_id}),
        "claim": ("todo.claim", todo),
        "lease": ("task-lease.acquire", {**lease, **ttl}),
        "take_over": ("task-lease.transfer", {**todo, **_taken_over(turn), **ttl}),
        "receive": ("request.receive", {"request_id": turn.subject}),
        "adopt_revision": ("goal.adopt", {"revision": int(turn.hold) if turn.hold.isdigit() else 0}),
        "adopt_amendment": ("amendment.adopt", {**todo, "amendment_id": turn.hold}),
        "inspect": ("task-lease.inspect", todo),
        "report": ("run.report", {**todo, **slot, **_report(turn)}),
        "release_lease": ("task-lease.release", {**lease, "expected_version": turn.version}),
        "release_claim": ("todo.release", todo),
        "release_slot": ("quota.release", slot),
        "spend": ("quota.spend-slot", {**todo, **slot}),
    }


def _taken_over(turn: Turn) -> dict[str, object]:
    """A lease that came over is given to this very turn: in one step, so that nobody else gets between."""
    key, version = turn.came_over or ("", 0)
    own = {"new_owner": turn.agent_id, "new_idempotency_key": turn.turn_id}
    return {"idempotency_key": key, "expected_version": version, **own}


def _of_hand(turn: Turn, hand: Hand, step: Step, key: str) -> Ask:
    goal: dict[str, object] = {"goal_id": turn.goal_id}
    todo, request = {**goal, "todo_id": turn.subject}, {**goal, "request_id": turn.subject}
    fence = {"task_lease_idempotency_key": turn.turn_id, "task_lease_expected_version": turn.version}
    under_lease = fence if turn.version is not None else {}
    match step.name:
        case "submit":
            # The answer to a request is nobody's todo.
            subject = goal if turn.kind == "request" else todo
            return Ask("artifact.submit", {**subject, **_piece(hand.pieces[step.number])}, key)
        case "check":
            review = hand.reviews[step.number]
            check = _check(review.checks[step.part])
            return Ask("artifact.record-check", {**goal, "artifact_id": review.artifact_id, **check}, key)
        case "review":
            review = hand.reviews[step.number]
            said = {"artifact_id": review.artifact_id, "verdict": review.decision, "reason": review.reason}
            return Ask("artifact.review", {**goal, **said, "sha256": dict(hand.digests).get(review.artifact_id)}, key)
        case "ask":
            wanted = json.loads(hand.ask)
            if turn.kind == "request":
                return Ask("request.send", {**wanted, **goal, "parent_id": turn.subject}, key)
            blocks = {"blocks_todo_id": turn.subject} if hand.outcome == "blocked" else {}
            return Ask("request.send", {**wanted, **goal, **blocks}, key)
        case "complete":
            done = {"evidence": list(turn.artifact_ids), "completion_turn_key": turn.turn_id, "note": hand.summary}
            return Ask("todo.complete", {**todo, **done, **under_lease}, key)
        case "block":
            return Ask("todo.block", {**todo, "reason": hand.reason or hand.summary, **under_lease}, key)
        case "usage":
            run = {"run_id": turn.run_id} if turn.run_id else {}
            return Ask("usage.report", {**goal, "source": SOURCE, **run, **dict(hand.usage)}, key)
        case "observe":
            return Ask("run.observe", {**todo, "result_hash": hand.seen}, key)
        case "respond":
            decision = "defer" if hand.decision == "adopt" and hand.outcome == "blocked" else hand.decision
            said = {"decision": decision, "reason": hand.reason or ("" if decision == "adopt" else hand.summary)}
            return Ask("request.respond", {**request, **said}, key)
        case _:
            artifacts = hand.answer_artifacts or turn.artifact_ids
            return Ask("request.return", {**request, "artifact": list(artifacts), "summary": _told(turn, hand)}, key)


def renewal(turn: Turn) -> Ask:
    """Hold the lease for longer; a renewal is named by the version that it follows."""
    lease = {"goal_id": turn.goal_id, "todo_id": turn.subject, "idempotency_key": turn.turn_id}
    return Ask("task-lease.renew", {**lease, "expected_version": turn.version}, f"{turn.turn_id}/renew/{turn.version}")


def argv_sha256(argv: tuple[str, ...]) -> str:
    """The digest that names what was run: every word, each ended by a NUL."""
    return hashlib.sha256(b"".join(word.encode("utf-8") + b"\0" for word in argv)).hexdigest()


def _piece(piece: Piece) -> dict[str, object]:
    return {
        "label": piece.label,
        "kind": piece.kind,
        "sha256": piece.sha256,
        "size_bytes": piece.size_bytes,
        "criterion": list(piece.criteria),
        "summary": piece.summary,
        "input": list(piece.inputs),
        "revises": piece.revises,
    }


def _check(check: SaidCheck) -> dict[str, object]:
    return {
        "name": check.name,
        "argv_sha256": check.argv_sha256 or argv_sha256(check.argv),
        "exit_code": check.exit_code,
        "duration_ms": check.duration_ms,
        "timed_out": check.timed_out,
    }


def _report(turn: Turn) -> dict[str, object]:
    outcome = "no_progress" if turn.hand is None else turn.hand.delivery_outcome
    classification = {"blocked": "blocked", "failed": "failed", "refused": "failed"}.get(turn.close, "delivery")
    # Work that was handed in and then did not pass earns nothing, whatever its author thinks of it.
    if classification != "delivery" and outcome in EARNS:
        outcome = "outcome_gap" if turn.artifact_ids else "no_progress"
    return {
        "classification": classification,
        "delivery_outcome": outcome,
        "summary": turn.words[:TEXT_CHARS_MAX],
        "evidence": list(turn.artifact_ids[:REPORT_EVIDENCE_MAX]),
    }


def _told(turn: Turn, hand: Hand) -> str:
    """What the return says; a word on evidence that the ledger did not take is not passed over."""
    if not turn.notes:
        return hand.summary
    missed = f"\n({'; '.join(turn.notes)})"[: TEXT_CHARS_MAX // 2]
    return hand.summary[: TEXT_CHARS_MAX - len(missed)] + missed
