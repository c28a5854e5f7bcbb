"""The machine: one ledger, everybody who acts on it, failures, and an auditor beside it; it counts what it reached."""

import random
from collections import Counter
from contextlib import suppress
from itertools import count

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from msgspec.structs import replace

from ledger.catalogue import ACTIONS
from ledger.decide import decide
from ledger.events import Recorded
from ledger.past import named_events
from ledger.ports import Group, StoreFault, StoreFull
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Decision, Held
from ledger.rules.leases import effective_lease
from ledger.testing import Failure
from ledger.writer import Answer, Request
from tests.histories.auditor import Auditor
from tests.histories.audits import erasures, verdicts
from tests.histories.reached import name_of
from tests.support.dump import state_digest
from tests.support.walk import FAMILIES as MOVES
from tests.support.walk import Walker, request_of
from tests.support.walks.base import AGENTS, Move, crowd
from tests.support.walks.daemon import due
from tests.support.walks.openings import OPENINGS
from tests.support.world import World, recorded, replay

EXAMPLES = 700
STEPS = 40
SEEDS = st.integers(0, 2**32)
TIMES = st.sampled_from([40, 20, 8, 1])
KEPT_REQUESTS_MAX = 20
ROUNDS_MAX = 3
FAILURES_MAX = 2
WISHES = 6
REACHED: Counter[str] = Counter()


def outcome_of(decision: Decision) -> str:
    """What comes of a wish, without the numbers that the next event would have."""
    if isinstance(decision, Refusal):
        return decision.code.value
    return "held" if isinstance(decision, Held) else " ".join(type(draft.facts).__name__ for draft in decision)


