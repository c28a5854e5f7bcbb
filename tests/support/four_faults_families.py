"""The four faults in what is decided besides the promise itself: plans, gates, amendments, and requests between peers.

F1 a confirmed commitment lost when it becomes work; F2 a yes to A applied to B; F3 success that did nothing; F4 a
partial commit, or a retry that duplicates. The scenarios are written for any surface, as those of the promise are.
"""

from collections.abc import Callable

import pytest

from tests.support.scene import Scene
from tests.support.surfaces import AnswerLostError, Document, FrailSurface, Reply, Surface
from tests.support.world import digest

LANES: list[Document] = [
    {"lane_id": "left", "title": "Check the links", "priority": "P0", "acceptance": "Each link answers"},
    {"lane_id": "right", "title": "Check the links", "priority": "P3", "depends_on": ["left"]},
]
NOBODY_CAN: list[Document] = [{"lane_id": "hard", "title": "Train it", "capability": ["gpu"]}]
BRIEF: Document = {
    "to": "helper",
    "purpose": "Check the reference",
    "acceptance": ["Each broken link is named"],
    "return_requirement": "A list",
}


class Desk(Scene):
    """A scene at whose goal work may begin."""

    def __init__(self, surface: Surface, goal_id: str) -> None:
        super().__init__(surface, goal_id)
        self.key = f"{goal_id}-the-act"
        self.propose()
        self.confirm()

    def seen(self, what: str, **named: object) -> str:
        """The basis that a decision on it would carry now."""
        return str(self.surface.read(f"{what}.show", {"goal_id": self.goal_id} | named, "ann")["basis"])

    def plan(self, *lanes: Document, plan_id: str = "plan_one") -> str:
        """The builder puts a plan forward; what it is confirmed by comes back."""
        self.do("builder", "plan.propose", plan_id=plan_id, lane=list(lanes))
        return self.seen("plan", plan_id=plan_id)

    def gate(self, gate_id: str, todo_id: str) -> str:
        """The builder asks Ann; what she sees comes back."""
        asked = {"question": "May it be published?", "blocks_todo": [todo_id], "approver": ["ann"]}
        self.do("builder", "gate.open", gate_id=gate_id, **asked)
        return self.seen("gate", gate_id=gate_id)

    def amendment(self, amendment_id: str, priority: str = "P0") -> str:
        """The builder puts a change forward; what it is committed by comes back."""
        change = [{"op": "reprioritise", "todo_id": "todo_one", "priority": priority}]
        asked = {"amendment_class": "lane_route", "why": "Links first", "operation": change}
        self.do("builder", "amendment.submit", amendment_id=amendment_id, **asked)
        return self.seen("amendment", amendment_id=amendment_id)

    def work(self, *todo_ids: str) -> None:
        """There is work."""
        for todo_id in todo_ids:
            self.do("ann", "todo.add", todo_id=todo_id, text="Check the links")


# F1: what was confirmed is there.


def a_confirmed_plan_is_work_lane_by_lane(surface: Surface) -> None:
    """The urgent lane is urgent work, what is good enough is kept, and two lanes of the same words are two todos."""
    desk = Desk(surface, "f1-plan")
    desk.do("ann", "plan.confirm", plan_id="plan_one", basis=desk.plan(*LANES))
    todos = desk.todos()
    assert {name: (todo["priority"], todo["title"]) for name, todo in todos.items()} == {
        "todo_plan_one_left": ("P0", "Check the links"),
        "todo_plan_one_right": ("P3", "Check the links"),
    }
    assert todos["todo_plan_one_left"]["acceptance"] == "Each link answers"
    assert todos["todo_plan_one_right"]["depends_on"] == ["todo_plan_one_left"]


# F2: a yes applies to what was shown, or to nothing.


def a_yes_to_a_plan_is_none_to_its_next_revision(surface: Surface) -> None:
    """The lanes were changed after they were read."""
    desk = Desk(surface, "f2-plan")
    seen = desk.plan(*LANES)
    now = desk.plan(LANES[0] | {"title": "Rewrite everything"})
    assert desk.act("ann", "plan.confirm", plan_id="plan_one", basis=seen).code == "stale_basis"
    assert desk.todos() == {}
    desk.do("ann", "plan.confirm", plan_id="plan_one", basis=now)


def a_yes_to_one_gate_is_none_to_another_or_to_its_next_question(surface: Surface) -> None:
    """Two gates that ask the same have bases of their own, and so has each generation of one."""
    desk = Desk(surface, "f2-gate")
    desk.work("todo_one", "todo_two")
    seen, other = desk.gate("gate_one", "todo_one"), desk.gate("gate_two", "todo_two")
    assert desk.act("ann", "gate.approve", gate_id="gate_two", basis=seen).code == "gate_stale"
    desk.do("builder", "gate.revise", gate_id="gate_one", question="And the index?")
    assert desk.act("ann", "gate.approve", gate_id="gate_one", basis=seen).code == "gate_stale"
    desk.do("ann", "gate.approve", gate_id="gate_two", basis=other)
    assert desk.act("builder", "todo.claim", todo_id="todo_one").code == "gate_blocks"
    desk.do("builder", "todo.claim", todo_id="todo_two")


