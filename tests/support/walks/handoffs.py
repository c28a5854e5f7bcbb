"""Moves on work that changes hands, is put off, or is done by somebody for somebody else."""

from datetime import UTC, datetime

from ledger.ids import TodoId
from ledger.records import Todo
from ledger.rules.leases import effective_claim, effective_lease
from ledger.state import Goal
from tests.support.walks.base import AGENTS, KEYS, WORKERS, Move, Walk, given
from tests.support.walks.work import acquire, add, begin


def _other(walk: Walk, holder: str | None) -> str:
    """Somebody the work could go to, mostly."""
    if walk.slip():
        return walk.choose((*AGENTS, "ann", "nobody", holder or "builder"))
    return walk.choose([agent for agent in WORKERS if agent != holder])


def transfer(walk: Walk, goal: Goal) -> Move:
    """Give a lease to another agent."""
    leased = walk.leased(goal)
    if not leased and not walk.slip():
        return acquire(walk, goal) if goal.ready else add(walk, goal)
    todo_id = walk.choose(leased) if leased and not walk.slip() else walk.todo(goal)
    lease = goal.leases.get(TodoId(todo_id))
    key, version = walk.fence(lease) or ("run-1", 1)
    who = walk.agent() if lease is None or walk.slip() else lease.owner
    params = {"todo_id": todo_id, "idempotency_key": key, "expected_version": version}
    params |= {"new_owner": _other(walk, who), "new_idempotency_key": walk.choose(KEYS)}
    return Move(who, "task-lease.transfer", given(goal, params))


def hand_off(walk: Walk, goal: Goal) -> Move:
    """Hand work over with notes, or leave the notes alone."""
    held = walk.held(goal)
    if held is None and not walk.slip():
        return begin(walk, goal) if goal.ready else add(walk, goal)
    todo_id = walk.todo(goal) if held is None else held.todo_id
    if walk.one_in(8):
        todo_id = walk.choose([*goal.todos] or ["todo_none"])
    todo = goal.todos.get(TodoId(todo_id))
    holder = None if todo is None else effective_claim(goal, todo, walk.at_ms)
    who = "ann" if walk.one_in(6) else walk.anybody() if walk.one_in(6) else walk.holder(goal, todo)
    params: dict[str, object] = {
        "todo_id": todo_id,
        "to_agent": None if walk.one_in(4) else _other(walk, holder),
        "context": "Two pages are checked",
        "artifact_id": ["art_none"] if walk.slip() else [*goal.artifacts][:1],
        "new_idempotency_key": walk.choose((None, walk.choose(KEYS))),
    }
    return Move(who, "todo.handoff", given(goal, params | walk.fenced(goal, todo_id)))


def adopt(walk: Walk, goal: Goal) -> Move:
    """Go on with work whose holder's lease ran out, or has not."""
    now_ms = walk.at_ms
    ended = [
        lease
        for lease in goal.leases.values()
        if lease.status != "released"
        and goal.todos[lease.todo_id].status == "open"
        and effective_lease(goal, lease.todo_id, now_ms) is None
    ]
    if not ended and not walk.slip():
        return transfer(walk, goal)
    if ended and not walk.slip():
        lease = walk.choose(ended)
        todo_id, version = lease.todo_id, lease.version
    else:
        todo_id, version = TodoId(walk.todo(goal)), 1
    params = {"todo_id": todo_id, "idempotency_key": walk.choose(KEYS), "expected_version": version + walk.slip()}
    return Move(walk.agent(), "todo.adopt", given(goal, params))


def come_back(walk: Walk, goal: Goal) -> Move:
    """A worker whose lease ended, or went to another, goes on as if it had it."""
    late = [lease for lease in goal.leases.values() if goal.todos[lease.todo_id].status == "open"]
    if not late:
        return transfer(walk, goal)
    lease = walk.choose(late)
    who = lease.owner if walk.one_in(2) else walk.choose(WORKERS)
    key = walk.choose([*goal.keys[lease.todo_id]])
    version = walk.choose((lease.version, max(1, lease.version - 1)))
    about: dict[str, object] = {"todo_id": lease.todo_id}
    if walk.one_in(3):
        return Move(who, "task-lease.renew", given(goal, about | {"idempotency_key": key, "expected_version": version}))
    proofs = [one.artifact_id for one in goal.artifacts.values() if one.todo_id == lease.todo_id]
    fence = {"task_lease_idempotency_key": key, "task_lease_expected_version": version}
    return Move(who, "todo.complete", given(goal, about | fence | {"evidence": proofs[:1]}))


def set_mode(walk: Walk, goal: Goal) -> Move:
    """Change how work of the goal is held, mostly when nobody holds any."""
    if goal.mine and not walk.one_in(4):
        return hand_off(walk, goal)
    mode = walk.choose(("optional_lease", "optional_lease", "soft_claim", "hard_lease"))
    return Move(walk.owner(goal), "goal.set-handoff-mode", given(goal, {"handoff_mode": mode}))


