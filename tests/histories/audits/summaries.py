"""Summaries: posted by whoever may, told once, into chats that show it; no time of a schedule is decided on twice."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.known import Told


def _posted(case: Case) -> None:
    facts, known = case.facts, case.model.known
    assert facts.summary_id not in known.told, "a summary was posted twice"
    assert facts.summary_id == f"sum_{case.event.seq}"
    assert 0 <= facts.since <= facts.until == case.event.seq - 1, "the head is not the one it was made at"
    assert all(facts.since < row.seq <= facts.until for goal in facts.goals for row in goal.rows)
    _may_post(case)
    key = facts.goal_id if facts.about == "goal" else facts.about
    assert any(one.fate == "queued" for one in facts.fates), "a summary was posted that nobody gets"
    for one in facts.fates:
        lost = one.channel_id in known.lost
        assert lost == (one.fate == "failed"), "what cannot be reached is not said to have failed, or the other way"
        assert _is_shown(case, one.channel_id), "posted into a chat that shows none of it"
        earlier = [told.material for told in known.told.values() if told.key == key and told.state(one.channel_id)]
        if not lost:
            unchanged = bool(earlier) and earlier[-1] == facts.material
            assert unchanged == (one.fate == "unchanged"), "a chat was told twice, or not at all"
    queued = {one.channel_id for one in facts.fates if one.fate == "queued"}
    known.told[facts.summary_id] = Told(key, facts.material, queued, set(queued))


def _may_post(case: Case) -> None:
    facts, model, actor = case.facts, case.model, case.event.actor
    if facts.about == "chat":
        assert [event.kind for event in case.group] == ["summary.posted", "digest.ticked"]
        assert actor == "daemon"
        return
    being = model.members[actor]
    promise = model.promises.get(str(facts.goal_id))
    if being.kind == "person":
        owns = "owner" in being.roles if promise is None else actor in model.owners(promise)
        assert owns, "posted by somebody who does not own it"
        return
    rights = [one for one in model.rights.values() if one.member == actor and not one.ended]
    named = any("summary" in one.kinds and (not one.goals or facts.goal_id in one.goals) for one in rights)
    assert being.role == "steward" or named, "an agent posted that nobody let"
    if promise is not None and promise.intents[0].private:
        assert not facts.has_text


def _is_shown(case: Case, channel_id: str) -> bool:
    shown = case.model.known.shown
    if case.facts.about == "chat":
        return any(one == channel_id for _, one in shown)
    return ("", channel_id) in shown or (str(case.facts.goal_id), channel_id) in shown


def _settled(case: Case) -> None:
    facts, told = case.facts, case.model.known.told[case.facts.summary_id]
    assert case.event.actor == "daemon"
    assert facts.channel_id in told.waiting, "what became of it was written twice"
    told.waiting.discard(facts.channel_id)
    if facts.outcome == "failed":
        assert facts.because is not None
        told.reached.discard(facts.channel_id)


def _scheduled(case: Case) -> None:
    assert any(one == case.facts.channel_id for _, one in case.model.known.shown)
    case.model.known.schedules[case.facts.channel_id] = case.event.at_ms


def _unscheduled(case: Case) -> None:
    del case.model.known.schedules[case.facts.channel_id]


def _ticked(case: Case) -> None:
    facts, schedules = case.facts, case.model.known.schedules
    assert schedules[facts.channel_id] < facts.due_at_ms <= case.event.at_ms, "decided on twice, or too early"
    schedules[facts.channel_id] = facts.due_at_ms
    assert (facts.outcome == "posted") == (len(case.group) == 2), "a digest that was posted is there, and no other"


def _quiet(case: Case) -> None:
    being = case.model.members.get(case.event.actor)
    own = case.event.actor in {case.facts.member_id, "operator"}
    assert own or (being is not None and "owner" in being.roles), "somebody set the hours of another"


CHECKS: dict[str, Callable[[Case], None]] = {
    "summary.posted": _posted,
    "summary.settled": _settled,
    "digest.scheduled": _scheduled,
    "digest.unscheduled": _unscheduled,
    "digest.ticked": _ticked,
    "quiet_hours.set": _quiet,
    "quiet_hours.ended": _quiet,
}
