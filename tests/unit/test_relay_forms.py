"""Forms on cards: what was typed is what exists, what is wrong comes back filled, and one form is one goal."""

import asyncio

import msgspec
import pytest

from cards.draw import draw
from cards.form import INPUTS
from daemon.relay.forms import FORMS_CHARS_MAX, FORMS_MAX, MATERIAL_CHARS_MAX, Forms
from daemon.relay.turns import Turns
from daemon.relay.wire import MESSAGE_CHARS_MAX
from ledger.projections.views import CardView
from tests.support.homes import CHAT
from tests.support.presses import FORM, Table, delivered, everybody
from tests.support.served import served
from tests.unit.test_relay_presses import asked, at_once

LONG = {
    "objective": "目标" * 500,
    "criteria": "\n".join(f"c {number:02d} is done" for number in range(60)),
    "non_goals": "不做：" + "x" * 490,
    "write_scopes": "docs/**\n\n  reports/**  \n",
    "stop_conditions": "<at id=all></at>\r\n**now**",
    "budget": "about $20",
    "title": "T" * 120,
    "allowed_slots": "20",
    "token_cap": " 5000000 ",
    "cost_cap": "12.50",
    "priority": "P1",
    "approvers": "chen\nann",
}


async def shown(daemon, slot):
    """What a card is drawn from now."""
    return msgspec.convert(await daemon.view(f"{slot}@{CHAT}"), CardView)


@pytest.mark.parametrize("values", [FORM, LONG], ids=["usual", "full"])
async def test_every_field_that_was_typed_is_in_the_ledger_as_it_was_typed(values):
    """(F1) What was on the card is what exists, field by field."""
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed(values=values)
        intent = daemon.service.committed.goals[goal].intents[0]
        lines = {name: tuple(line.strip() for line in values[name].splitlines() if line.strip()) for name in values}
        assert (intent.title, intent.objective, intent.budget) == (
            values["title"],
            values["objective"],
            values["budget"],
        )
        assert intent.criteria == lines["criteria"]
        assert intent.non_goals == lines["non_goals"]
        assert intent.write_scopes == lines["write_scopes"]
        assert intent.stop_conditions == lines["stop_conditions"]
        assert {name for name, *_ in INPUTS} | {"approvers", "priority"} == set(LONG)
        if values is LONG:
            assert (intent.allowed_slots, intent.token_cap, intent.cost_cap_micros) == (20, 5_000_000, 12_500_000)
            assert (intent.priority, intent.approvers) == ("P1", ("chen", "ann"))
        # And it is what the owner reads back before anything starts.
        review = (await daemon.view(f"review:{goal}:1@{CHAT}"))["review"]
        read = {field["name"]: tuple(field["items"]) for field in review["fields"]}
        assert {name: read[name] for name in ("title", "objective", "budget")} == {
            name: (values[name],) for name in ("title", "objective", "budget")
        }
        assert all(read[name] == lines[name] for name in ("criteria", "non_goals", "write_scopes", "stop_conditions"))
        assert [one["text"] for one in review["criteria"]] == list(lines["criteria"])


async def test_a_line_keeps_the_rarer_separators_inside_it():
    async with served(everybody) as daemon:
        goal = await Table(daemon).proposed(values=FORM | {"criteria": "a\u2028b\x85c\x0bd\x1ce\r\nf\rg"})
        assert daemon.service.committed.goals[goal].intents[0].criteria == ("a\u2028b\x85c\x0bd\x1ce", "f", "g")


# What is typed, the field by its label in both languages, and what is wrong in both.
WRONG = [
    ({"criteria": " \n "}, "form_field_missing",
     "The field Acceptance criteria is still empty.", "字段 验收标准 尚未填写。"),
    ({"objective": ""}, "form_field_missing", "The field Objective is still empty.", "字段 目标 尚未填写。"),
    ({"criteria": "ok\n" + "x" * 501}, "malformed_params",
     "The field Acceptance criteria 2 is not valid: it has more than 500 characters.",
     "字段 验收标准 2 无效：超过 500 个字符。"),
    ({"criteria": "x\n" * 65}, "malformed_params",
     "The field Acceptance criteria is not valid: it has more than 64 entries.", "字段 验收标准 无效：超过 64 条。"),
    ({"title": "x" * 121}, "malformed_params",
     "The field Title is not valid: it has more than 120", "字段 标题 无效：超过 120"),
    ({"write_scopes": "docs/**\n../secret"}, "invalid_write_scope",
     "The write scope ../secret is not a relative path or pattern.", "可写范围 ../secret 不是相对路径"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "code", "en", "zh"), WRONG, ids=[f"{code}-{n}" for n, (_, code, *_) in enumerate(WRONG)]
)
async def test_a_refused_form_comes_back_filled_with_the_problem_on_top_and_can_be_sent_again(typed, code, en, zh):
    async with served(everybody) as daemon:
        table = Table(daemon)
        form, values, before = await table.form(), FORM | typed, table.seq()
        pressed = await table.submit("ann", form, values)
        assert (pressed.code, pressed.kind) == (code, "warning")
        assert pressed.en.startswith(en)
        assert pressed.zh.startswith(zh)
        assert pressed.slots == [f"{form}@{CHAT}"]
        assert table.seq() == before
        assert table.codes()[-1] == ("ann", "goal.propose", code)
        view = await shown(daemon, form)
        assert view.form.values == values
        for locale, said in (("en", en), ("zh", zh)):
            drawn = draw(view, locale=locale, now_ms=0).json()
            first, *rest = drawn["body"]["elements"]
            assert said.rstrip("0123456789") in first["text"]["content"]
            inputs = {one["name"]: one for one in rest[-1]["elements"] if "name" in one and one["tag"] == "input"}
            kept = {name: one.get("default_value", "") for name, one in inputs.items()}
            assert all(kept[name] == values.get(name, "")[:room] for name, room, *_ in INPUTS if name not in typed)
        again = await table.submit("ann", form, FORM)
        assert (again.kind, again.kinds) == ("success", ["goal.proposed", "channel.bound"])
        assert table.seq() == before + 2
        done = await shown(daemon, form)
        assert (done.form.status, done.form.goal_id, done.tokens) == ("submitted", again.document["goal_id"], {})


