"""A turn as a value: what is known of it, what may happen to it, and what is to be done next. No I/O happens here.

    taking -> preparing -> running -> (ending) -> judging -> writing -> over
                 ^                        |
                 +-- begun anew: what it rests on has moved

`taking` asks the ledger for the work, one step after the other. `running` lasts as long as the program does; meanwhile
the lease is renewed at a third of its time. `ending` waits for a program that was told to end, and remembers why.
`judging` reads what the program left and puts it into the store. `writing` hands it in, again one step after the other.
Each step asks under a key that follows from the turn, so that whoever takes a turn up after a crash, in the middle of
any step, asks the same again and gets the first answer.

There is one rule above all: a turn whose lease is lost writes nothing more. It ends as `fenced`, whatever came of it.
"""

from dataclasses import replace
from typing import Final

from daemon.agents.worker_result import EARNS
from daemon.agents.worker_turn import (
    Answered,
    Close,
    Event,
    Exited,
    Failed,
    Hand,
    Judged,
    Moved,
    Next,
    NotRenewed,
    Prepared,
    Refused,
    Renewed,
    Step,
    StopNow,
    Tick,
    Turn,
)

BEGUN_ANEW_MAX = 3
RENEWALS_A_LEASE = 3
NEVER_MS = 1 << 62
FENCED: Final = frozenset(
    {
        "claim_owner_mismatch", "lease_cas_mismatch", "lease_not_active", "lease_fence_required", "version_mismatch",
        "version_required", "handoff_mode_requires_lease", "handoff_mode_lease_claim_divergence",
        "todo_lease_conflict",
    }
)  # fmt: skip
"""Refusals that say: the work is not this turn's any longer."""
HOLDS: Final = frozenset(
    {
        "amendment_holds", "request_holds", "gate_blocks", "decision_scope_unapproved", "dependency_unmet",
        "projection_repair_required",
    }
)  # fmt: skip
"""Refusals that say: the work is held up, by no fault of whoever did it."""


def begin(turn: Turn) -> Next:
    """The first thing to do."""
    match turn.kind:
        case "request":
            steps: tuple[Step, ...] = (Step("receive"),)
        case "rework" | "monitor":
            # What is done already nobody else may do, and to look at something takes nothing away from anybody.
            steps = ()
        case _:
            # A lease sets the claim itself, so that nothing is left behind when it ends.
            own = Step("lease") if turn.came_over is None else Step("take_over")
            holding = Step("claim") if turn.handoff_mode == "soft_claim" else own
            steps = (Step("reserve"), holding)
    return _go_on(replace(turn, steps=steps))


def recovered(turn: Turn) -> Next:
    """A turn that another process left in the middle: what was judged is written back, what was not has failed."""
    if turn.phase == "over":
        return turn, ("over",)
    if turn.phase == "taking" and not turn.begun_anew:
        # It never ran; there is nothing to report, only to give back what may have been taken.
        turn = replace(turn, phase="writing", steps=_given_back(turn), close="refused", problem="worker_ended")
    elif turn.phase != "writing":
        turn = _failing(turn, "worker_ended", "The worker ended in the middle of the turn.")
    steps = tuple(one for one in turn.steps if one.name != "inspect")
    if turn.kind != "todo" or turn.handoff_mode == "soft_claim" or not any(one.name in _UNDER_LEASE for one in steps):
        return _go_on(replace(turn, steps=steps, version=None))
    # How often the lease was renewed is known to the ledger alone.
    return _go_on(replace(turn, steps=(Step("inspect"), *steps), version=None))


_UNDER_LEASE: Final = frozenset({"submit", "validate", "complete", "block", "release_lease"})


def step(turn: Turn, event: Event, now_ms: int) -> Next:
    """What becomes of a turn by what happened, and what is to be done about it."""
    return (turn, ()) if _comes_too_late(turn, event) else _stepped(turn, event, now_ms)


