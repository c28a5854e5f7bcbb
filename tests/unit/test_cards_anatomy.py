"""What holds on every card: the order of its parts, who may press what, and that nothing moves by itself."""

import msgspec
import orjson
import pytest

from cards.draw import draw, encode, fingerprint
from cards.form import INPUTS
from tests.golden.card_views import GOALS, HOUR_MS, NOW_MS, REVIEW, SAMPLES, card, tokens

PROPERTIES = {
    "div": {"tag", "text", "margin"},
    "plain_text": {"tag", "content", "i18n_content", "text_size", "text_color"},
    "markdown": {"tag", "content", "text_size"},
    "hr": {"tag", "margin"},
    "column_set": {"tag", "flex_mode", "columns", "margin"},
    "column": {"tag", "width", "weight", "vertical_spacing", "elements"},
    "collapsible_panel": {"tag", "expanded", "header", "elements"},
    "form": {"tag", "name", "margin", "elements"},
    "button": {"tag", "text", "type", "behaviors", "confirm", "name", "form_action_type"},
    "input": {
        "tag",
        "name",
        "label",
        "label_position",
        "placeholder",
        "max_length",
        "required",
        "width",
        "input_type",
        "rows",
        "default_value",
    },
    "select_static": {"tag", "name", "placeholder", "options", "required", "width", "initial_option"},
    "multi_select_static": {"tag", "name", "placeholder", "options", "required", "width", "selected_values"},
    "multi_select_person": {"tag", "name", "placeholder", "required", "width"},
    "select_person": {"tag", "name", "placeholder", "required", "width"},
    "text_tag": {"tag", "text", "color"},
}
CLOSED = [
    "form_submitted",
    *(f"review_{status}" for status in ("confirmed", "declined", "withdrawn", "superseded")),
    *(f"acceptance_{status}" for status in ("accepted", "changes_requested", "superseded")),
    *(f"gate_{end}" for end in ("approved", "rejected", "cancelled", "expired", "withdrawn", "superseded")),
    "gate_anew",
    "gate_goal_over",
    *(f"goal_{state}" for state in ("accepted", "declined", "withdrawn", "stopped")),
]


def drawn(view, locale="en", now_ms=NOW_MS):
    return orjson.loads(encode(draw(view, locale=locale, now_ms=now_ms)))


def nodes(node):
    if isinstance(node, list):
        for item in node:
            yield from nodes(item)
    elif isinstance(node, dict):
        yield node
        for value in node.values():
            yield from nodes(value)


def tagged(node, tag):
    return [one for one in nodes(node) if one.get("tag") == tag]


def actions_on(view):
    by_token = {token: action for action, token in view.tokens.items()}
    return [by_token[one["behaviors"][0]["value"]["t"]] for one in tagged(drawn(view), "button")]


@pytest.mark.parametrize("name", SAMPLES)
def test_only_documented_parts_and_properties_are_sent(name):
    sent = drawn(SAMPLES[name])
    assert sent["schema"] == "2.0"
    assert set(sent) == {"schema", "config", "header", "body"}
    assert sent["config"]["update_multi"] is True
    assert sent["config"]["enable_forward_interaction"] is False
    for node in nodes(sent):
        if "tag" in node:
            assert set(node) <= PROPERTIES[node["tag"]], node


@pytest.mark.parametrize("name", SAMPLES)
def test_markdown_holds_nothing_but_a_moment(name):
    for node in tagged(drawn(SAMPLES[name]), "markdown"):
        bare = node["content"]
        for digits in {part for part in bare.split("'") if part.isdigit()}:
            bare = bare.replace(digits, "N")
        moment = (
            "<local_datetime millisecond='N' format_type='date_num'></local_datetime>"
            " <local_datetime millisecond='N' format_type='time'></local_datetime>"
        )
        assert bare in {moment, f"<font color='grey'>{moment}</font>"}


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith(("goal", "review", "acceptance"))])
def test_the_need_comes_first_and_the_cause_last(name):
    view = SAMPLES[name]
    sent = drawn(view)
    first = sent["body"]["elements"][0]
    assert first["text"]["text_size"] == "heading"
    rule, said, when = sent["body"]["elements"][-3:]
    assert rule["tag"] == "hr"
    cause = (view.review or view.acceptance or view.goal).cause
    assert f"by {cause.actor_name} · seq {cause.seq} · {cause.short_hash}" in said["text"]["content"]
    assert str(cause.at_ms) in when["content"]
    assert 1 <= len(sent["header"]["text_tag_list"]) <= 3