def a_yes_to_one_change_is_none_to_another_or_to_what_it_became(surface: Surface) -> None:
    """What it was made for has moved, and it was put forward again."""
    desk = Desk(surface, "f2-change")
    desk.work("todo_one")
    seen, other = desk.amendment("amend_one"), desk.amendment("amend_two", "P4")
    assert desk.act("ann", "amendment.commit", amendment_id="amend_two", basis=seen).code == "stale_basis"
    desk.do("ann", "todo.update", todo_id="todo_one", priority="P3")
    assert desk.act("ann", "amendment.commit", amendment_id="amend_two", basis=other).code == "needs_rebase"
    desk.do("builder", "amendment.rebase", amendment_id="amend_one")
    assert desk.act("ann", "amendment.commit", amendment_id="amend_one", basis=seen).code == "stale_basis"
    assert desk.todos()["todo_one"]["priority"] == "P3"


# F3: success means that something was done.


def a_plan_that_nobody_can_do_is_no_success(surface: Surface) -> None:
    """Every lane has a gap: nothing is confirmed, and the plan still waits."""
    desk = Desk(surface, "f3-plan")
    reply = desk.act("ann", "plan.confirm", plan_id="plan_one", basis=desk.plan(*NOBODY_CAN))
    assert (reply.code, desk.todos()) == ("all_gap", {})
    assert "hard" in str(reply.details["gap_lanes"])


def a_decision_that_was_made_already_says_so_and_changes_nothing(surface: Surface) -> None:
    """A second yes, a late no, and a second withdrawal do nothing and say what was done before."""
    desk = Desk(surface, "f3-decided")
    desk.work("todo_one")
    seen, change = desk.gate("gate_one", "todo_one"), desk.amendment("amend_one")
    desk.do("ann", "gate.approve", gate_id="gate_one", basis=seen)
    desk.do("ann", "amendment.commit", amendment_id="amend_one", basis=change)
    desk.do("builder", "request.send", request_id="request_one", **BRIEF)
    desk.do("builder", "request.withdraw", request_id="request_one")
    before = surface.history()
    assert desk.act("ann", "gate.reject", gate_id="gate_one", basis=seen).code == "gate_already_resolved"
    assert desk.act("ann", "amendment.commit", amendment_id="amend_one", basis=change).outcome == "noop"
    assert desk.act("ann", "amendment.reject", amendment_id="amend_one", basis=change).code == "amendment_decided"
    assert desk.act("builder", "request.withdraw", request_id="request_one").outcome == "noop"
    assert surface.history() == before


# F4: all of it or nothing, and once.


def _plan(desk: Desk) -> Callable[[], Reply]:
    seen = desk.plan(*LANES)
    return lambda: desk.act("ann", "plan.confirm", desk.key, plan_id="plan_one", basis=seen)


def _gate(desk: Desk) -> Callable[[], Reply]:
    desk.work("todo_one")
    seen = desk.gate("gate_one", "todo_one")
    return lambda: desk.act("ann", "gate.approve", desk.key, gate_id="gate_one", basis=seen)


def _amendment(desk: Desk) -> Callable[[], Reply]:
    desk.work("todo_one")
    seen = desk.amendment("amend_one")
    return lambda: desk.act("ann", "amendment.commit", desk.key, amendment_id="amend_one", basis=seen)


def _request(desk: Desk) -> Callable[[], Reply]:
    desk.do("builder", "request.send", request_id="request_one", **BRIEF)
    desk.do("helper", "request.respond", request_id="request_one", decision="adopt")
    return lambda: desk.act("helper", "request.commit", desk.key, request_id="request_one", text="Check")


def _return(desk: Desk) -> Callable[[], Reply]:
    desk.do("builder", "request.send", request_id="request_one", **BRIEF)
    desk.do("helper", "request.respond", request_id="request_one", decision="adopt")
    proof = {"label": "found.json", "sha256": digest(desk.goal_id), "size_bytes": 3}
    seq, _ = desk.do("helper", "artifact.submit", **proof).events[0]
    given = {"request_id": "request_one", "artifact": [f"art_{seq:06d}"], "summary": "Two links"}
    return lambda: desk.act("helper", "request.return", desk.key, **given)


CUTS: dict[str, tuple[Callable[[Desk], Callable[[], Reply]], list[str]]] = {
    "plan": (_plan, ["plan.confirmed"]),
    "gate": (_gate, ["gate.approved"]),
    "change": (_amendment, ["amendment.committed"]),
    "request": (_request, ["todo.added", "request.committed"]),
    "return": (_return, ["request.returned"]),
}
"""What is cut in the middle, and the kinds of the events that must be there once in the end."""


def what_is_cut_in_the_middle_is_done_once(surface: FrailSurface, name: str, *, stored: bool) -> None:
    """The power fails before or after the commit; asked again, it is done, all of it, and once."""
    prepare, kinds = CUTS[name]
    desk = Desk(surface, f"f4-{name}-{'after' if stored else 'before'}")
    act = prepare(desk)
    before = len(surface.history())
    surface.lose_next(stored=stored)
    with pytest.raises(AnswerLostError):
        act()
    assert [kind for _, kind in surface.history()[before:]] == (kinds if stored else [])
    todos = len(desk.todos())
    reply = act()
    assert (reply.kinds, reply.replayed) == (kinds, stored)
    assert [kind for _, kind in surface.history()[before:]] == kinds
    again = act()
    assert (again.kinds, again.replayed, len(surface.history())) == (kinds, True, before + len(kinds))
    if stored:
        assert len(desk.todos()) == todos


SCENARIOS: tuple[Callable[[Surface], None], ...] = (
    a_confirmed_plan_is_work_lane_by_lane,
    a_yes_to_a_plan_is_none_to_its_next_revision,
    a_yes_to_one_gate_is_none_to_another_or_to_its_next_question,
    a_yes_to_one_change_is_none_to_another_or_to_what_it_became,
    a_plan_that_nobody_can_do_is_no_success,
    a_decision_that_was_made_already_says_so_and_changes_nothing,
)
