"""Histories: random commands by everybody through the whole core, failures included, with an auditor beside it.

The machine counts what it reached. A kind of event or a refusal that no history comes to would be a rule that nothing
here tests, so that fails it too; what cannot come up here is listed with the reason.
"""

import random
from collections import Counter
from contextlib import suppress

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from ledger.catalogue import ACTIONS
from ledger.decide import decide
from ledger.ids import GoalId, MemberId
from ledger.ports import StoreFault, StoreFull
from ledger.refusals import GeneralRefusal
from ledger.rules.artifacts import ArtifactRefusal
from ledger.rules.goals import GoalRefusal
from ledger.rules.leases import LeaseRefusal, effective_lease
from ledger.rules.quota import QuotaDecision, decide_should_run
from ledger.rules.todos import TodoRefusal
from ledger.testing import Failure
from ledger.wire import all_kinds
from ledger.writer import Answer, Request
from tests.histories.auditor import Auditor
from tests.support.dump import state_digest
from tests.support.walk import AGENTS, Walker
from tests.support.world import World, replay

EXAMPLES = 1_200
STEPS = 40
SEEDS = st.integers(0, 2**32)
KEPT_REQUESTS_MAX = 20

NOT_OF_A_GOAL = "the machine plays goals; members and credentials have tables of their own"
ANOTHER_LIMIT = "it takes hundreds of revisions or thousands of todos to come to this limit"
REGISTRY = {"workspace", "member", "pairing", "token", "button_key"}
NOT_PLAYED = "the walk does not know these families yet; each has tables and a part of the frozen history"
LATER = {
    "request",
    "gate",
    "grant",
    "plan",
    "amendment",
    "admission",
    "slot",
    "quota",
    "run",
    "monitor",
    "usage",
    "replan",
}
LATER_REFUSALS = (
    "already_revised", "criterion_unproved", "input_not_found", "input_not_sound", "not_the_author",
    "revised_not_found", "revision_of_another_todo", "too_many_consumers",
)  # fmt: skip
LATER_KINDS = (
    "artifact.checked", "artifact.invalidated", "artifact.reviewed", "goal.handoff_mode_set", "lease.transferred",
    "todo.adopted", "todo.deferred", "todo.delegated", "todo.delegation_ended", "todo.handed_off",
    "todo.handoff_prepared", "todo.resumed",
)  # fmt: skip
UNREACHED = {
    **dict.fromkeys((*LATER_KINDS, *LATER_REFUSALS), NOT_PLAYED),
    **{kind.name: NOT_PLAYED for kind in all_kinds() if kind.name.split(".")[0] in LATER},
    **{kind.name: NOT_OF_A_GOAL for kind in all_kinds() if kind.name.split(".")[0] in REGISTRY},
    "channel.bound": "a chat binds by proposing from it, which a shell does not",
    TodoRefusal.TOO_MANY_TODOS: ANOTHER_LIMIT,
    GoalRefusal.TOO_MANY_REVISIONS: ANOTHER_LIMIT,
    ArtifactRefusal.TOO_MANY_ARTIFACTS: ANOTHER_LIMIT,
    GoalRefusal.GOAL_NOT_FOUND: "the walk asks about goals that are there",
    TodoRefusal.HANDOFF_MODE_LEASE_CLAIM_DIVERGENCE: "only a damaged state diverges",
}
FAMILIES = (GoalRefusal, TodoRefusal, LeaseRefusal, ArtifactRefusal)
REACHED: Counter[str] = Counter()


