"""Members: who may be known here, how a credential ends, and how a person's Lark identity is bound once."""

import pytest

from ledger.refusals import GeneralRefusal as G
from ledger.rules.members import MemberRefusal as R
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.world import DOCS, World, digest

IDENTITY = {"tenant_key": "t1", "app_id": "cli_1", "open_id": "ou_1", "union_id": "on_1"}


def _nothing(world: World, goal: dict[str, object]) -> None:
    """The people are there."""


def _revoke(who: str):
    return lambda world: world.do("operator", "member.revoke", member_id=who)


def _offered(world: World, goal: dict[str, object]) -> None:
    world.do("operator", "member.pair", member_id="bob", code_digest=digest("code"), ttl_seconds=60)


def _issued(world: World, goal: dict[str, object]) -> None:
    world.do("operator", "token.issue", member_id="builder", secret_digest=digest("secret"))


def _bind_ann(world: World) -> None:
    world.do("operator", "member.pair", member_id="ann", code_digest=digest("other"))
    world.do("bot", "member.bind", code_digest=digest("other"), identity_digest=digest("on_1"), **IDENTITY)


def _expire(world: World) -> None:
    world.now_ms += 60_000


ADD = Ladder(
    action="member.add",
    who="operator",
    base=_nothing,
    params={"member_id": "carol", "kind": "agent", "display_name": "Carol"},
    rungs=(
        Rung(code=R.MEMBER_ID_RESERVED, params={"member_id": "Daemon"}, alone=True),
        Rung(code=R.MEMBER_EXISTS, params={"member_id": "bob"}),
        Rung(code=R.ROLE_NEEDS_PERSON, params={"role": ["owner"]}),
    ),
)
REVOKE = Ladder(
    action="member.revoke",
    who="operator",
    base=_nothing,
    params={"member_id": "bob"},
    rungs=(
        Rung(code=R.MEMBER_ID_RESERVED, params={"member_id": "bot"}, alone=True),
        Rung(code=R.MEMBER_NOT_FOUND, params={"member_id": "nobody"}, alone=True),
        Rung(code=R.MEMBER_REVOKED, world=_revoke("bob"), alone=True),
        Rung(code=R.LAST_OWNER, params={"member_id": "ann"}),
    ),
)
ISSUE = Ladder(
    action="token.issue",
    who="operator",
    base=_issued,
    params={"member_id": "bob", "secret_digest": digest("new")},
    rungs=(
        Rung(code=R.TOKEN_ACTION_UNKNOWN, params={"allowed_action": ["todo.clame"]}),
        Rung(code=R.MEMBER_NOT_FOUND, params={"member_id": "nobody"}, alone=True),
        Rung(code=R.MEMBER_REVOKED, world=_revoke("bob")),
        Rung(code=R.TOKEN_GOAL_UNKNOWN, params={"goal_id": ["nope"]}),
        Rung(code=R.SECRET_IN_USE, params={"secret_digest": digest("secret")}),
    ),
)
END = Ladder(
    action="token.revoke",
    who="operator",
    base=_issued,
    params={"token_id": lambda w: w.state.tokens[digest("secret")].token_id},
    rungs=(
        Rung(code=R.TOKEN_NOT_FOUND, params={"token_id": "tok_999"}, alone=True),
        Rung(code=R.TOKEN_ALREADY_REVOKED, world=_revoke("builder")),
    ),
)
PAIR = Ladder(
    action="member.pair",
    who="operator",
    base=lambda world, goal: (_offered(world, goal), _expire(world)),
    params={"member_id": "bob", "code_digest": digest("new")},
    rungs=(
        Rung(code=R.MEMBER_NOT_FOUND, params={"member_id": "nobody"}, alone=True),
        Rung(code=R.MEMBER_REVOKED, params={"member_id": "helper"}, world=_revoke("helper"), alone=True),
        Rung(code=R.NOT_A_PERSON, params={"member_id": "builder"}),
        Rung(code=R.SECRET_IN_USE, params={"code_digest": digest("code")}),
    ),
)
BIND = Ladder(
    action="member.bind",
    who="bot",
    base=_offered,
    params=IDENTITY | {"code_digest": digest("code"), "identity_digest": digest("on_1")},
    rungs=(
        Rung(code=R.PAIRING_CODE_UNKNOWN, params={"code_digest": digest("guess")}, alone=True),
        Rung(code=R.PAIRING_CODE_EXPIRED, world=_expire, late=True),
        Rung(code=R.IDENTITY_BOUND_TO_ANOTHER, world=_bind_ann),
    ),
)
CREATE = Ladder(
    action="workspace.create",
    who="daemon",
    base=_nothing,
    params={
        "name": "Docs team",
        "incarnation": "0" * 32,
        "owner": "bot",
        "owner_name": "Ann",
        "owner_secret_digest": digest("a"),
        "bot_secret_digest": digest("a"),
    },
    rungs=(Rung(code=R.WORKSPACE_EXISTS),),
    expected=R.WORKSPACE_EXISTS,
)
LADDERS = (CREATE, ADD, REVOKE, ISSUE, END, PAIR, BIND)
CASES = cases(*LADDERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_broken_rule_is_the_answer(case):
    check(case)


@pytest.mark.parametrize("ladder", LADDERS, ids=lambda ladder: ladder.action)
def test_the_enumeration_lists_the_rules_in_the_order_in_which_they_are_checked(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached():
    # Nobody on a ladder shows a credential; the tests of scopes do.
    assert untested(R, *LADDERS) == {R.TOKEN_BEYOND_ITS_ISSUER}


@pytest.fixture
def world():
    return World()


class TestBeginning:
    @pytest.fixture
    def empty(self, world):
        world.state = type(world.state)()
        return world

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({"owner": "bot"}, R.MEMBER_ID_RESERVED),
            ({"owner": "ann"}, R.SECRET_IN_USE),
            ({"owner": "ann", "bot_secret_digest": digest("b")}, "committed"),
        ],
    )
    def test_a_ledger_begins_with_an_owner_and_a_bot_who_have_different_secrets(self, empty, changes, expected):
        assert empty.outcome("daemon", "workspace.create", **(CREATE.params | changes)) == expected

    def test_the_first_owner_and_the_bot_have_the_credentials_that_were_handed_in(self, world):
        owners = [(token.member_id, token.token_id) for token in world.state.tokens.values()]
        assert owners == [("ann", "tok_3"), ("bot", "tok_5")]
        assert set(world.state.tokens) == {digest("ann"), digest("bot")}


