"""What is done about one card, and what is remembered of it: one row for each state and question."""

import pytest

from bot.backend import Delivery
from bot.steps import (
    DAY_MS,
    Patch,
    Post,
    Wanted,
    adopted,
    after_gone,
    intended,
    next_step,
    patched,
    posted,
    resumed,
    texted,
)

NOW_MS = 100 * DAY_MS


def wanted(digest="new", version=7, *, is_open=True, posts_closed=False):
    return Wanted(slot="s@oc", chat_id="oc", digest=digest, version=version, is_open=is_open, posts_closed=posts_closed)


def delivered(state="live", *, message_id="om_1", digest="old", version=6, age_ms=DAY_MS):
    return Delivery(
        slot="s@oc",
        chat_id="oc",
        message_id=message_id,
        digest=digest,
        version=version,
        sent_at_ms=NOW_MS - age_ms,
        state=state,
    )


CLOSED = {"is_open": False}
PATCH = Patch(message_id="om_1")


@pytest.mark.parametrize(
    ("want", "have", "step"),
    [
        # Nothing was delivered yet.
        ({}, None, Post()),
        (CLOSED, None, None),
        ({**CLOSED, "posts_closed": True}, None, Post()),
        # The message is there.
        ({}, {}, PATCH),
        (CLOSED, {}, PATCH),
        ({"digest": "old"}, {}, None),
        ({}, {"state": "reposted"}, PATCH),
        ({"version": 6}, {}, PATCH),
        ({"version": 5}, {}, None),
        # A post is in doubt: it is made again, open or closed, until it is known.
        ({"digest": "old"}, {"state": "posting", "message_id": ""}, Post()),
        (CLOSED, {"state": "posting", "message_id": ""}, Post()),
        (CLOSED, {"state": "posting"}, Post(replaces="om_1")),
        (CLOSED, {"state": "reposting"}, Post(replaces="om_1", reposted=True)),
        # A text stands in for a card that was refused.
        ({"digest": "old"}, {"state": "text"}, None),
        ({}, {"state": "text"}, PATCH),
        ({}, {"state": "text", "message_id": ""}, Post()),
        (CLOSED, {"state": "text", "message_id": ""}, None),
        # Left alone.
        ({}, {"state": "paused"}, None),
        ({}, {"state": "gone"}, None),
        # Age: replaced in its last day, open cards only; never changed after it.
        ({}, {"age_ms": 13 * DAY_MS - 1}, PATCH),
        ({"digest": "old"}, {"age_ms": 13 * DAY_MS - 1}, None),
        ({"digest": "old"}, {"age_ms": 13 * DAY_MS}, Post(replaces="om_1")),
        ({}, {"age_ms": 13 * DAY_MS}, Post(replaces="om_1")),
        (CLOSED, {"age_ms": 13 * DAY_MS}, PATCH),
        (CLOSED, {"age_ms": 14 * DAY_MS - 1}, PATCH),
        (CLOSED, {"age_ms": 14 * DAY_MS}, None),
        ({}, {"age_ms": 40 * DAY_MS}, Post(replaces="om_1")),
    ],
)
def test_one_step_for_each_difference(want, have, step):
    assert next_step(wanted(**want), None if have is None else delivered(**have), NOW_MS) == step


@pytest.mark.parametrize(
    ("have", "step", "state", "replaces", "digest"),
    [
        (None, Post(), "posting", "", "new"),
        ({}, Post(replaces="om_1"), "posting", "om_1", "new"),
        ({}, Post(replaces="om_1", reposted=True), "reposting", "om_1", "new"),
        # Posted before with this content, or with another: then nobody knows what a repetition brings back.
        ({"state": "posting", "message_id": "", "digest": "new"}, Post(), "posting", "", "new"),
        ({"state": "posting", "message_id": ""}, Post(), "posting", "", ""),
        ({"state": "text", "message_id": ""}, Post(), "text", "", "old"),
    ],
)
def test_a_post_is_written_down_with_what_is_known_of_it(have, step, state, replaces, digest):
    intent = intended(wanted(), step, None if have is None else delivered(**have), NOW_MS)
    assert (intent.state, intent.message_id, intent.digest) == (state, replaces, digest)


@pytest.mark.parametrize(
    ("intent", "step", "digest", "state"),
    [
        ({"state": "posting", "digest": "new"}, Post(), "new", "live"),
        ({"state": "posting", "digest": ""}, Post(), "", "live"),
        ({"state": "reposting", "digest": "new"}, Post(reposted=True), "new", "reposted"),
        ({"state": "text", "digest": "new"}, Post(), "", "live"),
    ],
)
def test_only_content_beyond_doubt_is_remembered(intent, step, digest, state):
    kept = posted(wanted(), step, delivered(**intent), "om_2", NOW_MS)
    assert (kept.message_id, kept.digest, kept.state, kept.sent_at_ms) == ("om_2", digest, state, NOW_MS)


def test_a_patch_does_not_make_a_message_younger():
    kept = patched(wanted(), delivered(age_ms=5 * DAY_MS))
    assert (kept.digest, kept.version, kept.sent_at_ms) == ("new", 7, NOW_MS - 5 * DAY_MS)
    assert patched(wanted(), delivered("text")).state == "live"
    assert patched(wanted(), delivered("reposted")).state == "reposted"


@pytest.mark.parametrize(
    ("want", "state", "then"),
    [
        ({}, "live", Post(replaces="om_1", reposted=True)),
        ({}, "text", Post(replaces="om_1", reposted=True)),
        ({}, "reposted", "gone"),
        (CLOSED, "live", "gone"),
    ],
)
def test_a_message_that_is_taken_away_is_replaced_once_if_needed(want, state, then):
    got = after_gone(wanted(**want), delivered(state))
    assert (got if isinstance(got, Post) else got.state) == then


@pytest.mark.parametrize(
    ("have", "found"),
    [
        (None, True),
        ({"state": "posting", "message_id": ""}, True),
        ({}, False),
        ({"state": "posting"}, False),
        ({"state": "paused", "message_id": ""}, False),
    ],
)
def test_a_pressed_message_is_adopted_only_where_none_is_known(have, found):
    got = adopted("s@oc", "oc", "om_9", None if have is None else delivered(**have), NOW_MS)
    assert (got is not None and (got.message_id, got.digest) == ("om_9", "")) == found


def test_what_was_paused_is_looked_at_anew():
    assert next_step(wanted("old"), resumed(delivered("paused")), NOW_MS) == PATCH
    assert next_step(wanted("old"), resumed(delivered("paused", message_id="")), NOW_MS) == Post()


def test_a_refused_content_is_not_tried_again_and_another_is():
    kept = texted(wanted("refused"), None, NOW_MS)
    assert next_step(wanted("refused"), kept, NOW_MS) is None
    assert next_step(wanted("other"), kept, NOW_MS) == Post()
