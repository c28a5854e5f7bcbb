"""What every journey must show, each derived from the ledger's export and from what was measured beside it.

A worker was lost under its lease and its work was finished all the same; a late writer was refused; the owner corrected
the direction and what counts was made for the correction; a result was rejected by measurement and made anew; whoever
accepted was not the author; nothing was built on what was not accepted; the acceptor's own measures hold; the owner
decided in the chat and nowhere else; whatever was asked stood on a card; nothing happened twice.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from bot.journey.asks import Shown, shown_asks, waits_ms
from bot.journey.notices import Notice
from bot.journey.plot import Finding, Incident, Round
from bot.journey.records import Event, Records
from bot.journey.report import Expectation, Verdict

FENCED = frozenset({
    "lease_cas_mismatch", "lease_fence_required", "lease_not_active", "version_mismatch", "version_required",
    "handoff_mode_requires_lease", "handoff_mode_lease_claim_divergence", "owner_conflicts_with_claim",
    "claim_owner_mismatch", "completion_turn_key_mismatch", "todo_lease_conflict", "claim_actor_mismatch",
})  # fmt: skip
"""Why a late writer's words change nothing."""
LATE_WRITES = frozenset({
    "todo.complete", "task-lease.renew", "task-lease.release", "artifact.submit", "todo.release", "todo.block",
})  # fmt: skip
"""What somebody tries who believes to hold a lease."""
OWNER_DECIDES = frozenset({
    "goal.confirmed", "goal.declined", "goal.accepted", "goal.changes_requested", "plan.confirmed", "plan.rejected",
    "gate.approved", "gate.refused", "gate.vote_recorded", "goal.question_answered", "amendment.committed",
})  # fmt: skip
INTERVENES = frozenset({"goal.revised", "goal.paused", "goal.resumed", "goal.stopped", "goal.changes_requested"})


@dataclass(frozen=True, kw_only=True)
class Lost:
    """A worker that was lost, as it was seen: by which incident, at which event, and under which lease."""

    incident: Incident
    goal_id: str
    todo_id: str
    seq: int
    at_ms: int
    lease_epoch: int | None
    """None where it held no lease."""
    lease_key: str | None = None
    lease_version: int | None = None
    late_sha256: str = ""
    """The digest of the evidence that it had on its way, by which that is known again wherever it arrived."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What was seen beside the ledger."""

    rounds: tuple[Round, ...]
    lost: tuple[Lost, ...]
    findings: tuple[tuple[str, tuple[Finding, ...]], ...]
    """What the acceptor measured, by goal."""
    notices: tuple[Notice, ...]
    """What cards asked for, and when."""
    ledger_holds: bool
    review: str = "independent"


def expectations(records: Records, measured: Measured, owner: str) -> tuple[Expectation, ...]:
    """All of them, in the order in which a person asks."""
    goals = [one.goal_id for one in measured.rounds]
    found = (
        ("accepted on a card", _accepted(records, goals, owner)),
        ("decided in the chat alone", _in_the_chat(records, owner)),
        ("every ask was on a card", _on_a_card(records, measured)),
        ("a killed worker's work went on", _lost(records, measured, "killed")),
        ("a frozen worker's work went on", _lost(records, measured, "frozen")),
        ("a late writer was refused", _late(records, measured)),
        ("the owner's correction counts", _corrected(records, measured, owner)),
        ("rejected by measurement, reworked", _reworked(records, goals)),
        ("accepted by somebody else", _independent(records, goals)),
        ("validated before it was done", _validated(records, measured)),
        ("built on what was accepted", _built_on_accepted(records, goals)),
        ("measured again in a clean place", _measured_again(measured, goals)),
        ("nothing happened twice", _no_duplicates(records)),
        ("the ledger holds", _holds(records, measured)),
    )
    return tuple(Expectation(name=name, verdict=verdict, says=says) for name, (verdict, says) in found)


Answer = tuple[Verdict, str]


def _verdict(*, holds: bool) -> Verdict:
    return "passed" if holds else "failed"


def _accepted(records: Records, goals: Sequence[str], owner: str) -> Answer:
    yes = {one.goal_id: one for one in records.of("goal.accepted") if one.actor == owner and one.surface == "lark"}
    missing = [goal for goal in goals if goal not in yes]
    if missing:
        return "failed", f"{', '.join(missing)} was not accepted by {owner} on a card"
    return _verdict(holds=bool(goals)), f"{', '.join(f'{goal} (#{yes[goal].seq})' for goal in goals)}"