@pytest.mark.parametrize("action", ["member.add", "member.revoke", "token.issue", "member.pair", "button-key.rotate"])
@pytest.mark.parametrize("who", ["bob", "builder", "bot"])
def test_only_an_operator_or_an_owner_administers(world, action, who):
    params = {
        "member.add": ADD.params,
        "member.revoke": REVOKE.params,
        "token.issue": ISSUE.params,
        "member.pair": {"member_id": "bob", "code_digest": digest("new")},
        "button-key.rotate": {},
    }[action]
    assert world.outcome(who, action, **params) == G.NOT_PERMITTED
    assert world.outcome("operator", action, **params) == "committed"
    assert world.outcome("ann", action, **params) == "committed"


def test_names_of_members_are_lower_case_with_dashes_for_spaces(world):
    world.do("operator", "member.add", member_id=" Ann Lee ", kind="person", display_name="Ann Lee")
    assert "ann-lee" in world.state.members


def test_revoking_a_member_ends_every_credential_binding_and_hold_at_once(world):
    _issued(world, {})
    world.activate()
    world.add("todo_leased")
    world.add("todo_claimed")
    world.add("todo_blocked")
    world.lease("todo_leased")
    for todo_id in ("todo_claimed", "todo_blocked"):
        world.do("builder", "todo.claim", goal_id=DOCS, todo_id=todo_id)
    world.do("builder", "todo.block", goal_id=DOCS, todo_id="todo_blocked", reason="The site is down")
    events = world.do("operator", "member.revoke", member_id="builder")
    assert [event.kind for event in events] == ["member.revoked", "lease.released", "todo.released", "todo.released"]
    assert world.state.tokens[digest("secret")].revoked
    assert {todo.claimed_by for todo in world.goal().todos.values()} == {None}
    assert world.outcome("helper", "todo.claim", goal_id=DOCS, todo_id="todo_leased") == "committed"
    assert world.outcome("builder", "todo.claim", goal_id=DOCS, todo_id="todo_leased") == G.CREDENTIAL_REVOKED


