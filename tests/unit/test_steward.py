"""What a steward wishes, as tables: a view of a goal, and everything that follows from it."""

from dataclasses import replace

import pytest

from daemon.agents.steward_core import decide_next
from daemon.agents.steward_facts import PLANS_MAX, WISHED
from daemon.agents.steward_template import LANES_MAX, template
from daemon.agents.steward_view import (
    Agent,
    Amendment,
    Criterion,
    Evidence,
    Gap,
    Gate,
    Plan,
    Request,
    Stuck,
    View,
    Work,
)
from daemon.agents.steward_watch import LAPSES_MAX, SILENT_MS, STUCK_MS, TIMES_MAX
from daemon.agents.steward_words import LANGUAGES, Words
from ledger.catalogue import ACTIONS

WORDS = Words()
TWO = (Criterion(criterion_id="c1", text="Links work"), Criterion(criterion_id="c2", text="Headings are right"))
GUIDE, ANNA, BEN = (Agent(agent_id=name) for name in ("guide", "anna", "ben"))
JUDGE = Agent(agent_id="judge", role="reviewer")
BASE = View(
    me="guide", goal_id="docs", write_scopes=("reports/**",), criteria=TWO, review="independent",
    agents=(GUIDE, ANNA, BEN, JUDGE),
)  # fmt: skip
DONE = Work(todo_id="todo_a", title="Find", status="done", bound_agent="anna", completed_by="anna", evidence=("art_1",))
OPEN = Work(todo_id="todo_b", title="Note", bound_agent="ben", depends_on=("todo_a",))
ART = Evidence(artifact_id="art_1", todo_id="todo_a", label="links", submitted_by="anna", criterion_ids=("c1", "c2"))
GOOD = replace(ART, status="accepted", counts=True, reviewer="judge")
BAD = replace(ART, status="rejected", reviewer="judge", reason="3 links are broken")
STALE = replace(ART, status="invalidated", undone_by="art_0")
ASKED = Request(request_id="request_review-art_1-1", sender="guide", receiver="judge")
PLAN = Plan(plan_id="plan_r1d0n1", proposed_by="guide", basis="b1:0", status="confirmed")


def about(wish):
    return (wish.action, wish.key.removeprefix("steward/docs/"))


def wished(**changes):
    return [about(one) for one in decide_next(replace(BASE, **changes), WORDS)]


def the_one(**changes):
    (one,) = decide_next(replace(BASE, **changes), WORDS)
    return one