async def test_a_form_sent_twice_is_one_goal():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form()
        token = await table.token(form, "goal.propose")
        presses = await at_once(*(table.press("ann", token, FORM) for _ in range(4)))
        assert sorted(one.kind for one in presses) == ["info", "info", "info", "success"]
        assert len({one.document["goal_id"] for one in presses}) == 1
        other = await table.press("ann", token, FORM | {"title": "Another"})
        assert (other.code, other.en[:27]) == ("idempotency_conflict", "You pressed this before, an")
        assert len(daemon.service.committed.goals) == 1
        assert (await shown(daemon, form)).form.values == FORM


async def test_a_form_that_two_people_send_is_the_goal_of_the_first():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form()
        token = await table.token(form, "goal.propose")
        presses = await at_once(table.press("ann", token, FORM), table.press("chen", token, FORM | {"title": "Mine"}))
        won, lost = sorted(presses, key=lambda one: one.code)
        assert (won.kind, lost.code) == ("success", "form_submitted")
        goal = won.document["goal_id"]
        assert lost.en.startswith(f"This form was already submitted, as {goal}.")
        assert lost.zh.startswith(f"该表单已提交，目标为 {goal}。")
        assert len(daemon.service.committed.goals) == 1


async def test_a_button_of_before_a_refusal_makes_no_second_goal():
    """A form is one request from its first press on; a refusal uses nothing up, and whatever is forgotten since."""
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form()
        before = await table.token(form, "goal.propose")
        await table.press("ann", before, FORM | {"criteria": ""})
        after = await table.token(form, "goal.propose")
        assert (await table.press("ann", after, FORM)).kind == "success"
        for _ in range(FORMS_CHARS_MAX // MESSAGE_CHARS_MAX + 1):
            await table.form(text="x" * MESSAGE_CHARS_MAX)
        assert (await table.press("ann", before, FORM)).replayed
        assert (await table.press("ann", before, FORM | {"title": "Another"})).kind != "success"
        assert (await table.press("chen", before, FORM)).code == "form_submitted"
        assert len(daemon.service.committed.goals) == 1


async def test_a_form_that_nobody_remembers_can_still_be_sent_and_is_one_goal():
    """As after a restart: the card is there with its button, and what was open in memory is not."""

    async def forgotten():
        for _ in range(FORMS_CHARS_MAX // MESSAGE_CHARS_MAX + 1):
            await table.form(text="x" * MESSAGE_CHARS_MAX)
        assert (await daemon.ask("GET", f"/v1/relay/view?slot={form}@{CHAT}", who="bot")).status == 404

    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form()
        token = await table.token(form, "goal.propose")
        await forgotten()
        assert (await table.press("ann", token, FORM)).kind == "success"
        await forgotten()
        assert (await table.press("ann", token, FORM)).replayed
        await forgotten()
        lost = await table.press("chen", token, FORM)
        assert (lost.code, len(daemon.service.committed.goals)) == ("form_submitted", 1)


async def test_free_text_opens_a_form_with_the_text_in_it_and_says_what_did_not_fit():
    async with served(everybody) as daemon:
        table = Table(daemon)
        for text in ("提议 检查文档\n每一页", "propose：检查文档\n每一页", "检查文档\n每一页"):
            view = await shown(daemon, await table.form(text=text))
            assert view.form.values == {"objective": "检查文档\n每一页", "title": "检查文档"}
        whole = await shown(daemon, await table.form(text="x" * MESSAGE_CHARS_MAX))
        assert whole.form.values["objective"] == "x" * MESSAGE_CHARS_MAX
        long = "字" * (MATERIAL_CHARS_MAX + 1)
        view = await shown(daemon, await table.form(text=f"propose {long}"))
        assert view.form.values["title"] == "字" * 119 + "…"
        drawn = draw(view, locale="en", now_ms=0).json()["body"]["elements"]
        assert f"{MATERIAL_CHARS_MAX - 999} characters of Objective do not fit" in drawn[1]["text"]["content"]
        assert table.seq() == daemon.service.committed.seq


async def test_an_expired_form_keeps_what_was_typed_and_gets_a_button_that_works():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form()
        token = await table.token(form, "goal.propose")
        await daemon.do("button-key.rotate", {"grace_seconds": 0}, who=None)
        pressed = await table.press("ann", token, FORM)
        assert (pressed.code, pressed.slots) == ("button_expired", [f"{form}@{CHAT}"])
        view = await shown(daemon, form)
        assert (view.form.values, view.form.problem_code) == (FORM, "button_expired")
        assert (await table.submit("ann", form, FORM)).kind == "success"


# What is sent with the other buttons.


async def test_what_must_change_reaches_the_ledger_and_the_agent():
    async with served(delivered) as daemon:
        table = Table(daemon)
        token = await table.token("acceptance:docs:1", "goal.request-changes")
        empty = await table.press("ann", token, {"reason": " \n"})
        assert (empty.code, empty.en[:36]) == ("form_field_missing", "The field Reason is still empty. Fil")
        reason = "Anchors too:\n<at id=all></at> **every** page"
        pressed = await table.press("ann", token, {"reason": reason})
        assert (pressed.kinds, pressed.en) == (["goal.changes_requested"], "Sent back with your request.")
        goal = daemon.service.committed.goals["docs"]
        assert (goal.state, goal.deliveries[0].reason) == ("changes_requested", reason)
        read = (await daemon.read("goal.show", "?goal_id=docs", who="builder")).document
        assert read["view"]["decision"]["reason"] == reason


async def test_a_decline_keeps_its_reason_and_works_without_one():
    async with served(everybody) as daemon:
        table = Table(daemon)
        for reason, form in (("Not now", {"reason": "Not now"}), ("", {"reason": " "}), ("", {})):
            goal = await table.proposed()
            pressed = await table.press("ann", await table.token(f"review:{goal}:1", "goal.decline"), form)
            assert (pressed.kind, pressed.en) == ("success", "Declined. Nothing will be started.")
            assert daemon.service.committed.goals[goal].intents[0].reason == reason


async def test_a_question_is_shown_with_a_field_for_the_answer_which_reaches_the_ledger():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        token = await asked(table, goal, "Which folder?")
        view = await shown(daemon, f"goal:{goal}")
        assert (view.goal.question.text, view.goal.question.options) == ("Which folder?", ("docs", "site"))
        assert list(view.tokens) == ["goal.clarify"]
        drawn = draw(view, locale="en", now_ms=0).json()["body"]["elements"]
        (form,) = [part for part in drawn if part["tag"] == "form"]
        assert [part.get("name") for part in form["elements"] if part["tag"] == "input"] == ["answer"]
        empty = await table.press("ann", token, {"answer": "  "})
        assert (empty.code, "The field Answer is still empty." in empty.en) == ("form_field_missing", True)
        assert (await table.press("ann", token, {"answer": "docs, 全部"})).kind == "success"
        row = list(daemon.store.events(daemon.seq - 1))[-1]
        assert (row.kind, "docs, 全部" in row.words.decode()) == ("goal.question_answered", True)
        assert daemon.service.committed.goals[goal].question is None


@pytest.mark.parametrize(
    "form",
    [
        {"goal_id": "goal-99", "basis": "b1:" + "00" * 16, "owners": "vic", "enforce": "x"},
        {str(number): "x" for number in range(32)},
    ],
)
async def test_a_form_can_say_nothing_but_what_its_action_takes(form):
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        pressed = await table.press("ann", await table.token(f"review:{goal}:1", "goal.confirm"), form)
        assert (pressed.kinds, pressed.document["goal_id"]) == (["goal.confirmed"], goal)


async def test_forms_are_bounded_in_number_and_in_what_is_in_them():
    forms = Forms()
    for number in range(FORMS_MAX + 1):
        forms.open(f"form:{number}", {"objective": "x"})
    assert (forms.find("form:0"), forms.find("form:1") is not None) == (None, True)
    forms.open("form:big", {"objective": "x" * (FORMS_CHARS_MAX - 3)})
    assert [forms.find(f"form:{number}") is not None for number in range(FORMS_MAX - 3, FORMS_MAX + 1)] == [
        False,
        True,
        True,
        True,
    ]
    forms.refused("form:big", {"objective": ""}, "x", {})
    assert forms.find("form:big").problem_code == "x"


async def test_submissions_of_one_form_take_turns_and_a_cancelled_one_is_passed_over():
    turns, order, go = Turns(), [], asyncio.Event()

    async def one(name):
        async with turns.of("form"):
            order.append(name)
            await go.wait()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(name)) for name in "abc"]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
        assert order == ["a"]
        go.set()
    assert order == ["a", "c"]
    assert turns.of("form") is not turns.of("other")
