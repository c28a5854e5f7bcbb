"""Moves on work: todos added, claimed, leased, kept, proved, finished, changed."""

from ledger.ids import TodoId
from ledger.records import Todo
from ledger.state import Goal
from tests.support.walks.base import AGENTS, KEYS, PEOPLE, SCOPES, Move, Walk, given
from tests.support.walks.evidence import prove

KINDS = (None, None, None, "check", "publish")
NEEDS = ("publish:action:site", "publish:lane:docs", "budget:action:site")
WRONG: tuple[dict[str, object], ...] = (
    {"depends_on": ["todo_none"]},
    {"required_write_scope": ["/etc"]},
    {"required_write_scope": ["src"]},
    {"excluded_agent": ["nobody"]},
    {"bound_agent": "stranger"},
    {"excluded_agent": ["builder"], "bound_agent": "builder"},
)


def add(walk: Walk, goal: Goal) -> Move:
    """Add work, mostly while there is little."""
    if sum(todo.status in {"open", "blocked"} for todo in goal.todos.values()) >= 4 and not walk.slip():
        return complete(walk, goal)
    params: dict[str, object] = {
        "text": "Check the links",
        "todo_id": walk.choose((None, None, f"todo_{walk.state.seq + 3:06d}", "todo_aaa", "todo_plan_a_links")),
        "depends_on": walk.choose(([], [], [*goal.todos][:1], [*goal.todos][-1:])),
        "required_write_scope": walk.choose(([], [walk.choose(SCOPES)])),
        "required_capability": ["gpu"] if walk.slip() else walk.choose(([], ["docs"])),
        "excluded_agent": walk.choose(([], [], [], [], [], ["helper"])),
        "bound_agent": walk.choose((None, None, None, None, None, "builder")),
        "action_kind": walk.choose(KINDS),
        "validator": walk.choose(([], [], [], ["links"])),
        "priority": walk.choose(("P0", "P1", "P2")),
        "required_decision_scope": [walk.choose(NEEDS)] if walk.one_in(6) else [],
    }
    match walk.choose(range(8)):
        case 0:
            params |= {"role": "user", "task_class": None if walk.slip() else "user_action"}
        case 1:
            params |= {"role": "user", "task_class": "user_gate", "unblocks_todo_id": walk.todo(goal)}
        case 2:
            params |= {"task_class": "continuous_monitor", "cadence_seconds": walk.choose((30, 300))}
            params |= {"max_no_change_before_replan": walk.choose((None, 1, 2)), "validator": []}
        case _:
            pass
    if walk.slip():
        params |= walk.choose(WRONG)
    who = walk.choose((*PEOPLE, *AGENTS)) if walk.slip() else walk.choose(("ann", "builder", "helper"))
    return Move(who, "todo.add", given(goal, params))


def claim(walk: Walk, goal: Goal) -> Move:
    """Take work, softly, or give it back."""
    if walk.one_in(8):
        todo_id = walk.todo(goal)
        who = walk.holder(goal, goal.todos.get(TodoId(todo_id)))
        return Move(who, "todo.release", given(goal, {"todo_id": todo_id}))
    params = {"todo_id": walk.free(goal), "agent_id": "helper" if walk.slip() else None}
    return Move(walk.agent(), "todo.claim", given(goal, params))


def change(walk: Walk, goal: Goal) -> Move:
    """Change, block, open or cancel work."""
    blocked = [todo.todo_id for todo in goal.todos.values() if todo.status == "blocked"]
    if blocked and not walk.one_in(4):
        return Move("ann", "todo.update", given(goal, {"todo_id": walk.choose(blocked), "status": "open"}))
    todo_id = walk.todo(goal)
    who = walk.choose((walk.holder(goal, goal.todos.get(TodoId(todo_id))), walk.owner(goal)))
    about: dict[str, object] = {"todo_id": todo_id}
    match walk.choose(("update", "block", "cancel")):
        case "block":
            about |= walk.fenced(goal, todo_id) | {"reason": "The site is down"}
            return Move(who, "todo.block", given(goal, about))
        case "cancel":
            return Move(who, "todo.cancel", given(goal, about | walk.fenced(goal, todo_id)))
        case _:
            changes = walk.choose(({"priority": "P0"}, {"note": "Half done"}, {"status": "open"}, {"priority": "P2"}))
            return Move(who, "todo.update", given(goal, about | changes))


