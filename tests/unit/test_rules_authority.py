"""Grants, profiles and the scopes of credentials: what is named holds, and nothing is left when it ends."""

import msgspec
import pytest

from ledger.catalogue import ACTIONS
from ledger.decide import decide
from ledger.projections.documents import valid_until_ms
from ledger.rules.tokens import scope_allows
from tests.support.world import DOCS, World, digest, parse

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}


@pytest.fixture
def world():
    world = World()
    world.activate()
    world.add("todo_one", action_kind="check", required_write_scope=["reports/one"])
    return world


def test_an_agent_is_held_to_the_kinds_that_were_named_even_when_their_grant_has_ended(world):
    (event,) = world.do("ann", "member.grant", member_id="builder", action_kind=["write"], ttl_seconds=60)
    assert world.outcome("builder", "todo.claim", **ONE) == "action_kind_not_granted"
    assert world.outcome("helper", "todo.claim", **ONE) == "committed"
    world.do("ann", "member.grant", member_id="builder", action_kind=["check"])
    assert world.outcome("builder", "todo.claim", **ONE) == "committed"
    assert world.outcome("bob", "member.revoke-grant", grant_id=event.facts.grant_id) == "not_an_owner"


def test_a_document_is_kept_no_longer_than_the_next_grant_that_ends(world):
    """What an agent may do, and with it what a plan lacks and what it is confirmed by, ends with a grant's time."""
    for span_s in (3_600, 60):
        world.do("ann", "member.grant", member_id="builder", action_kind=["write"], ttl_seconds=span_s)
    began_ms = world.now_ms
    assert valid_until_ms(world.state, DOCS, began_ms) == began_ms + 60_000
    assert valid_until_ms(world.state, DOCS, began_ms + 60_000) == began_ms + 3_600_000
    assert valid_until_ms(world.state, DOCS, began_ms + 3_600_000) is None


def test_a_grant_that_ends_takes_away_exactly_what_it_gave(world):
    (event,) = world.do("ann", "member.grant", member_id="stranger", goal_id=[DOCS], capability=["gpu"], ttl_seconds=60)
    assert world.outcome("stranger", "todo.claim", **ONE) == "committed"
    world.now_ms += 60_000
    assert world.outcome("stranger", "todo.claim", **ONE) == "goal_not_granted"
    world.do("daemon", "member.end-grant", grant_id=event.facts.grant_id)
    member = world.state.members["stranger"]
    assert (member.goals, member.capabilities) == (("elsewhere",), ())


def test_a_lease_writes_only_what_was_granted(world):
    world.do("ann", "member.grant", member_id="builder", write_scope=["docs/**"])
    asked = ONE | {"idempotency_key": "run-1"}
    assert world.outcome("builder", "task-lease.acquire", **asked) == "write_scope_not_granted"


def test_a_proposer_takes_no_work_without_an_owners_grant(world):
    added = {"member_id": "dreamer", "kind": "agent", "display_name": "Dreamer", "profile_role": "dreaming_proposer"}
    world.do("operator", "member.add", **added)
    assert world.outcome("dreamer", "todo.claim", **ONE) == "proposer_only"
    assert world.outcome("dreamer", "member.profile", profile_role="executor") == "profile_role_not_yours"
    world.do("ann", "member.grant", member_id="dreamer", goal_id=[DOCS])
    assert world.outcome("dreamer", "todo.claim", **ONE) == "committed"


def test_a_scoped_credential_is_good_for_what_it_names_and_ends_at_once(world):
    world.do(
        "ann", "token.issue", member_id="builder", secret_digest=digest("one"), allowed_action=["todo"], goal_id=[DOCS]
    )
    token = world.state.tokens[digest("one")]
    assert not scope_allows(token, "todo.list", None)
    caller = msgspec.structs.replace(world.caller("builder"), token_id=token.token_id)

    def outcome(action, **params):
        found = decide(world.state, ACTIONS[action], caller, parse(action, params), world.now_ms)
        return "committed" if isinstance(found, tuple) else found.code.value

    assert outcome("todo.claim", **ONE) == "committed"
    assert outcome("task-lease.acquire", **ONE, idempotency_key="run-1") == "token_scope_forbids"
    assert outcome("todo.claim", goal_id="site", todo_id="todo_one") == "token_scope_forbids"
    world.do("ann", "token.revoke", token_id=token.token_id)
    assert outcome("todo.claim", **ONE) == "credential_revoked"


