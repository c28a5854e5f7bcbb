"""Invitations and bindings: only the invited person joins, nobody twice, and what is revoked stays revoked."""

import pytest
from pydantic import ValidationError

from ledger.projections.identity_cards import invitation_view
from ledger.refusals import GeneralRefusal as G
from ledger.rules.bindings import BindingRefusal as B
from ledger.rules.identities import identity_digest, member_of
from ledger.rules.invitations import InvitationRefusal as R
from ledger.text.happened import sentence
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.world import World, digest, parse

HOME = {"tenant_key": "t1", "app_id": "cli_1"}
BOB = {**HOME, "open_id": "ou_bob", "union_id": "on_bob"}
CAT = {**HOME, "open_id": "ou_cat", "union_id": "on_cat"}
INVITE = {"member_id": "cat", "display_name": "Cat Lee", "role": ["approver"], "open_id": "ou_cat"}
DAYS_MS = 86_400_000


def bound(world: World, who: str = "bob", person: dict[str, str] = BOB) -> None:
    """A person of Lark is bound by a code."""
    code = digest(f"code {who}")
    world.do("operator", "member.pair", member_id=who, code_digest=code)
    world.do("bot", "member.bind", code_digest=code, identity_digest=identity_digest(**person), **person)


def _home(world: World, _goal: dict[str, object]) -> None:
    bound(world)


def _add(**member: object):
    return lambda world: world.do("operator", "member.add", **({"display_name": "Cat"} | member))


def _revoke(who: str):
    return lambda world: world.do("operator", "member.revoke", member_id=who)


def _invite(**changes: object):
    return lambda world: world.do("ann", "member.invite", **(INVITE | changes))


def _plain_member(world: World) -> None:
    _add(member_id="cat", kind="person")(world)


def _bound_member(world: World) -> None:
    _plain_member(world)
    bound(world, "cat", {**CAT, "open_id": "ou_cat2", "union_id": "on_cat2"})


def _agent(world: World) -> None:
    _add(member_id="cat", kind="agent")(world)


def _revoked_cat(world: World) -> None:
    _plain_member(world)
    _revoke("cat")(world)


def _late(world: World) -> None:
    world.now_ms += 3 * DAYS_MS


def _answered(answer: str = "decline"):
    return lambda world: world.do("bot", "member.answer-invitation", invitation_id=newest(world), answer=answer, **CAT)


def newest(world: World) -> str:
    """The last invitation."""
    return [*world.state.identity.invitations][-1]


def _second_owner(world: World) -> None:
    world.do("operator", "member.add", member_id="eve", kind="person", display_name="Eve", role=["owner"])
    _revoke("ann")(world)


def _invited(world: World, _goal: dict[str, object]) -> None:
    bound(world)
    _invite()(world)


