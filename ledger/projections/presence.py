"""Presence: how near an agent is to doing work in a goal, said from what the ledger knows and from nothing else.

The ledger knows no processes. It does not see whether a program is running, whether a host could start one, or whether
a session that somebody set up ever began. What it has are registrations, credentials, grants, and the events that an
agent itself made. The six words are a ladder over those, each standing on the one before it:

- `registered`: the agent is a member and was not revoked.
- `addressable`: it has a credential that is good now and good for this goal, so what is sent to it can be fetched.
- `bound`: the goal is granted to it, and it has acted there under its own name before. A grant alone is an intention;
  until the first event of its own, nothing here says that anything is bound to anything.
- `launchable`: a turn may begin now: the verdict for it is to run, or to look at a monitor.
- `executing`: it holds a lease that has not ended, or an admission to a turn that has not ended. That is a promise with
  an end, not a sign of life: a program that died goes on to be shown as executing until its lease or admission ends. A
  soft claim has no end and is no such promise.
- `blocked`: it may not go on, and waiting for other work does not change that: the goal is paused, a decision, a
  revision, a new plan, a right or the budget stands in its way. It goes before `executing`: work in hand that may not
  go on is blocked.

Over all goals the word is the one nearest to work: executing, launchable, blocked, bound, then the rest. A person is
registered, or addressable once paired or in possession of a credential; nothing more is said of people.
"""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from ledger.ids import GoalId, MemberId
from ledger.records import Member
from ledger.rules.common import granted
from ledger.rules.leases import effective_lease
from ledger.rules.quota import QuotaDecision, QuotaState, Verdict, decide_should_run
from ledger.state import Goal, Workspace

PresenceName = Literal["registered", "addressable", "bound", "launchable", "executing", "blocked"]
NEAREST_FIRST: Final[tuple[PresenceName, ...]] = (
    "executing", "launchable", "blocked", "bound", "addressable", "registered",
)  # fmt: skip
STANDS_IN_THE_WAY: Final = frozenset(
    {
        QuotaState.PAUSED,
        QuotaState.OPERATOR_GATE,
        QuotaState.OBJECTIVE_REVIEW_REQUIRED,
        QuotaState.REPLAN_REQUIRED,
        QuotaState.CAPABILITY_MISSING,
        QuotaState.WORKSPACE_GUARD,
        QuotaState.THROTTLED,
    }
)
"""States that somebody has to end; in all others an agent without work waits, is done, or may begin."""


class Presence(NamedTuple):
    """The word, and what it rests on."""

    name: PresenceName
    because: str
    """A reason code of the verdict, or the fact that is missing for the next step of the ladder."""


def presence_in(workspace: Workspace, goal: Goal, member: Member, now_ms: int) -> Presence:
    """How near an agent is to work in one open goal."""
    if not is_addressable(workspace, member, goal.goal_id, now_ms):
        return Presence("registered", "no_credential")
    if not granted(member, goal.goal_id):
        return Presence("addressable", "goal_not_granted")
    if member.member_id not in goal.acts:
        return Presence("addressable", "never_acted_here")
    verdict = decide_should_run(workspace, goal.goal_id, member.member_id, now_ms)
    return _bound(goal, member.member_id, verdict, now_ms)


def _bound(goal: Goal, agent_id: MemberId, verdict: Verdict, now_ms: int) -> Presence:
    code = verdict.reason_codes[0]
    if verdict.state in STANDS_IN_THE_WAY:
        return Presence("blocked", code)
    if (promise := _promise(goal, agent_id, now_ms)) is not None:
        return Presence("executing", promise)
    if verdict.decision in {QuotaDecision.RUN, QuotaDecision.OBSERVE}:
        return Presence("launchable", code)
    return Presence("bound", code)


def _promise(goal: Goal, agent_id: MemberId, now_ms: int) -> str | None:
    """What says that the agent is at work, until it ends."""
    for todo_id in goal.mine.get(agent_id, ()):
        lease = effective_lease(goal, todo_id, now_ms)
        if lease is not None and lease.owner == agent_id:
            return "lease_in_force"
    for admission in goal.slots.admissions.values():
        if admission.agent_id == agent_id and admission.expires_at_ms > now_ms:
            return "admission_in_force"
    return None


def is_addressable(workspace: Workspace, member: Member, goal_id: GoalId | None, now_ms: int) -> bool:
    """Whether anything that is sent to the member could reach them: a good credential, or a paired identity."""
    if member.identity_digest is not None:
        return True
    return any(
        token.member_id == member.member_id
        and not token.revoked
        and (token.expires_at_ms is None or now_ms < token.expires_at_ms)
        and (goal_id is None or not token.goal_ids or goal_id in token.goal_ids)
        for token in workspace.tokens.values()
    )


def reachable_until_ms(workspace: Workspace, now_ms: int) -> list[int]:
    """When members stop being addressable by time alone."""
    ends = (token.expires_at_ms for token in workspace.tokens.values() if not token.revoked)
    return [at_ms for at_ms in ends if at_ms is not None and at_ms > now_ms]


def presence_over_all(
    workspace: Workspace, member: Member, now_ms: int, found: Iterable[Presence] | None = None
) -> Presence | None:
    """The same over every open goal; None for a member who was revoked: no word of the ladder holds for them.

    `found` is what is known already of an agent in each of these goals.
    """
    if member.revoked:
        return None
    best = Presence("registered", "no_credential")
    if is_addressable(workspace, member, None, now_ms):
        best = Presence("addressable", "no_goal_granted" if member.kind == "agent" else "reachable")
    if member.kind == "agent":
        if found is None:
            found = (presence_in(workspace, goal, member, now_ms) for goal in workspace.goals.live())
        # Of two that are the same the later one changes nothing.
        for one in dict.fromkeys(found):
            best = _nearer(best, one)
    return best


def _nearer(one: Presence, other: Presence) -> Presence:
    """The one nearer to work; of two alike the first, unless all it says is that nothing is granted."""
    first, second = NEAREST_FIRST.index(one.name), NEAREST_FIRST.index(other.name)
    if first == second:
        return other if one.because in {"no_goal_granted", "goal_not_granted"} else one
    return one if first < second else other
