"""What must be so before the example of an action can be run, and who runs it.

A scene is played by the real writer before the daemon is asked. Ids that an example makes up are used as they stand
wherever whoever creates something may name it; those that only the ledger makes stand for the last one of their kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from ledger.rules.amendments import amendment_basis
from ledger.rules.gates import gate_basis
from ledger.rules.goals import state_basis
from tests.support.agent_scenes import connected, own_credential
from tests.support.chat_scenes import bound, invited, told
from tests.support.homes import Scribe, activate, sha256

DOCS = {"goal_id": "docs"}
WORK = {**DOCS, "todo_id": "todo_000012"}
PLAN, GATE, AMENDMENT, REQUEST = "plan_000012", "gate_000012", "amend_000012", "request_000042"
MADE_HERE = ("art_", "spend_", "grant_", "tok_", "dlg_", "standing_", "inv_", "sum_")
"""The beginnings of ids that only the ledger makes."""
LEASE = {**WORK, "idempotency_key": "run-1"}
TTL_MS_MAX = 90_000_000


@dataclass
class Stage:
    """A ledger that is being prepared, and the ids that came about."""

    scribe: Scribe

    def do(self, who: str, action: str, /, **params: object) -> None:
        """A command that must be taken."""
        self.scribe.do(who, action, **params)

    @property
    def state(self):
        """The state that is stored."""
        return self.scribe.state


Scene = Callable[[Stage], None]


class Played(NamedTuple):
    """Who runs the example, and the scenes before it, in order."""

    who: str | None
    scenes: tuple[Scene, ...] = ()


def ids_made(rows: list[object]) -> dict[str, str]:
    """The last id of each kind among the facts of some events."""
    found: dict[str, str] = {}
    for facts in rows:
        for value in msgspec.structs.asdict(facts).values():
            for start in MADE_HERE:
                if isinstance(value, str) and value.startswith(start):
                    found[start] = value
    return found


def docs(stage: Stage) -> None:
    """A goal that is worked on."""
    activate(stage.scribe, todos=0)


def proposed(stage: Stage) -> None:
    """A goal that waits for its owner."""
    words = {"objective": "Every page of the docs can be followed", "criterion": ("Every link works",)}
    stage.do("ann", "goal.propose", **DOCS, **words)


def paused(stage: Stage) -> None:
    """A goal at rest."""
    stage.do("ann", "goal.pause", **DOCS, basis=state_basis(stage.state.goals["docs"]))


def revised(stage: Stage) -> None:
    """A second revision that its owner confirmed."""
    stage.do("ann", "goal.revise", **DOCS, criterion=("Every link and heading works",))
    stage.do("ann", "goal.confirm", **DOCS, basis=stage.state.goals["docs"].intents[-1].basis)


def todo(stage: Stage) -> None:
    """Work that anybody may do."""
    stage.do("ann", "todo.add", **WORK, text="Check the links")


def idea(stage: Stage) -> None:
    """Work that was only proposed."""
    profile = {"kind": "agent", "display_name": "Dreamer", "profile_role": "dreaming_proposer"}
    stage.do("operator", "member.add", member_id="dreamer", **profile)
    stage.do("dreamer", "todo.add", **WORK, text="Check the links")


def todo_before(stage: Stage) -> None:
    """Other work."""
    stage.do("ann", "todo.add", **DOCS, todo_id="todo_000011", text="List the links")


def todo_site(stage: Stage) -> None:
    """Work that a gate can hold back."""
    stage.do("ann", "todo.add", **DOCS, todo_id="todo_site", text="Publish the site")


def monitor(stage: Stage) -> None:
    """Something that is looked at again and again."""
    words = {"task_class": "continuous_monitor", "cadence_seconds": 60}
    stage.do("ann", "todo.add", **DOCS, todo_id="todo_000015", text="Watch the site", **words)


def claimed(stage: Stage) -> None:
    """Builder has the work."""
    stage.do("builder", "todo.claim", **WORK)


def leased(stage: Stage) -> None:
    """Builder has the work under a lease."""
    stage.do("builder", "task-lease.acquire", **LEASE)


def renewed(stage: Stage) -> None:
    """Builder's lease is at its second version."""
    stage.do("builder", "task-lease.renew", **LEASE, expected_version=1)


def lapsed(stage: Stage) -> None:
    """Nobody came back for the lease."""
    stage.scribe.now_ms += TTL_MS_MAX


def deferred(stage: Stage) -> None:
    """The work waits for a report."""
    stage.do("builder", "todo.defer", **WORK, resume_when="pr_merged:docs/41")