def _in_the_chat(records: Records, owner: str) -> Answer:
    mine = [one for one in records.events if one.actor == owner]
    elsewhere = [one for one in mine if one.surface != "lark" or one.proof != "lark"]
    if elsewhere:
        return "failed", f"#{elsewhere[0].seq} {elsewhere[0].kind} came by {elsewhere[0].surface}"
    return _verdict(holds=bool(mine)), f"{len(mine)} events of {owner}, each with a proof of the chat's"


def _asks(records: Records, measured: Measured) -> list[Shown]:
    return shown_asks(records, measured.notices, {one.goal_id: one.promise.title for one in measured.rounds})


def _on_a_card(records: Records, measured: Measured) -> Answer:
    shown = _asks(records, measured)
    if not shown or not measured.notices:
        return "untested", f"{len(shown)} asked, and no card was seen"
    unseen = next((ask for ask, notice in shown if notice is None), None)
    if unseen is not None:
        count = len(waits_ms(shown))
        return "failed", f"{count} of {len(shown)} shown; no card showed #{unseen.seq} {unseen.kind}"
    return "passed", f"{len(shown)} of {len(shown)} shown"


def _lost(records: Records, measured: Measured, kind: str) -> Answer:
    lost = [one for one in measured.lost if one.incident.kind == kind]
    if not lost:
        return "untested", "no worker was lost so"
    for one in lost:
        ended = _lease_end(records, one)
        if one.lease_epoch is None or ended is None:
            return "failed", f"{one.incident.agent_id} held no lease of {one.todo_id} that ran out"
        done = next((event for event in records.of("todo.completed", one.goal_id) if _is_of(event, one.todo_id)), None)
        if done is None or done.seq < ended.seq:
            return "failed", f"{one.todo_id} was not finished after its lease ran out"
        if done.actor == one.incident.agent_id:
            return "failed", f"{one.todo_id} was finished by {done.actor}, who was lost, and by nobody else"
    one, end = lost[0], _lease_end(records, lost[0])
    assert end is not None, "looked at above"
    return "passed", f"{one.todo_id}, lease epoch {one.lease_epoch} ran out (#{end.seq}) and another finished it"


def _lease_end(records: Records, lost: Lost) -> Event | None:
    """The end of the lease under which a worker was lost, where time ended it and nobody else."""
    for one in records.of("lease.expired", lost.goal_id):
        if _is_of(one, lost.todo_id) and one.facts["lease_epoch"] == lost.lease_epoch and one.seq > lost.seq:
            return one
    return None


def _late(records: Records, measured: Measured) -> Answer:
    if not measured.lost:
        return "untested", "nobody was lost"
    said = []
    for lost in measured.lost:
        agent_id = lost.incident.agent_id
        refused = [
            one for one in records.refusals
            if one.actor == agent_id and one.goal_id == lost.goal_id and one.code in FENCED
            and one.action in LATE_WRITES and one.at_ms >= lost.at_ms
        ]  # fmt: skip
        slipped = [*_arrived(records, lost), *_after_end(records, lost)]
        if slipped:
            return "failed", f"no fence refused {agent_id}, who wrote late: {_told(slipped)} of {lost.todo_id}"
        if not any(one.action == "todo.complete" for one in refused):
            return "failed", f"no fence refused what {agent_id} wrote late about {lost.todo_id}: {_met(records, lost)}"
        said.append(f"{agent_id}: {', '.join(dict.fromkeys(one.code for one in refused))}")
    return "passed", "; ".join(said)


def _arrived(records: Records, lost: Lost) -> Iterator[Event]:
    """What the lost worker had on its way and the ledger took: its completion first, then the evidence for it."""
    late = [
        one for one in records.of("artifact.submitted", lost.goal_id)
        if lost.late_sha256 and one.facts.get("sha256") == lost.late_sha256 and _is_of(one, lost.todo_id)
    ]  # fmt: skip
    named = {one.facts["artifact_id"] for one in late}
    done = records.of("todo.completed", lost.goal_id)
    yield from (one for one in done if _is_of(one, lost.todo_id) and named & set(one.facts["evidence"]))
    yield from late


def _told(slipped: Sequence[Event]) -> str:
    return ", ".join(dict.fromkeys(f"#{one.seq} {one.kind}" for one in slipped))


def _met(records: Records, lost: Lost) -> str:
    """What its late completion met instead of a fence."""
    codes = [
        one.code for one in records.refusals
        if one.actor == lost.incident.agent_id and one.goal_id == lost.goal_id and one.action == "todo.complete"
        and one.at_ms >= lost.at_ms
    ]  # fmt: skip
    return f"turned down only by {', '.join(dict.fromkeys(codes))}" if codes else "nothing turned it down"


