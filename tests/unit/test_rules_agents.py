"""Bindings of agents: untested until a real turn was seen, and untested again when that says nothing any more."""

import pytest
from msgspec.structs import replace

from ledger.ids import MemberId, TokenId
from ledger.refusals import GeneralRefusal as G
from ledger.rules.agents import FACTS, QUALIFIED_MS_MAX, standing_of, unproven
from ledger.rules.agents import AgentRefusal as R
from tests.support.ladder import Ladder, Rung, cases, check, check_order, untested
from tests.support.world import DOCS, World, digest, replay

CONFIG = digest("configuration")
BUILDER = MemberId("builder")


def token_of(secret: str):
    return lambda world: str(world.state.tokens[digest(secret)].token_id)


def issue(world: World, member_id: str = "builder", secret: str = "secret", **changes: object) -> None:
    world.do("operator", "token.issue", member_id=member_id, secret_digest=digest(secret), **changes)


def issued(world: World, _goal: dict[str, object]) -> None:
    world.activate()
    issue(world)
    issue(world, "helper", "helpers")


def bind(world: World, **changes: object) -> None:
    asked = {"agent_id": "builder", "runtime": "claude_code", "config_sha256": CONFIG, "token_id": None} | changes
    world.do("operator", "agent.bind", **(asked | {"token_id": asked["token_id"] or token_of("secret")(world)}))


def bound(world: World, goal: dict[str, object]) -> None:
    issued(world, goal)
    bind(world)


def by_token(world: World, who: str, secret: str, action: str, **params: object):
    """A command as it comes in by a credential."""
    request = world.request(who, action, **params)
    return replace(request, caller=replace(request.caller, token_id=TokenId(token_of(secret)(world))))


def probe(world: World, *challenges: str, secret: str = "secret", **params: object) -> None:
    for challenge in challenges:
        asked = by_token(world, "builder", secret, "agent.probe", challenge=digest(challenge), **params)
        (answer,) = world.drain(asked)
        assert answer.refusal is None, answer.refusal


def probed(world: World, goal: dict[str, object]) -> None:
    bound(world, goal)
    probe(world, "one", "two")


def revoke_token(world: World) -> None:
    world.do("operator", "token.revoke", token_id=token_of("secret")(world))


def revoke_builder(world: World) -> None:
    world.do("operator", "member.revoke", member_id="builder")


def all_proven() -> list[str]:
    seen = dict.fromkeys(FACTS, digest("seen")) | {"write_path": digest("one"), "runtime_turn": digest("two")}
    return [f"{fact}={sha256}" for fact, sha256 in seen.items()]


def prove(world: World, **changes: object) -> None:
    asked = {"agent_id": "builder", "config_sha256": CONFIG, "proven": all_proven()}
    world.do("operator", "agent.prove", **(asked | changes))


def standing(world: World):
    binding = world.state.agents.bindings[BUILDER]
    found = standing_of(world.state, binding, world.now_ms)
    return found.word, found.because


BIND = Ladder(
    action="agent.bind",
    who="operator",
    base=issued,
    params={
        "agent_id": "builder", "runtime": "claude_code", "config_sha256": CONFIG, "token_id": token_of("secret"),
    },
    rungs=(
        Rung(code=R.MEMBER_NOT_FOUND, params={"agent_id": "nobody"}, alone=True),
        Rung(code=R.MEMBER_REVOKED, world=revoke_builder, alone=True),
        Rung(code=R.NOT_AN_AGENT, params={"agent_id": "bob"}),
        Rung(code=R.TOKEN_NOT_FOUND, params={"token_id": "tok_9999"}, alone=True),
        Rung(code=R.TOKEN_OF_ANOTHER, params={"token_id": token_of("helpers")}, alone=True),
        Rung(code=R.BINDING_TOKEN_ENDED, world=revoke_token),
    ),
)  # fmt: skip
UNBIND = Ladder(
    action="agent.unbind",
    who="operator",
    base=bound,
    params={"agent_id": "builder"},
    rungs=(Rung(code=R.AGENT_NOT_BOUND, params={"agent_id": "helper"}),),
)
PROVE = Ladder(
    action="agent.prove",
    who="operator",
    base=probed,
    params={"agent_id": "builder", "config_sha256": CONFIG, "proven": all_proven()},
    rungs=(
        Rung(code=R.MEMBER_NOT_FOUND, params={"agent_id": "nobody"}, alone=True),
        Rung(code=R.MEMBER_REVOKED, world=revoke_builder, alone=True),
        Rung(code=R.AGENT_NOT_BOUND, params={"agent_id": "helper"}, alone=True),
        Rung(code=R.BINDING_TOKEN_ENDED, world=revoke_token),
        Rung(code=R.BINDING_CHANGED, params={"config_sha256": digest("other")}),
        Rung(code=R.NOTHING_PROVEN, params={"proven": [], "failed": []}, alone=True),
        Rung(code=R.FACT_CONTRADICTED, params={"failed": ["protocol", "write_path"]}),
        Rung(code=R.PROBE_MISSING, params={"proven": [f"write_path={digest('three')}"]}, alone=True),
        Rung(
            code=R.PROBE_USED_TWICE,
            params={"proven": [f"write_path={digest('one')}", f"runtime_turn={digest('one')}"]},
        ),
    ),
)
CASES = cases(BIND, UNBIND, PROVE)


