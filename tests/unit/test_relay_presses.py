"""Presses: one effect, whoever presses how often, and everybody is told what happened in their language."""

import asyncio
import base64

import msgspec
import pytest

from cards.draw import draw, fingerprint
from daemon.buttons import LIFE_MS, ButtonKeys, audience_of
from ledger.catalogue import ACTIONS
from ledger.projections.views import CardView
from tests.support.homes import CHAT, TENANT
from tests.support.presses import Table, delivered, everybody
from tests.support.served import served

OPPOSITES = [("goal.confirm", "goal.decline"), ("goal.accept", "goal.request-changes")]
REASON = {"reason": "Not like this"}


async def at_once(*presses):
    """All of them begin before any of them is answered."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(press) for press in presses]
    return [task.result() for task in tasks]


@pytest.mark.parametrize("together", [True, False], ids=["at once", "one after the other"])
async def test_a_button_pressed_twice_by_one_person_is_one_event(together):
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        token, before = await table.token(f"review:{goal}:1", "goal.confirm"), table.seq()
        if together:
            presses = await at_once(table.press("ann", token), table.press("ann", token))
            first, second = sorted(presses, key=lambda one: one.replayed)
        else:
            first, second = await table.press("ann", token), await table.press("ann", token)
        assert table.seq() == before + 1
        assert (first.kind, first.en) == ("success", "Confirmed. Work can start.")
        assert (second.kind, second.replayed) == ("info", True)
        assert (second.en, second.zh) == ("Already done; nothing was done twice.", "之前已完成，没有重复执行。")


@pytest.mark.parametrize("pair", OPPOSITES, ids=["confirm or decline", "accept or send back"])
async def test_of_two_owners_with_opposite_wishes_one_decides_and_the_other_is_told_who(pair):
    """Again and again, each of them first as often as the other."""
    for turn in range(6):
        async with served(delivered) as daemon:
            table = Table(daemon)
            slot = "acceptance:docs:1" if pair[0] == "goal.accept" else f"review:{await table.proposed()}:1"
            wishes = {action: await table.token(slot, action) for action in pair}
            before = table.seq()
            order = pair if turn % 2 else pair[::-1]
            by = dict(zip(order, ("ann", "chen") if turn % 3 else ("chen", "ann"), strict=True))
            presses = await at_once(*(table.press(by[action], wishes[action], REASON) for action in order))
            assert table.seq() == before + 1
            won, lost = sorted(presses, key=lambda one: one.code != "")
            assert (won.kind, lost.kind) == ("success", "warning")
            name = {"ann": "Ann Li", "chen": "陈博"}[by[order[presses.index(won)]]]
            assert f"{name} decided first." in lost.en
            assert f"{name}已先作出决定。" in lost.zh
            # What the other one typed is shown to them alone where the chat may be shared.
            assert lost.slots[0] == f"{slot}@{CHAT}"
            assert set(lost.slots[1:]) <= {f"{slot}@direct:{by[order[presses.index(lost)]]}"}


async def test_whoever_presses_the_opposite_of_their_own_decision_is_told_that_they_decided():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        decline = await table.token(f"review:{goal}:1", "goal.decline")
        await table.press("ann", await table.token(f"review:{goal}:1", "goal.confirm"))
        pressed = await table.press("ann", decline, REASON)
        assert pressed.code == "nothing_to_confirm"
        assert "You decided first." in pressed.en
        assert "你之前已作出决定。" in pressed.zh


async def test_a_stop_that_comes_after_a_pause_names_who_paused():
    async with served(delivered) as daemon:
        table = Table(daemon)
        await table.press("ann", await table.token("acceptance:docs:1", "goal.request-changes"), REASON)
        pause, stop = [await table.token("goal:docs", f"goal.{verb}") for verb in ("pause", "stop")]
        before = table.seq()
        won, lost = await table.press("chen", pause), await table.press("ann", stop)
        assert table.seq() == before + 1
        assert (won.kinds, lost.code) == (["goal.paused"], "stale_basis")
        assert "changed since it was shown to you: State. 陈博 decided first." in lost.en
        again = await table.press("ann", pause)
        assert (again.code, "陈博 decided first." in again.en) == ("goal_state_forbids", True)


async def test_two_presses_with_other_words_count_once_and_the_second_is_told_so():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        token = await table.token(f"review:{goal}:1", "goal.decline")
        await table.press("ann", token, {"reason": "Too big"})
        before = table.seq()
        pressed = await table.press("ann", token, {"reason": "Too small"})
        assert (pressed.code, pressed.kind) == ("idempotency_conflict", "warning")
        assert pressed.en.startswith("You pressed this before, and that is what counts.")
        assert "以那次为准" in pressed.zh
        assert table.seq() == before
        assert daemon.service.committed.goals[goal].intents[0].reason == "Too big"


# Stale cards.


async def revised(table, goal):
    return await table.daemon.do("goal.revise", {"goal_id": goal, "criterion": ["Every page loads"], "priority": "P0"})


async def test_a_press_on_a_revision_that_was_replaced_says_what_changed_and_changes_nothing():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        tokens = [await table.token(f"review:{goal}:1", f"goal.{verb}") for verb in ("confirm", "decline")]
        await revised(table, goal)
        before = table.seq()
        for token in tokens:
            pressed = await table.press("chen", token)
            assert (pressed.code, pressed.kind) == ("stale_basis", "warning")
            assert "changed since it was shown to you: Acceptance criteria, Priority." in pressed.en
            assert "已有变动：验收标准、优先级。" in pressed.zh
            assert "Read the current version" in pressed.en
            assert pressed.slots == [f"review:{goal}:1@{CHAT}"]
        assert table.seq() == before
        view = await daemon.view(f"review:{goal}:1@{CHAT}")
        assert (view["tokens"], view["review"]["status"]) == ({}, "superseded")
        assert ("chen", "goal.confirm", "stale_basis") in table.codes()


async def test_a_yes_to_a_delivery_is_no_yes_to_the_next_one():
    async with served(delivered) as daemon:
        table = Table(daemon)
        accept = await table.token("acceptance:docs:1", "goal.accept")
        back = await table.token("acceptance:docs:1", "goal.request-changes")
        await table.press("ann", back, REASON)
        await daemon.do("todo.add", {"goal_id": "docs", "todo_id": "todo_new", "text": "Once more"})
        await daemon.do("todo.claim", {"goal_id": "docs", "todo_id": "todo_new"}, who="builder")
        report = {"goal_id": "docs", "todo_id": "todo_new", "label": "r", "sha256": "ab" * 32, "size_bytes": 1}
        artifact = (await daemon.do("artifact.submit", report, who="builder"))["result"]["artifact_id"]
        done = {"goal_id": "docs", "todo_id": "todo_new", "evidence": [artifact]}
        await daemon.do("todo.complete", done, who="builder")
        await daemon.do("goal.deliver", {"goal_id": "docs", "summary": "Now"}, who="builder")
        before = table.seq()
        pressed = await table.press("chen", accept)
        assert pressed.code == "stale_basis"
        assert "changed since it was shown to you: Delivery." in pressed.en
        assert table.seq() == before
        assert (await daemon.view(f"acceptance:docs:1@{CHAT}"))["tokens"] == {}
        assert (await table.press("chen", await table.token("acceptance:docs:2", "goal.accept"))).kind == "success"


async def asked(table, goal, question):
    asking = {"goal_id": goal, "question": question, "option": ["docs", "site"]}
    await table.daemon.do("goal.clarify", asking, who="builder")
    return await table.token(f"goal:{goal}", "goal.clarify")


async def test_an_answer_reaches_the_question_it_was_written_for_and_no_other():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        first = await asked(table, goal, "Which folder?")
        second_owner = await table.press("chen", first, {"answer": "docs"})
        assert (second_owner.kinds, second_owner.en) == (["goal.question_answered"], "Recorded.")
        before = table.seq()
        gone = await table.press("ann", first, {"answer": "site"})
        assert gone.code == "question_not_found"
        assert gone.en.startswith("That question is not open any more.")
        assert gone.zh.startswith("该问题已不在待回答状态。")
        second = await asked(table, goal, "Which language?")
        stale = await table.press("ann", first, {"answer": "site"})
        assert (stale.code, "shown to you: Question." in stale.en) == ("stale_basis", True)
        assert table.seq() == before + 1
        assert (await table.press("ann", second, {"answer": "Both"})).kind == "success"


# Whose press it is.


def mangled(token):
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    raw[40] ^= 1
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def signed_elsewhere(token):
    """A token of another workspace: everything is right but the key."""
    keys = ButtonKeys(b"another secret")
    return keys.mint(
        1,
        action=ACTIONS["goal.confirm"],
        subject="review:goal-9:1",
        basis=None,
        audience=audience_of(TENANT, CHAT),
        expires_at_ms=1 << 41,
    )


# Who, what of the press is different, the code, the kind of toast, and how the two toasts begin.
NOBODYS = [
    ("stranger", {}, "identity_unpaired", "error", "This account is not paired with a member here. Ask", "该账号未与"),
    ("rex", {}, "identity_unpaired", "error", "This account is not paired with a member here. Ask", "该账号未与"),
    (
        "ann",
        {"tenant_key": "elsewhere"},
        "tenant_foreign",
        "error",
        "This account belongs to another org",
        "该账号属于",
    ),
    ("ann", {"app_id": "cli_else"}, "tenant_foreign", "error", "This account belongs to another org", "该账号属于"),
    ("ann", {"chat_id": "oc_else"}, "button_elsewhere", "error", "This button belongs to a card in anot", "该按钮属于"),
    ("ann", {"message_id": "om_copy"}, "button_elsewhere", "error", "This button belongs to a card", "该按钮属于"),
    ("ann", {"token": mangled}, "button_forged", "error", "This button was not made by this workspace", "该按钮并非"),
    ("ann", {"token": signed_elsewhere}, "button_forged", "error", "This button was not made by this", "该按钮并非"),
    ("ann", {"token": lambda _: "x"}, "button_forged", "error", "This button was not made by this", "该按钮并非"),
    ("ann", {"token": lambda _: "🙂" * 240}, "button_forged", "error", "This button was not made by", "该按钮并非"),
    ("ann", {"token": lambda _: ""}, "button_forged", "error", "This button was not made by this", "该按钮并非"),
    ("vic", {}, "not_an_owner", "error", "Only an owner of this goal may do that. Ask one of its owners", "只有该目标"),
    ("bob", {}, "not_an_owner", "error", "Only an owner of this goal may do that. Ask one of its owners", "只有该目标"),
]


@pytest.mark.parametrize(
    ("who", "changes", "code", "kind", "en", "zh"),
    NOBODYS,
    ids=[f"{who}-{code}-{n}" for n, (who, _, code, *_) in enumerate(NOBODYS)],
)
async def test_a_press_by_whoever_may_not_is_told_why_and_what_to_do_and_leaves_an_audit_line(
    who, changes, code, kind, en, zh
):
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        slot = f"review:{goal}:1@{CHAT}"
        record = {"slot": slot, "chat_id": CHAT, "message_id": "om_card", "digest": "d", "version": 1}
        await daemon.relay("deliveries", record | {"sent_at_ms": 1, "state": "live"}, method="PUT")
        good = await table.token(f"review:{goal}:1", "goal.confirm")
        token = changes["token"](good) if "token" in changes else good
        before = table.seq()
        pressed = await table.press(who, **({"token": good} | changes | {"token": token}))
        assert (pressed.code, pressed.kind) == (code, kind)
        assert pressed.en.startswith(en)
        assert pressed.zh.startswith(zh)
        assert table.seq() == before
        actor = "ann" if who == "ann" else who if who in {"vic", "bob"} else "bot"
        actor = "bot" if {"tenant_key", "app_id"} & set(changes) else actor
        action = "goal.confirm" if code == "not_an_owner" else "card.press"
        assert table.codes()[-1] == (actor, action, code)
        assert (await table.press("ann", good)).kind == "success"


async def test_an_old_button_says_so_and_its_card_is_drawn_anew():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        token = await table.token(f"review:{goal}:1", "goal.confirm")
        daemon.clock.advance(LIFE_MS)
        assert (await table.press("vic", token)).code == "not_an_owner"
        daemon.clock.advance(86_400_000)
        before = table.seq()
        pressed = await table.press("ann", token)
        assert (pressed.code, pressed.kind) == ("button_expired", "warning")
        assert pressed.en == "This button is too old to be used. Ask for the current card, and press there."
        assert pressed.zh == "该按钮已失效。请获取最新的卡片后再操作。"
        assert pressed.slots == [f"review:{goal}:1@{CHAT}"]
        assert table.seq() == before
        assert table.codes()[-1] == ("ann", "goal.confirm", "button_expired")
        row = daemon.audited()[-1]
        assert (row["goal_id"], row["basis"]) == (goal, daemon.service.committed.goals[goal].intents[0].basis)


async def test_a_rotated_key_keeps_yesterdays_cards_working_for_their_grace_and_no_longer():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goals = [await table.proposed() for _ in range(2)]
        old = [await table.token(f"review:{goal}:1", "goal.confirm") for goal in goals]
        before = await daemon.view(f"review:{goals[1]}:1@{CHAT}")
        await daemon.do("button-key.rotate", {"grace_seconds": 3_600}, who=None)
        daemon.clock.advance(3_599_000)
        assert (await table.press("ann", old[0])).kind == "success"
        daemon.clock.advance(1_000)
        seq = table.seq()
        pressed = await table.press("ann", old[1])
        assert (pressed.code, table.seq()) == ("button_expired", seq)
        # The card under the new key is another card, so that everybody gets one that works.
        after = await daemon.view(f"review:{goals[1]}:1@{CHAT}")
        assert (before["button_key"], after["button_key"]) == (1, 2)
        assert drawn(before) != drawn(after)
        assert (await table.press("ann", after["tokens"]["goal.confirm"])).kind == "success"
        await daemon.do("button-key.rotate", {"grace_seconds": 0}, who=None)
        assert (await table.press("ann", old[1])).code == "button_expired"


def drawn(document):
    """What the bot compares with what it has sent."""
    return fingerprint(draw(msgspec.convert(document, CardView), locale="en", now_ms=0))


async def test_a_card_without_buttons_does_not_change_with_the_key():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        await table.press("ann", await table.token(f"review:{goal}:1", "goal.confirm"))
        before = await daemon.view(f"review:{goal}:1@{CHAT}")
        await daemon.do("button-key.rotate", {"grace_seconds": 60}, who=None)
        assert drawn(await daemon.view(f"review:{goal}:1@{CHAT}")) == drawn(before)


async def test_somebody_revoked_between_the_card_and_the_press_decides_nothing():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        token = await table.token(f"review:{goal}:1", "goal.confirm")
        assert (await table.press("chen", token)).kind == "success"
        await daemon.do("member.revoke", {"member_id": "chen"}, who=None)
        seq = table.seq()
        pause = await table.token(f"goal:{goal}", "goal.pause")
        assert (await table.press("chen", pause)).code == "identity_unpaired"
        assert table.seq() == seq


async def test_who_is_revoked_while_the_press_is_on_its_way_decides_nothing():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        token = await table.token(f"review:{goal}:1", "goal.confirm")
        revoke = daemon.act("member.revoke", {"member_id": "chen"}, who=None)
        _, pressed = await at_once(revoke, table.press("chen", token))
        assert pressed.code in {"credential_revoked", "identity_unpaired"}
        assert daemon.service.committed.goals[goal].state == "proposed"


@pytest.mark.parametrize("state", ["posting", "reposting"])
async def test_while_a_card_is_on_its_way_a_press_on_it_counts_and_afterwards_only_there(state):
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        record = {"slot": f"review:{goal}:1@{CHAT}", "chat_id": CHAT, "digest": "d", "version": 1, "sent_at_ms": 1}
        on_its_way = record | {"message_id": "om_before" if state == "reposting" else "", "state": state}
        await daemon.relay("deliveries", on_its_way, method="PUT")
        token = await table.token(f"review:{goal}:1", "goal.confirm")
        assert (await table.press("vic", token, message_id="om_new")).code == "not_an_owner"
        await daemon.relay("deliveries", record | {"message_id": "om_new", "state": "live"}, method="PUT")
        assert (await table.press("ann", token, message_id="om_before")).code == "button_elsewhere"
        assert (await table.press("ann", token, message_id="om_new")).kind == "success"


# What the platform delivers again.


async def test_a_redelivered_press_has_its_first_outcome_again_whatever_happened_since():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        confirm = await table.token(f"review:{goal}:1", "goal.confirm")
        refused = await table.press("vic", confirm, event_id="of vic")
        first = await table.press("ann", confirm, event_id="of ann")
        paused = await table.press("ann", await table.token(f"goal:{goal}", "goal.pause"))
        assert paused.kind == "success"
        seq, audited = table.seq(), table.codes()
        assert (await table.press("ann", confirm, event_id="of ann")).document == first.document
        assert (await table.press("vic", confirm, event_id="of vic")).document == refused.document
        assert (table.seq(), table.codes()) == (seq, audited)


async def test_two_copies_of_one_press_that_arrive_together_get_the_same_answer():
    async with served(everybody) as daemon:
        table = Table(daemon)
        goal = await table.proposed()
        token = await table.token(f"review:{goal}:1", "goal.confirm")
        presses = await at_once(*(table.press("ann", token, event_id="twice") for _ in range(5)))
        assert [one.document for one in presses] == [presses[0].document] * 5
        assert presses[0].kind == "success"