OFFER = Ladder(
    action="member.invite",
    who="operator",
    base=_home,
    params=INVITE,
    rungs=(
        Rung(code=R.MEMBER_ID_RESERVED, params={"member_id": "me"}),
        Rung(
            code=R.ORGANISATION_UNKNOWN,
            world=lambda world: world.do("ann", "member.unbind", member_id="bob"),
            alone=True,
        ),
        Rung(code=R.ORGANISATION_FOREIGN, params={"tenant_key": "t2"}),
        Rung(code=R.MEMBER_REVOKED, world=_revoked_cat, alone=True),
        Rung(code=R.NOT_A_PERSON, world=_agent, alone=True),
        Rung(code=R.MEMBER_ALREADY_BOUND, world=_bound_member, alone=True),
        Rung(code=R.MEMBER_HAS_ROLES, world=_plain_member, alone=True),
        Rung(code=R.DISPLAY_NAME_REQUIRED, params={"display_name": None}),
        Rung(code=R.IDENTITY_BOUND_TO_ANOTHER, params={"open_id": "ou_bob"}, alone=True),
        Rung(code=R.INVITATION_OPEN, world=_invite(member_id="cat-two")),
    ),
)
ANSWER = Ladder(
    action="member.answer-invitation",
    who="bot",
    base=_invited,
    params={"invitation_id": newest, "answer": "accept", **CAT},
    rungs=(
        Rung(code=R.INVITATION_NOT_FOUND, params={"invitation_id": "inv_999"}, alone=True),
        Rung(code=R.INVITATION_NOT_YOURS, params={"open_id": "ou_eve"}),
        Rung(code=R.INVITATION_CLOSED, world=_answered(), late=True, alone=True),
        Rung(code=R.INVITATION_EXPIRED, world=_late),
        Rung(code=R.INVITER_GONE, world=_second_owner),
        Rung(code=R.MEMBER_REVOKED, world=_revoked_cat, alone=True),
        Rung(code=R.MEMBER_ALREADY_BOUND, world=_bound_member),
        Rung(code=R.IDENTITY_BOUND_TO_ANOTHER, params={"union_id": "on_bob"}),
    ),
)
WITHDRAW = Ladder(
    action="member.withdraw-invitation",
    who="operator",
    base=_invited,
    params={"invitation_id": newest},
    rungs=(
        Rung(code=R.INVITATION_NOT_FOUND, params={"invitation_id": "inv_999"}, alone=True),
        Rung(code=R.INVITATION_CLOSED, world=_answered(), late=True, alone=True),
        Rung(code=R.INVITATION_EXPIRED, world=_late),
    ),
)
UNBIND = Ladder(
    action="member.unbind",
    who="ann",
    base=_home,
    params={"member_id": "bob"},
    rungs=(
        Rung(code=B.MEMBER_NOT_FOUND, params={"member_id": "nobody-here"}, alone=True),
        Rung(code=B.MEMBER_REVOKED, world=_revoke("bob"), alone=True),
        Rung(code=B.BINDING_NOT_YOURS, who="bob", params={"member_id": "ann"}),
        Rung(code=B.NOT_BOUND, params={"member_id": "ann"}),
    ),
)
UPGRADE = Ladder(
    action="member.upgrade-identity",
    who="bot",
    base=lambda world, _goal: bound(world, "bob", {**BOB, "union_id": ""}),
    params=BOB,
    rungs=(
        Rung(code=B.NOT_BOUND, params={"open_id": "ou_nobody"}, alone=True),
        Rung(code=B.IDENTITY_BOUND_TO_ANOTHER, world=lambda world: bound(world, "ann", {**CAT, "union_id": "on_bob"})),
    ),
)
REPORT = Ladder(
    action="member.report",
    who="bot",
    base=_home,
    params={"member_id": "bob", "change": "left_chat"},
    rungs=(
        Rung(code=B.MEMBER_NOT_FOUND, params={"member_id": "nobody-here"}, alone=True),
        Rung(code=B.MEMBER_REVOKED, world=_revoke("bob"), alone=True),
        Rung(code=B.NOT_BOUND, params={"member_id": "ann"}),
    ),
)
LADDERS = (OFFER, ANSWER, WITHDRAW, UNBIND, UPGRADE, REPORT)
CASES = cases(*LADDERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.action)
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_families_is_reached():
    assert untested(R, *LADDERS) == set()
    assert untested(B, *LADDERS) == set()


@pytest.fixture
def world():
    made = World()
    bound(made)
    return made


def accept(world, **changes):
    return world.ask(
        "bot", "member.answer-invitation", **({"invitation_id": newest(world), "answer": "accept", **CAT} | changes)
    )


def test_accepting_makes_the_member_and_binds_it_in_one_transaction(world):
    world.do("ann", "member.invite", **INVITE)
    answer = accept(world)
    assert [event.kind for event in answer.events] == ["member.added", "invitation.accepted"]
    member = world.state.members["cat"]
    assert (member.kind, member.roles, member.display_name) == ("person", ("approver",), "Cat Lee")
    assert world.state.addresses["cat"].open_id == "ou_cat"
    assert member_of(world.state, **CAT) == "cat"
    binding = world.state.identity.bindings["cat"]
    assert (binding.how, binding.by, binding.at_ms) == ("invitation", "ann", world.now_ms)


def test_a_member_who_is_there_already_gets_the_identity_and_keeps_the_roles(world):
    world.do("operator", "member.add", member_id="cat", kind="person", display_name="Cat", role=["viewer"])
    world.do("ann", "member.invite", member_id="cat", open_id="ou_cat")
    assert [event.kind for event in accept(world).events] == ["invitation.accepted"]
    assert world.state.members["cat"].roles == ("viewer",)