def test_a_rotated_credential_keeps_its_scope_and_the_old_one_ends_after_its_grace(world):
    world.do("ann", "token.issue", member_id="builder", secret_digest=digest("one"), allowed_action=["todo"])
    old = world.state.tokens[digest("one")]
    asked = {"token_id": old.token_id, "secret_digest": digest("two"), "grace_seconds": 60}
    assert world.outcome("helper", "token.rotate", **asked) == "token_not_found"
    world.do("builder", "token.rotate", **asked)
    assert world.state.tokens[digest("one")].expires_at_ms == world.now_ms + 60_000
    assert world.state.tokens[digest("two")].actions == ("todo",)


def _by(world, secret, action, **params):
    """What comes of a call of whoever holds this credential."""
    token = world.state.tokens[digest(secret)]
    caller = msgspec.structs.replace(world.caller(token.member_id), token_id=token.token_id)
    found = decide(world.state, ACTIONS[action], caller, parse(action, params), world.now_ms)
    return "committed" if isinstance(found, tuple) else (found.code.value, found.details.get("field"))


def test_a_credential_with_a_scope_makes_none_that_is_good_for_more(world):
    issued = {"member_id": "ann", "secret_digest": digest("new")}
    scope = {"allowed_action": ["token", "todo.add"], "ttl_seconds": 60}
    world.do("ann", "token.issue", member_id="ann", secret_digest=digest("narrow"), **scope)
    beyond = "token_beyond_its_issuer"
    assert _by(world, "narrow", "token.issue", **issued, ttl_seconds=60) == (beyond, "allowed_action")
    wider = scope | {"allowed_action": ["token", "todo"]}
    assert _by(world, "narrow", "token.issue", **issued, **wider) == (beyond, "allowed_action")
    assert _by(world, "narrow", "token.issue", **issued, allowed_action=["token"]) == (beyond, "ttl_seconds")
    assert _by(world, "narrow", "token.issue", **issued, **(scope | {"ttl_seconds": 61})) == (beyond, "ttl_seconds")
    assert _by(world, "narrow", "token.issue", **issued, **scope) == "committed"
    assert _by(world, "narrow", "token.issue", **issued, **(scope | {"allowed_action": ["token.list"]})) == "committed"


def test_a_credential_that_ends_makes_none_that_outlives_it(world):
    """It is good for everything, and yet only until then: else whoever stole it would have it for ever."""
    issued = {"member_id": "ann", "secret_digest": digest("new")}
    world.do("ann", "token.issue", member_id="ann", secret_digest=digest("short"), ttl_seconds=60)
    beyond = ("token_beyond_its_issuer", "ttl_seconds")
    assert _by(world, "short", "token.issue", **issued) == beyond
    assert _by(world, "short", "token.issue", **issued, ttl_seconds=61) == beyond
    assert _by(world, "short", "token.issue", **issued, ttl_seconds=60) == "committed"
    assert _by(world, "short", "token.issue", **issued, ttl_seconds=60, allowed_action=["todo"]) == "committed"
    own = world.state.tokens[digest("short")].token_id
    assert _by(world, "short", "token.rotate", token_id=own, secret_digest=digest("new"), ttl_seconds=61) == beyond
    assert _by(world, "short", "token.rotate", token_id=own, secret_digest=digest("new")) == "committed"


def test_a_credential_with_a_scope_rotates_none_that_is_good_for_more(world):
    for secret, scope in {"narrow": {"allowed_action": ["token"], "ttl_seconds": 60}, "whole": {}}.items():
        world.do("ann", "token.issue", member_id="ann", secret_digest=digest(secret), **scope)
    narrow, whole = (world.state.tokens[digest(secret)].token_id for secret in ("narrow", "whole"))
    new = {"secret_digest": digest("new")}
    beyond = "token_beyond_its_issuer"
    assert _by(world, "narrow", "token.rotate", token_id=whole, **new) == (beyond, "allowed_action")
    assert _by(world, "narrow", "token.rotate", token_id=narrow, ttl_seconds=61, **new) == (beyond, "ttl_seconds")
    assert _by(world, "narrow", "token.rotate", token_id=narrow, **new) == "committed"
    assert _by(world, "whole", "token.rotate", token_id=narrow, ttl_seconds=61, **new) == "committed"


def test_a_credential_that_would_be_good_for_nothing_is_not_issued(world):
    issued = {"member_id": "builder", "secret_digest": digest("new")}
    world.do("ann", "token.issue", member_id="ann", secret_digest=digest("whole"))
    for name in ("todo.clame", "tood"):
        found = _by(world, "whole", "token.issue", **issued, allowed_action=["todo", name])
        assert found == ("token_action_unknown", "allowed_action")
    found = _by(world, "whole", "token.issue", **issued, goal_id=[DOCS, "nope"])
    assert found == ("token_goal_unknown", "goal_id")
    assert _by(world, "whole", "token.issue", **issued, allowed_action=["todo.claim"], goal_id=[DOCS]) == "committed"
