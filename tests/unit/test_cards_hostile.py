"""Whatever somebody types into whatever field: the card is sent, shows it literally, mentions nobody, hides no cut."""

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.simulator.cardcheck import check_card
from bot.simulator.mentions import of_card
from cards.budget import ELEMENTS_MAX, ENVELOPE_BYTES_MAX, LEVELS, elements_of, envelope_bytes
from cards.draw import draw, encode
from cards.form import INPUTS
from cards.text import name_of
from ledger.params import LINE_CHARS_MAX
from ledger.projections.form_views import ChoiceView
from ledger.projections.views import CardView, ProposedView
from ledger.text.say import plain
from tests.golden.card_views import GOAL, LOG, NOW_MS, QUESTION, REPORT, SAMPLES, card, decided, goal, need, tokens

# Closed sets and checked identifiers: the ledger never lets anybody type them.
CLOSED_SETS = frozenset(
    {
        "kind",
        "audience",
        "state",
        "status",
        "role",
        "claim",
        "field_class",
        "goal_id",
        "tokens",
        "action",
        "severity",
        "binding",
        "on_expiry",
        "plan_id",
        "amendment_id",
        "amendment_class",
        "member_id",
        "op",
        "choice",
        "need",
        "presence",
        "fact",
        "answer",
        "relation",
        "request_id",
        "button",
        "verb",
        "now",
    }
)
MARKUP = (
    "<at id=all></at> <at user_id='all'>x</at> **b** [l](http://x) <font color='red'>r</font> | a | b |\n# h\n- [ ] t\n"
)
HOSTILE = {
    "cjk": "目" * 10_000,
    "emoji": "🙂" * 10_000,
    "family": "👨\u200d👩\u200d👧" * 2_000,
    "quotes": '"' * 10_000,
    "backslashes": "\\" * 10_000,
    "newlines": "x\n" * 5_000,
    "controls": "\x00\x1b[31m\x07" * 2_000,
    "bidi": "\u202eevil\u2066\u2069\u200f" * 1_500,
    "hidden": "\u200b" * 10_000,
    "half pairs": "\ud800" * 10_000,
    "piles": "e" + "\u0301" * 9_999,
    "markup": MARKUP * 120,
    "braces": "{seq}{0.__class__}{" * 500,
    "json": '{"tag":"at","user_id":"all"},' * 300,
}


# Every part a goal card can have, at once; no real goal has all of them.
CROWDED = card(
    "goal",
    tokens("goal.clarify", "goal.confirm", "goal.accept", "goal.resume", "goal.pause", "goal.withdraw", "goal.stop"),
    goal=goal(
        "clarifying",
        need=need("answer", "Ann Li", "Ben Ortiz", "Cleo", "Dora"),
        question=QUESTION,
        artifacts=(REPORT, LOG),
        decision=decided("changes_requested", "Two links still time out."),
        responsible=("a", "b", "c", "d"),
        claimed_until_ms=NOW_MS,
        todos=tuple(
            msgspec.structs.replace(
                todo,
                status="blocked",
                role="user",
                claim="lease",
                claimed_by="x",
                claimed_until_ms=NOW_MS,
                waiting_for=("a", "b", "c"),
            )
            for todo in GOAL.todos
        ),
        proposals=tuple(
            ProposedView(todo_id=f"todo_idea-{number}", title="A map", priority="P2", proposed_by="Dreamer")
            for number in range(6)
        ),
        proposals_total=9,
    ),
)
# One of each way a card is put together; the other states only leave parts out.
WAYS = (
    "form_refused",
    "form_refused_direct",
    "form_submitted",
    "revise_refused",
    "review_open",
    "review_revised",
    "review_after_a_no",
    "review_kept",
    "review_declined",
    "goal_clarifying",
    "goal_gated",
    "goal_kept",
    "goal_changes_requested",
    "gate_voted",
    "gate_delegated",
    "gate_step_up",
    "gate_deferred",
    "gate_approved",
    "gate_rejected",
    "acceptance_open",
    "acceptance_checked",
    "acceptance_unsent",
    "acceptance_changes_requested",
    "plan_open_gaps",
    "plan_partial",
    "amendment_rebased",
    "amendment_needs_rebase",
    "request_adopted_with_evidence",
    "request_returned",
    "request_withdrawn",
    "request_agents",
    "members_many",
    "result_ok",
    "result_refused",
    "attention_four",
    "digest_since",
    "missed_several",
    "which_many",
)
CONVERSATION = ("result", "form", "members", "attention", "digest", "missed", "which")
VIEWS = {**{name: SAMPLES[name] for name in WAYS}, "crowded": CROWDED}


def poisoned(node, text, many, key=""):
    """The view with this text in every field that holds text, and every list longer than anybody would make it."""
    if isinstance(node, str):
        return node if key in CLOSED_SETS else text
    if isinstance(node, dict):
        if key in {"tokens", "values", "problem_details", "details"}:
            return node if key == "tokens" else dict.fromkeys(node, text)
        return {name: poisoned(value, text, many, name) for name, value in node.items()}
    if isinstance(node, list | tuple) and node:
        return [poisoned(item, text, many, key) for item in node] * many
    return node


def with_text(name, text, many=1):
    return msgspec.convert(poisoned(msgspec.to_builtins(VIEWS[name]), text, many), CardView)