def _after_end(records: Records, lost: Lost) -> Iterator[Event]:
    """What the lost worker still got into the ledger about that todo after its lease had ended."""
    end = _lease_end(records, lost)
    for one in records.events:
        if end is None or one.seq < end.seq or one.actor != lost.incident.agent_id or one.goal_id != lost.goal_id:
            continue
        if one.kind in {"todo.completed", "artifact.submitted", "lease.renewed"} and _is_of(one, lost.todo_id):
            yield one


def _corrected(records: Records, measured: Measured, owner: str) -> Answer:
    wanted = [one.goal_id for one in measured.rounds if one.correction is not None]
    if not wanted:
        return "untested", "nothing was corrected"
    for goal in wanted:
        revised = [one for one in records.of("goal.revised", goal) if one.actor == owner]
        yes = [one for one in records.of("goal.confirmed", goal) if one.facts["revision"] > 1 and one.actor == owner]
        accepted = [one.facts["artifact_id"] for one in records.of("artifact.reviewed", goal) if _is_yes(one)]
        if not revised or not yes:
            return "failed", f"{goal} was not revised by {owner}"
        made = [one for one in records.of("artifact.submitted", goal) if one.facts["artifact_id"] in accepted]
        if not made or any(one.facts["revision"] != yes[-1].facts["revision"] for one in made):
            return "failed", f"what was accepted of {goal} was not made for revision {yes[-1].facts['revision']}"
    return "passed", f"{', '.join(wanted)}: revised by {owner}, and what was accepted is of that revision"


def _reworked(records: Records, goals: Sequence[str]) -> Answer:
    for goal in goals:
        for no in (one for one in records.of("artifact.reviewed", goal) if not _is_yes(one)):
            artifact_id = no.facts["artifact_id"]
            failed = [
                one for one in records.of("artifact.checked", goal)
                if one.facts["artifact_id"] == artifact_id and one.facts["exit_code"] != 0 and one.seq < no.seq
            ]  # fmt: skip
            after = _successor(records, goal, artifact_id)
            if failed and after is not None:
                name = failed[-1].facts["name"]
                return "passed", f"{artifact_id} failed `{name}` (#{failed[-1].seq}); {after} took its place, accepted"
    return "failed", "no result was rejected after a check that failed and then made anew"


def _successor(records: Records, goal: str, artifact_id: str) -> str | None:
    """The artifact that took another's place and was accepted, over as many steps as it took."""
    yes = {one.facts["artifact_id"] for one in records.of("artifact.reviewed", goal) if _is_yes(one)}
    at: str | None = artifact_id
    while at is not None:
        at = next(
            (
                str(one.facts["artifact_id"])
                for one in records.of("artifact.submitted", goal)
                if one.facts.get("revises") == at
            ),
            None,
        )
        if at in yes:
            return at
    return None


def _independent(records: Records, goals: Sequence[str]) -> Answer:
    count = 0
    for goal in goals:
        authors = {one.facts["artifact_id"]: one.actor for one in records.of("artifact.submitted", goal)}
        judges = {one.facts["artifact_id"]: one.actor for one in records.of("artifact.reviewed", goal) if _is_yes(one)}
        for delivered in list(records.of("goal.delivered", goal))[-1:]:
            for artifact_id, _ in delivered.facts["artifacts"]:
                if judges.get(artifact_id) in {None, authors.get(artifact_id)}:
                    return "failed", f"{artifact_id} of {goal} was accepted by nobody but its author"
                count += 1
    return _verdict(holds=count > 0), f"{count} delivered artifacts"


def _validated(records: Records, measured: Measured) -> Answer:
    """Each lane names validators, and each has passed on the evidence by which its todo was completed."""
    count = 0
    for now in measured.rounds:
        for done in records.of("todo.completed", now.goal_id):
            checks = [
                one for one in records.of("artifact.checked", now.goal_id)
                if one.facts["artifact_id"] in done.facts["evidence"] and one.seq < done.seq
            ]  # fmt: skip
            unmet = _named(now, done.facts["todo_id"]) - {one.facts["name"] for one in checks}
            if not checks or unmet or any(one.facts["exit_code"] != 0 for one in checks):
                return "failed", f"{done.facts['todo_id']} was done without a validator that passed"
            count += 1
    return _verdict(holds=count > 0), f"{count} todos"


