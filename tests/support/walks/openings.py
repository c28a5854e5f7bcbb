"""Openings: how a walk may begin, so that what takes many steps to come about comes about often.

Each is a script of commands by which somebody could have got there; what it needs to know it reads from the state as
it goes on.
"""

from collections.abc import Callable, Iterator

from ledger.ids import GoalId
from ledger.rules.amendments import amendment_basis
from ledger.rules.gates import gate_basis
from ledger.state import Goal
from tests.support.walks.base import Move, Walk
from tests.support.walks.identity import invited
from tests.support.walks.summaries import told
from tests.support.world import digest

Opening = Callable[[Walk], Iterator[Move]]
DOCS = {"goal_id": "docs"}
PROMISE: dict[str, object] = {
    "objective": "Check the docs", "criterion": ["Every link works"], "write_scope": ["**"], "review": "owner",
}  # fmt: skip


def _goal(walk: Walk) -> Goal:
    return walk.state.goals[GoalId("docs")]


def _active(walk: Walk, **promise: object) -> Iterator[Move]:
    yield Move("ann", "goal.propose", DOCS | PROMISE | promise)
    yield Move("ann", "goal.confirm", DOCS | {"basis": _goal(walk).intents[-1].basis})


def _add(todo_id: str, **more: object) -> Move:
    return Move("ann", "todo.add", DOCS | {"todo_id": todo_id, "text": "Check the links"} | more)


def _claim(todo_id: str, who: str = "builder") -> Move:
    return Move(who, "todo.claim", DOCS | {"todo_id": todo_id})


def _lease(todo_id: str, who: str, **more: object) -> Move:
    asked = {"todo_id": todo_id, "idempotency_key": "run-1", "ttl_seconds": 300}
    return Move(who, "task-lease.acquire", DOCS | asked | more)


def _prove(walk: Walk, todo_id: str, who: str = "builder", **more: object) -> Move:
    proof = {
        "todo_id": todo_id,
        "label": "report",
        "sha256": digest(walk.state.seq),
        "size_bytes": 8,
        "criterion": ["c1"],
    }
    return Move(who, "artifact.submit", DOCS | proof | more)


def _newest(walk: Walk) -> str:
    return str([*_goal(walk).artifacts][-1])


def _finish(walk: Walk, todo_id: str, who: str = "builder", **more: object) -> Iterator[Move]:
    yield _claim(todo_id, who)
    yield _prove(walk, todo_id, who)
    yield Move(who, "todo.complete", DOCS | {"todo_id": todo_id, "evidence": [_newest(walk)]} | more)


def nothing(walk: Walk) -> Iterator[Move]:
    """Nothing has happened yet."""
    del walk
    yield from ()


def team(walk: Walk) -> Iterator[Move]:
    """A chain of work and some beside it, judged independently."""
    yield from _active(walk, review="independent", approver=["cat"])
    yield _add("todo_one")
    yield _add("todo_two", depends_on=["todo_one"])
    yield _add("todo_three", action_kind="check")
    yield from _finish(walk, "todo_one")


def reviewed(walk: Walk) -> Iterator[Move]:
    """Accepted evidence, other evidence made from it, and work that waits for a yes."""
    yield from team(walk)
    first = _newest(walk)
    yield Move("critic", "artifact.review", DOCS | {"artifact_id": first, "verdict": "accept"})
    yield _claim("todo_two", "helper")
    yield _prove(walk, "todo_two", "helper", input=[first])


