"""Summaries and digests: told once, chat by chat, and only where something material is new."""

import pytest

from ledger.parts.summaries import SUMMARIES_KEPT_MAX, in_chat
from ledger.refusals import Refusal
from ledger.rules import summaries
from ledger.rules.common import Held
from ledger.rules.cron import CronError, comes_too_often, ever_comes, fields_of
from tests.support.views import try_view, view
from tests.support.world import World

CHAT, OTHER = "oc_one", "oc_other"
DAY_MS = 86_400_000


def told(*channels: str) -> World:
    """A goal under way, shown in these chats."""
    world = World()
    world.activate()
    for channel_id in channels or (CHAT,):
        world.do("ann", "channel.bind", goal_id="docs", channel_id=channel_id)
    world.add("todo_one")
    return world


def post(world: World, who: str = "ann", **params: object) -> object:
    return world.ask(who, "summary.post", **({"goal_id": "docs"} | params))


def posted(world: World, **params: object) -> str:
    answer = post(world, **params)
    assert answer.events, answer
    return answer.events[0].facts.summary_id


def settle(world: World, summary_id: str, channel_id: str = CHAT, **came_of: object) -> object:
    asked = {"summary_id": summary_id, "channel_id": channel_id, "outcome": "sent"} | came_of
    return world.ask("daemon", "summary.settle", **asked)


def code(answer: object) -> str:
    refusal = answer.refusal
    assert isinstance(refusal, Refusal), answer
    return refusal.code.value


def fates(answer: object) -> dict[str, str]:
    return {one["channel"]: one["status"] for one in answer.held.facts["channels"]}


def statuses(world: World, summary_id: str) -> dict[str, tuple[str, str | None]]:
    found = world.state.summaries
    return {
        channel_id: (found.outcomes[in_chat(summary_id, channel_id)].status,
                     found.outcomes[in_chat(summary_id, channel_id)].because)
        for channel_id in found.by_id[summary_id].channels
    }  # fmt: skip


# Posting.


@pytest.mark.parametrize(("most", "outcome"), [(2, None), (1, "too_many_queued")])
def test_what_waits_for_the_bot_has_a_bound(monkeypatch, most, outcome):
    monkeypatch.setattr(summaries, "QUEUED_MAX", most)
    answer = post(told(CHAT, OTHER))
    assert outcome == (None if answer.events else code(answer))


def test_a_summary_waits_for_the_bot_in_every_chat_and_carries_the_head_of_the_ledger():
    world = told(CHAT, OTHER)
    head, hashed = world.state.seq, world.state.hash[:4].hex()
    summary_id = posted(world, text="Two of three.")
    summary = world.state.summaries.by_id[summary_id]
    assert (summary.until, summary.head_hash, summary.since, summary.text) == (head, hashed, 0, "Two of three.")
    assert statuses(world, summary_id) == {CHAT: ("queued", None), OTHER: ("queued", None)}
    assert list(world.state.summaries.queued) == [in_chat(summary_id, CHAT), in_chat(summary_id, OTHER)]
    assert {(row.kind, row.now) for goal in summary.goals for row in goal.rows} >= {
        ("goal", "active"),
        ("todo", "open"),
    }


def test_a_preview_says_what_would_be_posted_and_writes_nothing():
    world = told(CHAT, OTHER)
    before = world.state.seq
    answer = post(world, text="Look", preview=True)
    assert isinstance(answer.held, Held)
    assert world.state.seq == before
    shown = answer.held.facts
    assert (shown["preview"], shown["text"], shown["head"]["seq"]) == (True, "Look", before)
    assert list(fates(answer).values()) == ["queued", "queued"]
    summary = world.state.summaries.by_id[posted(world, text="Look")]
    assert (shown["goals"], shown["total"], shown["since"]) == (summary.goals, summary.total, summary.since)
    assert CHAT not in str(shown)