@pytest.mark.parametrize("sentence", CASES)
def test_the_first_broken_rule_is_the_answer(sentence):
    check(CASES[sentence])


@pytest.mark.parametrize("ladder", [BIND, UNBIND, PROVE], ids=lambda one: one.action)
def test_the_rungs_stand_in_the_order_of_the_refusals(ladder):
    check_order(ladder)


def test_every_refusal_of_the_family_is_reached():
    played_below = {R.TOKEN_NOT_OF_BINDING, R.GOAL_NOT_FOUND, R.GOAL_NOT_GRANTED}
    assert untested(R, BIND, UNBIND, PROVE) == played_below


@pytest.fixture
def world():
    world = World()
    issued(world, {})
    return world


class TestAChallenge:
    """A challenge counts only where it came in by the binding's own credential."""

    def outcome(self, world, who="builder", secret="secret", **params):
        (answer,) = world.drain(by_token(world, who, secret, "agent.probe", challenge=digest("c"), **params))
        return "committed" if answer.refusal is None else answer.refusal.code.value

    def test_it_needs_a_binding(self, world):
        assert self.outcome(world) == R.AGENT_NOT_BOUND

    def test_another_credential_of_the_same_agent_proves_nothing(self, world):
        bind(world)
        issue(world, secret="spare")
        assert self.outcome(world, secret="spare") == R.TOKEN_NOT_OF_BINDING
        assert self.outcome(world) == "committed"

    def test_no_credential_at_all_proves_nothing(self, world):
        bind(world)
        assert world.outcome("builder", "agent.probe", challenge=digest("c")) == R.TOKEN_NOT_OF_BINDING

    def test_a_credential_that_was_replaced_proves_nothing(self, world):
        bind(world)
        rotated = {"token_id": token_of("secret")(world), "secret_digest": digest("next"), "grace_seconds": 3600}
        world.do("operator", "token.rotate", **rotated)
        assert self.outcome(world) == R.BINDING_TOKEN_ENDED

    def test_a_goal_that_is_named_is_there_and_granted(self, world):
        bind(world)
        assert self.outcome(world, goal_id="nowhere") == R.GOAL_NOT_FOUND
        assert self.outcome(world, goal_id=DOCS) == "committed"
        issue(world, "stranger", "strangers")
        bind(world, agent_id="stranger", token_id=token_of("strangers")(world))
        assert self.outcome(world, "stranger", "strangers", goal_id=DOCS) == R.GOAL_NOT_GRANTED

    def test_the_same_challenge_again_holds_already(self, world):
        bind(world)
        probe(world, "one")
        (again,) = world.drain(by_token(world, "builder", "secret", "agent.probe", challenge=digest("one")))
        assert again.held is not None

    def test_a_challenge_serves_one_qualification(self, world):
        bind(world)
        probe(world, "one", "two")
        prove(world)
        asked = {"agent_id": "builder", "config_sha256": CONFIG, "proven": all_proven()}
        assert world.outcome("operator", "agent.prove", **asked) == R.PROBE_MISSING

    def test_a_person_writes_none(self, world):
        assert world.outcome("ann", "agent.probe", challenge=digest("c")) == G.NOT_PERMITTED