def leased(walk: Walk) -> Iterator[Move]:
    """Two lanes under lease, and a change of both that waits."""
    yield from _active(walk)
    for todo_id, who, scope in (("todo_one", "builder", "docs"), ("todo_two", "helper", "reports/a")):
        yield _add(todo_id, required_write_scope=[scope])
        yield _lease(todo_id, who)
        yield _prove(walk, todo_id, who)
    operations = [{"op": "reprioritise", "todo_id": todo_id, "priority": "P0"} for todo_id in ("todo_one", "todo_two")]
    fates: dict[str, object] = {walk.choose(("continue_todo", "rebase_todo", "stop_todo")): ["todo_one"]}
    fates["stop_todo"] = [*fates.get("stop_todo", []), "todo_two"]
    asked = {"amendment_id": "amend_one", "amendment_class": "lane_route", "operation": operations, "why": "Sooner"}
    yield Move("builder", "amendment.submit", DOCS | asked | fates)


def amended(walk: Walk) -> Iterator[Move]:
    """The same, committed: what was in hand is stopped or to be rebased."""
    yield from leased(walk)
    basis = amendment_basis(_goal(walk), _goal(walk).amendments.by_id["amend_one"])
    yield Move("helper", "amendment.commit", DOCS | {"amendment_id": "amend_one", "basis": basis})


def protected(walk: Walk) -> Iterator[Move]:
    """A change of protected authority, before its gate."""
    yield from _active(walk)
    yield _add("todo_one")
    operation = {"op": "restate", "todo_id": "todo_one", "title": "Check all"}
    asked = {
        "amendment_class": "protected_authority",
        "operation": [operation],
        "why": "Safer",
        "gate_id": "gate_amend",
    }
    yield Move("builder", "amendment.submit", DOCS | asked | {"amendment_id": "amend_one"})


def quorum(walk: Walk) -> Iterator[Move]:
    """A gate that takes two, with one vote given and one seat delegated."""
    yield from _active(walk, approver=["ann", "bob", "cat"])
    yield _add("todo_one")
    yield _add("todo_two")
    asked = {"gate_id": "gate_one", "question": "May we?", "kind": "publish", "blocks_todo": ["todo_one"]}
    yield Move("builder", "gate.open", DOCS | asked | {"approver": ["ann", "bob", "cat"], "quorum": 2})
    yield Move(
        "bob", "gate.delegate", DOCS | {"gate_id": "gate_one", "to": "vic", "for_seconds": walk.choose((60, 3_600))}
    )
    basis = gate_basis(_goal(walk), _goal(walk).gates.by_id["gate_one"])
    yield Move("ann", "gate.approve", DOCS | {"gate_id": "gate_one", "basis": basis})


def expiring(walk: Walk) -> Iterator[Move]:
    """Gates that end, one as a no and one by asking the owners too, over work in hand."""
    yield from _active(walk, owner=["ann", "bob"])
    for number, ends in enumerate(("deny", "escalate")):
        yield _add(f"todo_gated{number}")
        asked = {"question": "May we?", "blocks_todo": [f"todo_gated{number}"], "approver": ["bob"]}
        ending = {"on_expiry": ends, "expires_in_seconds": 60, "remind_every_seconds": 300}
        yield Move("builder", "gate.open", DOCS | asked | ending)


def standing(walk: Walk) -> Iterator[Move]:
    """A decision on everything of a kind, for this goal or for all of them, and work that needs it."""
    yield from _active(walk)
    yield _add("todo_one", required_decision_scope=["publish:action:site"])
    scope = walk.choose(("publish:goal:*", "publish:project:*"))
    asked = {"gate_id": "gate_one", "question": "May we?", "decision_scope": scope, "approver": ["ann"]}
    yield Move("builder", "gate.open", DOCS | asked)
    basis = gate_basis(_goal(walk), _goal(walk).gates.by_id["gate_one"])
    verb = walk.choose(("approve", "approve", "reject"))
    yield Move("ann", f"gate.{verb}", DOCS | {"gate_id": "gate_one", "basis": basis})
    if verb == "approve":
        yield _claim("todo_one")
        yield _prove(walk, "todo_one")
        if walk.one_in(2):
            # What was decided is taken back while somebody is at work on the strength of it.
            yield Move("ann", "gate.revoke-grant", {"grant_id": [*walk.state.grants.by_id][-1]})