def defer(walk: Walk, goal: Goal) -> Move:
    """Put work off until something holds."""
    todo_id = walk.todo(goal)
    other = walk.choose([*goal.todos, "todo_none"])
    soon = datetime.fromtimestamp((walk.at_ms + 40_000) // 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    until = walk.choose(
        (
            f"time:{'2026-01-01T00:00:00Z' if walk.slip() else soon}",
            f"todo_done:{other}",
            f"todo_done:{other}",
            "capability_available:docs",
            "capability_available:gpu",
            "pr_merged:docs/1",
        )
    )
    who = walk.choose((walk.holder(goal, goal.todos.get(TodoId(todo_id))), walk.owner(goal)))
    about: dict[str, object] = {"todo_id": todo_id, "resume_when": until}
    return Move(who, "todo.defer", given(goal, about | walk.fenced(goal, todo_id)))


def resume(walk: Walk, goal: Goal) -> Move:
    """Take work up again, or begin work whose deferral is over though nobody wrote it."""
    deferred = [*goal.handoffs.deferrals]
    if not deferred and not walk.slip():
        return defer(walk, goal)
    todo_id = walk.choose(deferred) if deferred and not walk.slip() else TodoId(walk.todo(goal))
    if walk.one_in(2):
        return Move(walk.agent(), "todo.claim", given(goal, {"todo_id": todo_id}))
    return Move(walk.choose(("builder", "ann")), "todo.resume", given(goal, {"todo_id": todo_id}))


def delegate(walk: Walk, goal: Goal) -> Move:
    """Let one agent act on another's todos."""
    agent_id, whose = walk.choose((WORKERS, WORKERS[::-1]))
    subject = walk.choose(
        (
            {"todo_id": [walk.todo(goal)]},
            {"action_kind": ["check"]},
            {} if walk.slip() else {"action_kind": ["publish"]},
        )
    )
    kept_from = [todo.todo_id for todo in goal.todos.values() if agent_id in todo.excluded_agents]
    if kept_from and walk.one_in(3):
        subject = {"todo_id": [walk.choose(kept_from)]}
    params: dict[str, object] = {
        "agent_id": walk.choose((whose, "stranger")) if walk.slip() else agent_id,
        "on_behalf_of": whose,
        "allowed_action": walk.choose((["complete"], ["complete", "supersede", "update"], ["update"])),
        "ttl_seconds": walk.choose((60, 3_600)),
        "reason": "They are away",
        **subject,
    }
    return Move(walk.owner(goal), "todo.delegate", given(goal, params))


def undelegate(walk: Walk, goal: Goal) -> Move:
    """End a delegation."""
    alive = [*goal.handoffs.delegations]
    if not alive and not walk.slip():
        return delegate(walk, goal)
    grant_id = walk.choose(alive) if alive and not walk.slip() else "dlg_1"
    return Move(walk.owner(goal), "todo.undelegate", given(goal, {"grant_id": grant_id}))


def act_for(walk: Walk, goal: Goal) -> Move:
    """A delegate finishes, changes or withdraws another's work."""
    alive = [*goal.handoffs.delegations.values()]
    if not alive:
        return delegate(walk, goal)
    grant = walk.choose(alive)
    theirs = [goal.todos[todo_id] for todo_id in goal.mine.get(grant.on_behalf_of, ())]
    if not theirs:
        return Move(
            grant.on_behalf_of,
            "todo.claim",
            given(goal, {"todo_id": walk.choose([*grant.todo_ids] or [TodoId(walk.free(goal))])}),
        )
    todo: Todo = walk.choose(theirs)
    about: dict[str, object] = {"todo_id": todo.todo_id}
    match walk.choose(("complete", "complete", "update", "supersede")):
        case "update":
            return Move(grant.agent_id, "todo.update", given(goal, about | {"note": "Half done"}))
        case "supersede":
            return Move(grant.agent_id, "todo.cancel", given(goal, about | walk.fenced(goal, todo.todo_id)))
        case _:
            proofs = [one.artifact_id for one in goal.artifacts.values() if one.todo_id == todo.todo_id]
            if not proofs:
                proof = {"label": "report", "sha256": "b" * 64, "size_bytes": 1}
                return Move(grant.on_behalf_of, "artifact.submit", given(goal, about | proof))
            done = about | walk.fenced(goal, todo.todo_id) | {"evidence": proofs[:1]}
            return Move(grant.agent_id, "todo.complete", given(goal, done))


COMMANDS = (
    *(transfer,) * 3, *(hand_off,) * 3, *(adopt,) * 2, *(come_back,) * 3, *(set_mode,) * 2, *(defer,) * 3,
    *(resume,) * 2, *(delegate,) * 2, undelegate, *(act_for,) * 3,
)  # fmt: skip