def _named(now: Round, todo_id: str) -> frozenset[str]:
    """The validators that the lane of a todo names."""
    lanes = (one for one in now.lanes if todo_id.endswith(f"_{one['lane_id']}"))
    named = next(lanes, {}).get("validator", ())
    return frozenset(named) if isinstance(named, Sequence) else frozenset()


def _built_on_accepted(records: Records, goals: Sequence[str]) -> Answer:
    count = 0
    for goal in goals:
        yes = {one.facts["artifact_id"]: one.seq for one in records.of("artifact.reviewed", goal) if _is_yes(one)}
        leases = list(records.of("lease.acquired", goal))
        for made in records.of("artifact.submitted", goal):
            held = [one.seq for one in leases if _is_of(one, made.facts["todo_id"]) and one.seq < made.seq]
            for artifact_id, _ in made.facts.get("inputs") or () if made.facts["todo_id"] else ():
                if yes.get(artifact_id, made.seq) >= max(held, default=made.seq):
                    return "failed", f"{made.facts['artifact_id']} was begun before {artifact_id} was accepted"
                count += 1
    return _verdict(holds=count > 0), f"{count} inputs, each accepted before the work on it began"


def _measured_again(measured: Measured, goals: Sequence[str]) -> Answer:
    by_goal = dict(measured.findings)
    wrong = [(goal, one) for goal in goals for one in by_goal.get(goal, ()) if not one.holds]
    if wrong:
        return "failed", f"{wrong[0][0]} {wrong[0][1].name}: {wrong[0][1].says}"
    if any(not by_goal.get(goal) for goal in goals) or not goals:
        return "untested", "the acceptor had nothing to measure"
    return "passed", f"{sum(len(by_goal[goal]) for goal in goals)} measures by the acceptor itself"


def _no_duplicates(records: Records) -> Answer:
    twice = duplicates(records)
    return _verdict(holds=not twice), ", ".join(twice) or "no spend, completion, return or delivery twice"


def _holds(records: Records, measured: Measured) -> Answer:
    return _verdict(holds=measured.ledger_holds), f"{len(records.events)} events, head {records.head[:20]}…"


def duplicates(records: Records) -> list[str]:
    """What happened more than once that may happen once."""
    keys = {
        "todo.completed": ("todo_id",),
        "slot.spent": ("todo_id", "turn_instance_id"),
        "request.returned": ("request_id",),
        "request.delivered": ("request_id",),
        "goal.accepted": ("delivery",),
        "artifact.reviewed": ("artifact_id",),
    }
    counted = Counter(
        (one.kind, one.goal_id, *(one.facts.get(name) for name in keys[one.kind]))
        for one in records.events
        if one.kind in keys
    )
    return [f"{' '.join(map(str, key))}: {times} times" for key, times in counted.items() if times > 1]


def counts(records: Records, measured: Measured, owner: str) -> dict[str, object]:
    """The figures; None is unknown."""
    used = [one.facts for one in records.of("usage.reported")]
    shown = _asks(records, measured)
    waits = waits_ms(shown)
    lost = [end.at_ms - one.at_ms for one in measured.lost if (end := _lease_end(records, one)) is not None]
    return {
        "decisions_asked": len(shown),
        "decisions_shown": len(waits),
        "decisions_made": sum(one.kind in OWNER_DECIDES and one.actor == owner for one in records.events),
        "interventions": sum(one.kind in INTERVENES and one.actor == owner for one in records.events),
        "notice_ms_median": round(median(waits)) if waits else None,
        "notice_ms_max": max(waits) if waits else None,
        "lost_ms_max": max(lost) if lost else None,
        "duplicate_effects": len(duplicates(records)),
        "stale_writes_refused": sum(
            one.times for one in records.refusals if one.code in FENCED and one.action in LATE_WRITES
        ),
        "tokens_in": _total([one["tokens_in"] for one in used]),
        "tokens_out": _total([one["tokens_out"] for one in used]),
        "accepted_artifacts": sum(_is_yes(one) for one in records.of("artifact.reviewed")),
        "events": len(records.events),
        "refusals": sum(one.times for one in records.refusals),
    }


def _total(figures: Sequence[int | None]) -> int | None:
    known = [one for one in figures if one is not None]
    return sum(known) if known and len(known) == len(figures) else None


def _is_of(event: Event, todo_id: str) -> bool:
    return event.facts.get("todo_id") == todo_id


def _is_yes(event: Event) -> bool:
    return event.facts.get("verdict") == "accepted"