def test_a_chat_that_was_told_is_left_alone_until_something_material_changes():
    world = told()
    settle(world, posted(world))
    world.lease("todo_one", ttl_seconds=60)
    again = post(world, text="Other words")
    assert set(fates(again).values()) == {"unchanged"}
    world.add("todo_two")
    summary = world.state.summaries.by_id[posted(world)]
    assert [(row.subject, row.now) for goal in summary.goals for row in goal.rows] == [("todo_two", "open")]


def test_what_waits_still_counts_as_told():
    world = told()
    posted(world)
    assert set(fates(post(world)).values()) == {"unchanged"}


def test_what_failed_was_not_told_and_the_next_one_begins_before_it():
    world = told(CHAT, OTHER)
    first = posted(world)
    settle(world, first)
    settle(world, first, OTHER, outcome="failed", because="unreachable")
    assert statuses(world, first) == {CHAT: ("sent", None), OTHER: ("failed", "unreachable")}
    second = posted(world)
    assert statuses(world, second) == {CHAT: ("unchanged", None), OTHER: ("queued", None)}
    assert world.state.summaries.by_id[second].since == 0


def test_a_lost_chat_fails_at_once_with_its_reason_and_the_other_one_gets_it():
    world = told(CHAT, OTHER)
    world.do("bot", "channel.report", channel_id=OTHER, change="dissolved")
    summary_id = posted(world)
    assert statuses(world, summary_id) == {CHAT: ("queued", None), OTHER: ("failed", "dissolved")}
    world.do("bot", "channel.report", channel_id=CHAT, change="removed")
    world.add("todo_two")
    assert code(post(world)) == "no_chat_reachable"


def test_what_became_of_it_is_written_down_once():
    world = told()
    summary_id = posted(world)
    settle(world, summary_id)
    again = settle(world, summary_id, outcome="failed", because="expired")
    assert again.held.facts["status"] == "sent"
    assert code(settle(world, "sum_999")) == "summary_not_found"


@pytest.mark.parametrize(
    ("who", "params", "expected"),
    [
        ("ann", {"workspace": True}, "summary_target_required"),
        ("ann", {"goal_id": "nowhere"}, "goal_not_found"),
        ("bob", {}, "not_an_owner"),
        ("builder", {}, "posting_not_granted"),
    ],
)
def test_who_may_not_and_what_cannot_be_posted(who, params, expected):
    assert code(post(told(), who, **params)) == expected


def test_an_agent_posts_by_its_part_or_by_a_grant_that_names_it():
    world = told()
    lead = {"member_id": "lead", "kind": "agent", "display_name": "Lead", "profile_role": "steward"}
    world.do("operator", "member.add", **lead, goal_id=["docs"])
    assert post(world, "lead", preview=True).held is not None
    world.do("ann", "member.grant", member_id="builder", goal_id=["docs"], action_kind=["summary"])
    assert post(world, "builder").events[0].actor == "builder"


def test_nobody_writes_about_a_private_goal_into_a_chat():
    world = World()
    world.activate(private=True)
    world.do("ann", "channel.bind", goal_id="docs", channel_id=CHAT)
    assert code(post(world, text="Hush")) == "summary_text_private"
    assert posted(world)


def test_a_goal_without_a_chat_is_told_of_in_those_of_the_workspace():
    world = World()
    world.activate()
    assert code(post(world)) == "no_chat_shows_it"
    world.do("ann", "channel.bind", workspace=True, channel_id=CHAT)
    assert statuses(world, posted(world)) == {CHAT: ("queued", None)}
    everything = world.ask("ann", "summary.post", workspace=True)
    assert everything.events[0].facts.about == "workspace"


def test_only_so_many_are_remembered_and_none_that_waits_is_forgotten():
    world = told()
    first = posted(world)
    for number in range(SUMMARIES_KEPT_MAX + 5):
        world.add(f"todo_x{number:03d}")
        settle(world, posted(world))
    assert len(world.state.summaries.by_id) == SUMMARIES_KEPT_MAX
    assert first in world.state.summaries.by_id
    assert len(world.state.summaries.outcomes) == SUMMARIES_KEPT_MAX