PLANNED = ("plan.propose", "plan/plan_r1d0n1")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # A proposal is asked about once, and only where something is not said.
        ({"state": "proposed"}, []),
        ({"state": "proposed", "write_scopes": ()}, [("goal.clarify", "clarify/writes")]),
        ({"state": "clarifying", "write_scopes": (), "asked": True}, []),
        ({"state": "proposed", "has_planner": True, "revision": 2}, [("goal.clarify", "clarify/planner-2")]),
        # What people have in hand is theirs.
        *(({"state": state}, []) for state in ("paused", "delivered", "accepted", "stopped", "declined", "withdrawn")),
        # A plan, where criteria have neither proof nor work.
        ({}, [PLANNED]),
        ({"revision": 2}, [("goal.adopt", "adopt/2"), ("plan.propose", "plan/plan_r2d0n1")]),
        ({"pending": True}, []),
        ({"work": (OPEN,)}, []),
        ({"work": (replace(OPEN, status="deferred"),)}, []),
        ({"work": (replace(OPEN, status="cancelled"),)}, [PLANNED]),
        ({"work": (replace(OPEN, status="proposed"),)}, [PLANNED]),
        # One that waits is its owners', unless they have handed that over, and never with a gap.
        ({"plans": (replace(PLAN, status="open"),)}, []),
        ({"plans": (replace(PLAN, status="open"),), "plan_approval": "steward"},
         [("plan.confirm", "confirm/plan_r1d0n1/b1:0")]),
        ({"plans": (replace(PLAN, status="open", proposed_by="anna"),), "plan_approval": "steward"}, []),
        # After a no, and after too many, a person says whether to go on.
        ({"plans": (replace(PLAN, status="rejected"),)}, [("gate.open", "direction/gate_plan_r1d0n1")]),
        ({"plans": (replace(PLAN, status="rejected"),), "gates": (Gate(gate_id="gate_plan_r1d0n1"),)}, []),
        ({"plans": (replace(PLAN, status="rejected"),),
          "gates": (Gate(gate_id="gate_plan_r1d0n1", status="rejected"),)}, []),
        ({"plans": (replace(PLAN, status="rejected"),),
          "gates": (Gate(gate_id="gate_plan_r1d0n1", status="approved"),)}, [("plan.propose", "plan/plan_r1d0n2")]),
        ({"plans": (PLAN,)}, [("plan.propose", "plan/plan_r1d0n2")]),
        ({"plans": tuple(replace(PLAN, plan_id=f"plan_r1d0n{n}") for n in range(PLANS_MAX, 0, -1))},
         [("gate.open", f"direction/gate_plan_r1d0n{PLANS_MAX + 1}")]),
        # Somebody who is not the author reviews, and is asked once.
        ({"work": (DONE,), "evidence": (ART,)}, [("request.send", "review/request_review-art_1-1")]),
        ({"work": (DONE,), "evidence": (ART,), "requests": (ASKED,)}, []),
        ({"work": (DONE,), "evidence": (ART,), "review": "owner"}, []),
        ({"work": (replace(DONE, status="open"),), "evidence": (ART,)}, []),
        ({"work": (DONE,), "evidence": (ART,), "requests": (replace(ASKED, status="returned"),)},
         [("request.acknowledge", "arrived/request_review-art_1-1"),
          ("request.send", "review/request_review-art_1-2")]),
        ({"work": (DONE,), "evidence": (ART,), "requests": (replace(ASKED, receiver="nobody"),)},
         [("request.withdraw", "gone/request_review-art_1-1")]),
        ({"work": (DONE,), "evidence": (ART,), "agents": (GUIDE, ANNA)}, [("gate.open", "right/gate_review-art_1")]),
        ({"work": (DONE,), "evidence": (ART,), "agents": (GUIDE, ANNA),
          "gates": (Gate(gate_id="gate_review-art_1"),)}, []),
        ({"work": (DONE, OPEN), "evidence": (GOOD,), "requests": (ASKED,)},
         [("request.withdraw", "moot/request_review-art_1-1")]),
        ({"work": (DONE, OPEN), "evidence": (GOOD,), "gates": (Gate(gate_id="gate_review-art_1", opened_by="guide"),)},
         [("gate.withdraw", "moot/gate_review-art_1")]),
        # What was rejected is its author's to rework, while there is one.
        ({"work": (DONE,), "evidence": (BAD,)}, []),
        ({"work": (DONE,), "evidence": (BAD,), "agents": (GUIDE, BEN, JUDGE)}, [("todo.add", "redo/todo_a-r2")]),
        # What rests on what was revised, too; and what waits for what is done again waits for that.
        ({"work": (DONE,), "evidence": (STALE,)}, []),
        ({"work": (DONE,), "evidence": (STALE,), "agents": (GUIDE, BEN, JUDGE)}, [("todo.add", "redo/todo_a-r2")]),
        ({"work": (DONE, replace(OPEN, todo_id="todo_a-r2", depends_on=())), "evidence": (STALE,)}, []),
        # Whoever took that out decided that it is not done again.
        ({"work": (DONE, replace(OPEN, todo_id="todo_a-r2", status="cancelled"),), "evidence": (STALE,)}, [PLANNED]),
        # Delivered when each criterion has evidence that counts, and nothing else is open.
        ({"work": (DONE,), "evidence": (GOOD,)}, [("goal.deliver", "deliver/1/1")]),
        ({"work": (DONE,), "evidence": (replace(GOOD, criterion_ids=("c1",)),), "plans": (PLAN,)},
         [("plan.propose", "plan/plan_r1d0n2")]),
        ({"work": (DONE,), "evidence": (GOOD,), "revision": 2},
         [("goal.adopt", "adopt/2"), ("plan.propose", "plan/plan_r2d0n1")]),
        ({"work": (DONE, OPEN), "evidence": (GOOD,)}, []),
        ({"work": (DONE,), "evidence": (GOOD,), "pending": True}, []),
        ({"work": (DONE,), "evidence": (GOOD,), "gates": (Gate(gate_id="gate_1"),)}, []),
        ({"work": (DONE,), "evidence": (GOOD,), "state": "changes_requested", "deliveries": 1, "delivered": ("art_1",)},
         [("plan.propose", "plan/plan_r1d1n1")]),
        ({"work": (DONE,), "evidence": (GOOD,), "state": "changes_requested", "deliveries": 1, "delivered": ("art_0",)},
         [("goal.deliver", "deliver/1/2")]),
    ],
)  # fmt: skip
def test_what_follows_from_a_view(changes, expected):
    assert wished(**changes) == expected


