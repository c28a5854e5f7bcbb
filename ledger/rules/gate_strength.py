"""How much a gate asks for: what one gate refused is not lifted by another that is easier to pass.

A later gate on the same matter asks at least as many people, those of the earlier one among them, as gravely; or an
owner of the goal opened it or decided it, who may say what is enough.
"""

from collections.abc import Iterator

from ledger.ids import GoalId, MemberId, TodoId
from ledger.parts.gates import Gate, GatePolicy, Severity
from ledger.rules.common import is_owner, registered
from ledger.rules.gate_params import OpenGate
from ledger.rules.gate_scopes import covers
from ledger.state import Goal, Workspace

SEVERITIES: tuple[Severity, ...] = ("low", "normal", "high", "critical")
"""From the lightest to the gravest."""


def lifts(workspace: Workspace, goal: Goal, later: Gate, earlier: Gate) -> bool:
    """Whether the yes of the later gate counts where the earlier one is no yes."""
    people = (later.opened_by, later.resolved_by)
    if any(person is not None and _owned(workspace, goal, person) for person in people):
        return True
    return asks_as_much(workspace, later.policy, later.severity, earlier)


def _owned(workspace: Workspace, goal: Goal, person: MemberId) -> bool:
    """Whether this person decides for the goal or did so: an owner's word outlives their membership."""
    owners = goal.intent.owners
    if person in owners:
        return True
    nobody = all(registered(workspace, owner) is None for owner in owners)
    return nobody and "owner" in workspace.members[person].roles


def asks_as_much(workspace: Workspace, policy: GatePolicy, severity: Severity, earlier: Gate) -> bool:
    """Whether a policy is no easier than that of the earlier gate; whoever left since need not be asked."""
    asked = {one for one in earlier.policy.approvers if registered(workspace, one) is not None}
    return (
        policy.quorum >= earlier.policy.quorum
        and asked.issubset(policy.approvers)
        and SEVERITIES.index(severity) >= SEVERITIES.index(earlier.severity)
        and policy.step_up >= earlier.policy.step_up
    )


def stronger_before(
    workspace: Workspace, goal: Goal, opener: MemberId, ask: OpenGate, policy: GatePolicy, *, blocks_goal: bool
) -> Gate | None:
    """The gate on the same matter that is no yes and asked for more, where no owner opens or decides this one."""
    if is_owner(goal, opener, workspace) or all(is_owner(goal, one, workspace) for one in policy.approvers):
        return None
    for gate in _on_the_same(workspace, goal, ask, blocks_goal=blocks_goal):
        if gate.status != "approved" and not asks_as_much(workspace, policy, ask.severity, gate):
            return gate
    return None


def _on_the_same(workspace: Workspace, goal: Goal, ask: OpenGate, *, blocks_goal: bool) -> Iterator[Gate]:
    """The latest gate of each target with the same topic; of a scope without a target, those that decide it."""
    gates, topic = goal.gates, (ask.kind, ask.decision_scope)
    sides = [gates.of_todo.get(TodoId(text), ()) for text in ask.blocks_todo]
    if blocks_goal:
        sides.append(tuple(gates.of_goal))
    for side in sides:
        others = [gates.by_id[gate_id] for gate_id in side if gate_id != ask.supersedes]
        yield from [gate for gate in others if gate.topic == topic][-1:]
    if not ask.blocks_todo and not blocks_goal and ask.decision_scope is not None:
        yield from (gate for gate in _broad(workspace, goal, ask.decision_scope) if gate.gate_id != ask.supersedes)


def _broad(workspace: Workspace, goal: Goal, scope: str) -> Iterator[Gate]:
    """What is asked without a target on this scope, and what was denied and still stands."""
    kind, grants = scope.partition(":")[0], workspace.grants
    for gate_id in goal.gates.broad.get(kind, ()):
        other = goal.gates.by_id[gate_id]
        if _overlap(scope, other.decision_scope or ""):
            yield other
    for key in (f"{goal.goal_id} {kind}", f"* {kind}"):
        for grant_id in grants.of_kind.get(key, ()):
            grant = grants.by_id[grant_id]
            if grant.verdict == "denied" and not grant.revoked and _overlap(scope, grant.decision_scope):
                yield workspace.goals[GoalId(grant.from_goal)].gates.by_id[grant.gate_id]


def _overlap(one: str, other: str) -> bool:
    return covers(one, other) or covers(other, one)