def evidence(stage: Stage) -> None:
    """Builder handed evidence in."""
    stage.do("builder", "artifact.submit", **WORK, label="report.json", sha256=sha256("report"), size_bytes=812)


def done(stage: Stage) -> None:
    """The work is done on that evidence."""
    (artifact_id,) = stage.state.goals["docs"].artifacts
    stage.do("builder", "todo.complete", **WORK, evidence=(artifact_id,))


def reported(stage: Stage) -> None:
    """The turn said what it delivered."""
    (artifact_id,) = stage.state.goals["docs"].artifacts
    turn = {"turn_instance_id": "turn-1", "delivery_outcome": "primary_goal_outcome", "evidence": (artifact_id,)}
    stage.do("builder", "run.report", **WORK, **turn)


def spent(stage: Stage) -> None:
    """The turn is paid for."""
    stage.do("builder", "quota.spend-slot", **WORK, turn_instance_id="turn-1")


def reserved(stage: Stage) -> None:
    """Builder's next turn is reserved."""
    stage.do("builder", "quota.reserve", **DOCS, turn_instance_id="turn-1")


def stuck(stage: Stage) -> None:
    """Two turns led nowhere."""
    for turn in ("turn-1", "turn-2"):
        stage.do("builder", "run.report", **WORK, turn_instance_id=turn, delivery_outcome="surface_only")


def delivered(stage: Stage) -> None:
    """The result is before its owner."""
    stage.do("builder", "goal.deliver", **DOCS, summary="All 41 links work")


def gate(stage: Stage) -> None:
    """A question to Ann that the work waits for."""
    words = {"question": "May we publish?", "approver": ("ann",), "blocks_todo": ("todo_000012",)}
    stage.do("builder", "gate.open", **DOCS, gate_id=GATE, **words)


def standing(stage: Stage) -> None:
    """A yes that stands for all publishing of the goal."""
    words = {"question": "May we publish?", "kind": "publish", "decision_scope": "publish:goal:*", "approver": ("ann",)}
    stage.do("builder", "gate.open", **DOCS, gate_id="gate_all", **words)
    goal = stage.state.goals["docs"]
    basis = gate_basis(goal, goal.gates.by_id["gate_all"])
    stage.do("ann", "gate.approve", **DOCS, gate_id="gate_all", basis=basis)


def plan(stage: Stage) -> None:
    """A plan that waits for its owner."""
    stage.do(
        "builder", "plan.propose", **DOCS, plan_id=PLAN, lane=('{"lane_id": "links", "title": "Check the links"}',)
    )


def amendment(stage: Stage) -> None:
    """A change of the work that waits for its owner."""
    change = '{"op": "reprioritise", "todo_id": "todo_000012", "priority": "P0"}'
    words = {"amendment_class": "lane_route", "why": "The release waits for it", "operation": (change,)}
    held = {"rebase_todo": ("todo_000012",)} if "todo_000012" in stage.state.goals["docs"].leases else {}
    stage.do("builder", "amendment.submit", **DOCS, amendment_id=AMENDMENT, **words, **held)


def amended(stage: Stage) -> None:
    """The change is made."""
    goal = stage.state.goals["docs"]
    basis = amendment_basis(goal, goal.amendments.by_id[AMENDMENT])
    stage.do("builder", "amendment.commit", **DOCS, amendment_id=AMENDMENT, basis=basis)


def request(stage: Stage) -> None:
    """Builder asks something of Helper."""
    words = {"purpose": "Check the links", "acceptance": ("Each is named",), "return_requirement": "A list"}
    stage.do("builder", "request.send", **DOCS, request_id=REQUEST, to="helper", **words)


def adopted(stage: Stage) -> None:
    """Helper takes it on."""
    stage.do("helper", "request.respond", **DOCS, request_id=REQUEST, decision="adopt")


def answered(stage: Stage) -> None:
    """Helper has made what was asked for."""
    stage.do("helper", "artifact.submit", **DOCS, label="links.json", sha256=sha256("links"), size_bytes=12)


def returned(stage: Stage) -> None:
    """The answer is back with Builder."""
    (artifact_id,) = stage.state.goals["docs"].artifacts
    words = {"artifact": (artifact_id,), "summary": "Two are broken"}
    stage.do("helper", "request.return", **DOCS, request_id=REQUEST, **words)


def granted(stage: Stage) -> None:
    """Builder may do something besides."""
    stage.do("ann", "member.grant", member_id="builder", capability=("publishing",))


