"""Documents that the pages keep: found again only while all that they were made from holds, within bounded room."""

import random
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from daemon.web import known as known_documents
from daemon.web.known import Known
from daemon.web.reads import CALLER
from ledger.catalogue import ACTIONS
from ledger.ids import GoalId
from ledger.projections.documents import READERS
from ledger.refusals import Refusal
from tests.support.walk import Walker
from tests.support.world import DOCS, World

OF_THE_MOMENT = {"generated_at", "status_generated_at", "active_state_updated_at", "window_from"}
"""When somebody asked; no page shows it but for events, which have it from the ledger."""
SPANS_MS = (0, 1_000, 60_000, 3_600_000, 30_000_000)


class Desk:
    """A world as a service shows it, and what its pages know."""

    def __init__(self) -> None:
        self.world = World()
        self.registry_seq = self.world.state.seq
        goal_seq = self.world.state.goals.last_seq
        self.service = SimpleNamespace(committed=self.world.state, goal_seq=goal_seq, registry_seq=self.registry_seq)
        self.known = Known(self.service)

    def hear(self, events) -> None:
        """What was committed."""
        registry = [event.seq for event in events if event.goal_id is None]
        self.service.registry_seq = max([self.service.registry_seq, *registry])

    def read(self, action: str, goal_id: str):
        """A document as a page gets it, and whether it was kept."""
        key, now_ms = (action, GoalId(goal_id), "en", b""), self.world.now_ms
        found = self.known.find(key, now_ms)
        if found is not None:
            return found, True
        truth = self.known.truth(GoalId(goal_id), now_ms)
        made = self.anew(action, goal_id)
        if not isinstance(made, Refusal):
            self.known.keep(key, made, truth)
        return made, False

    def anew(self, action: str, goal_id: str):
        """The same, made now."""
        params = ACTIONS[action].params.model_validate({"goal_id": goal_id})
        return READERS[action](self.world.state, CALLER, params, self.world.now_ms)


def timeless(value):
    """A document without the moment at which it was made."""
    if isinstance(value, dict):
        asked = {} if "classification" in value else OF_THE_MOMENT
        return {name: timeless(one) for name, one in value.items() if name not in asked}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def of_a_goal() -> list[str]:
    """Documents that a goal's name is enough for."""
    found = []
    for action in READERS:
        if ACTIONS[action].goal_bound:
            try:
                ACTIONS[action].params.model_validate({"goal_id": DOCS})
            except ValidationError:
                continue
            found.append(action)
    return found


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32))
def test_what_is_found_again_is_what_would_be_read(seed):
    rng, desk, actions = random.Random(seed), Desk(), of_a_goal()
    assert {"goal.show", "todo.list", "quota.status", "gate.list"} <= set(actions)
    walker, hits = Walker(desk.world, rng.choice), 0
    for _ in range(100):
        move = walker.next()
        desk.hear(desk.world.ask(move.who, move.action, **move.params).events)
        if desk.world.writer.refolded is not None:
            desk.known.forget()
        desk.world.now_ms += rng.choice(SPANS_MS)
        for goal_id in desk.world.state.goals:
            for action in rng.sample(actions, 3):
                shown, kept = desk.read(action, goal_id)
                assert timeless(shown) == timeless(desk.anew(action, goal_id)), action
                hits += kept
    assert len(desk.world.state.goals) < 2 or hits


def test_an_event_of_another_goal_leaves_a_document_where_it_is():
    desk = Desk()
    for goal_id in ("docs", "site"):
        desk.world.activate(goal_id)
        assert desk.read("goal.show", goal_id)[1] is False
    desk.world.add("todo_one", "site")
    assert desk.read("goal.show", "docs")[1] is True
    assert desk.read("goal.show", "site")[1] is False
    desk.known.forget()
    assert desk.read("goal.show", "docs")[1] is False


def test_an_event_of_the_registry_has_every_document_read_again():
    desk = Desk()
    desk.world.activate()
    desk.read("goal.show", DOCS)
    assert desk.read("goal.show", DOCS)[1] is True
    desk.hear(desk.world.do("operator", "member.add", member_id="cleo", kind="person", display_name="Cleo"))
    assert desk.read("goal.show", DOCS)[1] is False


def test_documents_take_bounded_room_and_none_is_kept_of_a_goal_that_is_not(monkeypatch):
    desk = Desk()
    assert isinstance(desk.read("goal.show", "nowhere")[0], Refusal)
    desk.world.activate()
    desk.world.add("todo_one")
    desk.read("todo.list", DOCS)
    assert len(desk.known) == 1
    monkeypatch.setattr(known_documents, "BYTES_MAX", 1_000)
    desk.read("goal.show", DOCS)
    assert len(desk.known) == 0