def strings(node, path=()):
    if isinstance(node, list):
        for item in node:
            yield from strings(item, path)
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from strings(value, (*path, node.get("tag"), key))
    elif isinstance(node, str):
        yield path, node


def mentions(sent):
    """Every place where the platform would read markup, or an element that shows or calls a person."""
    found = []
    for path, text in strings(sent):
        tag = path[-2] if path[-1] == "content" else None
        literal = tag == "plain_text" or "i18n_content" in path or path[-1] in {"default_value", "t"}
        if not literal and ("<at" in text or "<person" in text or text in {"at", "person", "person_list", "lark_md"}):
            found.append((path, text))
    return found


def checked(view, locale="zh"):
    """Draw, and hold what must hold of every card; the parsed card is returned."""
    data = encode(draw(view, locale=locale, now_ms=NOW_MS))
    body = {"receive_id": "oc_" + "0" * 32, "msg_type": "interactive", "content": data.decode(), "uuid": "0" * 50}
    assert len(orjson.dumps(body)) <= envelope_bytes(data) <= ENVELOPE_BYTES_MAX
    sent = orjson.loads(data)
    check_card(sent)
    assert sum(1 for _ in elements_of(sent)) <= ELEMENTS_MAX
    assert mentions(sent) == of_card(sent) == []
    for _, text in strings(sent):
        assert plain(text) == text
    return sent


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("name", VIEWS)
def test_ten_thousand_hostile_characters_in_every_field(name, hostile):
    checked(with_text(name, HOSTILE[hostile]))


@pytest.mark.parametrize("hostile", ["emoji", "backslashes", "markup"])
@pytest.mark.parametrize("name", VIEWS)
def test_the_same_in_lists_of_dozens(name, hostile):
    checked(with_text(name, HOSTILE[hostile][:LINE_CHARS_MAX], many=32))


@pytest.mark.parametrize("name", [name for name in WAYS if not name.startswith(CONVERSATION)])
def test_what_is_left_out_is_said_with_where_to_see_it(name):
    for view in (with_text(name, HOSTILE["cjk"]), with_text(name, "x", many=32)):
        says = [text for _, text in strings(checked(view, "en"))]
        if any("[…+" in text or text.endswith(" more") for text in says):
            kept = f"--goal-id {view.goal.goal_id}"
            command = f"goal show {kept}"
            if view.plan is not None:
                command = f"plan show {kept} --plan-id {view.plan.plan_id}"
            if view.amendment is not None:
                command = f"amendment show {kept} --amendment-id {view.amendment.amendment_id}"
            if view.request is not None:
                command = f"request show {kept} --request-id {view.request.request_id}"
            assert any(text.endswith(f"frontstage {command}") for text in says)


def test_a_form_that_cannot_hold_what_was_typed_says_how_much_and_of_what():
    view = with_text("form_refused", "目" * 1_100)
    says = [text for _, text in strings(checked(view, "en"))]
    assert any(text.startswith("100 characters of Objective") for text in says)
    assert any(text.startswith("980 characters of Title") for text in says)


@pytest.mark.parametrize("name", ["form_refused", "form_refused_direct", "form_material", "revise_refused"])
def test_a_form_filled_to_the_brim_keeps_every_character(name):
    """Also where everybody who can be chosen has the longest name, and a text is attached."""
    part = SAMPLES[name].form or SAMPLES[name].revise
    values = {field: "🙂" * chars for field, chars, *_ in INPUTS}
    people = tuple(ChoiceView(member_id=f"{number:064d}", name="🙂" * 40) for number in range(50) if part.people)
    full = msgspec.structs.replace(part, values=values, people=people)
    sent = checked(msgspec.structs.replace(SAMPLES[name], **{SAMPLES[name].kind: full}))
    typed = [text for path, text in strings(sent) if path[-1] == "default_value"]
    assert sorted(typed) == sorted(values.values())


LETTERS = st.text(st.characters(codec=None), max_size=60)
TEXTS = st.one_of(LETTERS, st.sampled_from(["<at id=all></at>", "\u202e", "**", "[x](y)", "目", "🙂", "{", "\n"])).map(
    lambda text: text or "x"
)


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(sorted(VIEWS)),
    parts=st.lists(TEXTS, min_size=1, max_size=5),
    times=st.integers(1, 60),
    many=st.integers(1, 6),
)
def test_any_text_in_every_field_is_sent_and_stays_literal(name, parts, times, many):
    checked(with_text(name, "".join(parts) * times, many))


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=100))
def test_an_objective_is_shown_to_the_letter(text):
    view = SAMPLES["goal_active"]
    view = msgspec.structs.replace(view, goal=msgspec.structs.replace(view.goal, objective=text or "x"))
    assert plain(text or "x") in [shown for _, shown in strings(checked(view))]


def test_a_long_name_is_cut_with_a_mark():
    assert name_of("x" * 40) == "x" * 40
    assert name_of("x" * 41) == "x" * 39 + "…"


@pytest.mark.parametrize("name", ["crowded", "review_open", "acceptance_open"])
def test_the_worst_case_is_bad_enough_to_need_the_tight_levels(name):
    """Otherwise the poison does not reach the fields, and nothing above is tested."""
    says = [text for _, text in strings(checked(with_text(name, HOSTILE["backslashes"], many=8)))]
    left_out = [int(text.rsplit("[…+", 1)[1][:-1]) for text in says if text.startswith("\\") and text.endswith("]")]
    assert max(left_out) >= 10_000 - LEVELS[-3].chars
