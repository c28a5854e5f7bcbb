"""Gates on cards: who is asked where, whose press counts how often, and what each of them is told."""

import msgspec
import orjson
import pytest

from bot.simulator.cardcheck import check_card
from bot.simulator.mentions import of_card
from cards.draw import draw, encode
from daemon.relay.slots import desired
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import DAEMON, OPERATOR
from ledger.projections.privacy import WITHHELD
from ledger.projections.views import CardView
from ledger.rules.common import Caller
from ledger.rules.gate_params import RemindGate
from ledger.rules.gates import gate_basis
from ledger.writer import Request
from tests.golden.card_views import NOW_MS, SAMPLES
from tests.support.homes import CHAT, activate, pair, person
from tests.support.presses import Table, everybody
from tests.support.served import served

SLOT = "gate:docs:gate_site:1"
ASKED = {"goal_id": "docs", "gate_id": "gate_site", "question": "May the pages be published?", "quorum": 2}
NAMED = {"goal_id": "docs", "gate_id": "gate_site"}
HOSTILE = '<at id=all></at> **b** [l](http://x) <font color="red">r</font>\n# h'


def asked(scribe, **more):
    """Dora is registered and unasked; Builder asks Ann and Chen for a decision that a todo waits for."""
    everybody(scribe)
    activate(scribe)
    scribe.do(OPERATOR, "member.add", member_id="dora", kind="person", display_name="Dora Roy")
    pair(scribe, "dora")
    scribe.do("builder", "gate.open", **(ASKED | {"approver": ("ann", "chen"), "blocks_todo": ("todo_000",)} | more))


def asks(**more):
    return lambda scribe: asked(scribe, **more)


async def action(table, who, name, form=None, slot=SLOT):
    return await table.press(who, await table.token(slot, name), form)


async def drawn(daemon, slot=f"{SLOT}@{CHAT}"):
    view = msgspec.convert(await daemon.view(slot), CardView)
    sent = orjson.loads(encode(draw(view, locale="en", now_ms=daemon.service.clock.now_ms())))
    check_card(sent)
    return view, sent


async def test_two_people_make_two_votes_and_each_is_told_how_many_there_are():
    async with served(asks()) as daemon:
        table = Table(daemon)
        first = await action(table, "ann", "gate.approve")
        assert (first.kind, first.en) == ("success", "Your yes was recorded: 1 of 2.")
        assert first.zh == "已记录你的赞成票：1/2。"
        view, sent = await drawn(daemon)
        assert (view.gate.votes_counted, view.gate.waits_for) == (1, ("陈博",))
        assert "Yes: Ann Li" in orjson.dumps(sent).decode()
        second = await action(table, "chen", "gate.approve")
        assert (second.kind, second.en) == ("success", "Approved. What waited for this can go on.")
        view, sent = await drawn(daemon)
        assert (view.gate.status, view.gate.open, view.tokens) == ("approved", False, {})
        assert daemon.service.committed.goals["docs"].gates.by_id["gate_site"].status == "approved"


async def test_one_person_who_presses_twice_counts_once():
    async with served(asks()) as daemon:
        table = Table(daemon)
        token = await table.token(SLOT, "gate.approve")
        await table.press("ann", token)
        before = table.seq()
        again = await table.press("ann", token)
        assert (again.kind, again.replayed, table.seq()) == ("info", True, before)
        elsewhere = await daemon.view(f"{SLOT}@direct:ann")
        copied = await table.press("ann", elsewhere["tokens"]["gate.approve"], chat_id="oc_private")
        assert (copied.kind, copied.en) == ("info", "Your yes counts already: 1 of 2.")
        assert table.seq() == before


@pytest.mark.parametrize("name", ["gate.approve", "gate.reject", "gate.defer"])
async def test_who_is_no_approver_is_refused_and_told(name):
    async with served(asks()) as daemon:
        table = Table(daemon)
        before = table.seq()
        pressed = await action(table, "vic", name)
        assert (pressed.code, pressed.kind, table.seq()) == ("not_an_approver", "error", before)
        assert pressed.en
        assert pressed.zh


