"""What was typed is never lost and never shown to others: each form, refused, comes back filled in to its writer."""

import msgspec
import pytest

from cards.draw import draw
from daemon.relay.drafts import DRAFTS_CHARS_MAX, DRAFTS_MAX, PRIVATE_CHATS_MAX, Draft, Drafts
from daemon.relay.forms import FORMS_CHARS_MAX
from daemon.relay.wire import MESSAGE_CHARS_MAX
from ledger.projections.views import CardView
from tests.support.homes import CHAT, Scribe
from tests.support.presses import FORM, Table, delivered, everybody
from tests.support.served import served
from tests.unit.test_relay_presses import asked

GROUP = {"chat_type": "group", "mentioned": True}


async def shown(daemon, slot):
    """What a card is drawn from now."""
    return msgspec.convert(await daemon.view(slot), CardView)


def said(view, locale="en"):
    """Every text of a card, in one language."""
    return str(draw(view, locale=locale, now_ms=0).json())


def filled(view, name="reason"):
    """What stands in an input of a card."""
    parts = draw(view, locale="en", now_ms=0).json()["body"]["elements"]
    inputs = [one for part in parts if part["tag"] == "form" for one in part["elements"]]
    return next(one.get("default_value") for one in inputs if one.get("name") == name)


def asked_in_a_group(scribe: Scribe) -> None:
    """Everybody is there, and a goal `docs` is proposed in the group, not yet decided on."""
    everybody(scribe)
    scribe.do("ann", "goal.propose", goal_id="docs", objective="Check the docs.", criterion=("Links work",))


# The slot, the action and what is typed; Vic has no right to any of it.
FORMS = [
    (asked_in_a_group, "review:docs:1", "goal.decline", {"reason": "Vic says no"}),
    (delivered, "acceptance:docs:1", "goal.request-changes", {"reason": "Vic wants more"}),
]


@pytest.mark.parametrize(("scene", "subject", "action", "typed"), FORMS, ids=[one[2] for one in FORMS])
async def test_a_refused_form_on_a_shared_card_comes_back_to_its_writer_alone(scene, subject, action, typed):
    async with served(scene) as daemon:
        table = Table(daemon)
        token = await table.token(subject, action)
        pressed = await table.press("vic", token, typed)
        mine = f"{subject}@direct:vic"
        assert (pressed.code, pressed.slots) == ("not_an_owner", [f"{subject}@{CHAT}", mine])
        assert pressed.en.endswith("What you typed waits for you in our direct chat.")
        assert pressed.zh.endswith("你填写的内容已保留在与机器人的私聊中。")
        view = await shown(daemon, mine)
        assert filled(view) == typed["reason"]
        assert "Not sent: " in said(view)
        assert typed["reason"] not in str(await daemon.view(f"{subject}@{CHAT}"))
        assert (await shown(daemon, f"{subject}@direct:ann")).typed == ()
        listed = (await daemon.ask("GET", "/v1/relay/slots?goal_id=docs", who="bot")).document["slots"]
        assert next(one for one in listed if one["slot"] == mine)["receive_id_type"] == "open_id"


async def test_where_one_person_alone_reads_the_card_itself_is_filled_in():
    async with served(delivered) as daemon:
        table = Table(daemon)
        await table.form()
        token = await table.token("acceptance:docs:1", "goal.request-changes")
        pressed = await table.press("vic", token, {"reason": "more"})
        assert pressed.slots == [f"acceptance:docs:1@{CHAT}"]
        assert "direct chat" not in pressed.en
        assert filled(await shown(daemon, f"acceptance:docs:1@{CHAT}")) == "more"


async def test_what_was_typed_is_sent_from_where_it_came_back_and_is_then_forgotten():
    async with served(delivered) as daemon:
        table = Table(daemon)
        token = await table.token("acceptance:docs:1", "goal.request-changes")
        await daemon.do("button-key.rotate", {"grace_seconds": 0}, who=None)
        assert (await table.press("ann", token, {"reason": "Anchors too"})).code == "button_expired"
        view = await shown(daemon, "acceptance:docs:1@direct:ann")
        assert filled(view) == "Anchors too"
        again = view.tokens["goal.request-changes"]
        assert (await table.press("ann", again, {"reason": "Anchors too"})).kinds == ["goal.changes_requested"]
        assert (await shown(daemon, "acceptance:docs:1@direct:ann")).typed == ()
        assert daemon.service.committed.goals["docs"].deliveries[0].reason == "Anchors too"


async def test_the_direct_card_of_another_person_takes_no_press():
    async with served(delivered) as daemon:
        table = Table(daemon)
        token = await table.token("acceptance:docs:1", "goal.request-changes")
        await table.press("vic", token, {"reason": "more"})
        view = await shown(daemon, "acceptance:docs:1@direct:vic")
        stolen = await table.press("ann", view.tokens["goal.request-changes"], {"reason": "x"})
        assert stolen.code == "button_elsewhere"