def taken_back(walk: Walk) -> Iterator[Move]:
    """What was decided is taken back while somebody is at work on the strength of it."""
    yield from _active(walk)
    yield _add("todo_one", required_decision_scope=["publish:action:site"])
    asked = {"gate_id": "gate_one", "question": "May we?", "decision_scope": "publish:goal:*", "approver": ["ann"]}
    yield Move("builder", "gate.open", DOCS | asked)
    basis = gate_basis(_goal(walk), _goal(walk).gates.by_id["gate_one"])
    yield Move("ann", "gate.approve", DOCS | {"gate_id": "gate_one", "basis": basis})
    yield _claim("todo_one")
    yield _prove(walk, "todo_one")
    yield Move("ann", "gate.revoke-grant", {"grant_id": [*walk.state.grants.by_id][-1]})
    yield Move("builder", "todo.complete", DOCS | {"todo_id": "todo_one", "evidence": [_newest(walk)]})


def checked(walk: Walk) -> Iterator[Move]:
    """Work that must pass a check, and has not."""
    yield from _active(walk)
    yield _add("todo_one", validator=["links"])
    yield _claim("todo_one")
    yield _prove(walk, "todo_one")
    found = {"artifact_id": _newest(walk), "name": "links", "argv_sha256": digest("argv"), "duration_ms": 1}
    yield Move("builder", "artifact.record-check", DOCS | found | {"exit_code": walk.choose((0, 1, 1))})


def dreamed(walk: Walk) -> Iterator[Move]:
    """Proposals on top of one another beside work that is done."""
    yield from _active(walk)
    yield _add("todo_one")
    yield from _finish(walk, "todo_one")
    for todo_id, after in (("todo_map", []), ("todo_index", ["todo_map"])):
        asked = {"todo_id": todo_id, "text": "A map of the docs", "depends_on": after}
        yield Move("dreamer", "todo.add", DOCS | asked)


def behind(walk: Walk) -> Iterator[Move]:
    """The same, delivered: what is let in now would be accepted unseen."""
    yield from dreamed(walk)
    yield Move("builder", "goal.deliver", DOCS | {"summary": "Done"})
    yield Move("ann", "todo.admit", DOCS | {"todo_id": "todo_map"})


def paired(walk: Walk) -> Iterator[Move]:
    """Two people were given codes; one of them has used it."""
    for person in ("ann", "bob"):
        code = {"code_digest": digest(f"code {person}"), "ttl_seconds": 3_600}
        yield Move("operator", "member.pair", {"member_id": person} | code)
    names = {"tenant_key": "t", "app_id": "a", "open_id": "o", "union_id": "u"}
    seen = {"code_digest": digest("code ann"), "identity_digest": digest("identity 0")}
    yield Move("bot", "member.bind", seen | names)
    # One identity is one person's.
    yield Move("bot", "member.bind", names | seen | {"code_digest": digest("code bob")})
    yield from _active(walk)


def planned(walk: Walk) -> Iterator[Move]:
    """A plan with a gap, before the steward or the owner."""
    yield from _active(walk, plan_approval="steward")
    lanes = [{"lane_id": "links", "title": "Links"}, {"lane_id": "text", "title": "Text", "depends_on": ["links"]}]
    gap = {"lane_id": "render", "title": "Render", "capability": ["gpu"]}
    yield Move("builder", "plan.propose", DOCS | {"plan_id": "plan_one", "lane": [*lanes, gap]})


def asked_for(walk: Walk) -> Iterator[Move]:
    """A request that was passed on, and work that waits for it."""
    yield from _active(walk)
    yield _add("todo_one")
    brief = {"purpose": "Check", "acceptance": ["Named"], "return_requirement": "A list"}
    one = {"request_id": "request_one", "to": "helper", "blocks_todo_id": "todo_one"}
    yield Move("builder", "request.send", DOCS | brief | one)
    yield Move("helper", "request.respond", DOCS | {"request_id": "request_one", "decision": "adopt"})
    passed_on = {"request_id": "request_two", "to": "ann", "parent_id": "request_one"}
    yield Move("helper", "request.send", DOCS | brief | passed_on)
    yield Move("helper", "request.commit", DOCS | {"request_id": "request_one", "text": "Check them"})