def _stepped(turn: Turn, event: Event, now_ms: int) -> Next:
    match event:
        case Tick():
            return _tick(turn, now_ms)
        case Renewed():
            return _held(turn, event.version, now_ms), ()
        case NotRenewed():
            return _lost(turn, event.code)
        case Moved():
            return _moved(turn, event)
        case StopNow():
            return _stopped(turn)
        case Answered():
            return _answered(turn, event, now_ms)
        case Refused():
            return _refused(turn, event)
        case Prepared():
            deadline_ms = now_ms + 1_000 * turn.timeout_seconds
            return replace(turn, phase="running", validators=event.validators, deadline_ms=deadline_ms), ("launch",)
        case Failed():
            return _go_on(_failing(turn, event.code, event.words))
        case Exited():
            return _exited(turn, event.exit_code)
        case Judged():
            return _go_on(_writing(turn, event.hand))


def _comes_too_late(turn: Turn, event: Event) -> bool:
    """Whether it is the end of something that the turn waits for no longer: threads end when they end."""
    match event:
        case Answered() | Refused():
            return turn.steps[:1] != (event.step,)
        case Prepared():
            return turn.phase != "preparing"
        case Exited():
            return turn.phase not in {"running", "ending"}
        case Judged():
            return turn.phase != "judging"
        case Failed():
            return turn.phase not in {"preparing", "running", "judging"}
        case _:
            return False


def _held(turn: Turn, version: int, now_ms: int) -> Turn:
    """It holds its lease from now on, for its whole time."""
    span_ms = 1_000 * turn.lease_seconds
    renew_at_ms = now_ms + span_ms // RENEWALS_A_LEASE
    return replace(turn, version=version, renew_at_ms=renew_at_ms, lease_until_ms=now_ms + span_ms)


def _go_on(turn: Turn) -> Next:
    """The first step that is left; after the last one the next phase begins."""
    if turn.steps and turn.steps[0].name == "release_lease" and turn.version is None:
        return _go_on(replace(turn, steps=turn.steps[1:]))
    if turn.steps:
        return turn, ("validate" if turn.steps[0].name == "validate" else "ask",)
    if turn.phase == "taking":
        return replace(turn, phase="preparing"), ("prepare",)
    return replace(turn, phase="over"), ("over",)


def _tick(turn: Turn, now_ms: int) -> Next:
    holds = turn.version is not None and turn.phase in {"preparing", "running", "ending", "judging", "writing"}
    if holds and now_ms >= turn.lease_until_ms:
        # Nobody could be asked in time; the lease has run out, and another may have the work by now.
        return _lost(turn, "lease_not_active")
    if turn.phase == "running" and now_ms >= turn.deadline_ms:
        return replace(turn, phase="ending", why="timed_out"), ("end",)
    return turn, ("renew",) if holds and now_ms >= turn.renew_at_ms else ()


def _lost(turn: Turn, code: str) -> Next:
    if turn.phase == "over":
        return turn, ()
    if turn.phase == "running":
        return replace(turn, phase="ending", why="lease_lost", problem=code), ("end",)
    if turn.phase == "ending":
        return replace(turn, why="lease_lost", problem=code), ()
    return _fenced(turn, code)


def _fenced(turn: Turn, code: str) -> Next:
    words = "The work is no longer this turn's; nothing was written back."
    return replace(turn, phase="over", steps=(), close="fenced", problem=code, words=words), ("over",)


def _moved(turn: Turn, event: Moved) -> Next:
    moved = replace(turn, why=event.why, hold=event.hold)
    if turn.phase == "running":
        return replace(moved, phase="ending"), ("end",)
    return _after(moved) if turn.phase == "judging" else (turn, ())


def _stopped(turn: Turn) -> Next:
    if turn.phase == "running":
        return replace(turn, phase="ending", why="interrupted"), ("end",)
    if turn.phase in {"preparing", "judging"}:
        return _go_on(_failing(turn, "interrupted", "The worker was told to stop."))
    return turn, ()


