"""Goals that leave memory are missed by nobody: every decision and every answer is what it would be had they stayed.

Two worlds are asked the same. In one of them every goal that is over is put away after every single command, by the
writer and by the readers, with snapshots of it or without.
"""

import random
from collections import deque

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from daemon.due import SOURCES, Agenda
from daemon.relay.slots import desired
from ledger.canonical import canonical
from ledger.catalogue import ACTIONS
from ledger.events import Recorded
from ledger.ids import GoalId
from ledger.outlines import is_over, outline_of, put_away
from ledger.ports import StoreFault
from ledger.projections.documents import READERS, valid_until_ms
from ledger.projections.holds import listed_todos
from ledger.projections.status import goal_row as goal_row_shown
from ledger.records import Outline
from ledger.refusals import Refusal
from ledger.rules.goals import state_basis
from ledger.snapshot import goal_reader, goal_row, restore
from tests.replay.script import everything
from tests.support.dump import dump
from tests.support.walk import MOVING, Move, Walker
from tests.support.world import World

DAY_MS = 86_400_000
READERS_OF = ("ann", "bob", "builder", "helper")
REDUCER = "of this test"


class Forgetful(World):
    """A world that puts away whatever it may, at once."""

    keeps_rows = True

    def _begin(self) -> None:
        super()._begin()
        for workspace in (self.state, self.writer._ahead):
            workspace.goals.loader = goal_reader(self.store, REDUCER)
        self.forget()

    def forget(self) -> None:
        """Nothing that is over stays in memory."""
        self.writer.let_go(0, self.state.seq, 1_000)
        gone = put_away(self.state, 0, self.state.seq, 1_000)
        if self.keeps_rows:
            self.writer.keep_snapshot([goal_row(goal, REDUCER) for goal in gone])

    def drain(self, *requests):
        """Answer, and forget."""
        answers = super().drain(*requests)
        self.forget()
        return answers


def away(world: World) -> list[str]:
    return [str(held.goal_id) for held in world.state.goals.held() if isinstance(held, Outline)]