async def test_a_no_is_one_and_the_next_is_told_who_decided_and_when():
    async with served(asks()) as daemon:
        table = Table(daemon)
        late = await table.token(SLOT, "gate.approve")
        no = await action(table, "ann", "gate.reject", {"reason": "Not yet"})
        assert (no.kind, no.en) == ("success", "Rejected. What it blocks stays blocked.")
        pressed = await table.press("chen", late)
        assert (pressed.code, pressed.kind) == ("gate_already_resolved", "warning")
        assert pressed.en.startswith("It was resolved already: Rejected, at 20")
        assert "Ann Li decided first." in pressed.en
        assert "已否决" in pressed.zh
        _view, sent = await drawn(daemon)
        assert "Not yet" in orjson.dumps(sent).decode()


async def test_a_button_of_an_older_generation_decides_nothing():
    async with served(asks()) as daemon:
        table = Table(daemon)
        token = await table.token(SLOT, "gate.approve")
        await daemon.do("gate.revise", NAMED | {"question": "May all be published?"}, who="builder")
        before = table.seq()
        pressed = await table.press("ann", token)
        assert (pressed.code, table.seq()) == ("gate_stale", before)
        view, _sent = await drawn(daemon)
        assert (view.gate.asked_anew, view.gate.question, view.tokens, view.mentions) == (True, "", {}, ())
        newer, _sent = await drawn(daemon, f"gate:docs:gate_site:2@{CHAT}")
        assert (newer.gate.question, newer.gate.open) == ("May all be published?", True)


async def test_a_gate_put_off_again_after_a_reminder_is_put_off_again():
    async with served(asks(remind_every_seconds=300)) as daemon:
        table = Table(daemon)

        def status():
            return daemon.service.committed.goals["docs"].gates.by_id["gate_site"].status

        form = {"reason": "Monday", "remind_in_seconds": "300"}
        assert (await action(table, "ann", "gate.defer", form)).en[:8] == "Put off."
        assert status() == "deferred"
        daemon.clock.advance(400_000)
        reminded = await daemon.service.submit(
            Request(
                action=ACTIONS["gate.remind"],
                params=RemindGate(**NAMED),
                caller=Caller(member_id=DAEMON, kind="daemon", surface="daemon"),
                proof=Proof(kind="internal", reference=""),
                request_key=None,
            )
        )
        assert (reminded.refusal, status()) == (None, "waiting_on_user")
        again = await action(table, "ann", "gate.defer", form)
        assert (again.replayed, status()) == (False, "deferred")


async def test_a_direct_copy_is_its_addressees_alone():
    async with served(asks()) as daemon:
        table = Table(daemon)
        token = (await daemon.view(f"{SLOT}@direct:ann"))["tokens"]["gate.approve"]
        before = table.seq()
        pressed = await table.press("chen", token, chat_id="oc_private")
        assert (pressed.code, table.seq()) == ("button_elsewhere", before)
        assert (await table.press("ann", token, chat_id="oc_private")).kind == "success"


async def test_a_vote_is_delegated_to_whom_was_picked_and_for_how_long():
    async with served(asks()) as daemon:
        table = Table(daemon)
        form = {"person_to": person("dora")["open_id"], "for_seconds": "3600"}
        pressed = await action(table, "ann", "gate.delegate", form)
        assert (pressed.kind, pressed.en[:36]) == ("success", "Dora Roy votes in your place on this")
        (delegate,) = daemon.service.committed.goals["docs"].gates.by_id["gate_site"].delegates
        assert (delegate.seat, delegate.delegate) == ("ann", "dora")
        assert delegate.until_ms == daemon.service.clock.now_ms() + 3_600_000
        assert (await action(table, "dora", "gate.approve")).en == "Your yes was recorded: 1 of 2."
        view, sent = await drawn(daemon)
        assert view.gate.votes[0].voter == "Dora Roy"
        assert "Yes: Dora Roy for Ann Li" in orjson.dumps(sent).decode()