def _exited(turn: Turn, exit_code: int) -> Next:
    if turn.why:
        return _after(turn)
    if exit_code == 0:
        return replace(turn, phase="judging"), ("judge",)
    how = f"exit code {exit_code}" if exit_code > 0 else f"signal {-exit_code}"
    return _go_on(_failing(turn, "program_failed", f"The program ended with {how}."))


def _after(turn: Turn) -> Next:
    """The program was ended, or what it left is not wanted: why, and how it goes on."""
    match turn.why:
        case "lease_lost":
            return _fenced(turn, turn.problem)
        case "timed_out":
            words = f"The program did not end within {turn.timeout_seconds} seconds."
            return _go_on(_failing(turn, "timed_out", words))
        case "goal_over":
            return _go_on(_failing(turn, turn.hold, "The goal is not worked on any longer."))
        case "rebase" | "revision" if turn.begun_anew < BEGUN_ANEW_MAX:
            adopt = Step("adopt_amendment" if turn.why == "rebase" else "adopt_revision", turn.begun_anew)
            return _go_on(replace(turn, phase="taking", why="", steps=(adopt,), begun_anew=turn.begun_anew + 1))
        case "rebase" | "revision":
            return _go_on(_failing(turn, "moved_too_often", "What the work rests on changed again and again."))
        case _:
            return _go_on(_failing(turn, "interrupted", "The worker was told to stop."))


def _answered(turn: Turn, event: Answered, now_ms: int) -> Next:
    result = event.result
    match event.step.name:
        case "reserve":
            turn = replace(turn, subject=str(result["todo_id"]))
        case "lease" | "take_over":
            turn = _held(turn, int(str(result["version"])), now_ms)
        case "inspect" if result.get("idempotency_key") == turn.turn_id:
            version = int(str(result["version"]))
            # One that was released keeps its version, by which a completion is asked again; it is not renewed.
            ended = replace(turn, version=version, renew_at_ms=NEVER_MS, lease_until_ms=NEVER_MS)
            turn = _held(turn, version, now_ms) if result.get("effective") else ended
        case "validate":
            return _validated(turn, result)
        case "submit":
            turn = replace(turn, artifact_ids=(*turn.artifact_ids, str(result["artifact_id"])))
        case "report":
            turn = replace(turn, run_id=str(result["run_id"]))
        case "complete" | "block" | "release_lease":
            turn = replace(turn, version=None)
        case _:
            pass
    return _go_on(replace(turn, steps=turn.steps[1:]))


def _validated(turn: Turn, result: dict[str, object]) -> Next:
    """Each validator must pass on some of the evidence; once all have, nothing more is run."""
    names = result.get("passed")
    passed = (*turn.passed, *(map(str, names) if isinstance(names, list) else ()))
    left = turn.steps[1:]
    if set(turn.validators) <= set(passed):
        left = tuple(one for one in left if one.name != "validate")
    elif not any(one.name == "validate" for one in left):
        missing = ", ".join(name for name in turn.validators if name not in passed)
        return _go_on(
            _failing(replace(turn, passed=passed), "validator_failed", f"Did not pass: {missing}.", after=True)
        )
    return _go_on(replace(turn, passed=passed, steps=left))


def _refused(turn: Turn, event: Refused) -> Next:
    name, code = event.step.name, event.code
    if turn.phase == "taking":
        taken = (Step("release_slot"),) if name in {"claim", "lease", "take_over"} else ()
        again = _failure_steps(turn) if name.startswith("adopt") else taken
        return _go_on(replace(turn, phase="writing", steps=again, close="refused", problem=code))
    match name:
        case "submit" | "complete" | "block" if code in FENCED and turn.kind == "todo":
            return _fenced(turn, code)
        case "submit" | "complete" | "block" | "validate" | "ask":
            return _go_on(_failing(turn, code, _SAID.get(code, _SAID.get(name, "The ledger refused it.")), after=True))
        case "respond" | "return" | "observe":
            return _go_on(replace(turn, steps=(), close="refused", problem=code))
        case "inspect":
            return _go_on(replace(turn, steps=turn.steps[1:]))
        case _:
            return _go_on(replace(turn, steps=turn.steps[1:], notes=(*turn.notes, f"{name}: {code}")))