def gate_of_block(number=1, **more):
    first = the_one(work=(replace(OPEN, status="blocked", reason="No key"),))
    assert (first.action, first.params["kind"], first.params["blocks_todo"]) == ("gate.open", "direction", ["todo_b"])
    stem = str(first.params["gate_id"]).rpartition("-")[0]
    return Gate(gate_id=f"{stem}-{number}", **more)


@pytest.mark.parametrize(
    ("status", "note", "expected"),
    [
        ("waiting_on_user", "", None),
        ("rejected", "", None),
        ("approved", "", "todo.update"),
        # A yes is used up by going on: blocked once more, it is asked once more.
        ("approved", "Goes on by {gate}", "gate.open"),
    ],
)
def test_a_block_goes_on_by_one_yes_once(status, note, expected):
    gate = gate_of_block(status=status)
    work = replace(OPEN, status="blocked", reason="No key", note=note.format(gate=gate.gate_id))
    found = decide_next(replace(BASE, work=(work,), gates=(gate,)), WORDS)
    assert [one.action for one in found] == ([] if expected is None else [expected])
    if expected == "gate.open":
        assert found[0].params["gate_id"] == gate_of_block(2).gate_id
        assert found[0].params["blocks_todo"] == ["todo_b"]


def test_blocked_work_that_somebody_has_in_hand_is_for_them_to_go_on_with():
    work = replace(OPEN, status="blocked", reason="No key", claimed_by="ben")
    assert wished(work=(work,), gates=(gate_of_block(status="approved"),)) == []


def test_a_plan_that_nobody_can_do_asks_for_the_right_and_takes_the_question_back_when_it_is_there():
    gap = Gap(lane_id="work-1", reason="capability_not_granted", names=("gpu",))
    waiting = replace(PLAN, status="open", gaps=(gap,))
    asked = the_one(plans=(waiting,), plan_approval="steward")
    assert (asked.action, asked.params["kind"]) == ("gate.open", "resource")
    assert "work-1: capability_not_granted (gpu)" in str(asked.params["question"])
    gate = Gate(gate_id=str(asked.params["gate_id"]), opened_by="guide")
    assert wished(plans=(waiting,), gates=(gate,), plan_approval="steward") == []
    # A yes to the question grants nothing: the gap is there still.
    assert wished(plans=(waiting,), gates=(replace(gate, status="approved"),), plan_approval="steward") == []
    closed = decide_next(replace(BASE, plans=(replace(waiting, gaps=()),), gates=(gate,)), WORDS)
    assert [one.action for one in closed] == ["gate.withdraw"]


def test_what_is_done_again_has_the_same_terms_and_says_why():
    hard = replace(
        DONE, acceptance="Each is named", validators=("links",), write_scopes=("reports/**",), action_kind="check",
        capabilities=("web",), excluded_agents=("ben",), depends_on=("todo_z",), priority="P1",
    )  # fmt: skip
    left = {"evidence": (STALE,), "agents": (GUIDE, BEN, JUDGE)}
    again = the_one(work=(hard,), **left).params
    assert again["validator"] == ["links"]
    assert again["required_write_scope"] == ["reports/**"]
    assert (again["action_kind"], again["required_capability"]) == ("check", ["web"])
    assert (again["excluded_agent"], again["depends_on"]) == (["ben"], ["todo_z"])
    # It was bound to somebody who is gone, so that now anybody may do it who can.
    assert (again["bound_agent"], again["priority"], again["text"]) == (None, "P1", "Again: Find")
    assert again["acceptance"] == "Each is named\nTakes the place of art_1, whose basis no longer holds"
    once_more = replace(hard, todo_id="todo_a-r2", title=again["text"], acceptance=again["acceptance"])
    third = the_one(work=(hard, once_more), **left).params
    assert (third["todo_id"], third["text"], third["acceptance"]) == ("todo_a-r3", "Again: Find", again["acceptance"])