def test_a_revoked_person_loses_the_binding_the_address_and_the_open_code(world):
    _offered(world, {})
    world.do("bot", "member.bind", **BIND.params)
    world.do("operator", "member.pair", member_id="bob", code_digest=digest("again"))
    world.do("operator", "member.revoke", member_id="bob")
    assert (world.state.identities, world.state.addresses, world.state.pairings) == ({}, {}, {})
    assert (
        world.outcome("bot", "member.bind", **(BIND.params | {"code_digest": digest("again")}))
        == R.PAIRING_CODE_UNKNOWN
    )


def test_a_second_owner_makes_the_first_one_dispensable(world):
    world.do("operator", "member.add", member_id="carol", kind="person", display_name="Carol", role=["owner"])
    assert world.outcome("operator", "member.revoke", member_id="ann") == "committed"


def test_a_token_ends_when_it_was_said_to(world):
    world.do("operator", "token.issue", member_id="builder", secret_digest=digest("secret"), ttl_seconds=60)
    assert world.state.tokens[digest("secret")].expires_at_ms == world.now_ms + 60_000


def test_a_code_binds_one_identity_and_is_spent(world):
    _offered(world, {})
    world.do("bot", "member.bind", **BIND.params)
    assert world.state.identities == {digest("on_1"): "bob"}
    assert world.state.addresses["bob"].open_id == "ou_1"
    assert world.outcome("bot", "member.bind", **BIND.params) == R.PAIRING_CODE_UNKNOWN


def test_a_newer_code_voids_the_older(world):
    _offered(world, {})
    world.do("operator", "member.pair", member_id="bob", code_digest=digest("newer"))
    assert world.outcome("bot", "member.bind", **BIND.params) == R.PAIRING_CODE_UNKNOWN
    assert world.outcome("bot", "member.bind", **(BIND.params | {"code_digest": digest("newer")})) == "committed"


def test_a_person_with_a_new_identity_leaves_the_old_one_free(world):
    _offered(world, {})
    world.do("bot", "member.bind", **BIND.params)
    world.do("operator", "member.pair", member_id="bob", code_digest=digest("again"))
    world.do(
        "bot", "member.bind", **(BIND.params | {"code_digest": digest("again"), "identity_digest": digest("on_2")})
    )
    assert world.state.identities == {digest("on_2"): "bob"}


def test_a_code_is_good_until_its_last_millisecond(world):
    _offered(world, {})
    world.now_ms += 59_999
    assert world.outcome("bot", "member.bind", **BIND.params) == "committed"
    world.now_ms += 1
    assert world.outcome("bot", "member.bind", **BIND.params) == R.PAIRING_CODE_EXPIRED


def test_only_the_bot_relays_a_binding(world):
    _offered(world, {})
    for who in ("ann", "bob", "builder", "operator"):
        assert world.outcome(who, "member.bind", **BIND.params) == G.NOT_PERMITTED


def test_yesterdays_cards_keep_working_for_their_grace_time(world):
    world.do("operator", "button-key.rotate", grace_seconds=60)
    assert world.state.button_keys == {1: world.now_ms + 60_000, 2: None}
    assert world.state.button_key_id == 2


@pytest.mark.parametrize("who", ["ann", "builder", "bot"])
def test_a_credential_of_another_kind_than_its_member_is_no_credential(world, who):
    caller = world.caller(who)
    forged = type(caller)(member_id=caller.member_id, kind="person" if who != "ann" else "agent", surface="cli")
    world.caller = lambda *_: forged
    assert world.outcome(who, "goal.propose", objective="Mine", criterion=["Done"]) == G.CREDENTIAL_REVOKED


@pytest.mark.parametrize("word", ["all", "anybody", "anyone", "everybody", "everyone", "me", "nobody", "system"])
def test_nobody_is_called_by_a_word_that_stands_for_others(world, word):
    asked = {"member_id": word, "kind": "agent", "display_name": "Somebody"}
    assert world.outcome("operator", "member.add", **asked) == "member_id_reserved"
