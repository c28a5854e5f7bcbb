"""A large ledger: a million events of a thousand goals, nearly all of them closed, as a workspace has after years.

One life of a goal of each kind is played by the real rules; its events are then written again and again under other
names, at other places in the chain, with receipts of their own. Every hash, every column and every digest of words is
true, and the reducer meets the mixture of kinds that it meets in life; only the deciders are left out, which would take
an hour.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from daemon.paths import Home
from ledger.chain import link
from ledger.ports import EventRow, Group, Head, ReceiptRow, Store
from ledger.receipts import receipt_key
from ledger.rules.gates import gate_basis
from ledger.rules.goals import state_basis
from ledger.store.sqlite import open_sqlite
from tests.bench.preload import OPERATOR, SECRET, Maker, kept
from tests.support.world import World, digest

GROUP = 4_000
TODOS, TODOS_OPEN = 114, 75
OPEN_EVERY = 20
"""One goal in so many is still open; of the others one in ten was stopped and one in ten was never begun."""
NAME = "the-name-of-a-goal"
_PLACE = re.compile(rb',"seq":(\d+),"surface":"')
_TIME = re.compile(rb'^\{"actor":"[^"]*","at_ms":(\d+),')


class Step(NamedTuple):
    """One event of a life, cut where a copy differs: the name of the goal, the time and the place in the chain."""

    kind: str
    begins: bytes
    goes_on: bytes
    ends: bytes
    words: bytes | None
    salt: bytes | None
    after_ms: int
    starts_command: bool


def large(events: int, goals: int) -> Path:
    """A home with such a ledger; made once, then copied for each run."""
    return kept(f"large-{events}-{goals}-", lambda home: make(home, events, goals), Path(__file__))


def make(home: Home, events: int, goals: int) -> None:
    """Write it into a new home."""
    people(home, [])
    store = open_sqlite(Path(home.ledger))
    fill(store, events, goals)
    store.checkpoint()
    store.close()


def people(home: Home, more: list[str]) -> None:
    """A workspace with those who act in a life, the credential of a bench, and more agents."""
    maker = Maker(home)
    acting = [("bob", "person"), *((agent, "agent") for agent in ("builder", "helper", *more))]
    maker.run([maker.ask(OPERATOR, "member.add", member_id=who, kind=kind, display_name=who) for who, kind in acting])
    secret = hashlib.sha256(SECRET.encode()).hexdigest()
    maker.run([maker.ask(OPERATOR, "token.issue", member_id="builder", secret_digest=secret)])
    maker.close()


def fill(store: Store, events: int, goals: int) -> None:
    """Append the goals to a ledger that has its people, and then more of them until it is long enough."""
    term = store.open_term("unused")
    lives = {kind: _life(kind) for kind in ("open", "accepted", "stopped", "declined")}
    writing = Writing.after(store)
    for number in range(goals):
        writing.live(lives[_kind(number)], f"g{number:06d}")
        for group in writing.groups(GROUP):
            store.append(term, group)
            store.checkpoint()
    number = goals
    while writing.seq < events:
        writing.live(lives["accepted"], f"g{number:06d}")
        number += 1
    for group in writing.groups(1):
        store.append(term, group)


def _kind(number: int) -> str:
    if number % OPEN_EVERY == 0:
        return "open"
    return {1: "stopped", 2: "declined"}.get(number % 10, "accepted")


class Writing:
    """Rows on their way into the store."""

    def __init__(self, head: Head, at_ms: int) -> None:
        self.seq, self._hash = head
        self._at_ms = at_ms
        self._events: list[EventRow] = []
        self._receipts: list[ReceiptRow] = []

    @classmethod
    def after(cls, store: Store) -> Self:
        """On what the store has."""
        last = next(iter(store.events(store.head().seq - 1)), None)
        at_ms = 0 if last is None else int(_TIME.match(last.body)[1])  # type: ignore[index]
        return cls(store.head(), at_ms + 1)

    def live(self, life: list[Step], name: str) -> None:
        """One life under a name of its own, at the end of the chain."""
        named, first = name.encode(), self.seq + 1
        for step in life:
            self.seq += 1
            self._at_ms += step.after_ms
            body = b"%b%d%b%d%b" % (step.begins, self._at_ms, step.goes_on, self.seq, step.ends)
            body = body.replace(NAME.encode(), named)
            self._hash = link(self._hash, body)
            self._events.append(EventRow(self.seq, name, step.kind, body, step.words, step.salt, self._hash))
            if step.starts_command and self.seq > first:
                self._receipt(first, self.seq - 1)
                first = self.seq
        self._receipt(first, self.seq)

    def _receipt(self, first: int, last: int) -> None:
        key = receipt_key("ann", f"k{self._at_ms:012x}-{first:016x}")
        self._receipts.append(ReceiptRow(key, hashlib.sha256(key).digest()[:16], "todo.add", first, last))

    def groups(self, least: int) -> Iterator[Group]:
        """What waits, once it is worth a commit."""
        if len(self._events) >= least:
            events, receipts, self._events, self._receipts = self._events, self._receipts, [], []
            yield Group(events, receipts)


def _life(kind: str) -> list[Step]:
    world = World()
    before, began_ms = world.state.seq, world.now_ms
    world.propose(NAME, owner=["ann"], criterion=["Every link works"])
    basis = world.goal(NAME).intents[-1].basis
    if kind == "declined":
        world.do("ann", "goal.decline", goal_id=NAME, basis=basis, reason="Not this year")
    else:
        _worked(world, kind)
    return steps_of(world, before, began_ms)


def steps_of(world: World, before: int, began_ms: int) -> list[Step]:
    """What was done in a world since an event and a moment, as a life; its goal has the name that copies replace."""
    steps: list[Step] = []
    last_ms, last_cause = began_ms, None
    for row in world.store.events(before):
        when, place = _TIME.match(row.body), _PLACE.search(row.body)
        assert when is not None, "each body has a time"
        assert place is not None, "each body has a place"
        cause = re.search(rb'"cause":("[^"]*"|null)', row.body)
        assert cause is not None, "each body has a cause"
        at_ms = int(when[1])
        steps.append(
            Step(
                row.kind,
                row.body[: when.start(1)],
                row.body[when.end(1) : place.start(1)],
                row.body[place.end(1) :],
                row.words,
                row.salt,
                at_ms - last_ms,
                cause[1] != last_cause,
            )
        )
        last_ms, last_cause = at_ms, cause[1]
    assert NAME not in str([step.words for step in steps]), "words are not named anew"
    return steps


def _worked(world: World, kind: str) -> None:
    one = {"goal_id": NAME}
    world.confirm(NAME)
    lanes = [{"lane_id": f"lane{number}", "title": f"Part {number}", "acceptance": "It works"} for number in range(3)]
    world.do("builder", "plan.propose", **one, plan_id="plan_one", lane=lanes)
    refused = world.ask("ann", "plan.confirm", **one, plan_id="plan_one").refusal
    assert refused is not None, "a plan is confirmed as it was shown"
    world.do("ann", "plan.confirm", **one, plan_id="plan_one", basis=refused.basis)
    for number in range(TODOS if kind != "open" else TODOS_OPEN):
        world.now_ms += 60_000
        worked_on(world, f"todo_{number:04d}", number)
        if number % 10 == 0:
            _asked(world, number)
    if kind == "open":
        for number in range(TODOS_OPEN, TODOS):
            world.add(f"todo_{number:04d}", NAME)
            if number % 8 == 0:
                world.lease(f"todo_{number:04d}", goal_id=NAME, key=f"run-{number}", write_scope=[f"docs/w{number}/**"])
        return
    for todo_id in [todo.todo_id for todo in world.goal(NAME).todos.values() if todo.status == "open"]:
        world.finish(todo_id, goal_id=NAME)
    if kind == "stopped":
        world.do("ann", "goal.stop", **one, basis=state_basis(world.goal(NAME)), reason="Enough")
        return
    world.deliver(NAME)
    world.do("ann", "goal.accept", **one, basis=world.goal(NAME).deliveries[-1].basis)


def worked_on(world: World, todo_id: str, number: int, renewals: int = 2) -> None:
    """One piece of work from its beginning to its end, paid for."""
    one, key = {"goal_id": NAME, "todo_id": todo_id}, f"run-{number}"
    world.add(todo_id, NAME)
    world.lease(todo_id, goal_id=NAME, key=key, write_scope=[f"docs/p{number}/**"])
    for version in range(1, renewals + 1):
        world.now_ms += 30_000
        world.do("builder", "task-lease.renew", **one, idempotency_key=key, expected_version=version)
    artifact = world.submit(todo_id, goal_id=NAME, criterion=["c1"])
    fence = {"task_lease_idempotency_key": key, "task_lease_expected_version": renewals + 1}
    world.do("builder", "todo.complete", **one, evidence=[artifact], note="It works now", **fence)
    turn = {**one, "turn_instance_id": f"turn-{number}"}
    outcome = {"delivery_outcome": "primary_goal_outcome", "evidence": [artifact]}
    world.do("builder", "run.report", **turn, **outcome, summary="Done and tried")
    world.do("builder", "quota.spend-slot", **turn)


def _asked(world: World, number: int) -> None:
    """A question to the owner and one to a peer, both answered."""
    one, gate_id = {"goal_id": NAME}, f"gate_q{number}"
    world.do("builder", "gate.open", **one, gate_id=gate_id, question="May it be published?", blocks_todo=["todo_0000"])
    goal = world.goal(NAME)
    world.do("ann", "gate.approve", **one, gate_id=gate_id, basis=gate_basis(goal, goal.gates.by_id[gate_id]))
    request = {**one, "request_id": f"request_r{number}"}
    asked = {"to": "helper", "purpose": "Check it", "acceptance": ["It is checked"], "return_requirement": "A line"}
    world.do("builder", "request.send", **request, **asked)
    world.do("helper", "request.respond", **request, decision="adopt", reason="At once")
    found = world.submit(None, by="helper", goal_id=NAME, sha256=digest(f"found {number}"))
    world.do("helper", "request.return", **request, artifact=[found], summary="It holds")
    world.do("builder", "request.acknowledge", **request)