@pytest.mark.parametrize("name", SAMPLES)
def test_every_offered_action_has_one_button_and_no_other_has_any(name):
    view = SAMPLES[name]
    assert sorted(actions_on(view)) == sorted(view.tokens)


@pytest.mark.parametrize("name", SAMPLES)
def test_without_tokens_there_is_nothing_to_press(name):
    bare = msgspec.structs.replace(SAMPLES[name], tokens={})
    sent = drawn(bare)
    assert tagged(sent, "button") == tagged(sent, "form") == tagged(sent, "input") == []


@pytest.mark.parametrize("name", CLOSED)
def test_what_is_closed_has_no_button_and_no_input(name):
    sent = drawn(SAMPLES[name])
    assert tagged(sent, "button") == tagged(sent, "input") == []


@pytest.mark.parametrize("name", [name for name in CLOSED if name.startswith(("review", "acceptance"))])
def test_a_closed_card_stays_closed_even_if_a_token_is_left(name):
    view = msgspec.structs.replace(
        SAMPLES[name], tokens=tokens("goal.confirm", "goal.decline", "goal.accept", "goal.request_changes")
    )
    assert tagged(drawn(view), "button") == []


@pytest.mark.parametrize(
    "name", ["review_confirmed", "review_declined", "acceptance_accepted", "acceptance_changes_requested"]
)
def test_a_closed_card_names_who_decided_and_when(name):
    view = SAMPLES[name]
    decision = (view.review or view.acceptance).decision
    sent = orjson.dumps(drawn(view)).decode()
    assert f"by {decision.by_name}" in sent
    assert str(decision.at_ms) in sent
    assert decision.reason in sent


@pytest.mark.parametrize("name", [name for name in CLOSED if name.startswith(("review", "acceptance"))])
def test_a_closed_card_stays_the_same_whatever_becomes_of_its_goal(name):
    view = SAMPLES[name]
    later = msgspec.structs.replace(
        GOALS["paused"][0],
        revision=9,
        quota_spent_slots=40,
        quota_allowed_slots=50,
        seq=999,
        todos=(),
        objective="Other",
    )
    moved = msgspec.structs.replace(view, goal=later)
    assert encode(draw(moved, locale="en", now_ms=NOW_MS)) == encode(draw(view, locale="en", now_ms=NOW_MS))


def test_a_revision_that_waits_goes_by_its_own_title_and_priority():
    fields = (
        msgspec.structs.replace(REVIEW.fields[0], name="title", items=("Another title",)),
        msgspec.structs.replace(REVIEW.fields[0], name="priority", items=("P0",)),
    )
    view = SAMPLES["review_open"]
    view = msgspec.structs.replace(view, review=msgspec.structs.replace(REVIEW, fields=fields))
    header = drawn(view)["header"]
    assert header["title"]["content"] == "Another title"
    assert header["text_tag_list"][0]["text"]["content"] == "P0"


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("review_open", ["goal.confirm", "goal.revise", "goal.withdraw", "goal.decline"]),
        ("acceptance_open", ["goal.accept", "goal.request_changes"]),
        ("goal_active", ["goal.pause", "goal.revise", "goal.stop"]),
        ("goal_paused", ["goal.resume", "goal.revise", "goal.stop"]),
    ],
)
def test_the_safe_button_comes_first_and_the_destructive_asks(name, order):
    view = SAMPLES[name]
    assert actions_on(view) == order
    asking = [one for one in tagged(drawn(view), "button") if "confirm" in one]
    assert len(asking) == len({"goal.decline", "goal.stop", "goal.withdraw"} & set(order))


@pytest.mark.parametrize("name", SAMPLES)
def test_no_card_begins_with_what_undoes(name):
    kinds = [one["type"] for one in tagged(drawn(SAMPLES[name]), "button")]
    assert not kinds or kinds[0] != "danger" or set(kinds) == {"danger"}