@pytest.mark.parametrize("who", ["bob", "builder", "bot"])
def test_nobody_but_an_owner_or_the_operator_invites(world, who):
    assert world.outcome(who, "member.invite", **INVITE) == G.NOT_PERMITTED


@pytest.mark.parametrize("who", ["ann", "operator", "builder"])
def test_only_the_bot_relays_an_answer(world, who):
    world.do("ann", "member.invite", **INVITE)
    params = {"invitation_id": newest(world), "answer": "accept", **CAT}
    assert world.outcome(who, "member.answer-invitation", **params) == G.NOT_PERMITTED


def test_an_owner_cannot_become_a_second_member_by_an_invitation_of_their_own(world):
    bound(world, "ann", {**HOME, "open_id": "ou_ann", "union_id": "on_ann"})
    again = INVITE | {"member_id": "ann-two", "open_id": "ou_ann"}
    assert world.outcome("ann", "member.invite", **again) == R.IDENTITY_BOUND_TO_ANOTHER
    # Another app knows the same person by another open id; the union id tells.
    world.do("ann", "member.invite", **(again | {"open_id": "ou_ann_elsewhere"}))
    answer = accept(world, open_id="ou_ann_elsewhere", union_id="on_ann")
    assert answer.refusal.code == R.IDENTITY_BOUND_TO_ANOTHER
    assert "ann-two" not in world.state.members


def test_a_person_whose_union_id_is_not_said_this_time_becomes_no_second_member(world):
    world.do("ann", "member.invite", **INVITE)
    world.do("operator", "member.add", member_id="dora", kind="person", display_name="Dora")
    code = digest("another code for dora")
    world.do("operator", "member.pair", member_id="dora", code_digest=code)
    # Bob, who is bound by his union id, sends a code that was given out for Dora.
    unnamed = BOB | {"union_id": ""}
    params = {"code_digest": code, "identity_digest": identity_digest(**unnamed), **unnamed}
    assert world.outcome("bot", "member.bind", **params) == "identity_bound_to_another"
    # Whoever was invited has become Dora meanwhile.
    bound(world, "dora", CAT)
    params = {"invitation_id": newest(world), "answer": "accept", **CAT, "union_id": ""}
    assert world.outcome("bot", "member.answer-invitation", **params) == R.IDENTITY_BOUND_TO_ANOTHER
    assert "cat" not in world.state.members


def test_a_revoked_member_stays_revoked_and_the_person_may_be_invited_as_another(world):
    world.do("ann", "member.invite", **INVITE)
    accept(world)
    world.do("ann", "member.revoke", member_id="cat")
    assert member_of(world.state, **CAT) is None
    assert world.outcome("ann", "member.invite", **INVITE) == R.MEMBER_REVOKED
    world.do("ann", "member.invite", **(INVITE | {"member_id": "cat-again"}))
    assert accept(world).events
    assert member_of(world.state, **CAT) == "cat-again"


def test_an_invitation_is_good_until_its_last_millisecond_and_gives_way_to_a_new_one(world):
    world.do("ann", "member.invite", **INVITE, ttl_seconds=300)
    world.now_ms += 299_999
    assert world.outcome("ann", "member.invite", **INVITE) == R.INVITATION_OPEN
    params = {"invitation_id": newest(world), "answer": "accept", **CAT}
    assert world.outcome("bot", "member.answer-invitation", **params) == "committed"
    world.now_ms += 1
    assert world.outcome("bot", "member.answer-invitation", **params) == R.INVITATION_EXPIRED
    events = world.do("ann", "member.invite", **INVITE)
    assert [event.kind for event in events] == ["invitation.ended", "invitation.offered"]
    assert [one.status for one in world.state.identity.invitations.values()] == ["expired", "open"]
    assert accept(world).events


def test_the_daemon_writes_off_what_nobody_answered_once_and_not_too_early(world):
    world.do("ann", "member.invite", **INVITE, ttl_seconds=300)
    name = newest(world)
    assert world.outcome("daemon", "member.end-invitation", invitation_id=name) == "held"
    world.now_ms += 300_000
    world.do("daemon", "member.end-invitation", invitation_id=name)
    assert world.outcome("daemon", "member.end-invitation", invitation_id=name) == "held"
    assert (world.state.identity.until, world.state.identity.open_for) == ([], {})