def test_a_list_and_one_of_them_are_read_without_an_id_of_the_platform():
    world = told(CHAT, OTHER)
    summary_id = posted(world, text="Two of three.")
    settle(world, summary_id)
    settle(world, summary_id, OTHER, outcome="failed", because="removed")
    listed = view(world, "summary.list", "ann", goal_id="docs")
    assert [(one["status"], one["because"]) for one in listed["summaries"][0]["channels"]] == [
        ("sent", None),
        ("failed", "removed"),
    ]
    shown = view(world, "summary.show", "ann", summary_id=summary_id)
    assert (shown["text"], shown["goals"][0]["goal_id"]) == ("Two of three.", "docs")
    assert "oc_" not in str(listed) + str(shown)
    assert isinstance(try_view(world, "summary.show", "ann", summary_id="sum_1"), Refusal)


# Digests at set times.


def scheduled(world: World, **given: object) -> int:
    asked = {"channel_id": CHAT, "cron": "0 9 * * *"} | given
    world.do("ann", "channel.set-digest", **asked)
    return world.state.summaries.schedules[CHAT].seq


def tick(world: World, seq: int, due_at_ms: int) -> object:
    return world.ask("daemon", "channel.tick-digest", channel_id=CHAT, due_at_ms=due_at_ms, schedule_seq=seq)


def test_one_time_is_decided_on_once_whoever_asks_and_however_often():
    world = told()
    seq = scheduled(world)
    world.now_ms += DAY_MS
    due = world.now_ms
    first = tick(world, seq, due)
    assert [event.kind for event in first.events] == ["summary.posted", "digest.ticked"]
    assert first.events[0].facts.scheduled_for_ms == due
    for late in (due, due - 1, due + 1):
        assert code(tick(world, seq, late)) == "digest_time_decided"
    world.now_ms += DAY_MS
    second = tick(world, seq, world.now_ms)
    assert [(event.kind, event.facts.outcome) for event in second.events] == [("digest.ticked", "unchanged")]


def test_a_time_of_a_schedule_that_was_changed_is_none():
    world = told()
    old = scheduled(world)
    scheduled(world, cron="0 10 * * *")
    world.now_ms += DAY_MS
    assert code(tick(world, old, world.now_ms)) == "digest_not_scheduled"


def test_a_digest_for_a_lost_chat_is_decided_on_and_nothing_is_posted():
    world = told()
    seq = scheduled(world)
    world.do("bot", "channel.report", channel_id=CHAT, change="removed")
    world.now_ms += DAY_MS
    answer = tick(world, seq, world.now_ms)
    assert [(event.kind, event.facts.outcome) for event in answer.events] == [("digest.ticked", "unreachable")]
    world.do("bot", "channel.report", channel_id=CHAT, change="added")
    world.now_ms += DAY_MS
    assert tick(world, seq, world.now_ms).events[1].facts.outcome == "posted"


def test_a_chat_that_shows_nothing_any_more_has_no_digests():
    world = told()
    seq = scheduled(world)
    world.do("ann", "channel.unbind", goal_id="docs", channel_id=CHAT)
    world.now_ms += DAY_MS
    assert tick(world, seq, world.now_ms).events[0].facts.because == "unbound"
    assert world.state.summaries.schedules == {}


def test_a_digest_and_a_summary_of_the_same_state_are_told_apart():
    world = told()
    seq = scheduled(world)
    settle(world, posted(world))
    world.now_ms += DAY_MS
    assert tick(world, seq, world.now_ms).events[1].facts.outcome == "posted"


