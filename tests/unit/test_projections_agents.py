"""How agents are connected, in words wherever an agent is shown; and what one finds when its turn begins."""

import msgspec
import pytest

from ledger.parts.agents import FACTS
from ledger.projections.agents import ITEMS_MAX
from ledger.projections.documents import valid_until_ms
from ledger.projections.member_cards import members_view
from ledger.refusals import Refusal
from ledger.rules.agents import QUALIFIED_MS_MAX
from ledger.text.documents import render
from ledger.text.say import LOCALES
from tests.support.views import try_view, view
from tests.support.world import DOCS, World
from tests.unit.test_rules_agents import bind, bound, probe, prove

BRIEF = {"purpose": "Count the links", "acceptance": ["A number"], "return_requirement": "One line"}


@pytest.fixture
def world():
    world = World()
    bound(world, {})
    world.add("todo_one")
    return world


def inbox(world, who="builder", **params):
    return view(world, "agent.inbox", who, **{"goal_id": DOCS, **params})


def ask(world, sender, receiver, **more):
    (event,) = world.do(sender, "request.send", goal_id=DOCS, to=receiver, **(BRIEF | more))
    return event.facts.request_id


def qualified(world):
    probe(world, "one", "two")
    prove(world)


class TestTheWordIsEverywhere:
    def rows(self, world):
        shown = view(world, "agent.list", agent_id="builder")["agents"][0]["binding"]
        member = view(world, "member.show", agent_id="builder")["binding"]
        (overview,) = [one for one in view(world, "overview.show")["members"] if one["member_id"] == "builder"]
        (card,) = [
            one for one in members_view(world.state, [], world.now_ms, everywhere=True).rows if one.name == "builder"
        ]
        return shown, member, overview["binding"], inbox(world)["binding"], card.binding

    def test_it_is_the_same_word_and_the_same_reason_in_each_document(self, world):
        for word, because in (("untested", "never_qualified"), ("qualified", "all_proven")):
            shown, member, overview, turn, card = self.rows(world)
            assert (shown["state"], shown["because"], card) == (word, because, word)
            assert member == overview == turn == {"runtime_kind": "claude_code", "state": word, "because": because}
            qualified(world) if word == "untested" else None

    def test_who_was_never_connected_has_no_word(self, world):
        assert view(world, "member.show", agent_id="helper")["binding"] is None
        (helper,) = view(world, "agent.list", agent_id="helper")["agents"]
        assert helper["binding"] is None
        assert "not connected" in render("agent.list", {"agents": [helper], "total": 1}, "en")

    @pytest.mark.parametrize(("locale", "said"), [("en", "untested"), ("zh", "未测试")])
    @pytest.mark.parametrize("action", ["agent.list", "member.show", "overview.show", "agent.inbox"])
    def test_people_read_it_in_words(self, world, action, locale, said):
        params = {"member.show": {"agent_id": "builder"}, "agent.inbox": {"goal_id": DOCS}}.get(action, {})
        document = view(world, action, "builder", **params)
        assert said in render(action, document, locale)

    def test_what_is_unproven_is_listed_beside_what_is_proven(self, world):
        probe(world, "one")
        prove(world, proven=[f"packet_read={'a' * 64}"], failed=["hook_turn_end"])
        binding = view(world, "agent.list", agent_id="builder")["agents"][0]["binding"]
        assert [one["kind"] for one in binding["proven"]] == ["packet_read"]
        assert binding["failed_kinds"] == ["hook_turn_end"]
        assert binding["unproven_kinds"] == [fact for fact in FACTS if fact != "packet_read"]

    def test_a_document_says_until_when_the_word_holds(self, world):
        qualified(world)
        at_ms = world.state.agents.bindings["builder"].qualified.at_ms
        assert valid_until_ms(world.state, DOCS, world.now_ms) == at_ms + QUALIFIED_MS_MAX
        world.now_ms = at_ms + QUALIFIED_MS_MAX
        assert view(world, "member.show", agent_id="builder")["binding"]["because"] == "qualified_long_ago"