def test_what_was_done_too_often_is_asked_about_and_what_an_author_reworks_too():
    last = replace(DONE, todo_id=f"todo_a-r{TIMES_MAX}")
    asked = the_one(work=(last,), evidence=(STALE,))
    assert (asked.action, asked.params["kind"]) == ("gate.open", "direction")
    gate = Gate(gate_id=str(asked.params["gate_id"]), status="approved")
    (again,) = decide_next(replace(BASE, work=(last,), evidence=(STALE,), gates=(gate,)), WORDS)
    assert (again.params["todo_id"], again.params["bound_agent"]) == (f"todo_a-r{TIMES_MAX + 1}", None)
    assert wished(work=(last,), evidence=(STALE,), gates=(replace(gate, status="rejected"),)) == []
    numbers = range(1, TIMES_MAX + 1)
    chain = [replace(BAD, artifact_id=f"art_{n}", revises=f"art_{n - 1}" if n > 1 else "") for n in numbers]
    work = replace(DONE, evidence=(chain[-1].artifact_id,))
    assert the_one(work=(work,), evidence=tuple(chain)).action == "gate.open"
    assert wished(work=(replace(DONE, evidence=(chain[-2].artifact_id,)),), evidence=tuple(chain[:-1])) == []


def test_a_question_that_has_settled_itself_is_taken_back_and_asked_anew_when_it_comes_again():
    blocked = replace(OPEN, status="blocked", reason="No key")
    gate = gate_of_block(opened_by="guide")
    assert wished(work=(blocked,), gates=(gate,)) == []
    assert wished(work=(OPEN,), gates=(gate,)) == [("gate.withdraw", f"moot/{gate.gate_id}")]
    assert wished(work=(OPEN,), gates=(replace(gate, opened_by="anna"),)) == []
    assert wished(work=(OPEN,), gates=(replace(gate, gate_id="gate_money", opened_by="guide"),)) == []
    once_more = the_one(work=(blocked,), gates=(replace(gate, status="withdrawn"),))
    assert once_more.params["gate_id"] == f"{gate.gate_id}-2"


def test_what_waits_for_work_that_is_done_again_is_made_to_wait_for_it_once():
    again = replace(DONE, todo_id="todo_a-r2", status="open", evidence=())
    moved = the_one(work=(DONE, again, OPEN), evidence=(STALE,))
    assert (moved.action, moved.params["amendment_class"]) == ("amendment.submit", "shared_work_graph")
    assert moved.params["operation"] == ['{"op":"rewire","todo_id":"todo_b","depends_on":["todo_a-r2"]}']
    assert moved.params["rebase_todo"] == []
    mine = Amendment(
        amendment_id=str(moved.params["amendment_id"]), amendment_class="shared_work_graph", submitted_by="guide",
        basis="b1:7",
    )  # fmt: skip
    found = decide_next(replace(BASE, work=(DONE, again, OPEN), evidence=(STALE,), amendments=(mine,)), WORDS)
    assert [(one.action, one.params.get("basis")) for one in found] == [("amendment.commit", "b1:7")]
    held = replace(OPEN, claimed_by="ben")
    assert the_one(work=(DONE, again, held), evidence=(STALE,)).params["rebase_todo"] == ["todo_b"]
    at_last = replace(OPEN, depends_on=("todo_a-r2",))
    assert wished(work=(DONE, again, at_last), evidence=(STALE,)) == []


@pytest.mark.parametrize("reach", ["shared_acceptance", "protected_authority"])
def test_a_change_that_needs_a_person_is_committed_by_nobody_else(reach):
    mine = Amendment(amendment_id="amend_1", amendment_class=reach, submitted_by="guide", basis="b1:7")
    assert wished(work=(OPEN,), amendments=(mine,)) == []
    assert wished(work=(OPEN,), amendments=(replace(mine, amendment_class="lane_route", submitted_by="anna"),)) == []