def acquire(walk: Walk, goal: Goal) -> Move:
    """Take work, exclusively and for a while."""
    params: dict[str, object] = {
        "todo_id": walk.free(goal),
        "idempotency_key": walk.choose(KEYS[:2]) if walk.one_in(4) else walk.choose(KEYS),
        "ttl_seconds": walk.choose((30, 300, 300)),
        "write_scope": walk.choose(([], [walk.choose(SCOPES)])),
        "owner": "helper" if walk.slip() else None,
        "expected_version": walk.choose((0, 1)) if walk.slip() else None,
    }
    beside = [scope for lease in goal.leases.values() if lease.status == "active" for scope in lease.write_scopes]
    if beside and walk.one_in(3):
        # Two agents want one place: a rare meeting, if nobody goes looking for it.
        params["write_scope"] = [walk.choose(beside)]
    if walk.slip():
        params["write_scope"] = walk.choose((["../x"], ["src/x"]))
    return Move(walk.agent(), "task-lease.acquire", given(goal, params))


def acquire_again(walk: Walk, goal: Goal) -> Move:
    """The same execution asks once more, with the same parameters or with others."""
    active = walk.leased(goal)
    if not active:
        return acquire(walk, goal)
    lease = goal.leases[TodoId(walk.choose(active))]
    params: dict[str, object] = {
        "todo_id": lease.todo_id,
        "idempotency_key": lease.idempotency_key,
        "ttl_seconds": 31 if walk.slip() else lease.acquire_ttl_seconds,
        "write_scope": list(lease.write_scopes),
    }
    return Move(lease.owner, "task-lease.acquire", given(goal, params))


def keep(walk: Walk, goal: Goal) -> Move:
    """Renew a lease, or give it back."""
    active = walk.leased(goal)
    todo_id = walk.choose(active) if active and not walk.slip() else walk.todo(goal)
    lease = goal.leases.get(TodoId(todo_id))
    who = walk.agent() if lease is None or walk.slip() else lease.owner
    key, version = walk.fence(lease) or ("run-1", 0)
    params = {"todo_id": todo_id, "idempotency_key": key, "expected_version": version}
    return Move(who, f"task-lease.{walk.choose(('renew', 'renew', 'release'))}", given(goal, params))


def submit(walk: Walk, goal: Goal) -> Move:
    """Hand in evidence of what somebody has in hand."""
    held = walk.held(goal)
    if held is None and not walk.slip():
        return begin(walk, goal) if goal.ready else change(walk, goal) if goal.todos else add(walk, goal)
    todo_id = walk.todo(goal) if held is None else held.todo_id
    return prove(walk, goal, walk.holder(goal, goal.todos.get(TodoId(todo_id))), todo_id)


def begin(walk: Walk, goal: Goal) -> Move:
    """Take work the way this goal wants it taken."""
    if goal.intent.handoff_mode == "hard_lease" or (goal.intent.handoff_mode != "soft_claim" and walk.one_in(2)):
        return acquire(walk, goal)
    return claim(walk, goal)


def complete(walk: Walk, goal: Goal) -> Move:
    """Finish work, mostly what has been proved; prove it first where it has not."""
    held = walk.held(goal)
    if held is None and not walk.slip():
        return submit(walk, goal)
    todo_id = walk.todo(goal) if held is None else held.todo_id
    proofs = [str(one.artifact_id) for one in goal.artifacts.values() if one.todo_id == todo_id]
    sound = [one for one in proofs if goal.reviews.is_sound(one)]
    if held is not None and not sound and not walk.slip():
        return submit(walk, goal)
    params: dict[str, object] = {
        "todo_id": todo_id,
        "evidence": walk.choose(([], [*goal.artifacts][:1], ["art_none"], proofs)) if walk.slip() else sound[:3],
        "completion_turn_key": walk.choose((None, "turn-1", "turn-2")),
        "decision_outcome": "approve" if walk.slip() else None,
    }
    if walk.one_in(4):
        params |= {"next_agent_todo": "Follow up", "next_claimed_by": walk.choose((None, "helper", "dreamer"))}
        params |= {"next_claimed_by": "stranger"} if walk.slip() else {}
    who = walk.holder(goal, goal.todos.get(TodoId(todo_id)))
    return Move(who, "todo.complete", given(goal, params | walk.fenced(goal, todo_id)))


