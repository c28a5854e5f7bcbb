"""`quota should-run`: one decision, and no boolean anywhere that says something else."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.projections.channel import channel_projection
from ledger.projections.verdict import FRAMES, goal_verdict
from ledger.records import GoalState
from ledger.refusals import Refusal
from ledger.rules.quota import QuotaDecision, QuotaState, decide_should_run
from tests.support.ledger_script import Script, script_in

STATES = get_args(GoalState)
KEYS = {
    "schema_version",
    "goal_id",
    "agent_id",
    "should_run",
    "decision",
    "effective_action",
    "state",
    "reason",
    "reason_codes",
    "requires_user_action",
    "selected_todo",
    "quota",
    "goal_boundary",
    "interaction_contract",
    "decision_frame",
    "spend_policy",
    "next_safe_action",
    "notices",
}


def ask(script, agent_id="builder"):
    return script.read(agent_id, "quota.should-run", goal_id="docs", agent_id=agent_id)


def assert_nothing_contradicts(document):
    """Every boolean of the document follows from its decision."""
    decision = QuotaDecision(document["decision"])
    contract, frame = document["interaction_contract"], document["decision_frame"]
    user, agent, cli = (contract[channel] for channel in ("user_channel", "agent_channel", "cli_channel"))
    runs, asks, skips = (decision is one for one in (QuotaDecision.RUN, QuotaDecision.ASK_USER, QuotaDecision.SKIP))
    assert document["should_run"] is runs
    assert document["requires_user_action"] is asks
    assert frame == {
        "user_action_required": asks,
        "agent_action_required": not asks and not skips,
        "quiet_noop_allowed": skips,
    }
    assert (user["action_required"], user["notify"]) == (asks, "NOTIFY" if asks else "DONT_NOTIFY")
    assert bool(user["actions"]) is asks
    assert len(user["actions"]) <= user["max_items"] == 3
    assert agent["must_attempt"] is frame["agent_action_required"]
    assert agent["delivery_allowed"] is runs
    assert agent["quiet_noop_allowed"] is skips
    assert cli["spend_after_validation"] is runs
    assert (document["selected_todo"] is not None) is runs
    assert document["state"] == document["quota"]["state"]
    if not frame["agent_action_required"]:
        assert cli["next_cli_actions"] == []


def test_every_decision_means_exactly_one_of_three_things():
    for decision in QuotaDecision:
        frame = FRAMES[decision]
        assert [frame.user_action_required, frame.agent_action_required, frame.quiet_noop_allowed].count(True) == 1
    assert set(FRAMES) == set(QuotaDecision)


@pytest.mark.parametrize("state", STATES)
def test_no_boolean_contradicts_the_decision_in_any_state(state):
    script = script_in(state)
    document = ask(script)
    assert set(document) == KEYS
    assert_nothing_contradicts(document)
    assert document["decision_frame"] == channel_projection(script.seen, script.goal(), script.now_ms)["decision_frame"]


@pytest.mark.parametrize(
    ("state", "quota_state", "decision", "reason"),
    [
        ("proposed", "operator_gate", "ask_user", "goal_not_confirmed"),
        ("clarifying", "operator_gate", "ask_user", "goal_not_confirmed"),
        ("active", "eligible", "run", "work_ready"),
        ("paused", "paused", "skip", "goal_paused"),
        ("delivered", "operator_gate", "ask_user", "delivery_waits"),
        ("changes_requested", "terminal_no_followup", "skip", "all_done"),
        ("accepted", "terminal_no_followup", "skip", "goal_accepted"),
        ("declined", "paused", "skip", "goal_declined"),
        ("withdrawn", "paused", "skip", "goal_withdrawn"),
        ("stopped", "paused", "skip", "goal_stopped"),
    ],
)
def test_the_verdict_of_every_state(state, quota_state, decision, reason):
    document = ask(script_in(state))
    assert (document["state"], document["decision"], document["reason_codes"]) == (quota_state, decision, [reason])


class Player:
    """The steps of a random history; a step that cannot be taken changes nothing."""

    def __init__(self, script):
        self.script = script

    def play(self, name, number):
        """One step; `number` chooses whom and what it is about."""
        self.agent = ("builder", "second")[number % 2]
        self.open = [todo_id for _, _, todo_id in self.script.goal().by_priority]
        self.todo_id = self.open[number % len(self.open)] if self.open else None
        if self.todo_id is not None or name not in {"claim", "lease", "block", "after", "finish"}:
            getattr(self, name)(number)

    def ask(self, actor, action, **params):
        return self.script.ask(actor, action, goal_id="docs", **params)

    def add(self, number):
        self.ask("ann", "todo.add", text="Work", priority=f"P{number % 5}")

    def user(self, _number):
        self.ask("ann", "todo.add", text="Decide", role="user", task_class="user_action")

    def needs(self, _number):
        self.ask("ann", "todo.add", text="Browse", required_capability=("browser",))

    def after(self, _number):
        self.ask("ann", "todo.add", text="Later", depends_on=(self.todo_id,))

    def claim(self, _number):
        self.ask(self.agent, "todo.claim", todo_id=self.todo_id)

    def lease(self, _number):
        key = f"run-{self.script.seen.seq}"
        self.ask(self.agent, "task-lease.acquire", todo_id=self.todo_id, idempotency_key=key, ttl_seconds=60)

    def block(self, _number):
        self.ask("ann", "todo.block", todo_id=self.todo_id, reason="Stuck")

    def finish(self, _number):
        handed_in = self.ask(
            self.agent, "artifact.submit", todo_id=self.todo_id, label="r", sha256="a" * 64, size_bytes=1
        )
        if handed_in.events:
            proof = (str(handed_in.events[0].facts.artifact_id),)
            self.ask(self.agent, "todo.complete", todo_id=self.todo_id, evidence=proof)

    def wait(self, _number):
        self.script.pass_ms(45_000)

    def revise(self, number):
        self.ask("ann", "goal.revise", budget=f"budget {number}")
        if self.script.goal().pending:
            self.script.confirm()

    def throttle(self, number):
        self.ask("ann", "goal.revise", allowed_slots=number % 2)
        if self.script.goal().pending:
            self.script.confirm()

    def adopt(self, _number):
        self.ask(self.agent, "goal.adopt", revision=self.script.goal().confirmed)


MOVES = sorted(vars(Player).keys() - {"play", "ask"} - {name for name in vars(Player) if name.startswith("__")})


@given(st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 9)), max_size=14))
@settings(max_examples=40, deadline=None)
def test_whatever_happened_nothing_contradicts_and_a_replay_says_the_same(moves):
    script = Script()
    script.add_agent("builder")
    script.add_agent("second")
    script.activate()
    player = Player(script)
    for name, number in moves:
        player.play(name, number)
    verdict = goal_verdict(script.seen, script.goal(), script.now_ms)
    channel = channel_projection(script.seen, script.goal(), script.now_ms)
    assert channel["quota"]["state"] == verdict.verdict.state.value
    may_run = False
    again = script.replayed()
    for agent_id in ("builder", "second"):
        document = ask(script, agent_id)
        assert_nothing_contradicts(document)
        may_run |= document["should_run"]
        ready = script.read(agent_id, "todo.ready", goal_id="docs")
        if document["should_run"]:
            assert ready["todos"][0]["todo_id"] == document["selected_todo"]["todo_id"]
        elif document["state"] not in {"throttled", "objective_review_required"}:
            assert ready["todos"] == []
        assert decide_should_run(again, script.goal().goal_id, agent_id, script.now_ms) == decide_should_run(
            script.seen, script.goal().goal_id, agent_id, script.now_ms
        )
    assert may_run is (verdict.verdict.decision is QuotaDecision.RUN)
    assert channel == channel_projection(again, again.goals[script.goal().goal_id], script.now_ms)
    for reader, params in (
        ("goal.show", {"goal_id": "docs"}),
        ("todo.list", {"goal_id": "docs"}),
        ("artifact.list", {"goal_id": "docs"}),
        ("status.show", {}),
        ("goal.list", {}),
        ("member.list", {}),
    ):
        before = msgspec.json.encode(script.read("ann", reader, **params))
        seen, script.seen = script.seen, again
        assert msgspec.json.encode(script.read("ann", reader, **params)) == before, reader
        script.seen = seen


@pytest.mark.parametrize("state", STATES)
def test_a_goal_without_agents_gets_the_verdict_its_agents_would_get(state):
    alone = script_in(state)
    expected = goal_verdict(alone.seen, alone.goal(), alone.now_ms).verdict
    alone.do("ann", "member.revoke", member_id="builder")
    found = goal_verdict(alone.seen, alone.goal(), alone.now_ms)
    assert found.agent_id is None
    if state in {"active", "changes_requested"}:
        assert (found.verdict.state, found.verdict.reason_codes) == (QuotaState.FOCUS_WAIT, ("no_agent_granted",))
    else:
        assert found.verdict == expected


def test_an_agent_that_may_run_stands_for_the_goal_however_many_others_may_not():
    script = Script()
    script.activate()
    script.add_todo("Browse", required_capability=("browser",))
    for number in range(9):
        script.add_agent(f"agent-{number}")
    script.add_agent("zoe", capability=("browser",))
    found = goal_verdict(script.seen, script.goal(), script.now_ms)
    assert (found.agent_id, found.verdict.decision) == ("zoe", QuotaDecision.RUN)


def test_an_agent_without_a_grant_is_told_no():
    script = script_in("active")
    script.add_agent("stranger", goal_id=("other",))
    document = ask(script, "stranger")
    assert (document["state"], document["should_run"]) == ("blocked_health", False)
    assert_nothing_contradicts(document)
    assert_nothing_contradicts(ask(script, "nobody"))


def test_a_goal_that_is_not_there_is_not_found():
    found = Script().try_read("ann", "quota.should-run", goal_id="nowhere", agent_id="builder")
    assert isinstance(found, Refusal)
    assert (found.code, found.status.exit_code) == ("goal_not_found", 3)


def test_the_selected_work_is_told_in_full():
    script = Script()
    script.add_agent("builder")
    script.activate()
    todo_id = script.add_todo("W" * 500, acceptance="A" * 900, required_write_scope=("reports/a",))
    selected = ask(script)["selected_todo"]
    assert (selected["todo_id"], selected["title"], selected["acceptance"]) == (todo_id, "W" * 500, "A" * 900)
    assert selected["required_write_scopes"] == ["reports/a"]
    script.do("builder", "task-lease.acquire", goal_id="docs", todo_id=todo_id, idempotency_key="run-1", ttl_seconds=60)
    document = ask(script)
    assert (document["selected_todo"]["claim"], document["selected_todo"]["lease_version"]) == ("lease", 1)
    assert document["interaction_contract"]["cli_channel"]["next_cli_actions"] == [
        {"action": "todo.complete", "params": {"goal_id": "docs", "todo_id": todo_id}}
    ]


def test_the_boundary_is_the_revision_in_force_and_a_waiting_one_is_a_notice():
    script = script_in("active")
    script.do("ann", "goal.revise", goal_id="docs", write_scope=("other/**",))
    document = ask(script)
    assert document["goal_boundary"] == {
        "write_scopes": ["reports/**"],
        "capabilities": [],
        "handoff_mode": "optional_lease",
        "revision": 1,
    }
    assert document["should_run"]
    assert document["notices"] == [{"kind": "revision_waits_for_owner", "goal_id": "docs", "revision": 2}]
    script.confirm()
    document = ask(script)
    assert (document["state"], document["decision"]) == ("objective_review_required", "repair")
    assert document["interaction_contract"]["cli_channel"]["next_cli_actions"] == [
        {"action": "goal.adopt", "params": {"goal_id": "docs", "revision": 2}}
    ]
    script.do("builder", "goal.adopt", goal_id="docs", revision=2)
    assert ask(script)["should_run"]


def test_hard_leases_ask_for_the_lease_first():
    script = Script()
    script.add_agent("builder")
    script.activate(handoff_mode="hard_lease")
    todo_id = script.add_todo()
    (action,) = ask(script)["interaction_contract"]["cli_channel"]["next_cli_actions"]
    assert action == {"action": "task-lease.acquire", "params": {"goal_id": "docs", "todo_id": todo_id}}


def test_no_slots_means_no():
    script = Script()
    script.add_agent("builder")
    script.activate(allowed_slots=0)
    script.add_todo()
    document = ask(script)
    assert (document["state"], document["quota"]["allowed_slots"], document["quota"]["spent_slots"]) == (
        "throttled",
        0,
        0,
    )
    assert document["next_safe_action"]["action"] == "goal.revise"