class Pair:
    """Both worlds, and somebody who tries things in them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.plain, self.forgetful = World(), Forgetful()
        self.forgetful.keeps_rows = self.rng.random() < 0.7
        self.walker = Walker(self.plain, self.rng.choice)
        self.agendas = Agenda(), Agenda()
        self.recent: deque[Recorded] = deque(maxlen=50)
        self.registry_seq = 0

    def move(self) -> Move:
        """What is tried next: a walk, that often ends a goal and often comes back to one that is over."""
        goals = list(self.plain.state.goals.values())
        moving = [goal for goal in goals if goal.state in MOVING]
        chance = self.rng.random()
        if moving and chance < 0.12:
            goal = self.rng.choice(moving)
            return Move("ann", "goal.stop", {"goal_id": goal.goal_id, "basis": state_basis(goal), "reason": "Enough"})
        if chance < 0.16:
            return Move("operator", "member.revoke", {"member_id": self.rng.choice(("helper", "stranger", "bob"))})
        over = [goal for goal in goals if goal.state not in MOVING]
        if over and chance < 0.35:
            asked = self.walker.next()
            if isinstance(asked.params.get("goal_id"), str):
                return Move(asked.who, asked.action, asked.params | {"goal_id": self.rng.choice(over).goal_id})
        return self.walker.next()

    def step(self) -> None:
        """One command in both."""
        move = self.move()
        told = [world.ask(move.who, move.action, **move.params) for world in (self.plain, self.forgetful)]
        assert [event.hash for event in told[0].events] == [event.hash for event in told[1].events], move
        assert (told[0].refusal, told[0].held, told[0].seq) == (told[1].refusal, told[1].held, told[1].seq), move
        self.hear(told[0].events)
        span_ms = self.rng.choice((0, 1, 1_000, 20_000))
        for world in (self.plain, self.forgetful):
            world.now_ms += span_ms

    def hear(self, events: tuple[Recorded, ...]) -> None:
        """What becomes due is the same, for an agenda that has heard of everything as it happened."""
        self.recent.extend(events)
        self.registry_seq = max([self.registry_seq, *(event.seq for event in events if event.goal_id is None)])
        asked = []
        for world, agenda in zip((self.plain, self.forgetful), self.agendas, strict=True):
            agenda.refresh(world.state, self.registry_seq, self.recent)
            asked.append((agenda.next_ms(), agenda.take(world.state, world.now_ms + 30 * DAY_MS, 1_000)))
        assert asked[0] == asked[1]
        self.forgetful.forget()

    def compare(self, now_ms: int) -> None:
        """Everything that anybody could ask about either."""
        for action in READERS:
            for params in asked_of(self.plain, action):
                for who in READERS_OF:
                    pair = [read(world, who, action, params, now_ms) for world in (self.plain, self.forgetful)]
                    assert pair[0] == pair[1], (action, who, params)
        plain, forgetful = self.plain.state, self.forgetful.state
        assert list(desired(plain, now_ms)) == list(desired(forgetful, now_ms))
        for goal_id in plain.goals:
            assert valid_until_ms(plain, goal_id, now_ms) == valid_until_ms(forgetful, goal_id, now_ms)
            assert list(desired(plain, now_ms, goal_id)) == list(desired(forgetful, now_ms, goal_id))
        assert due(plain, now_ms) == due(forgetful, now_ms)


def asked_of(world: World, action: str):
    """Sound parameters of a read, about every goal where it is about one."""
    model = ACTIONS[action].params
    values = {"agent_id": "builder", "member_id": "builder", "limit": 50, "closed": True, "everybody": True}
    given = {name: value for name, value in values.items() if name in model.model_fields}
    ids = list(world.state.goals) if "goal_id" in model.model_fields else [None]
    for goal_id in ids:
        goal = None if goal_id is None else world.goal(goal_id)
        first = next(iter(goal.todos), None) if goal is not None else None
        more = {} if goal_id is None else {"goal_id": goal_id}
        if first is not None and "todo_id" in model.model_fields:
            more["todo_id"] = first
        for params in (given | more, more):
            try:
                yield model.model_validate(params)
            except ValidationError:
                continue


def read(world, who, action, params, now_ms):
    found = READERS[action](world.state, world.caller(who), params, now_ms)
    world.forget() if isinstance(world, Forgetful) else None
    return found if isinstance(found, Refusal) else canonical(msgspec.to_builtins(found))


def due(workspace, now_ms):
    agenda = Agenda()
    agenda.refresh(workspace, 0, [])
    return agenda.next_ms(), agenda.take(workspace, now_ms + 30 * DAY_MS, 1_000)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_a_history_in_which_everything_is_forgotten_at_once_is_the_same_history(seed):
    pair = Pair(seed)
    for _ in range(pair.rng.randrange(20, 120)):
        pair.step()
        if pair.rng.random() < 0.05:
            pair.compare(pair.plain.now_ms)
    pair.compare(pair.plain.now_ms)
    pair.compare(pair.plain.now_ms + DAY_MS)
    assert dump(pair.plain.state) == dump(pair.forgetful.state)
    assert dump(pair.forgetful.writer._ahead) == dump(pair.plain.writer._ahead)
    for world in (pair.plain, pair.forgetful):
        world.writer.keep_snapshot(world.writer.snapshot_rows(REDUCER))
        skipped: list[str] = []
        again = restore(world.store, REDUCER, skipped.append)
        assert dump(again) == dump(pair.plain.state)
        assert skipped == []


def test_the_histories_above_do_put_goals_away_and_do_come_back_to_them():
    pair, seen = Pair(7), set()
    for _ in range(150):
        pair.step()
        seen |= set(away(pair.forgetful))
    assert len(seen) >= 3
    assert pair.forgetful.writer._ahead.goals.loads >= 3
    assert away(pair.plain) == []


def test_of_every_kind_of_goal_that_is_over_nothing_is_ever_due():
    """Whoever is registered, and however late it is: that is what lets it leave memory."""
    world = everything()
    for goal in world.state.goals.values():
        if goal.state in MOVING:
            world.ask("ann", "goal.stop", goal_id=goal.goal_id, basis=state_basis(goal), reason="Enough")
    world.now_ms += 30 * DAY_MS
    agenda = Agenda()
    agenda.refresh(world.state, 0, [])
    for asked in agenda.take(world.state, world.now_ms, 10_000):
        world.ask("daemon", asked.action, **asked.params)
    over = [goal for goal in world.state.goals.values() if is_over(goal)]
    assert len(over) >= 5
    for goal in over:
        assert [source.name for source in SOURCES if source.next_due(world.state, goal) is not None] == []
        assert not any(list(source.asked(world.state, goal, world.now_ms * 2)) for source in SOURCES)


def test_an_outline_follows_from_its_goal_and_has_the_place_of_its_goal():
    world = Forgetful()
    for name in ("one", "two", "three"):
        world.propose(name)
    kept = outline_of(world.goal("two"))
    world.do("ann", "goal.decline", goal_id="two", basis=world.goal("two").intents[-1].basis, reason="No")
    assert away(world) == ["two"]
    assert [held.goal_id for held in world.state.goals.held()] == ["one", "two", "three"]
    assert [held.goal_id for held in world.state.goals.newest()] == ["three", "two", "one"]
    assert world.goal("two").state == "declined"
    assert outline_of(world.goal("two")).created_seq == kept.created_seq
    assert list(world.state.goals) == ["one", "two", "three"]


def test_a_list_counts_work_as_the_goal_itself_does():
    world = World()
    world.activate("one")
    for name in ("open", "done", "blocked", "deferred", "gone"):
        world.add(f"todo_{name}", "one")
    one = {"goal_id": "one"}
    world.finish("todo_done", goal_id="one")
    world.do("ann", "todo.block", **one, todo_id="todo_blocked", reason="Waits")
    world.do("ann", "todo.defer", **one, todo_id="todo_deferred", resume_when="capability_available:docs-later")
    world.do("ann", "todo.cancel", **one, todo_id="todo_gone", reason="Not needed")
    counts, row = listed_todos(world.goal("one")).counts, goal_row_shown(outline_of(world.goal("one")))
    assert row["todos"] == {
        "open": counts.open,
        "blocked": counts.blocked,
        "done": counts.done,
        "total": counts.all - counts.cancelled,
    }
    assert row == goal_row_shown(world.goal("one"))
    assert row["todos"]["total"] == 4


def test_a_goal_with_events_that_are_not_durable_stays():
    world = Forgetful()
    world.propose("one")
    world.keeps_rows = False
    goal = world.goal("one")
    seq = world.state.seq
    basis = goal.intents[-1].basis
    World.drain(world, world.request("ann", "goal.decline", goal_id="one", basis=basis, reason="No"))
    assert put_away(world.state, 0, seq, 10) == []
    assert away(world) == []
    assert [one.goal_id for one in put_away(world.state, 0, world.state.seq, 10)] == ["one"]


def test_the_ones_that_were_asked_for_last_stay():
    world = Forgetful()
    world.forget = lambda: None
    for name in ("a", "b", "c", "d"):
        world.propose(name)
        world.do("ann", "goal.decline", goal_id=name, basis=world.goal(name).intents[-1].basis, reason="No")
    put_away(world.state, 0, world.state.seq, 10)
    for name in ("a", "b", "c", "a"):
        world.goal(name)
    assert [goal.goal_id for goal in put_away(world.state, 2, world.state.seq, 10)] == ["b"]
    assert away(world) == ["b", "d"]


def test_what_a_member_holds_in_a_goal_that_was_put_away_is_given_back_with_the_member():
    plain, forgetful = World(), Forgetful()
    for world in (plain, forgetful):
        world.activate("one")
        world.add("todo_one", "one")
        world.do("builder", "todo.claim", goal_id="one", todo_id="todo_one")
        world.do("ann", "goal.stop", goal_id="one", basis=state_basis(world.goal("one")), reason="Enough")
        assert away(world) == (["one"] if world is forgetful else [])
        world.do("operator", "member.revoke", member_id="builder")
        assert world.todo("todo_one", "one").claimed_by is None
    assert plain.state.hash == forgetful.state.hash


def test_a_goal_with_a_lease_that_has_not_ended_stays_until_its_end_is_written():
    world = Forgetful()
    world.activate("one")
    world.add("todo_one", "one")
    world.lease("todo_one", goal_id="one", ttl_seconds=60)
    world.do("ann", "goal.stop", goal_id="one", basis=state_basis(world.goal("one")), reason="Enough")
    assert away(world) == []
    world.now_ms += 60_000
    (asked,) = due(world.state, world.now_ms)[1]
    world.do("daemon", asked.action, **asked.params)
    assert away(world) == ["one"]


@pytest.mark.parametrize("kept_at", [None, "first", "last"])
def test_a_goal_is_read_back_as_of_the_event_that_is_known_of_it(kept_at):
    """Its snapshot may be older or newer, and the log may go on: neither shows."""
    world = everything()
    goal = world.goal()
    read = goal_reader(world.store, REDUCER)
    if kept_at is not None:
        seq = goal.created_seq if kept_at == "first" else goal.last_seq
        world.writer.keep_snapshot([goal_row(read(goal.goal_id, seq), REDUCER)])
    seqs = [row.seq for row in world.store.events(0, goal_id=goal.goal_id)]
    for seq in (seqs[0], seqs[len(seqs) // 2], seqs[-1]):
        assert read(goal.goal_id, seq).last_seq == seq
    assert dump(read(goal.goal_id, seqs[-1])) == dump(goal)


def test_a_goal_that_cannot_be_read_back_is_a_fault_and_not_a_goal_that_is_not_there():
    world = Forgetful()
    world.propose("one")
    world.do("ann", "goal.decline", goal_id="one", basis=world.goal("one").intents[-1].basis, reason="No")
    world.state.goals.loader = goal_reader(World().store, REDUCER)
    assert away(world) == ["one"]
    with pytest.raises(StoreFault):
        world.state.goals.get(GoalId("one"))
    with pytest.raises(StoreFault):
        goal_reader(world.store, REDUCER)(GoalId("one"), world.state.seq + 1)


def test_a_stopped_goal_that_was_put_away_is_not_revived_by_anything():
    world = Forgetful()
    world.activate("one")
    world.add("todo_one", "one")
    world.do("ann", "goal.stop", goal_id="one", basis=state_basis(world.goal("one")), reason="Enough")
    world.forget()
    assert away(world) == ["one"]
    for who, action, more in (
        ("ann", "quota.set", {"allowed_slots": 9}),
        ("builder", "todo.claim", {"todo_id": "todo_one"}),
        ("ann", "goal.resume", {"basis": state_basis(world.goal("one"))}),
        ("builder", "quota.reserve", {"turn_instance_id": "turn-1"}),
    ):
        world.ask(who, action, goal_id="one", **more)
        assert world.goal("one").state == "stopped"
    asked = ACTIONS["quota.should-run"].params.model_validate({"goal_id": "one", "agent_id": "builder"})
    document = READERS["quota.should-run"](world.state, world.caller("builder"), asked, world.now_ms)
    assert document["should_run"] is False