def complete_again(walk: Walk, goal: Goal) -> Move:
    """Say once more that something is done, as another turn or with another successor."""
    done = [todo for todo in goal.todos.values() if todo.status == "done"]
    if not done:
        return complete(walk, goal)
    todo = walk.choose(done)
    turn = walk.choose((todo.completion_turn_key, "turn-1", "turn-2"))
    params: dict[str, object] = {"todo_id": todo.todo_id, "completion_turn_key": turn}
    params |= {"next_agent_todo": "Follow up again", "decision_outcome": todo.decision_outcome}
    who = walk.person() if todo.completed_by is None or walk.slip() else todo.completed_by
    return Move(who, "todo.complete", given(goal, params))


def finish_persons(walk: Walk, goal: Goal) -> Move:
    """A person does what is a person's, where there is such work."""
    theirs = [todo for todo in goal.todos.values() if todo.role == "user" and todo.status == "open"]
    if not theirs:
        return complete(walk, goal)
    todo = walk.choose(theirs)
    params: dict[str, object] = {"todo_id": todo.todo_id}
    if (todo.task_class == "user_gate") != walk.slip():
        params["decision_outcome"] = walk.choose(("approve", "approve", "reject", "cancel"))
    return Move(walk.owner(goal), "todo.complete", given(goal, params))


def wrap_up(walk: Walk, goal: Goal) -> Move:
    """Go for a delivery: finish what is left, or deliver."""
    left = [todo for todo in goal.todos.values() if todo.status in {"open", "blocked"}]
    if not left:
        return Move(walk.agent(), "goal.deliver", given(goal, {"summary": "Done"})) if goal.todos else add(walk, goal)
    return finish_one(walk, goal, walk.choose(left))


def finish_one(walk: Walk, goal: Goal, todo: Todo) -> Move:
    """The next step towards the end of one todo."""
    if todo.status == "blocked":
        return Move("ann", "todo.update", given(goal, {"todo_id": todo.todo_id, "status": "open"}))
    if todo.role == "user":
        return finish_persons(walk, goal)
    if todo.task_class == "continuous_monitor":
        return Move(walk.owner(goal), "todo.cancel", given(goal, {"todo_id": todo.todo_id}))
    return complete(walk, goal)


def dream(walk: Walk, goal: Goal) -> Move:
    """Propose work, or let a proposal in, or turn it down."""
    proposed = [*goal.handoffs.proposals]
    if len(proposed) < 2 and not walk.slip():
        on_top = walk.choose(([], [*goal.todos][-1:]))
        asked: dict[str, object] = {"text": "A map of the docs", "depends_on": on_top}
        if walk.one_in(4):
            asked |= {"role": "user", "task_class": "user_gate", "unblocks_todo_id": walk.todo(goal)}
        return Move("dreamer", "todo.add", given(goal, asked))
    params = {"todo_id": walk.choose(proposed) if proposed and not walk.slip() else walk.todo(goal)}
    if walk.one_in(3):
        return Move(walk.choose(("dreamer", "ann")), "todo.decline", given(goal, params))
    return Move(walk.choose(("ann", "ann", "steward", "helper")), "todo.admit", given(goal, params))


COMMANDS = (
    *(add,) * 3, *(claim,) * 3, *(acquire,) * 4, acquire_again, *(keep,) * 2, *(submit,) * 3, *(complete,) * 6,
    *(finish_persons,) * 2, complete_again, *(change,) * 2, *(wrap_up,) * 3, *(dream,) * 2,
)  # fmt: skip
