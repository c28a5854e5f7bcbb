"""People and chats in Lark: only the invited joins, what is let go is inert at once, and who left keeps every right."""

import hashlib

import pytest

from ledger.ids import OPERATOR
from ledger.rules.identities import member_of
from tests.support.homes import APP, CHAT, TENANT, activate, person
from tests.support.presses import STRANGER, Table, everybody
from tests.support.served import served

CODE = "K7QM-2XWD"
GROUP = {"chat_type": "group", "mentioned": True}
ZOE = {"open_id": "ou_zoe", "union_id": "on_zoe"}
FORM = {"open_id": "ou_zoe", "display_name": "Zoe Wu", "member_id": "Zoe Wu", "role": "approver"}
DM = "oc_dm_zoe"


def seed(scribe):
    """Everybody, and a goal that the chat does not show yet."""
    everybody(scribe)
    activate(scribe)
    scribe.do(OPERATOR, "member.add", member_id="dan", kind="person", display_name="Dan")
    code = hashlib.sha256(CODE.replace("-", "").encode()).hexdigest()
    scribe.do(OPERATOR, "member.pair", member_id="dan", code_digest=code)


class Room:
    """One chat with its people, and the direct chats of the bot."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.table = Table(daemon)

    @property
    def state(self):
        return self.daemon.service.committed

    async def says(self, who, text, **changes):
        by = {"sender": STRANGER} if who == "stranger" else {"sender": ZOE} if who == "zoe" else {}
        answer = await self.daemon.message(text, who=who, **(GROUP | by | changes))
        assert answer.status == 200, answer.document
        return answer.document["reply"]

    async def view(self, slot):
        return await self.daemon.view(slot)

    async def slots(self):
        answer = await self.daemon.ask("GET", "/v1/relay/slots", who="bot")
        return {slot["slot"]: slot for slot in answer.document["slots"]}

    async def press(self, slot, action, who="ann", form=None, **changes):
        token = (await self.view(slot))["tokens"][action]
        by = {"operator": ZOE} if who == "zoe" else {}
        return await self.table.press(who if who != "zoe" else "ann", token, form, **(by | changes))

    async def invited(self):
        """Zoe is invited by Ann; the slot of the form, and of the card that Zoe gets."""
        form = (await self.says("ann", "invite"))["slot"]
        pressed = await self.press(form, "member.invite", form=FORM)
        assert pressed.code == "", pressed.document
        (slot,) = [name for name in await self.slots() if name.startswith("identity:invitation:")]
        return form, slot

    async def hears(self, kind, chat_id=CHAT, people=(), event_id="ev", **changes):
        document = {
            "event_id": event_id, "kind": kind, "app_id": APP, "tenant_key": TENANT, "chat_id": chat_id,
            "people": list(people),
        }  # fmt: skip
        answer = await self.daemon.relay("heard", document | changes)
        assert answer.status == 200, answer.document
        return answer.document["reply"]


@pytest.fixture
async def room():
    async with served(seed) as daemon:
        yield Room(daemon)


class TestInvitations:
    async def test_an_owner_invites_from_the_chat_and_that_very_person_becomes_the_member(self, room):
        form, slot = await room.invited()
        listed = (await room.slots())[slot]
        assert (listed["receive_id"], listed["receive_id_type"], listed["open"]) == ("ou_zoe", "open_id", True)
        view = await room.view(slot)
        assert (view["audience"], sorted(view["tokens"])) == ("direct", ["invitation.accept", "invitation.decline"])
        assert view["identity"]["roles"] == ["approver"]
        pressed = await room.press(slot, "invitation.accept", "zoe", chat_id=DM)
        assert pressed.en == "Welcome. You are Zoe Wu here now."
        assert pressed.kinds == ["member.added", "invitation.accepted"]
        assert room.state.members["zoe-wu"].roles == ("approver",)
        assert member_of(room.state, TENANT, APP, "ou_zoe", "on_zoe") == "zoe-wu"
        assert (await room.view(slot))["tokens"] == {}
        assert (await room.view(form))["identity"]["sent"]["state"] == "accepted"
        assert slot not in await room.slots()

    async def test_the_same_press_again_is_the_same_answer_and_another_answer_comes_too_late(self, room):
        _, slot = await room.invited()
        tokens = (await room.view(slot))["tokens"]
        by = {"operator": ZOE, "chat_id": DM}
        first = await room.table.press("ann", tokens["invitation.accept"], **by)
        seq = room.state.seq
        again = await room.table.press("ann", tokens["invitation.accept"], **by)
        assert (first.code, again.code, again.replayed) == ("", "", True)
        late = await room.table.press("ann", tokens["invitation.decline"], **by)
        assert (late.code, room.state.seq) == ("invitation_closed", seq)

    async def test_a_decline_changes_nothing_and_the_person_may_be_invited_again(self, room):
        form, slot = await room.invited()
        pressed = await room.press(slot, "invitation.decline", "zoe", chat_id=DM)
        assert pressed.en == "Declined. Nothing was changed."
        assert "zoe-wu" not in room.state.members
        assert (await room.view(form))["identity"]["sent"]["state"] == "declined"
        await room.invited()

    @pytest.mark.parametrize("who", ["ann", "bob", "stranger"])
    async def test_somebody_else_who_holds_the_card_is_refused(self, room, who):
        _, slot = await room.invited()
        pressed = await room.press(slot, "invitation.accept", who, chat_id=DM)
        assert (pressed.code, pressed.kind) == ("invitation_not_yours", "error")
        assert "zoe-wu" not in room.state.members
        assert ("bot", "member.answer-invitation", "invitation_not_yours") in room.table.codes()

    async def test_a_forwarded_card_is_inert_even_for_the_invited(self, room):
        _, slot = await room.invited()
        row = {"slot": slot, "chat_id": slot.rpartition("@")[2], "message_id": "om_sent", "digest": "d", "version": 1}
        await room.daemon.relay("deliveries", row | {"sent_at_ms": 1, "state": "live"}, method="PUT")
        copied = await room.press(slot, "invitation.accept", "zoe", chat_id="oc_else", message_id="om_copy")
        assert copied.code == "invitation_not_yours"
        own = await room.press(slot, "invitation.accept", "zoe", chat_id=DM, message_id="om_sent")
        assert own.code == ""

    async def test_somebody_of_another_organisation_cannot_accept(self, room):
        _, slot = await room.invited()
        pressed = await room.press(slot, "invitation.accept", "zoe", chat_id=DM, tenant_key="elsewhere")
        assert pressed.code == "tenant_foreign"
        assert "zoe-wu" not in room.state.members

    async def test_a_withdrawn_or_late_invitation_makes_nobody_a_member(self, room):
        form, slot = await room.invited()
        tokens = (await room.view(slot))["tokens"]
        withdrawn = await room.press(form, "member.withdraw-invitation")
        assert withdrawn.code == "", withdrawn.document
        pressed = await room.table.press("ann", tokens["invitation.accept"], operator=ZOE, chat_id=DM)
        assert pressed.code == "invitation_closed"
        _, slot = await room.invited()
        token = (await room.view(slot))["tokens"]["invitation.accept"]
        room.daemon.clock.advance(3 * 86_400_000)
        late = await room.table.press("ann", token, operator=ZOE, chat_id=DM)
        assert late.code == "invitation_expired"
        assert "zoe-wu" not in room.state.members

    async def test_who_may_not_invite_is_told_and_gets_no_form(self, room):
        reply = await room.says("vic", "邀请")
        assert reply["kind"] == "text"
        form = (await room.says("ann", "invite"))["slot"]
        pressed = await room.press(form, "member.invite", "vic", FORM)
        assert pressed.code == "not_permitted"

    async def test_an_owner_cannot_invite_themselves_or_a_member_as_another(self, room):
        form = (await room.says("ann", "invite"))["slot"]
        for who in ("ann", "bob"):
            pressed = await room.press(form, "member.invite", form=FORM | {"open_id": person(who)["open_id"]})
            assert pressed.code == "identity_bound_to_another"
        view = (await room.view(form))["identity"]
        # What was typed comes back; whom the platform named is not kept.
        assert view["values"] == {"display_name": "Zoe Wu", "member_id": "Zoe Wu", "role": "approver"}
        assert view["problem_code"] == "identity_bound_to_another"
        assert (await room.press(form, "member.invite", form=FORM)).code == ""

    async def test_an_invitation_is_asked_for_where_the_person_is(self, room):
        reply = await room.says("ann", "invite", chat_type="p2p")
        assert (reply["kind"], "group" in reply["en"]) == ("text", True)

    async def test_a_sentence_that_begins_with_the_word_is_a_sentence(self, room):
        reply = await room.says("ann", "invite the printers to quote")
        assert reply["slot"].startswith("form:")


class TestPairing:
    async def pairing(self, room, who, text, **changes):
        reply = await room.says(who, text, chat_type="p2p", mentioned=False, chat_id=f"oc_dm_{who}", **changes)
        assert reply["kind"] == "card", reply
        return (await room.view(reply["slot"]))["identity"]

    async def test_every_state_has_its_card(self, room):
        how = await self.pairing(room, "stranger", "hello")
        assert (how["type"], how["state"]) == ("pairing", "how")
        assert (await self.pairing(room, "stranger", "pair ABCD"))["state"] == "wrong"
        assert (await self.pairing(room, "stranger", "pair AAAA-AAAA"))["state"] == "wrong"
        foreign = await self.pairing(room, "stranger", "hello", tenant_key="elsewhere")
        assert foreign["state"] == "foreign"
        already = await self.pairing(room, "ann", "pair")
        assert (already["state"], already["name"]) == ("already", "Ann Li")
        elsewhere = await self.pairing(room, "ann", CODE)
        assert (elsewhere["state"], elsewhere["name"]) == ("elsewhere", "Ann Li")
        paired = await self.pairing(room, "dan", CODE)
        assert (paired["state"], paired["name"]) == ("paired", "Dan")

    async def test_who_tries_too_often_waits_and_a_late_code_is_told_apart(self, room):
        for _ in range(5):
            await self.pairing(room, "stranger", "pair AAAA-AAAA")
        assert (await self.pairing(room, "stranger", "pair AAAA-AAAA"))["state"] == "wait"
        room.daemon.clock.advance(901_000)
        assert (await self.pairing(room, "dan", CODE))["state"] == "expired"

    async def test_a_newcomer_is_told_once_who_looks_into_the_direct_chat(self, room):
        entered = {"kind": "entered", "chat_id": "oc_dm_new", "people": [STRANGER]}
        reply = await room.hears(**entered)
        assert (await room.view(reply["slot"]))["identity"]["state"] == "how"
        row = {"slot": reply["slot"], "chat_id": "oc_dm_new", "message_id": "om_1", "digest": "d", "version": 1}
        await room.daemon.relay("deliveries", row | {"sent_at_ms": 1, "state": "live"}, method="PUT")
        assert await room.hears(**entered, event_id="later") is None


class TestBindings:
    async def test_a_binding_that_ends_makes_the_buttons_inert_at_once(self, room):
        goal_id = await room.table.proposed("ann")
        token = await room.table.token(f"review:{goal_id}:1", "goal.confirm")
        answer = await room.daemon.act("member.unbind", {"member_id": "chen"}, who="ann")
        assert answer.status == 200, answer.document
        refused = await room.table.press("chen", token)
        assert refused.code == "identity_unpaired"
        assert (await room.table.press("ann", token)).code == ""

    async def test_the_list_tells_who_is_bound_by_whom_and_no_id_of_the_platform(self, room):
        answer = await room.daemon.ask("GET", "/v1/actions/member.bindings")
        rows = {row["member_id"]: row for row in answer.document["bindings"]}
        assert (rows["ann"]["bound_by"], rows["ann"]["how"], rows["ann"]["surface"]) == ("operator", "code", "lark")
        assert len(rows["ann"]["identity"]) == 12
        assert not any(one in answer.body.decode() for one in ("ou_", "on_", TENANT))

    async def test_a_union_id_that_comes_later_upgrades_the_same_member(self, room):
        bare = {"sender": {"open_id": "ou_dan_only", "union_id": ""}, "chat_type": "p2p"}
        await room.says("dan", CODE, **bare)
        digest = room.state.members["dan"].identity_digest
        await room.says("dan", "help", sender={"open_id": "ou_dan_only", "union_id": "on_dan_now"}, chat_type="p2p")
        assert room.state.members["dan"].identity_digest != digest
        assert member_of(room.state, TENANT, "cli_other", "ou_other", "on_dan_now") == "dan"
        seq = room.state.seq
        await room.says("dan", "help", sender={"open_id": "ou_dan_only", "union_id": "on_dan_now"}, chat_type="p2p")
        assert room.state.seq == seq


class TestLeaving:
    async def bound(self, room):
        await room.daemon.act("channel.bind", {"goal_id": "docs", "channel_id": CHAT}, who="ann")

    async def test_who_left_keeps_every_right_gets_nothing_and_the_owners_are_told(self, room):
        await self.bound(room)
        before = room.state.members["vic"]
        await room.hears("left", people=[person("vic") | {"tenant_key": TENANT}])
        assert room.state.members["vic"] == before
        told = [name for name in await room.slots() if name.startswith("identity:away:vic:")]
        assert sorted(name.rpartition("@")[2] for name in told) == ["direct:ann", "direct:chen"]
        assert (await room.view(told[0]))["identity"]["why"] == "left_chat"
        await room.hears("joined", people=[person("vic") | {"tenant_key": TENANT}], event_id="later")
        assert room.state.identity.away == {}
        assert (await room.view(told[0]))["identity"]["why"] is None
        assert not [name for name in await room.slots() if name.startswith("identity:away:")]

    async def test_of_who_is_bound_no_more_nobody_is_told_that_they_are_back(self, room):
        await self.bound(room)
        await room.hears("left", people=[person("vic") | {"tenant_key": TENANT}])
        told = next(name for name in await room.slots() if name.startswith("identity:away:vic:"))
        await room.daemon.act("member.unbind", {"member_id": "vic"}, who="ann")
        shown = (await room.view(told))["identity"]
        assert (shown["why"], shown["bound"], shown["cause"]) == (None, False, None)

    async def test_cards_of_their_own_wait_for_who_is_away(self, room):
        await self.bound(room)
        gate = {"goal_id": "docs", "gate_id": "gate_one", "question": "May we?", "blocks_goal": True}
        await room.daemon.act("gate.open", gate | {"approver": ["ann", "chen"]}, who="builder")

        def direct(slots, who):
            return [name for name in slots if name.startswith("gate:") and name.endswith(f"@direct:{who}")]

        assert direct(await room.slots(), "chen")
        await room.hears("left", people=[person("chen") | {"tenant_key": TENANT}])
        assert not direct(await room.slots(), "chen")
        assert direct(await room.slots(), "ann")
        await room.hears("joined", people=[person("chen") | {"tenant_key": TENANT}], event_id="later")
        assert direct(await room.slots(), "chen")

    async def test_the_platform_s_word_that_somebody_resigned_is_noted_for_whose_card_it_was(self, room):
        await room.hears("resigned", chat_id="", slot="gate:docs:gate_one:1@direct:vic")
        assert room.state.identity.away["vic"].why == "resigned"
        # Whoever writes to the bot is there.
        await room.says("vic", "help", chat_type="p2p")
        assert room.state.identity.away == {}

    @pytest.mark.parametrize("changes", [{"chat_id": "oc_nobody_knows"}, {"app_id": "cli_other"}])
    async def test_another_chat_or_app_says_nothing_about_anybody(self, room, changes):
        await self.bound(room)
        seq = room.state.seq
        await room.hears("left", people=[person("vic") | {"tenant_key": TENANT}], **changes)
        assert room.state.seq == seq


class TestChannels:
    async def bind(self, room, who="ann", goal_id="docs"):
        slot = (await room.says(who, "绑定"))["slot"]
        return slot, await room.press(slot, "channel.bind", who, {"shows": goal_id})

    async def test_a_chat_is_bound_from_the_chat_itself_and_a_press_right_after_is_handled(self, room):
        _, pressed = await self.bind(room)
        assert (pressed.code, pressed.kinds) == ("", ["channel.bound"])
        assert f"goal:docs@{CHAT}" in await room.slots()
        paused = await room.press(f"goal:docs@{CHAT}", "goal.pause")
        assert paused.code == ""

    async def test_what_is_let_go_says_so_and_its_buttons_do_nothing(self, room):
        slot, _ = await self.bind(room)
        token = await room.table.token("goal:docs", "goal.pause")
        pressed = await room.press(slot, "channel.unbind", form={"shows_no_more": "docs"})
        assert pressed.code == ""
        view = await room.view(f"goal:docs@{CHAT}")
        assert (view["identity"]["type"], view["tokens"]) == ("unshown", {})
        assert f"goal:docs@{CHAT}" not in await room.slots()
        refused = await room.table.press("ann", token)
        assert (refused.code, room.state.goals["docs"].state) == ("channel_let_go", "active")
        _, again = await self.bind(room)
        assert again.code == ""
        assert (await room.table.press("ann", token)).code == ""

    async def test_what_was_shown_because_the_workspace_was_says_so_too_once_that_is_let_go(self, room):
        bind, _ = await self.bind(room, goal_id="*")
        slot = (await room.says("ann", "status docs"))["slot"]
        token = (await room.view(slot))["tokens"]["goal.pause"]
        await room.press(bind, "channel.unbind", form={"shows_no_more": "*"})
        view = await room.view(slot)
        assert (view["identity"]["type"], view["tokens"]) == ("unshown", {})
        refused = await room.table.press("ann", token)
        assert (refused.code, room.state.goals["docs"].state) == ("channel_let_go", "active")
        await self.bind(room, goal_id="*")
        # What was let go by itself stays so beside the workspace, until it is bound again.
        bind, _ = await self.bind(room)
        await room.press(bind, "channel.unbind", form={"shows_no_more": "docs"})
        assert "docs" not in str(await room.says("ann", "goals"))
        await self.bind(room)
        assert (await room.table.press("ann", token)).code == ""

    async def test_only_what_is_theirs_is_offered_and_a_choice_that_is_not_is_refused(self, room):
        view = await room.view((await room.says("ann", "bind"))["slot"])
        assert [one["goal_id"] for one in view["identity"]["may_bind"]] == ["docs", "*"]
        slot = (await room.says("vic", "bind"))["slot"]
        shown = await room.view(slot)
        assert (shown["identity"]["may_bind"], shown["tokens"]) == ([], {})
        slot = (await room.says("ann", "bind"))["slot"]
        pressed = await room.press(slot, "channel.bind", "vic", {"shows": "docs"})
        assert pressed.code == "not_an_owner"

    async def test_the_workspace_and_a_goal_are_shown_side_by_side(self, room):
        await self.bind(room)
        await self.bind(room, goal_id="*")
        assert [*room.state.identity.channels] == [*room.state.goals["docs"].channels] == [CHAT]
        answer = await room.daemon.ask("GET", "/v1/actions/channel.list")
        assert [row["goal_id"] for row in answer.document["channels"]] == [None, "docs"]
        assert CHAT not in answer.body.decode()

    @pytest.mark.parametrize("how", ["message", "press"])
    async def test_a_chat_from_which_something_comes_is_there_whatever_came_late(self, room, how):
        await self.bind(room)
        await room.hears("added", event_id="first")
        # The platform delivers again for hours: that the bot was removed may come after that it was added.
        await room.hears("removed", event_id="late")
        assert f"goal:docs@{CHAT}" not in await room.slots()
        if how == "message":
            await room.says("ann", "goals", create_time_ms=0)
            assert f"goal:docs@{CHAT}" not in await room.slots()
            await room.says("ann", "goals")
        else:
            await room.press(f"goal:docs@{CHAT}", "goal.pause")
        assert f"goal:docs@{CHAT}" in await room.slots()
        assert room.state.identity.lost == {}

    async def test_a_chat_that_the_bot_was_removed_from_waits_and_comes_back(self, room):
        await self.bind(room)
        await room.hears("removed")
        await room.hears("removed", event_id="again")
        assert f"goal:docs@{CHAT}" not in await room.slots()
        (row,) = (await room.daemon.ask("GET", "/v1/actions/channel.list")).document["channels"]
        assert row["reachable"] is False
        lost = [event for event in room.daemon.store.events(0) if event.kind == "channel.lost"]
        assert len(lost) == 1
        await room.hears("added", event_id="back")
        assert f"goal:docs@{CHAT}" in await room.slots()

    async def test_a_chat_that_shows_nothing_is_nobody_s_news(self, room):
        seq = room.state.seq
        await room.hears("removed", chat_id="oc_nobody_knows")
        assert room.state.seq == seq