def delegated(stage: Stage) -> None:
    """Helper may finish what Builder began."""
    words = {"agent_id": "helper", "on_behalf_of": "builder", "allowed_action": ("complete",)}
    stage.do("ann", "todo.delegate", **DOCS, **words, todo_id=("todo_000012",), reason="Builder is away")


PERSON, AGENT, PEER, OPERATOR = "ann", "builder", "helper", None
_HELD = (docs, todo, claimed)
_LEASED = (docs, todo, leased)
_PROVED = (docs, todo, claimed, evidence)
_PAID = (*_PROVED, done, reported)
PLAYED: dict[str, Played] = {
    "member.add": Played(OPERATOR),
    "member.revoke": Played(OPERATOR),
    "member.pair": Played(OPERATOR),
    "member.enrol-code": Played(OPERATOR),
    "member.list": Played(PERSON),
    "member.grant": Played(PERSON, (docs,)),
    "member.revoke-grant": Played(PERSON, (granted,)),
    "member.profile": Played(AGENT),
    "member.grants": Played(PERSON, (granted,)),
    "member.invite": Played(OPERATOR),
    "member.withdraw-invitation": Played(OPERATOR, (invited,)),
    "member.invitations": Played(OPERATOR, (invited,)),
    "member.bindings": Played(PERSON),
    "member.unbind": Played(OPERATOR),
    "channel.bind": Played(PERSON, (docs,)),
    "channel.unbind": Played(PERSON, (docs, bound)),
    "channel.list": Played(PERSON, (docs, bound)),
    "channel.set-digest": Played(PERSON, (docs, bound)),
    "member.set-quiet-hours": Played(PERSON),
    "summary.post": Played(PERSON, (docs, bound)),
    "summary.list": Played(PERSON, (docs, told)),
    "summary.show": Played(PERSON, (docs, told)),
    "agent.bind": Played(OPERATOR, (own_credential,)),
    "agent.prove": Played(OPERATOR, (connected,)),
    "agent.unbind": Played(OPERATOR, (connected,)),
    "agent.list": Played(PERSON, (connected,)),
    "agent.probe": Played(AGENT, (docs, connected)),
    "agent.inbox": Played(AGENT, (docs, todo)),
    "token.issue": Played(OPERATOR),
    "token.revoke": Played(OPERATOR),
    "token.rotate": Played(OPERATOR),
    "token.list": Played(OPERATOR),
    "button-key.rotate": Played(OPERATOR),
    "goal.propose": Played(PERSON),
    "goal.clarify": Played(AGENT, (proposed,)),
    "goal.revise": Played(PERSON, (docs,)),
    "goal.confirm": Played(PERSON, (proposed,)),
    "goal.decline": Played(PERSON, (proposed,)),
    "goal.withdraw": Played(PERSON, (proposed,)),
    "goal.pause": Played(PERSON, (docs,)),
    "goal.resume": Played(PERSON, (docs, paused)),
    "goal.stop": Played(PERSON, (docs,)),
    "goal.adopt": Played(AGENT, (docs, revised)),
    "goal.deliver": Played(AGENT, (*_PROVED, done)),
    "goal.accept": Played(PERSON, (*_PROVED, done, delivered)),
    "goal.request-changes": Played(PERSON, (*_PROVED, done, delivered)),
    "goal.show": Played(PERSON, (docs,)),
    "goal.list": Played(PERSON, (docs,)),
    "goal.set-handoff-mode": Played(PERSON, (docs,)),
    "todo.add": Played(PERSON, (docs,)),
    "todo.claim": Played(AGENT, (docs, todo)),
    "todo.release": Played(AGENT, _HELD),
    "todo.update": Played(PERSON, (docs, todo)),
    "todo.block": Played(AGENT, _HELD),
    "todo.complete": Played(AGENT, _PROVED),
    "todo.cancel": Played(PERSON, (docs, todo)),
    "todo.list": Played(PERSON, (docs, todo)),
    "todo.ready": Played(AGENT, (docs, todo)),
    "todo.defer": Played(AGENT, (docs, todo_before, todo, claimed)),
    "todo.resume": Played(AGENT, (*_HELD, deferred)),
    "todo.admit": Played(PERSON, (docs, idea)),
    "todo.decline": Played(PERSON, (docs, idea)),
    "todo.handoff": Played(AGENT, _HELD),
    "todo.adopt": Played(PEER, (*_LEASED, lapsed)),
    "todo.delegate": Played(PERSON, (docs, todo)),
    "todo.undelegate": Played(PERSON, (docs, todo, delegated)),
    "todo.delegations": Played(PERSON, (docs, todo, delegated)),
    "task-lease.acquire": Played(AGENT, (docs, todo)),
    "task-lease.renew": Played(AGENT, _LEASED),
    "task-lease.release": Played(AGENT, (*_LEASED, renewed)),
    "task-lease.inspect": Played(AGENT, _LEASED),
    "task-lease.transfer": Played(AGENT, _LEASED),
    "artifact.submit": Played(AGENT, _HELD),
    "artifact.list": Played(AGENT, _PROVED),
    "artifact.review": Played(PEER, _PROVED),
    "artifact.record-check": Played(AGENT, _PROVED),
    "quota.should-run": Played(AGENT, (docs, todo)),
    "quota.reserve": Played(AGENT, (docs, todo)),
    "quota.spend-slot": Played(AGENT, _PAID),
    "quota.void-slot": Played(AGENT, (*_PAID, spent)),
    "quota.set": Played(PERSON, (docs,)),
    "quota.status": Played(AGENT, (*_PAID, spent)),
    "quota.plan": Played(AGENT, (docs, todo)),
    "quota.release": Played(AGENT, (docs, todo, reserved)),
    "status.show": Played(PERSON, (docs, todo)),
    "gate.open": Played(AGENT, (docs, todo_site)),
    "gate.approve": Played(PERSON, (docs, todo, gate)),
    "gate.reject": Played(PERSON, (docs, todo, gate)),
    "gate.defer": Played(PERSON, (docs, todo, gate)),
    "gate.cancel": Played(PERSON, (docs, todo, gate)),
    "gate.delegate": Played(PERSON, (docs, todo, gate)),
    "gate.withdraw": Played(AGENT, (docs, todo, gate)),
    "gate.revise": Played(AGENT, (docs, todo, gate)),
    "gate.list": Played(PERSON, (docs, todo, gate)),
    "gate.show": Played(PERSON, (docs, todo, gate)),
    "gate.revoke-grant": Played(PERSON, (docs, standing)),
    "plan.propose": Played(AGENT, (docs,)),
    "plan.confirm": Played(PERSON, (docs, plan)),
    "plan.reject": Played(PERSON, (docs, plan)),
    "plan.withdraw": Played(AGENT, (docs, plan)),
    "plan.show": Played(PERSON, (docs, plan)),
    "plan.list": Played(PERSON, (docs, plan)),
    "amendment.submit": Played(AGENT, (docs, todo)),
    "amendment.commit": Played(AGENT, (docs, todo, amendment)),
    "amendment.reject": Played(PERSON, (docs, todo, amendment)),
    "amendment.withdraw": Played(AGENT, (docs, todo, amendment)),
    "amendment.rebase": Played(AGENT, (docs, todo, amendment, leased)),
    "amendment.adopt": Played(AGENT, (*_LEASED, amendment, amended)),
    "amendment.show": Played(PERSON, (docs, todo, amendment)),
    "amendment.list": Played(PERSON, (docs, todo, amendment)),
    "run.report": Played(AGENT, _PROVED),
    "run.replan": Played(AGENT, (*_HELD, stuck)),
    "run.observe": Played(AGENT, (docs, monitor)),
    "run.list": Played(PERSON, _PAID),
    "usage.report": Played(AGENT, (docs,)),
    "usage.show": Played(PERSON, (docs,)),
    "request.send": Played(AGENT, (docs,)),
    "request.receive": Played(PEER, (docs, request)),
    "request.respond": Played(PEER, (docs, request)),
    "request.commit": Played(PEER, (docs, request, adopted)),
    "request.return": Played(PEER, (docs, request, adopted, answered)),
    "request.acknowledge": Played(AGENT, (docs, request, adopted, answered, returned)),
    "request.withdraw": Played(AGENT, (docs, request)),
    "request.list": Played(AGENT, (docs, request)),
    "request.show": Played(AGENT, (docs, request)),
    "member.show": Played(PERSON, (docs, todo, claimed)),
    "overview.show": Played(PERSON, (docs, todo)),
    "digest.show": Played(PERSON, (docs, todo)),
    "review-packet.show": Played(PERSON, (proposed,)),
    "attention.show": Played(PERSON, (proposed,)),
    "history.list": Played(PERSON, (docs, todo)),
    "history.explain": Played(PERSON, (docs, todo, claimed)),
    "words.erase": Played(PERSON, (docs,)),
    "search.find": Played(PERSON, (docs, todo)),
    "refusal.list": Played(PERSON, (docs,)),
}
"""Every action that anybody may ask for, with what its example needs. A new action is added here with its scene."""