async def test_delegating_again_to_somebody_else_is_another_press():
    async with served(asks()) as daemon:
        table = Table(daemon)
        for who in ("dora", "vic"):
            pressed = await action(table, "ann", "gate.delegate", {"person_to": person(who)["open_id"]})
            assert pressed.kind == "success", pressed.document
        (delegate,) = daemon.service.committed.goals["docs"].gates.by_id["gate_site"].delegates
        assert delegate.delegate == "vic"


async def test_whom_nobody_has_paired_cannot_vote_in_ones_place():
    async with served(asks()) as daemon:
        table = Table(daemon)
        before = table.seq()
        pressed = await action(table, "ann", "gate.delegate", {"person_to": "ou_nobody"})
        assert (pressed.code, table.seq()) == ("person_unpaired", before)
        assert pressed.en.startswith("Whoever you picked is not paired")
        assert "ou_nobody" not in orjson.dumps(pressed.document).decode()


@pytest.mark.parametrize("more", [{"severity": "critical"}, {"step_up": True}], ids=["critical", "step up"])
async def test_no_plain_button_approves_what_needs_more_than_a_button(more):
    async with served(asks(**more)) as daemon:
        view, sent = await drawn(daemon)
        assert set(view.tokens) == {"gate.approve", "gate.reject", "gate.defer", "gate.delegate"}
        forms = [one for one in sent["body"]["elements"] if one["tag"] == "form"]
        buttons = [part["name"] for part in forms[0]["elements"] if part["tag"] == "button"]
        assert (forms[0]["name"], buttons) == ("code_form", ["submit_gate_approve"])
        assert orjson.dumps(sent).decode().count(view.tokens["gate.approve"]) == 1
        pressed = await action(Table(daemon), "ann", "gate.approve")
        assert (pressed.code, pressed.kinds) == ("step_up_required", [])
        assert "frontstage gate show --goal-id docs --gate-id gate_site" in orjson.dumps(sent).decode()


async def test_the_waiting_are_mentioned_in_the_group_and_nowhere_else():
    async with served(asks()) as daemon:
        view, sent = await drawn(daemon)
        assert sorted(view.mentions) == sorted(person(who)["open_id"] for who in ("ann", "chen"))
        assert sorted(one.id for one in of_card(sent)) == sorted(view.mentions)
        _view, direct = await drawn(daemon, f"{SLOT}@direct:ann")
        assert of_card(direct) == []
        table = Table(daemon)
        await action(table, "ann", "gate.approve")
        view, _sent = await drawn(daemon)
        assert view.mentions == (person("chen")["open_id"],)
        await action(table, "chen", "gate.approve")
        _view, sent = await drawn(daemon)
        assert of_card(sent) == []


async def test_a_hostile_question_is_shown_letter_by_letter():
    async with served(asks(question=HOSTILE)) as daemon:
        _view, sent = await drawn(daemon, f"{SLOT}@direct:ann")
        assert of_card(sent) == []
        texts = [one["text"] for one in sent["body"]["elements"] if one["tag"] == "div"]
        assert [one["tag"] for one in texts if "<at id=all>" in one.get("content", "")] == ["plain_text"]


async def test_who_may_vote_and_has_not_gets_a_copy_and_the_others_keep_theirs():
    async with served(asks()) as daemon:
        table = Table(daemon)

        def copies():
            now_ms = daemon.service.clock.now_ms()
            slots = desired(daemon.service.committed, now_ms, "docs")
            return [(one.place, one.open) for one in slots if one.subject == SLOT and one.receive_id_type == "open_id"]

        assert copies() == [("direct:ann", True), ("direct:chen", True)]
        await action(table, "ann", "gate.approve")
        assert copies() == [("direct:chen", True), ("direct:ann", False)]
        await action(table, "chen", "gate.approve")
        assert copies() == [("direct:ann", False), ("direct:chen", False)]