def test_an_end_of_a_binding_leaves_nobody_behind_the_identity(world):
    world.do("bob", "member.unbind")
    assert member_of(world.state, **BOB) is None
    assert (world.state.identities, world.state.addresses, world.state.identity.bindings) == ({}, {}, {})
    assert world.state.members["bob"].identity_digest is None
    # A new invitation or code binds again.
    bound(world)
    assert member_of(world.state, **BOB) == "bob"


class TestWhoIsWho:
    """People are keyed by tenant and union id, or by the open id of one app."""

    def test_the_same_person_on_a_second_app_is_the_same_member(self, world):
        assert member_of(world.state, **(BOB | {"app_id": "cli_2", "open_id": "ou_other"})) == "bob"

    def test_the_same_ids_in_another_tenant_are_somebody_else(self, world):
        assert member_of(world.state, **(BOB | {"tenant_key": "t2"})) is None

    def test_a_union_id_that_is_not_said_this_time_makes_nobody_a_stranger(self, world):
        assert member_of(world.state, **(BOB | {"union_id": ""})) == "bob"
        assert member_of(world.state, **(BOB | {"union_id": "", "app_id": "cli_2"})) is None

    def test_another_union_id_under_an_open_id_bound_by_union_is_nobody(self, world):
        assert member_of(world.state, **(BOB | {"union_id": "on_eve"})) is None

    def test_a_union_id_that_comes_later_is_the_same_member_under_a_better_name(self):
        world = World()
        bound(world, "bob", {**BOB, "union_id": ""})
        assert member_of(world.state, **BOB) == "bob"
        world.do("bot", "member.upgrade-identity", **BOB)
        assert world.state.identities == {identity_digest(**BOB): "bob"}
        assert world.state.identity.bindings["bob"].digest == identity_digest(**BOB)
        assert world.outcome("bot", "member.upgrade-identity", **BOB) == "held"
        assert member_of(world.state, **(BOB | {"app_id": "cli_2", "open_id": "ou_other"})) == "bob"


class TestLeaving:
    """That somebody left ends no right."""

    def test_leaving_and_coming_back_are_written_once_and_change_no_right(self, world):
        before = world.state.members["bob"]
        world.do("bot", "member.report", member_id="bob", change="left_chat")
        assert world.outcome("bot", "member.report", member_id="bob", change="resigned") == "held"
        assert world.state.members["bob"] == before
        assert member_of(world.state, **BOB) == "bob"
        assert world.state.identity.away["bob"].why == "left_chat"
        world.do("bot", "member.report", member_id="bob", change="back")
        assert world.outcome("bot", "member.report", member_id="bob", change="back") == "held"
        assert world.state.identity.away == {}

    def test_being_bound_anew_is_being_back(self, world):
        world.do("bot", "member.report", member_id="bob", change="resigned")
        bound(world, "bob", {**BOB, "open_id": "ou_bob2", "union_id": "on_bob2"})
        assert world.state.identity.away == {}


@pytest.mark.parametrize(("answer", "kind"), [("accept", "invitation.accepted"), ("decline", "invitation.ended")])
def test_an_answer_is_told_as_the_invited_persons_own(answer, kind):
    world = World()
    _invited(world, {})
    _answered(answer)(world)
    cause = invitation_view(world.state, world.state.identity.invitations[newest(world)], world.now_ms).cause
    assert (cause.kind, cause.actor_id, cause.actor_name) == (kind, "cat", "Cat Lee")


def test_who_joined_by_an_invitation_was_not_added_by_the_bot():
    facts = {"member_id": "cat", "member_kind": "person"}
    assert sentence("member.added", facts, "bot", "en") == "cat joined by an invitation (a person)."
    assert sentence("member.added", facts, "bot", "zh") == "cat 应邀加入（人）。"
    assert sentence("member.added", facts, "ann", "en") == "ann added cat (a person)."


@pytest.mark.parametrize("nobody", ["@_all", "all", "ou_", "on_cat", "ou_\x00", "ou_a b", "ou_" + "a" * 158, "oc_chat"])
def test_whoever_cannot_be_reached_is_not_invited_and_takes_no_place(nobody):
    with pytest.raises(ValidationError):
        parse("member.invite", INVITE | {"open_id": nobody})