def test_a_row_holds_three_buttons_and_the_rest_are_folded_away():
    offered = tokens("goal.confirm", "goal.clarify", "goal.pause", "goal.resume", "goal.withdraw", "goal.stop")
    sent = drawn(card("goal", offered, goal=GOALS["proposed"][0]))
    row = next(one for one in sent["body"]["elements"] if one["tag"] == "column_set" and one["flex_mode"] == "flow")
    assert len(row["columns"]) == 3
    assert len(tagged(tagged(sent, "collapsible_panel"), "button")) == 2


def test_a_dash_in_an_actions_name_is_no_other_action():
    view = SAMPLES["acceptance_open"]
    dashed = msgspec.structs.replace(view, tokens={"goal.accept": "a", "goal.request-changes": "b"})
    assert actions_on(dashed) == ["goal.accept", "goal.request-changes"]
    assert len(tagged(drawn(dashed), "input")) == 1


@pytest.mark.parametrize("name", SAMPLES)
def test_a_thousand_idle_minutes_change_nothing(name):
    # The sample claim ends in an hour, so the idle time is taken after that.
    start_ms = NOW_MS + 2 * HOUR_MS
    assert encode(draw(SAMPLES[name], locale="en", now_ms=start_ms)) == encode(
        draw(SAMPLES[name], locale="en", now_ms=start_ms + 1000 * 60_000)
    )


def test_the_moment_says_only_whether_a_claim_has_ended():
    view = SAMPLES["goal_active"]
    until_ms = view.goal.claimed_until_ms
    before, at = (orjson.dumps(drawn(view, now_ms=now_ms)).decode() for now_ms in (until_ms - 1, until_ms))
    assert "Claimed until" in before
    assert "Claim ended" not in before
    assert before.replace("Claimed until", "Claim ended").replace("认领有效至", "认领已到期") == at


@pytest.mark.parametrize("name", SAMPLES)
def test_a_token_minted_anew_is_no_change(name):
    view = SAMPLES[name]
    anew = msgspec.structs.replace(view, tokens={action: f"v2.{token}" for action, token in view.tokens.items()})
    one, other = (draw(each, locale="en", now_ms=NOW_MS) for each in (view, anew))
    assert fingerprint(one) == fingerprint(other)
    assert (encode(one) != encode(other)) == bool(view.tokens)


def test_every_card_has_its_own_fingerprint():
    prints = [fingerprint(draw(view, locale="en", now_ms=NOW_MS)) for view in SAMPLES.values()]
    assert len(set(prints)) == len(prints)
    assert all(len(one) == 64 for one in prints)


def test_another_basis_under_the_same_words_is_a_change():
    view = SAMPLES["review_open"]
    moved = msgspec.structs.replace(view, review=msgspec.structs.replace(REVIEW, basis="sha256:cc33"))
    one, other = (draw(each, locale="en", now_ms=NOW_MS) for each in (view, moved))
    assert encode(one) == encode(other)
    assert fingerprint(one) != fingerprint(other)


def test_from_you_is_said_only_to_the_one_who_may():
    direct = SAMPLES["review_open_direct"]
    assert "Needed from you" in drawn(direct)["body"]["elements"][0]["text"]["content"]
    elsewhere = msgspec.structs.replace(direct, tokens={})
    assert drawn(elsewhere)["body"]["elements"][0]["text"]["content"].startswith("Needed from Ann Li, Ben Ortiz")


def test_a_refused_form_keeps_what_was_typed_and_says_the_problem_first():
    view = SAMPLES["form_refused"]
    sent = drawn(view)
    assert "Not submitted" in sent["body"]["elements"][0]["text"]["content"]
    typed = {one["name"]: one.get("default_value", "") for one in tagged(sent, "input")}
    assert {name: value for name, value in typed.items() if value} == view.form.values
    assert list(typed) == [name for name, *_ in INPUTS]


def test_an_item_cannot_pass_for_two():
    fields = (msgspec.structs.replace(REVIEW.fields[3], items=("One\n• Forged", "Two")),)
    view = msgspec.structs.replace(SAMPLES["review_open"], review=msgspec.structs.replace(REVIEW, fields=fields))
    assert "• One • Forged\n• Two" in [one["content"] for one in tagged(drawn(view), "plain_text")]


def test_a_view_without_its_part_is_a_mistake():
    with pytest.raises(ValueError, match="carries its review"):
        draw(card("review", goal=GOALS["proposed"][0]), locale="en", now_ms=NOW_MS)