def budgeted(walk: Walk) -> Iterator[Move]:
    """Few slots, a turn that delivered and one that is admitted."""
    yield from _active(walk, allowed_slots=walk.choose((2, 3, 60)))
    yield _add("todo_one")
    yield _add("todo_two")
    yield from _finish(walk, "todo_one")
    found = {"turn_instance_id": "turn-1", "delivery_outcome": "outcome_progress", "evidence": [_newest(walk)]}
    yield Move("builder", "run.report", DOCS | {"todo_id": "todo_one"} | found)
    yield Move("helper", "quota.reserve", DOCS | {"turn_instance_id": "turn-1", "ttl_seconds": 900})
    yield _add("todo_sooner", priority="P0")


def fruitless(walk: Walk) -> Iterator[Move]:
    """Two turns without progress, and a monitor that saw something."""
    yield from _active(walk)
    yield _add("todo_one")
    yield _add("todo_watch", task_class="continuous_monitor", cadence_seconds=30, max_no_change_before_replan=1)
    for turn in ("turn-1", "turn-2"):
        about = {"todo_id": "todo_one", "turn_instance_id": turn, "delivery_outcome": "no_progress"}
        yield Move("builder", "run.report", DOCS | about)
    yield Move("helper", "run.observe", DOCS | {"todo_id": "todo_watch", "result_hash": digest("seen")})


def handed(walk: Walk) -> Iterator[Move]:
    """Work under leases alone, one of them nearly over, with notes for the next one."""
    yield from _active(walk, handoff_mode=walk.choose(("optional_lease", "hard_lease")))
    yield _add("todo_one", action_kind="check")
    yield _lease("todo_one", "builder", ttl_seconds=30)
    yield _prove(walk, "todo_one")
    fence = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 1}
    yield Move("builder", "todo.handoff", DOCS | {"todo_id": "todo_one", "context": "Half done"} | fence)


def lent(walk: Walk) -> Iterator[Move]:
    """One agent may finish another's work; some of it is proved."""
    yield from _active(walk)
    yield _add("todo_one", action_kind="check")
    yield _claim("todo_one")
    yield _prove(walk, "todo_one")
    who = {"agent_id": "helper", "on_behalf_of": "builder", "reason": "They are away"}
    what = {"allowed_action": ["complete", "supersede", "update"], "todo_id": ["todo_one"], "ttl_seconds": 60}
    yield Move("ann", "todo.delegate", DOCS | who | what)


def granted(walk: Walk) -> Iterator[Move]:
    """One agent is held to what was named, another has it for a while."""
    yield from _active(walk)
    yield _add("todo_one", action_kind="check", required_write_scope=["docs/a.md"])
    yield _add("todo_two", action_kind="publish")
    limits: dict[str, object] = {"action_kind": ["check"], "write_scope": ["docs"]}
    yield Move("ann", "member.grant", DOCS | {"goal_id": ["docs"], "member_id": "helper"} | limits)
    yield _add("todo_three", required_capability=["gpu"])
    lasts = {"goal_id": ["docs"], "member_id": walk.choose(("stranger", "dreamer", "critic"))}
    yield Move("ann", "member.grant", lasts | {"capability": ["docs", "gpu"], "ttl_seconds": 60})


def delivered(walk: Walk) -> Iterator[Move]:
    """A result is before the owners."""
    yield from _active(walk)
    yield _add("todo_one")
    yield from _finish(walk, "todo_one")
    yield Move("builder", "goal.deliver", DOCS | {"summary": "Done"})