@pytest.mark.parametrize(
    ("work", "agents", "expected"),
    [
        (replace(OPEN, lapses=LAPSES_MAX - 1), BASE.agents, None),
        (replace(OPEN, lapses=LAPSES_MAX), BASE.agents, "anna"),
        (replace(OPEN, lapses=LAPSES_MAX, claimed_by="ben"), BASE.agents, None),
        (replace(OPEN, lapses=LAPSES_MAX, excluded_agents=("anna",)), BASE.agents, "judge"),
        (replace(OPEN, lapses=LAPSES_MAX, capabilities=("gpu",)), BASE.agents, None),
        (OPEN, (GUIDE, ANNA), "anna"),
        (replace(OPEN, bound_agent=None), (GUIDE, ANNA), None),
    ],
)
def test_work_of_an_agent_that_is_away_goes_to_another_that_could_do_it(work, agents, expected):
    found = decide_next(replace(BASE, work=(work,), agents=agents), WORDS)
    if expected is None:
        assert found == ()
        return
    (moved,) = found
    assert (moved.action, moved.params["amendment_class"]) == ("amendment.submit", "lane_route")
    assert moved.params["operation"] == [f'{{"op":"rebind","todo_id":"todo_b","agent":"{expected}"}}']


SILENT = {"work": (DONE,), "evidence": (ART,), "requests": (ASKED,)}
OTHER = replace(ASKED, request_id="request_review-art_1-2", receiver="ben")
RELIEVED = (replace(ASKED, status="withdrawn"), OTHER)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"now_ms": SILENT_MS - 1}, []),
        ({"now_ms": SILENT_MS}, [("request.withdraw", "silent/request_review-art_1-1")]),
        ({"now_ms": SILENT_MS, "requests": (replace(ASKED, status="received"),)},
         [("request.withdraw", "silent/request_review-art_1-1")]),
        ({"now_ms": SILENT_MS, "requests": (replace(ASKED, status="adopted"),)}, []),
        # Nobody else could: the author reviews nothing of its own.
        ({"now_ms": SILENT_MS, "agents": (GUIDE, ANNA, JUDGE)}, []),
        # Somebody else is asked, and relieved by nobody: people say who should.
        ({"now_ms": SILENT_MS, "requests": RELIEVED[:1]}, [("request.send", "review/request_review-art_1-2")]),
        ({"now_ms": SILENT_MS, "requests": RELIEVED}, [("gate.open", "right/gate_review-art_1")]),
        ({"now_ms": SILENT_MS - 1, "requests": RELIEVED}, []),
    ],
)  # fmt: skip
def test_a_reviewer_who_says_nothing_is_relieved_once_by_one_who_is_not_the_author(changes, expected):
    assert wished(**{**SILENT, **changes}) == expected
    if expected[:1] == [("request.send", "review/request_review-art_1-2")]:
        assert the_one(**{**SILENT, **changes}).params["to"] == "ben"
    if expected[:1] == [("request.withdraw", "silent/request_review-art_1-1")]:
        assert "judge has not answered for 60 minutes" in str(the_one(**{**SILENT, **changes}).params["reason"])


LOST = replace(BEN, stuck=Stuck(seq=41, at_ms=0, todo_id="todo_b"))


@pytest.mark.parametrize(
    ("work", "agents", "now_ms", "expected"),
    [
        (OPEN, (GUIDE, ANNA, LOST), STUCK_MS - 1, None),
        (OPEN, (GUIDE, ANNA, LOST), STUCK_MS, "amendment.submit"),
        (OPEN, (GUIDE, ANNA, BEN), STUCK_MS, None),
        (replace(OPEN, claimed_by="ben"), (GUIDE, ANNA, LOST), STUCK_MS, None),
        (replace(OPEN, bound_agent=None), (GUIDE, ANNA, LOST), STUCK_MS, None),
        (replace(OPEN, todo_id="todo_c"), (GUIDE, ANNA, LOST), STUCK_MS, "gate.open"),
        (OPEN, (GUIDE, LOST), STUCK_MS, "gate.open"),
        # One who is stuck as well is no help.
        (OPEN, (GUIDE, replace(ANNA, stuck=LOST.stuck), LOST), STUCK_MS, "gate.open"),
    ],
)
def test_an_agent_that_must_replan_and_does_not_is_relieved_or_asked_about(work, agents, now_ms, expected):
    found = decide_next(replace(BASE, work=(work,), agents=agents, now_ms=now_ms), WORDS)
    assert [one.action for one in found] == ([] if expected is None else [expected])
    if expected == "amendment.submit":
        assert found[0].params["operation"] == ['{"op":"rebind","todo_id":"todo_b","agent":"anna"}']
        assert "ben had turns on todo_b" in str(found[0].params["why"])
    if expected == "gate.open":
        gate = Gate(gate_id=str(found[0].params["gate_id"]), opened_by="guide")
        settled = decide_next(replace(BASE, work=(work,), agents=(GUIDE, ANNA, BEN), gates=(gate,)), WORDS)
        assert [one.action for one in settled] == ["gate.withdraw"]