async def test_what_came_too_late_is_shown_as_not_sent():
    async with served(delivered) as daemon:
        table = Table(daemon)
        back = await table.token("acceptance:docs:1", "goal.request-changes")
        await table.press("chen", await table.token("acceptance:docs:1", "goal.accept"))
        late = await table.press("ann", back, {"reason": "Anchors **too**"})
        assert late.code == "goal_state_forbids"
        view = await shown(daemon, "acceptance:docs:1@direct:ann")
        assert (view.open, view.tells) == (False, True)
        assert "Not sent any more (Request changes)" in said(view)
        assert "Anchors **too**" in said(view)
        assert "无法提交" in said(view, "zh")


async def test_a_word_about_a_revision_that_was_replaced_stands_on_the_one_that_replaced_it():
    async with served(asked_in_a_group) as daemon:
        table = Table(daemon)
        token = await table.token("review:docs:1", "goal.decline")
        await daemon.do("goal.revise", {"goal_id": "docs", "budget": "less"}, who="ann")
        pressed = await table.press("chen", token, {"reason": "Not now"})
        assert (pressed.code, pressed.slots[-1]) == ("stale_basis", "review:docs:2@direct:chen")
        assert filled(await shown(daemon, "review:docs:2@direct:chen")) == "Not now"


async def test_an_answer_that_was_refused_comes_back():
    async with served(asked_in_a_group) as daemon:
        table = Table(daemon)
        token = await asked(table, "docs", "Which folder?")
        pressed = await table.press("vic", token, {"answer": "docs, 全部"})
        assert pressed.code == "not_the_proposer"
        assert filled(await shown(daemon, "goal:docs@direct:vic"), "answer") == "docs, 全部"


async def test_an_empty_form_leaves_no_draft():
    async with served(delivered) as daemon:
        table = Table(daemon)
        token = await table.token("acceptance:docs:1", "goal.request-changes")
        pressed = await table.press("ann", token, {"reason": " \n"})
        assert (pressed.code, pressed.slots) == ("form_field_missing", [f"acceptance:docs:1@{CHAT}"])


async def test_a_secret_that_was_typed_is_not_shown_again():
    async with served(delivered) as daemon:
        table = Table(daemon)
        token = await table.token("acceptance:docs:1", "goal.request-changes")
        secret = "ghp_" + "a1B2" * 9
        pressed = await table.press("ann", token, {"reason": f"use {secret}"})
        assert pressed.code == "credential_in_text"
        assert secret not in str(await daemon.view("acceptance:docs:1@direct:ann"))


# The proposal form, which belongs to no goal yet.


async def test_a_proposal_that_was_refused_in_a_group_comes_back_to_its_writer_and_is_still_one_goal():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(**GROUP)
        bad = FORM | {"write_scopes": "../secret"}
        pressed = await table.submit("ann", form, bad)
        assert (pressed.code, pressed.slots) == ("invalid_write_scope", [f"{form}@{CHAT}", f"{form}@direct:ann"])
        assert "direct chat" in pressed.en
        assert (await shown(daemon, f"{form}@{CHAT}")).form.values == {}
        mine = await shown(daemon, f"{form}@direct:ann")
        assert (mine.audience, mine.form.values, mine.form.problem_code) == ("direct", bad, "invalid_write_scope")
        listed = (await daemon.ask("GET", "/v1/relay/slots", who="bot")).document["slots"]
        assert f"{form}@direct:ann" in [one["slot"] for one in listed]
        done = await table.press("ann", mine.tokens["goal.propose"], FORM)
        assert (done.kind, set(done.slots)) == ("success", {f"{form}@{CHAT}", f"{form}@direct:ann"})
        assert (await shown(daemon, f"{form}@{CHAT}")).form.status == "submitted"


async def test_of_two_places_of_one_form_only_one_makes_a_goal():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(**GROUP)
        shared = await table.token(form, "goal.propose")
        await table.press("ann", shared, FORM | {"criteria": ""})
        mine = (await shown(daemon, f"{form}@direct:ann")).tokens["goal.propose"]
        assert (await table.press("chen", shared, FORM)).kind == "success"
        late = await table.press("ann", mine, FORM)
        assert (late.code, len(daemon.service.committed.goals)) == ("form_submitted", 1)
        assert (await table.press("chen", shared, FORM)).replayed