@pytest.mark.parametrize(
    ("who", "given", "expected"),
    [
        ("ann", {"cron": None}, "schedule_or_off"),
        ("ann", {"off": True}, "schedule_or_off"),
        ("ann", {"quiet_from": "22:00"}, "quiet_hours_incomplete"),
        ("ann", {"quiet_from": "22:00", "quiet_until": "22:00"}, "quiet_hours_incomplete"),
        ("ann", {"cron": "0 9 * * mon-fun"}, "cron_malformed"),
        ("ann", {"cron": "0 9 30 2 *"}, "cron_never_fires"),
        ("ann", {"cron": "*/30 * * * *"}, "cron_too_frequent"),
        ("ann", {"channel_id": None}, "channel_required"),
        ("ann", {"channel_id": "oc_unknown"}, "channel_not_bound"),
        ("bob", {}, "not_an_owner"),
    ],
)
def test_a_schedule_that_makes_no_sense_or_is_not_theirs(who, given, expected):
    asked = {"channel_id": CHAT, "cron": "0 9 * * *"} | given
    params = {name: value for name, value in asked.items() if value is not None}
    assert code(told().ask(who, "channel.set-digest", **params)) == expected


def test_the_same_schedule_holds_and_off_ends_it_once():
    world = told()
    seq = scheduled(world)
    again = world.ask("ann", "channel.set-digest", channel_id=CHAT, cron="0  9 * * *")
    assert again.held.seq == seq
    world.do("ann", "channel.set-digest", channel_id=CHAT, off=True)
    assert world.ask("ann", "channel.set-digest", channel_id=CHAT, off=True).held is not None
    assert view(world, "channel.list", "ann")["channels"][0]["digest"] is None


def test_the_list_of_chats_shows_the_schedule():
    world = told()
    scheduled(world, time_zone="Asia/Shanghai", quiet_from="22:00", quiet_until="07:00")
    shown = view(world, "channel.list", "ann")["channels"][0]["digest"]
    assert (shown["cron"], shown["quiet_from"], shown["quiet_until"]) == ("0 9 * * *", "22:00", "07:00")


# Quiet hours.


def test_quiet_hours_are_a_persons_own_or_set_by_an_owner():
    world = told()
    hours = {"quiet_from": "22:00", "quiet_until": "07:00"}
    world.do("bob", "member.set-quiet-hours", **hours, time_zone="Europe/Berlin")
    assert world.state.summaries.quiet["bob"].quiet_from == 22 * 60
    assert code(world.ask("bob", "member.set-quiet-hours", member_id="ann", **hours)) == "hours_not_yours"
    assert code(world.ask("ann", "member.set-quiet-hours", member_id="builder", **hours)) == "member_not_found"
    assert code(world.ask("ann", "member.set-quiet-hours", quiet_from="22:00")) == "schedule_or_off"
    world.do("ann", "member.set-quiet-hours", member_id="bob", off=True)
    assert world.state.summaries.quiet == {}


# Five fields.


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 9 * * 1-5", {"minute": [0], "hour": [9], "day_of_week": [1, 2, 3, 4, 5]}),
        ("30 8,20 * * *", {"minute": [30], "hour": [8, 20], "day_of_week": [0, 1, 2, 3, 4, 5, 6]}),
        ("0 9 * * 7", {"day_of_week": [0]}),
        ("0 9 * * fri-7", {"day_of_week": [0, 5, 6]}),
        ("0 */6 1 jan,JUL *", {"hour": [0, 6, 12, 18], "day": [1], "month": [1, 7]}),
    ],
)
def test_fields_are_read(cron, expected):
    fields = fields_of(cron)
    assert {name: list(fields[name]) for name in expected} == expected


@pytest.mark.parametrize(
    "cron",
    ["0 9 * *", "0 9 * * * *", "60 9 * * *", "0 24 * * *", "0 9 0 * *", "0 9 * 13 *", "0 9 * * 8", "0 9 5-3 * *",
     "0 9 * * */0", "0 9 * * -1", "a 9 * * *", "0 9 1 * 1", "0, 9 * * *", "0 9 * * 1--5", "0 9 L * *"],
)  # fmt: skip
def test_what_cannot_be_read_is_said(cron):
    with pytest.raises(CronError):
        fields_of(cron)


def test_never_and_too_often():
    assert not ever_comes(fields_of("0 9 31 4,6 *"))
    assert ever_comes(fields_of("0 9 29 2 *"))
    assert comes_too_often(fields_of("0,59 9 * * *"))
    assert not comes_too_often(fields_of("59 * * * *"))