def unproved(walk: Walk) -> Iterator[Move]:
    """Everything is done and accepted, and one criterion has nothing that speaks to it."""
    yield from _active(walk, review="independent", criterion=["Every link works", "Every command runs"])
    yield _add("todo_one")
    yield from _finish(walk, "todo_one")
    yield Move("critic", "artifact.review", DOCS | {"artifact_id": _newest(walk), "verdict": "accept"})
    if walk.one_in(3):
        yield Move("helper", "goal.deliver", DOCS | {"summary": "Done"})


def revised(walk: Walk) -> Iterator[Move]:
    """The promise changed while somebody was at work; not everybody has read it."""
    yield from _active(walk)
    yield _add("todo_one")
    yield _add("todo_two", depends_on=["todo_one"])
    yield _claim("todo_one")
    yield Move("ann", "goal.revise", DOCS | {"objective": "Better docs"})
    yield Move("ann", "goal.confirm", DOCS | {"basis": _goal(walk).intents[-1].basis})
    yield Move("builder", "goal.adopt", DOCS | {"revision": 2})


def waiting(walk: Walk) -> Iterator[Move]:
    """Work that waits for other work, for a time, and for a person's decision."""
    yield from _active(walk)
    yield _add("todo_one")
    yield _add("todo_two")
    yield _add("todo_ask", role="user", task_class="user_gate", unblocks_todo_id="todo_one")
    yield Move("builder", "todo.defer", DOCS | {"todo_id": "todo_two", "resume_when": "todo_done:todo_one"})
    if walk.one_in(3):
        # Taken out, it would leave the others waiting for ever.
        asked = {"amendment_id": "amend_one", "amendment_class": "shared_work_graph", "why": "It is not wanted"}
        gone = {"operation": [{"op": "cancel", "todo_id": "todo_one"}]}
        yield Move("helper", "amendment.submit", DOCS | asked | gone)


def unread(walk: Walk) -> Iterator[Move]:
    """A promise whose words are gone before anybody confirmed it; an owner tries, and others try to erase."""
    yield Move("ann", "goal.propose", DOCS | PROMISE)
    erase = {"seq": [_goal(walk).intents[-1].note.seq], "reason_code": "mistake"}
    yield Move("bob", "words.erase", DOCS | erase)
    yield Move("ann", "words.erase", DOCS | erase | {"seq": [10**6]})
    yield Move("ann", "words.erase", DOCS | erase)
    yield Move("ann", "words.erase", DOCS | erase)
    yield Move("ann", "goal.confirm", DOCS | {"basis": _goal(walk).intents[-1].basis})
    yield Move("ann", "goal.revise", DOCS | {"objective": "Check them", "title": "Docs", "criterion": ["All work"]})
    yield Move("ann", "goal.confirm", DOCS | {"basis": _goal(walk).intents[-1].basis})
    # Nobody added work: whoever asks for the next of it hears that nothing is free.
    yield Move("builder", "todo.claim", {**DOCS})
    # A credential that is good for little makes none that is good for more.
    of_builder = {"member_id": "builder"}
    yield Move("operator", "token.issue", of_builder | {"secret_digest": digest("for everything")})
    wide = [*walk.state.tokens_by_id][-1]
    narrow = {"secret_digest": digest("for little"), "allowed_action": ["token"]}
    yield Move("operator", "token.issue", of_builder | narrow)
    anew = {"token_id": wide, "secret_digest": digest("anew"), "grace_seconds": 0}
    yield Move("builder", "token.rotate", anew, token_id=[*walk.state.tokens_by_id][-1])


OPENINGS: dict[str, Opening] = {
    opening.__name__: opening
    for opening in (
        nothing, team, reviewed, leased, amended, protected, quorum, expiring, standing, planned, asked_for, budgeted,
        fruitless, handed, lent, granted, delivered, unproved, revised, waiting,
        taken_back, checked, dreamed, behind, paired, invited, unread, told,
    )
}  # fmt: skip