def test_the_template_is_what_it_says_it_is():
    lanes = template(BASE, WORDS)
    assert [(lane["lane_id"], lane["agent"], lane.get("depends_on")) for lane in lanes] == [
        ("work-1", "anna", None), ("work-2", "ben", None), ("note", "ben", ["work-1", "work-2"]),
    ]  # fmt: skip
    assert lanes[0]["acceptance"] == "c1: Links work"
    alone = template(replace(BASE, agents=(GUIDE, ANNA, JUDGE)), WORDS)
    assert [lane["lane_id"] for lane in alone] == ["work-1", "work-2"]
    nobody = template(replace(BASE, agents=(GUIDE,)), WORDS)
    assert [lane.get("agent") for lane in nobody] == [None, None]
    proved = template(replace(BASE, work=(DONE,), evidence=(replace(GOOD, criterion_ids=("c1",)),)), WORDS)
    assert next(lane["acceptance"] for lane in proved) == "c2: Headings are right"


@pytest.mark.parametrize("count", [1, 6, 7, 8, 9, 20])
@pytest.mark.parametrize("agents", [(GUIDE, ANNA), BASE.agents])
def test_a_template_has_room_for_every_criterion(count, agents):
    criteria = tuple(Criterion(criterion_id=f"c{n}", text=f"Point {n}") for n in range(1, count + 1))
    lanes = template(replace(BASE, criteria=criteria, agents=agents), WORDS)
    assert len(lanes) <= LANES_MAX
    told = "\n".join(str(lane["acceptance"]) for lane in lanes).splitlines()
    assert [f"{one.criterion_id}: {one.text}" for one in criteria] == [line for line in told if line.startswith("c")]
    assert len({lane["lane_id"] for lane in lanes}) == len(lanes)


def test_grants_that_were_named_are_kept_to():
    held = Agent(
        agent_id="anna",
        limits=("action_kinds", "write_scopes"),
        action_kinds=("check",),
        write_scopes=("reports/a/**",),
    )
    (lane, _) = template(replace(BASE, agents=(GUIDE, held)), WORDS)
    assert (lane["action_kind"], lane["write_scope"]) == ("check", ["reports/a/**"])
    ended = Agent(agent_id="anna", limits=("action_kinds",))
    assert [lane["agent"] for lane in template(replace(BASE, agents=(GUIDE, ended, BEN)), WORDS)] == ["ben", "ben"]


def test_nothing_that_a_person_must_decide_is_among_what_a_steward_asks_for():
    assert [name for name in WISHED if "agent" not in ACTIONS[name].who] == []
    decisions = {"goal.confirm", "goal.accept", "goal.request-changes", "gate.approve", "gate.reject", "todo.admit"}
    assert decisions.isdisjoint(WISHED)


def test_every_sentence_is_there_in_both_languages_with_the_same_values():
    english, chinese = LANGUAGES["en"], LANGUAGES["zh"]
    assert english.keys() == chinese.keys()

    def values(text):
        return {part.partition("}")[0] for part in text.split("{")[1:]}

    assert {key: values(text) for key, text in english.items()} == {key: values(text) for key, text in chinese.items()}


def test_a_sentence_is_one_line_and_never_longer_than_the_ledger_takes():
    told = WORDS.say("blocked", title="x" * 900, reason="a\nb" * 500)
    assert len(told) <= 500
    assert "\n" not in told