class Histories(RuleBasedStateMachine):
    """One ledger and everybody who acts on it."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        crowd(self.world)
        self.auditor = Auditor(recorded(self.world.store))
        self.asked: list[tuple[Request, Answer]] = []
        self.focus: tuple[str, ...] = ()
        self.turns = count()
        self.failures = 0

    @initialize(
        seed=SEEDS,
        opening=st.sampled_from(sorted(OPENINGS)),
        focus=st.lists(st.sampled_from(sorted(MOVES)), min_size=2, max_size=3, unique=True),
    )
    def it_begins(self, seed, opening, focus):
        """Each history has families that it plays more than others, and an opening that may lead there."""
        self.focus = tuple(focus)
        for move in OPENINGS[opening](self._walker(random.Random(seed))):
            self._ask(move)

    def _walker(self, dice: random.Random) -> Walker:
        return Walker(self.world, dice.choice, focus=self.focus, shown=self.auditor.model.shown)

    def _choose(self, seed: int) -> Move:
        # The same number is another choice each time: small numbers are drawn more often than others.
        return self._walker(random.Random(f"{seed} {next(self.turns)}")).next()

    def _ask(self, move: Move, step: int = 0) -> None:
        request = request_of(self.world, move)
        before = self._decided(request)
        self.auditor.look(request, self.world.state, self._at_ms())
        wishes = self._wishes() if request.action.names_events else []
        (answer,) = self.world.drain(request)
        self._note(request, answer)
        self.auditor.take(answer.events, self.world.state, request)
        if request.action.names_events and answer.events:
            self._words_are_gone_and_nothing_else(wishes)
        if answer.refusal is not None:
            assert before == answer.refusal, "the core says one thing to a reader and another to a writer"
        if answer.held is not None:
            assert 0 < answer.held.seq <= self.world.state.seq, "what holds was made so by an event"
        if answer.events:
            self.asked = [*self.asked[-KEPT_REQUESTS_MAX:], (request, answer)]
        self.world.now_ms += step

    def _decided(self, request: Request) -> Decision:
        named = named_events(self.world.store, request.params, Group()) if request.action.names_events else None
        return decide(self.world.state, request.action, request.caller, request.params, self._at_ms(), named)

    def _wishes(self) -> list[tuple[Request, str]]:
        """What some would ask now, and what would come of it."""
        moves = [self._choose(number) for number in range(WISHES)]
        requests = [request_of(self.world, move) for move in moves if move.action != "words.erase"]
        return [(request, outcome_of(self._decided(request))) for request in requests]

    def _words_are_gone_and_nothing_else(self, wishes: list[tuple[Request, str]]) -> None:
        """They are in no row; and the same wishes come to the same, but where somebody would say words again."""
        erasures.gone(self.auditor.model, self.world.store.events(0))
        for request, before in wishes:
            now = outcome_of(self._decided(request))
            unread = request.action.name == "goal.confirm" and now == "promise_erased"
            assert unread or before in {now, "nothing_to_change"}, (request, before, now)

    def _at_ms(self) -> int:
        return max(self.world.now_ms, self.world.state.at_ms)

    def _note(self, request: Request, answer: Answer) -> None:
        REACHED.update(event.kind for event in answer.events)
        if answer.events:
            REACHED[request.action.name] += 1
        if answer.refusal is not None:
            REACHED[name_of(answer.refusal.code)] += 1

    @rule(seed=SEEDS, times=TIMES, step=st.sampled_from([0, 1, 1_000, 20_000]))
    def somebody_asks(self, seed, times, step):
        for _ in range(times):
            self._ask(self._choose(seed), step)
        self._nothing_contradicts_itself(seed)

    @rule(seed=SEEDS, times=TIMES, step=st.sampled_from([29_999, 30_000, 61_000, 300_000, 3_600_000, -1_000, -900_000]))
    def time_passes(self, seed, times, step):
        """Mostly forward; a clock that is set back changes nothing that was over."""
        self.world.now_ms += step
        for _ in range(times):
            self._ask(self._choose(seed))

    def _nothing_contradicts_itself(self, seed: int) -> None:
        """Whoever asks whether to run gets one answer; what cannot be read is a no."""
        dice = random.Random(f"{seed} {self.world.state.seq}")
        if self.world.state.goals:
            goal_id, agent = dice.choice([*self.world.state.goals]), dice.choice(AGENTS)
            verdicts.no_contradiction(self.world.state, goal_id, agent, self._at_ms())
        verdicts.check(self.auditor.model, self.world.state, "none", "builder", self._at_ms())

    @rule()
    def the_daemon_does_what_is_due(self):
        """Everything that is due is done at once, and what comes of that as well; then nothing is due any more."""
        walker = self._walker(random.Random(0))
        for _ in range(ROUNDS_MAX):
            for asked in [*due(walker)]:
                if asked in [*due(walker)]:
                    head = self.world.store.head()
                    self._ask(Move("daemon", asked.action, asked.params))
                    assert self.world.store.head() != head, f"{asked.action} is due and does nothing"
        assert not [*due(walker)], "what was done is due again at once"

    @precondition(lambda self: self.asked)
    @rule(which=st.integers(0, KEPT_REQUESTS_MAX))
    def an_answer_was_lost_and_the_call_is_repeated(self, which):
        request, first = self.asked[which % len(self.asked)]
        head = self.world.store.head()
        (again,) = self.world.drain(request)
        told = tuple(self._without_what_is_gone(event) for event in first.events)
        assert (again.events, again.receipt_id, again.replayed) == (told, first.receipt_id, True)
        assert self.world.store.head() == head

    def _without_what_is_gone(self, event: Recorded) -> Recorded:
        return replace(event, words=None) if event.seq in self.auditor.model.erased else event

    @precondition(lambda self: self.failures < FAILURES_MAX)
    @rule(seed=SEEDS, how=st.sampled_from(["stored", "lost", "full"]))
    def something_fails(self, seed, how):
        """Whether the last command was stored or not, after the restart its key settles it."""
        self.failures += 1
        request, head = request_of(self.world, self._choose(seed)), self.world.store.head()
        self.auditor.look(request, self.world.state, self._at_ms())
        if how == "full":
            self._the_disk_is_full(request)
            return
        self.world.store.fail(Failure(StoreFault("no power"), stored=how == "stored"))
        with suppress(StoreFault):
            self.world.writer.drain([request], self.world.now_ms)
        self.world.restart()
        assert how == "stored" or self.world.store.head() == head
        if self.world.store.head() != head:
            (answer,) = self.world.drain(request)
            assert answer.replayed
            self.auditor.take(answer.events, self.world.state, request)

    def _the_disk_is_full(self, request: Request) -> None:
        """Nothing is stored and nothing is said to be; the writer goes on from what is there."""
        head = self.world.store.head()
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
        self.auditor.model.at_ms = at_ms = self._at_ms()
        agents = {"builder", "helper", AGENTS[self.world.state.seq % len(AGENTS)]}
        for goal_id in self.world.state.goals:
            for agent in sorted(agents):
                verdict = verdicts.check(self.auditor.model, self.world.state, goal_id, agent, at_ms)
                if verdict.todo is not None and verdict.decision == "run":
                    self._can_be_taken(goal_id, verdict.todo.todo_id, agent)

    def _can_be_taken(self, goal_id: str, todo_id: str, agent: str) -> None:
        goal = self.world.goal(goal_id)
        lease = effective_lease(goal, todo_id, self._at_ms())
        assert lease is None or lease.owner == agent
        if goal.intent.handoff_mode != "hard_lease":
            asked = self.world.request(agent, "todo.claim", goal_id=goal_id, todo_id=todo_id)
            claimed = decide(self.world.state, ACTIONS["todo.claim"], asked.caller, asked.params, self._at_ms())
            assert getattr(claimed, "code", None) is None, claimed

    def teardown(self):
        assert self.world.proved().holds
        erasures.gone(self.auditor.model, self.world.store.events(0))
        assert state_digest(replay(self.world.store)) == state_digest(self.world.state)