async def test_approvers_are_picked_from_the_chat_or_from_those_who_are_known():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(**GROUP)
        drawn = said(await shown(daemon, f"{form}@{CHAT}"))
        assert ("multi_select_person" in drawn, "multi_select_static" in drawn) == (True, False)
        people = {"person_approvers": "ou_vic0000\nou_chen0000"}
        refused = await table.submit("ann", form, FORM | people | {"criteria": ""})
        assert refused.code == "form_field_missing"
        mine = await shown(daemon, f"{form}@direct:ann")
        assert mine.form.values["approvers"] == "vic\nchen"
        assert "ou_" not in str(msgspec.to_builtins(mine))
        assert {one.member_id for one in mine.form.people} >= {"ann", "chen", "vic"}
        assert "'selected_values': ['chen', 'vic']" in said(mine) or "'selected_values': ['vic', 'chen']" in said(mine)
        done = await table.press("ann", mine.tokens["goal.propose"], FORM | {"approvers": "vic\nchen"})
        goal = daemon.service.committed.goals[done.document["goal_id"]]
        assert goal.intents[0].approvers == ("vic", "chen")


async def test_an_approver_whom_nobody_paired_is_refused_and_the_rest_is_kept():
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(**GROUP)
        pressed = await table.submit("ann", form, FORM | {"person_approvers": "ou_chen0000\nou_nobody"})
        assert pressed.code == "person_unpaired"
        assert (await shown(daemon, f"{form}@direct:ann")).form.values == FORM | {"approvers": "chen"}


@pytest.mark.parametrize("amount", ["twelve", "1,5", "-3", "1.1234567", "1.0000000", "9" * 13])
async def test_a_cost_cap_that_is_no_amount_is_refused_by_its_name(amount):
    async with served(everybody) as daemon:
        table = Table(daemon)
        pressed = await table.submit("ann", await table.form(), FORM | {"cost_cap": amount})
        assert pressed.code == "malformed_params"
        # The form asks for an amount: whoever was told of millionths would be off by a million.
        assert "The field Cost cap is not valid: it is no amount, such as 12.50" in pressed.en
        assert "费用上限" in pressed.zh
        assert "百万分" not in pressed.zh


def test_drafts_and_private_chats_are_bounded():
    drafts = Drafts()
    for number in range(DRAFTS_MAX + 5):
        drafts.keep(f"goal:{number}@direct:ann", Draft(action="goal.clarify", values={"answer": "x"}))
    assert len(list(drafts.names())) == DRAFTS_MAX
    drafts.keep("goal:big@direct:ann", Draft(action="goal.clarify", values={"answer": "x" * (DRAFTS_CHARS_MAX - 1)}))
    assert len(list(drafts.names())) <= 2
    for number in range(PRIVATE_CHATS_MAX + 1):
        drafts.heard_in_private(f"oc_{number}")
    assert (drafts.is_private("oc_0"), drafts.is_private("oc_1"), drafts.is_private("direct:x")) == (False, True, True)


@pytest.mark.parametrize(
    ("typed", "code", "answer"),
    [
        ({"option": "2"}, "", "site"),
        ({"option": "2", "answer": " "}, "", "site"),
        ({"option": "2", "answer": "both"}, "", "both"),
        ({"option": "9"}, "form_field_missing", ""),
        ({"option": "0"}, "form_field_missing", ""),
        ({"option": "²"}, "form_field_missing", ""),
        ({"option": ""}, "form_field_missing", ""),
    ],
)
async def test_a_suggestion_only_fills_in_the_answer_and_what_is_typed_counts(typed, code, answer):
    async with served(asked_in_a_group) as daemon:
        table = Table(daemon)
        pressed = await table.press("ann", await asked(table, "docs", "Which folder?"), typed)
        assert pressed.code == code
        if answer:
            row = list(daemon.store.events(daemon.seq - 1))[-1]
            assert f'"{answer}"' in row.words.decode()


async def test_a_form_in_two_places_is_one_goal_even_when_nobody_remembers_it():
    """As after a restart: what was open is forgotten, and what was done is in the ledger."""
    async with served(everybody) as daemon:
        table = Table(daemon)
        form = await table.form(**GROUP)
        shared = await table.token(form, "goal.propose")
        await table.press("ann", shared, FORM | {"criteria": ""})
        mine = (await shown(daemon, f"{form}@direct:ann")).tokens["goal.propose"]
        assert (await table.press("chen", shared, FORM)).kind == "success"
        for _ in range(FORMS_CHARS_MAX // MESSAGE_CHARS_MAX + 1):
            await table.form(text="x" * MESSAGE_CHARS_MAX)
        late = await table.press("ann", mine, FORM)
        assert (late.code, len(daemon.service.committed.goals)) == ("form_submitted", 1)


async def test_on_a_copy_for_one_person_only_the_proposer_can_take_the_proposal_back():
    async with served(asked_in_a_group) as daemon:
        assert "goal.withdraw" in (await daemon.view("review:docs:1@direct:ann"))["tokens"]
        assert "goal.withdraw" not in (await daemon.view("review:docs:1@direct:chen"))["tokens"]
        table = Table(daemon)
        pressed = await table.press("ann", await table.token("review:docs:1", "goal.withdraw"))
        assert pressed.kinds == ["goal.withdrawn"]