_SAID: Final[dict[str, str]] = {
    "submit": "The ledger refused the evidence.",
    "validate": "The validators could not be run.",
    "patch_not_applied": "What was handed in as a patch does not apply to the base.",
    "ask": "The ledger refused the request to somebody else.",
    "complete": "The ledger refused to complete the todo.",
}


def _failing(turn: Turn, code: str, words: str, *, after: bool = False) -> Turn:
    """The turn has failed: that is reported, and the work is given back. `after` something was handed in already."""
    close: Close = "blocked" if code in HOLDS else "failed"
    hand = turn.hand if after else None
    said = f"{words} ({code})"
    failed = replace(turn, phase="writing", close=close, problem=code, words=said, hand=hand)
    return replace(failed, steps=_failure_steps(failed))


def _failure_steps(turn: Turn) -> tuple[Step, ...]:
    if turn.kind in {"request", "monitor"}:
        return ()
    usage = (Step("usage"),) if turn.hand is not None and turn.hand.usage else ()
    return (*((Step("report"),) if turn.subject else ()), *usage, *_given_back(turn))


def _given_back(turn: Turn) -> tuple[Step, ...]:
    if turn.kind != "todo":
        return ()
    if not turn.subject:
        return (Step("release_slot"),)
    held = Step("release_claim") if turn.handoff_mode == "soft_claim" else Step("release_lease")
    return (held, Step("release_slot"))


def _writing(turn: Turn, hand: Hand) -> Turn:
    """All that is to be written, in order."""
    turn = replace(turn, phase="writing", hand=hand, close=hand.outcome, words=hand.summary)
    if turn.kind == "request":
        return replace(turn, steps=_for_request(hand))
    if turn.kind == "monitor":
        return replace(turn, steps=_for_monitor(hand))
    handed_in = tuple(Step("submit", number) for number in range(len(hand.pieces)))
    validated = tuple(Step("validate", number) for number in range(len(hand.pieces))) if turn.validators else ()
    asked = (Step("ask"),) if hand.ask else ()
    usage = (Step("usage"),) if hand.usage else ()
    earned = (Step("spend"),) if hand.delivery_outcome in EARNS and hand.outcome == "done" else ()
    written = (*handed_in, *(validated if hand.outcome == "done" else ()), *_reviews(hand), *asked)
    if turn.kind == "rework":
        return replace(turn, steps=(*written, Step("report"), *usage, *earned))
    if hand.outcome == "done":
        return replace(turn, steps=(*written, Step("complete"), Step("report"), *usage, *earned))
    stands = (Step("block"),) if hand.outcome == "blocked" and not hand.ask else ()
    return replace(turn, steps=(*written, *stands, Step("report"), *usage, *_given_back(turn)))


def _for_request(hand: Hand) -> tuple[Step, ...]:
    usage = (Step("usage"),) if hand.usage else ()
    if hand.decision != "adopt" or hand.outcome == "blocked":
        return (*((Step("ask"),) if hand.ask else ()), Step("respond"), *usage)
    if hand.outcome != "done":
        return usage
    handed_in = tuple(Step("submit", number) for number in range(len(hand.pieces)))
    return (*handed_in, *_reviews(hand), Step("respond"), Step("return"), *usage)


def _for_monitor(hand: Hand) -> tuple[Step, ...]:
    """What was seen is on record where something was seen; whoever is to do something about it is asked first."""
    asked = (Step("ask"),) if hand.ask else ()
    usage = (Step("usage"),) if hand.usage else ()
    return (*asked, *((Step("observe"),) if hand.seen else ()), *usage)


def _reviews(hand: Hand) -> tuple[Step, ...]:
    steps: list[Step] = []
    for number, review in enumerate(hand.reviews):
        steps += [Step("check", number, part) for part in range(len(review.checks))]
        steps.append(Step("review", number))
    return tuple(steps)