class TestTheInbox:
    def test_it_says_what_the_verdict_says(self, world):
        verdict = view(world, "quota.should-run", "builder", goal_id=DOCS)
        found = inbox(world)
        for name in ("should_run", "decision", "state", "reason", "reason_codes", "selected_todo", "notices"):
            assert found[name] == verdict[name]
        assert found["selected_todo"]["todo_id"] == "todo_one"

    def test_a_revision_is_to_be_adopted_until_it_was(self, world):
        world.do("ann", "goal.revise", goal_id=DOCS, criterion=["Every link and heading works"])
        world.confirm()
        assert inbox(world)["revision"] == {"current": 2, "adopted": 1, "must_adopt": True}
        world.do("builder", "goal.adopt", goal_id=DOCS, revision=2)
        assert inbox(world)["revision"] == {"current": 2, "adopted": 2, "must_adopt": False}

    def test_what_is_asked_stays_until_it_is_answered_the_oldest_first(self, world):
        first, second = ask(world, "helper", "builder"), ask(world, "ann", "builder")
        assert [one["request_id"] for one in inbox(world)["requests"]] == [first, second]
        world.do("builder", "request.respond", goal_id=DOCS, request_id=first, decision="reject", reason="No")
        assert [one["request_id"] for one in inbox(world)["requests"]] == [second]
        assert inbox(world, agent_id="helper")["requests"] == []

    def test_what_came_back_is_shown_until_the_agent_acts_and_has_it(self, world):
        request_id = ask(world, "builder", "helper")
        world.do("helper", "request.respond", goal_id=DOCS, request_id=request_id, decision="no_change", reason="Ten")
        (back,) = inbox(world)["returns"]
        assert (back["request_id"], back["receiver"], back["outcome"]) == (request_id, "helper", "no_change")
        world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
        assert [one["request_id"] for one in inbox(world)["returns"]] == [request_id], "it was never delivered"
        world.do("builder", "request.acknowledge", goal_id=DOCS, request_id=request_id)
        assert inbox(world)["returns"] == []

    def test_what_was_decided_is_told_once(self, world):
        (event,) = world.do(
            "builder", "gate.open", goal_id=DOCS, kind="direction", question="Which tone?", blocks_goal=True
        )
        gate_id = event.facts.gate_id
        assert inbox(world)["decisions"] == []
        (waiting,) = inbox(world)["open_gates"]
        assert (waiting["gate_id"], waiting["waits_for"], waiting["blocks"]) == (gate_id, ["ann"], [DOCS])
        shown = render("agent.inbox", inbox(world), "en")
        assert "Which tone?" in shown
        assert "frontstage gate approve" not in shown, "how people answer is not put before an agent"
        basis = view(world, "gate.show", goal_id=DOCS, gate_id=gate_id)["basis"]
        world.do("ann", "gate.approve", goal_id=DOCS, gate_id=gate_id, basis=basis)
        (decided,) = inbox(world)["decisions"]
        assert inbox(world)["open_gates"] == []
        assert (decided["gate_id"], decided["status"], decided["resolved_by"]) == (gate_id, "approved", "ann")
        world.do("builder", "todo.claim", goal_id=DOCS, todo_id="todo_one")
        assert inbox(world)["decisions"] == []

    def test_the_execution_key_of_a_lease_is_its_holders_alone(self, world):
        world.lease("todo_one", ttl_seconds=60)
        world.now_ms += 20_000
        (own,) = inbox(world)["leases"]
        assert (own["idempotency_key"], own["version"], own["remaining_seconds"]) == ("run-1", 1, 40)
        (seen,) = inbox(world, "helper", agent_id="builder")["leases"]
        assert seen["idempotency_key"] is None
        assert b"run-1" not in msgspec.json.encode(inbox(world, "ann", agent_id="builder"))
        world.now_ms += 40_000
        assert inbox(world)["leases"] == []

    @pytest.mark.parametrize("locale", LOCALES)
    def test_it_is_bounded_and_says_how_much_more_there_is(self, world, locale):
        for _ in range(ITEMS_MAX + 3):
            ask(world, "helper", "builder", purpose="x" * 2_000)
        found = inbox(world)
        assert (len(found["requests"]), found["requests_total"]) == (ITEMS_MAX, ITEMS_MAX + 3)
        lines = render("agent.inbox", found, locale).splitlines()
        assert max(map(len, lines)) < 300
        assert any("3" in line for line in lines if "x" not in line)

    def test_of_a_private_goal_a_stranger_reads_no_words(self, world):
        world.activate("secret", private=True)
        world.add("todo_hidden", "secret", text="Call Mrs Smith")
        ask_there = {"goal_id": "secret", **BRIEF, "purpose": "Ask Mrs Smith", "to": "builder"}
        world.do("helper", "request.send", **ask_there)
        assert "Smith" in str(inbox(world, goal_id="secret"))
        assert "Smith" not in str(inbox(world, "bob", goal_id="secret", agent_id="builder"))

    @pytest.mark.parametrize(
        ("who", "params", "code"),
        [
            ("builder", {"goal_id": "nowhere"}, "goal_not_found"),
            ("builder", {"agent_id": "nobody"}, "member_not_found"),
            ("ann", {}, "not_an_agent"),
            ("builder", {"agent_id": "bob"}, "not_an_agent"),
        ],
    )
    def test_only_an_agent_has_one(self, world, who, params, code):
        found = try_view(world, "agent.inbox", who, **{"goal_id": DOCS, **params})
        assert isinstance(found, Refusal)
        assert found.code == code

    def test_one_who_was_revoked_has_a_document_without_presence(self, world):
        world.do("operator", "member.revoke", member_id="builder")
        found = inbox(world, "ann", agent_id="builder")
        assert (found["presence"], found["decision"]) == (None, "skip")


def test_the_list_of_facts_is_one_list():
    from daemon.agents.qualify_facts import FACTS as TRIED  # noqa: PLC0415

    assert TRIED == FACTS


def test_only_agents_are_listed_and_one_can_be_asked_for(world):
    assert {one["agent_id"] for one in view(world, "agent.list")["agents"]} == {"builder", "helper", "stranger"}
    found = try_view(world, "agent.list", agent_id="ann")
    assert isinstance(found, Refusal)
    assert found.code == "member_not_found"


def test_a_second_binding_of_an_agent_replaces_the_first(world):
    bind(world, runtime="codex", config_sha256="c" * 64)
    (builder,) = view(world, "agent.list", agent_id="builder")["agents"]
    assert (builder["binding"]["runtime_kind"], builder["binding"]["state"]) == ("codex", "untested")