def test_a_direct_card_says_where_a_vote_is_delegated():
    view = msgspec.structs.replace(SAMPLES["gate_waiting_on_user"], audience="direct")
    sent = orjson.dumps(orjson.loads(encode(draw(view, locale="en", now_ms=NOW_MS)))).decode()
    assert "select_person" not in sent
    assert "pick them on the card in the group" in sent


async def test_each_generation_is_a_message_of_its_own_in_the_goals_chats():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        await action(table, "ann", "goal.confirm", slot=f"review:{goal}:1")
        about = {"goal_id": goal, "gate_id": "gate_site"}
        await daemon.do("gate.open", ASKED | about | {"approver": ["chen"], "quorum": 1, "blocks_goal": True})

        def chats():
            slots = desired(daemon.service.committed, daemon.service.clock.now_ms(), goal)
            return {
                one.subject: (one.open, one.urgent) for one in slots if one.place == CHAT and "gate:" in one.subject
            }

        first, second = f"gate:{goal}:gate_site:1", f"gate:{goal}:gate_site:2"
        assert chats() == {first: (True, True)}
        await daemon.do("gate.revise", about | {"question": "May all be published?"})
        assert chats() == {first: (False, True), second: (True, True)}
        await action(table, "chen", "gate.approve", slot=second)
        assert chats() == {first: (False, True), second: (False, True)}


async def test_whoever_was_decided_last_keeps_its_card_however_long_it_waited():
    def seed(scribe):
        everybody(scribe)
        activate(scribe)
        for number in range(6):
            about = {"goal_id": "docs", "gate_id": f"gate_{number}", "quorum": 1}
            scribe.do("builder", "gate.open", **(ASKED | about | {"approver": ("ann",), "blocks_goal": True}))
        for number in (1, 2, 3, 4, 5, 0):
            gate = scribe.state.goals["docs"].gates.by_id[f"gate_{number}"]
            basis = gate_basis(scribe.state.goals["docs"], gate)
            scribe.do("ann", "gate.reject", goal_id="docs", gate_id=gate.gate_id, basis=basis)

    async with served(seed) as daemon:
        slots = desired(daemon.service.committed, daemon.service.clock.now_ms(), "docs")
        shown = {one.subject for one in slots if one.subject.startswith("gate:")}
        assert shown == {f"gate:docs:gate_{number}:1" for number in (4, 5, 0)}


async def test_a_gate_whose_time_is_over_says_so():
    async with served(asks(expires_in_seconds=60, on_expiry="deny")) as daemon:
        table = Table(daemon)
        token = await table.token(SLOT, "gate.approve")
        daemon.clock.advance(61_000)
        pressed = await table.press("ann", token)
        assert (pressed.code, (await daemon.view(f"{SLOT}@{CHAT}"))["tokens"]) == ("gate_expired", {})
        assert "The time of the gate gate_site is over" in pressed.en


async def test_of_a_private_goals_gate_a_chat_sees_who_decides_and_not_what_is_asked():
    def seed(scribe):
        everybody(scribe)
        promise = {"objective": "Secret", "criterion": ("Done",), "review": "owner", "private": True}
        scribe.do("ann", "goal.propose", goal_id="docs", **promise)
        basis = scribe.state.goals["docs"].intents[-1].basis
        scribe.do("ann", "goal.confirm", goal_id="docs", basis=basis)
        scribe.do("ann", "gate.open", **(ASKED | {"approver": ("chen",), "quorum": 1, "blocks_goal": True}))

    async with served(seed) as daemon:
        view, sent = await drawn(daemon)
        assert (view.gate.question, view.gate.waits_for, view.gate.opened_by) == (WITHHELD, ("陈博",), "Ann Li")
        assert ASKED["question"] not in orjson.dumps(sent).decode()