class TestTheWord:
    """`qualified` is said only while everything was proven of exactly what is there."""

    @pytest.fixture
    def qualified(self, world):
        bind(world)
        probe(world, "one", "two")
        prove(world)
        return world

    def test_a_binding_that_nobody_ran_is_untested(self, world):
        bind(world)
        assert standing(world) == ("untested", "never_qualified")

    def test_all_facts_make_it_qualified(self, qualified):
        assert standing(qualified) == ("qualified", "all_proven")
        assert replay(qualified.store).agents == qualified.state.agents

    @pytest.mark.parametrize("fact", [fact for fact in FACTS if fact != "runtime_turn"])
    def test_one_fact_less_and_it_is_untested(self, world, fact):
        bind(world)
        probe(world, "one", "two")
        prove(world, proven=[one for one in all_proven() if not one.startswith(f"{fact}=")])
        assert standing(world) == ("untested", "not_all_proven")
        assert unproven(world.state.agents.bindings[BUILDER]) == (fact,)

    def test_a_connection_that_works_says_nothing_of_a_runtime_that_never_ran(self, world):
        bind(world)
        probe(world, "one")
        prove(world, proven=[one for one in all_proven() if not one.startswith("runtime_turn=")])
        assert standing(world) == ("untested", "runtime_not_run")

    def test_what_failed_is_not_made_good_by_what_was_proven(self, world):
        bind(world)
        probe(world, "one", "two")
        rest = [one for one in all_proven() if not one.startswith("hook_turn_end=")]
        prove(world, proven=rest, failed=["hook_turn_end"])
        assert standing(world) == ("untested", "proof_failed")

    def test_another_configuration_makes_it_untested(self, qualified):
        bind(qualified, config_sha256=digest("other"))
        assert standing(qualified) == ("untested", "configuration_changed")
        assert unproven(qualified.state.agents.bindings[BUILDER]) == FACTS

    def test_another_credential_makes_it_untested(self, qualified):
        issue(qualified, secret="spare")
        bind(qualified, token_id=token_of("spare")(qualified))
        assert standing(qualified) == ("untested", "credential_changed")

    def test_a_replaced_credential_makes_it_untested_though_its_grace_goes_on(self, qualified):
        rotated = {"token_id": token_of("secret")(qualified), "secret_digest": digest("next"), "grace_seconds": 3600}
        qualified.do("operator", "token.rotate", **rotated)
        assert standing(qualified) == ("untested", "credential_rotated")

    def test_a_revoked_credential_makes_it_untested(self, qualified):
        revoke_token(qualified)
        assert standing(qualified) == ("untested", "credential_revoked")

    def test_time_makes_it_untested(self, qualified):
        binding = qualified.state.agents.bindings[BUILDER]
        ends_ms = binding.qualified.at_ms + QUALIFIED_MS_MAX
        assert standing_of(qualified.state, binding, ends_ms - 1) == ("qualified", "all_proven", ends_ms)
        assert standing_of(qualified.state, binding, ends_ms)[:2] == ("untested", "qualified_long_ago")

    def test_a_credential_that_expires_ends_it_at_that_moment(self, world):
        issue(world, secret="short", ttl_seconds=60)
        bind(world, token_id=token_of("short")(world))
        probe(world, "one", "two", secret="short")
        prove(world)
        binding, ends_ms = world.state.agents.bindings[BUILDER], world.state.tokens[digest("short")].expires_at_ms
        assert standing_of(world.state, binding, ends_ms - 1) == ("qualified", "all_proven", ends_ms)
        assert standing_of(world.state, binding, ends_ms)[:2] == ("untested", "credential_expired")

    def test_the_same_binding_again_holds_and_loses_nothing(self, qualified):
        asked = {"agent_id": "builder", "runtime": "claude_code", "config_sha256": CONFIG}
        token_id = token_of("secret")(qualified)
        assert qualified.outcome("operator", "agent.bind", **asked, token_id=token_id) == "held"


@pytest.mark.parametrize("action", ["agent.bind", "agent.prove", "agent.unbind"])
@pytest.mark.parametrize("who", ["bob", "builder", "bot"])
def test_no_agent_and_no_bystander_says_what_is_connected_or_proven(world, action, who):
    params = {"agent.bind": BIND.params, "agent.prove": PROVE.params, "agent.unbind": UNBIND.params}[action]
    given = {name: value(world) if callable(value) else value for name, value in params.items()}
    assert world.outcome(who, action, **given) == G.NOT_PERMITTED