class Histories(RuleBasedStateMachine):
    """One ledger and everybody who acts on it."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.auditor = Auditor(frozenset({"ann", "bob"}), frozenset({"ann"}))
        self.auditor.seq = self.world.state.seq
        self.asked: list[tuple[Request, Answer]] = []

    def _choose(self, seed: int) -> Request:
        move = Walker(self.world, random.Random(seed).choice).next()
        return self.world.request(move.who, move.action, **move.params)

    def _ask(self, seed: int, step: int) -> None:
        request = self._choose(seed)
        before = decide(self.world.state, request.action, request.caller, request.params, self._at_ms())
        (answer,) = self.world.drain(request)
        self._note(answer)
        self.auditor.take(answer.events, self.world.state)
        if answer.refusal is not None:
            assert before == answer.refusal, "the core says one thing to a reader and another to a writer"
        if answer.held is not None:
            assert 0 < answer.held.seq <= self.world.state.seq, "what holds was made so by an event"
        if answer.events:
            self.asked = [*self.asked[-KEPT_REQUESTS_MAX:], (request, answer)]
        self.world.now_ms += step

    def _at_ms(self) -> int:
        return max(self.world.now_ms, self.world.state.at_ms)

    def _note(self, answer: Answer) -> None:
        REACHED.update(event.kind for event in answer.events)
        if answer.refusal is not None:
            REACHED[answer.refusal.code.value] += 1

    @rule(seeds=st.lists(SEEDS, min_size=1, max_size=12), step=st.sampled_from([0, 1, 1_000, 20_000]))
    def somebody_asks(self, seeds, step):
        for seed in seeds:
            self._ask(seed, step)

    @rule(step=st.sampled_from([29_999, 30_000, 300_000, 3_600_000]))
    def time_passes(self, step):
        self.world.now_ms += step

    @rule(step=st.integers(1, 3_600_000))
    def the_clock_is_set_back(self, step):
        self.world.now_ms -= step

    @precondition(lambda self: self.asked)
    @rule(which=st.integers(0, KEPT_REQUESTS_MAX))
    def an_answer_was_lost_and_the_call_is_repeated(self, which):
        request, first = self.asked[which % len(self.asked)]
        head = self.world.store.head()
        (again,) = self.world.drain(request)
        assert (again.events, again.receipt_id, again.replayed) == (first.events, first.receipt_id, True)
        assert self.world.store.head() == head

    @rule(seed=SEEDS, stored=st.booleans())
    def the_power_fails(self, seed, stored):
        """Whether the last command was stored or not, after the restart its key settles it."""
        request, head = self._choose(seed), self.world.store.head()
        self.world.store.fail(Failure(StoreFault("no power"), stored=stored))
        with suppress(StoreFault):
            self.world.writer.drain([request], self.world.now_ms)
        self.world.restart()
        assert stored or self.world.store.head() == head
        if self.world.store.head() != head:
            (answer,) = self.world.drain(request)
            assert answer.replayed
            self.auditor.take(answer.events, self.world.state)

    @rule(seed=SEEDS)
    def the_disk_is_full(self, seed):
        """Nothing is stored and nothing is said to be; the writer goes on from what is there."""
        request, head = self._choose(seed), self.world.store.head()
        self.world.store.fail(Failure(StoreFull("no space")))
        (answer,) = self.world.drain(request)
        assert not answer.events
        assert self.world.store.head() == head
        if answer.refusal is None or answer.refusal.code != GeneralRefusal.STORAGE_FULL:
            self.world.restart()  # There was nothing to write: the failure must not wait for another command.

    @invariant()
    def the_state_says_what_the_events_said(self):
        self.auditor.compare(self.world.state)

    @invariant()
    def what_is_offered_can_be_taken(self):
        for goal_id in self.world.state.goals:
            for agent in AGENTS:
                verdict = decide_should_run(self.world.state, GoalId(goal_id), MemberId(agent), self._at_ms())
                assert (verdict.todo is not None) == (verdict.decision == QuotaDecision.RUN)
                if verdict.todo is not None:
                    self._can_be_taken(goal_id, verdict.todo.todo_id, agent)

    def _can_be_taken(self, goal_id: str, todo_id: str, agent: str) -> None:
        goal = self.world.goal(goal_id)
        lease = effective_lease(goal, todo_id, self._at_ms())
        assert lease is None or lease.owner == agent
        if goal.intent.handoff_mode != "hard_lease":
            asked = self.world.request(agent, "todo.claim", goal_id=goal_id, todo_id=todo_id)
            claimed = decide(self.world.state, ACTIONS["todo.claim"], asked.caller, asked.params, self._at_ms())
            assert not isinstance(getattr(claimed, "code", None), TodoRefusal), claimed

    def teardown(self):
        assert self.world.proved().holds
        assert state_digest(replay(self.world.store)) == state_digest(self.world.state)


def test_no_history_breaks_a_promise_and_every_rule_is_met():
    REACHED.clear()
    run_state_machine_as_test(
        Histories,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate, Phase.shrink],
        ),
    )
    everything = {kind.name for kind in all_kinds()} | {code.value for family in FAMILIES for code in family}
    everything |= {GeneralRefusal.NOT_PERMITTED.value}
    assert everything - set(REACHED) == {str(name) for name in UNREACHED}
