"""Moves on quota, runs, monitors and usage."""

from ledger.ids import TodoId
from ledger.parts.runs import PROGRESS
from ledger.records import Todo
from ledger.state import Goal
from tests.support.walks.base import PEOPLE, TURNS, Move, Walk, given
from tests.support.walks.work import add, begin, complete
from tests.support.world import digest

OUTCOMES = ("outcome_progress", "outcome_progress", "primary_goal_outcome", "no_progress", "surface_only", "observed")


def reserve(walk: Walk, goal: Goal) -> Move:
    """Have a turn admitted, mostly where there is work for it."""
    if not goal.ready and not goal.mine and not walk.slip():
        return add(walk, goal)
    params: dict[str, object] = {
        "turn_instance_id": walk.choose(TURNS),
        "slots": walk.choose((1, 1, 2, 60)),
        "ttl_seconds": walk.choose((30, 900)),
        "agent_id": "helper" if walk.slip() else None,
    }
    return Move(walk.agent(), "quota.reserve", given(goal, params))


def release(walk: Walk, goal: Goal) -> Move:
    """Give an admission back, or have an owner do it."""
    admitted = [*goal.slots.admissions.values()]
    if not admitted:
        return reserve(walk, goal)
    one = walk.choose(admitted)
    turn = "turn-9" if walk.slip() else one.turn_instance_id
    if walk.one_in(3):
        params = {"turn_instance_id": turn, "agent_id": one.agent_id}
        return Move(walk.owner(goal), "quota.release", given(goal, params))
    return Move(one.agent_id, "quota.release", given(goal, {"turn_instance_id": turn}))


def report(walk: Walk, goal: Goal) -> Move:
    """Say what a run came to, mostly of work that the agent has or finished."""
    mine = [todo for todo in goal.todos.values() if todo.claimed_by or todo.completed_by]
    if not mine and not walk.slip():
        return begin(walk, goal) if goal.ready else add(walk, goal)
    todo = None if walk.slip() or not mine else walk.choose(mine)
    if todo is None:
        return Move(walk.agent(), "run.report", given(goal, _run(walk, goal, walk.todo(goal))))
    who = walk.agent() if walk.slip() else todo.claimed_by or todo.completed_by or "builder"
    return Move(who, "run.report", given(goal, _run(walk, goal, todo.todo_id)))


def _run(walk: Walk, goal: Goal, todo_id: str) -> dict[str, object]:
    proofs = [one.artifact_id for one in goal.artifacts.values() if one.todo_id == todo_id]
    others = [*goal.artifacts, "art_none"]
    return {
        "todo_id": todo_id,
        "turn_instance_id": walk.choose(TURNS),
        "delivery_outcome": walk.choose(OUTCOMES),
        "run_id": walk.choose((None, None, None, "run_a")),
        "evidence": [walk.choose(others)] if walk.slip() else proofs[:1],
    }


def idle(walk: Walk, goal: Goal) -> Move:
    """A turn without progress, so that two in a row come up."""
    todo_id = walk.todo(goal)
    turn = f"turn-{walk.state.seq}" if walk.one_in(2) else walk.choose(TURNS)
    params = {"todo_id": todo_id, "turn_instance_id": turn, "delivery_outcome": "no_progress"}
    return Move(walk.agent(), "run.report", given(goal, params))


def replan(walk: Walk, goal: Goal) -> Move:
    """Look at the plan again, mostly because it is due."""
    owing = [*goal.runs.streaks]
    who = walk.choose(owing) if owing and not walk.slip() else walk.agent()
    return Move(who, "run.replan", given(goal, {"summary": "One by one"}))


def spend(walk: Walk, goal: Goal) -> Move:
    """Pay for a turn, mostly for one that delivered."""
    done = [todo for todo in goal.todos.values() if todo.status == "done" and todo.role == "agent"]
    if not done and not walk.slip():
        return complete(walk, goal)
    todo: Todo | None = walk.choose(done) if done and not walk.slip() else goal.todos.get(TodoId(walk.todo(goal)))
    if todo is None:
        return Move(walk.agent(), "quota.spend-slot", given(goal, _turn(walk, "todo_none", walk.choose(TURNS))))
    who = walk.agent() if walk.slip() else todo.completed_by or "builder"
    runs = [run for run in goal.runs.runs.values() if run.todo_id == todo.todo_id and run.agent_id == who]
    if not runs and not walk.one_in(3):
        paid = {"todo_id": todo.todo_id, "turn_instance_id": walk.choose(TURNS)}
        found = {"delivery_outcome": "outcome_progress", "evidence": [*todo.evidence][:1]}
        return Move(who, "run.report", given(goal, paid | found))
    turn = walk.choose(runs).turn_instance_id if runs and not walk.slip() else walk.choose(TURNS)
    return Move(who, "quota.spend-slot", given(goal, _turn(walk, todo.todo_id, turn)))


def _turn(walk: Walk, todo_id: str, turn: str) -> dict[str, object]:
    slots = walk.choose((1, 1, 2))
    return {"todo_id": todo_id, "turn_instance_id": turn, "slots": slots, "agent_id": "critic" if walk.slip() else None}


def spend_early(walk: Walk, goal: Goal) -> Move:
    """Pay for a turn that got somewhere, before anything was delivered or by somebody who did not deliver it."""
    promising = [run for run in goal.runs.runs.values() if run.delivery_outcome in PROGRESS]
    early = [run for run in promising if goal.todos[run.todo_id].completed_by != run.agent_id]
    if not early:
        return report(walk, goal)
    run = walk.choose(early)
    return Move(run.agent_id, "quota.spend-slot", given(goal, _turn(walk, run.todo_id, run.turn_instance_id)))


def void(walk: Walk, goal: Goal) -> Move:
    """Take a spend back."""
    spends = [*goal.slots.spends.values()]
    if not spends or walk.slip():
        if not walk.slip():
            return spend(walk, goal)
        params: dict[str, object] = {"spend_id": "spend_000001", "reason": "None was made"}
        return Move("ann", "quota.void-slot", given(goal, params))
    one = walk.choose(spends)
    who = walk.anybody() if walk.one_in(3) else walk.choose((one.agent_id, "ann"))
    return Move(who, "quota.void-slot", given(goal, {"spend_id": one.spend_id, "reason": "The wrong turn"}))


def settings(walk: Walk, goal: Goal) -> Move:
    """Change how much may be done."""
    changes: tuple[dict[str, object], ...] = (
        {"allowed_slots": 2}, {"allowed_slots": 60}, {"compute_permille": 500}, {"window_hours": 1},
        {"slot_minutes": 30}, {"compute_permille": 1_000}, {},
    )  # fmt: skip
    params = {"compute_permille": 0} if walk.one_in(12) else walk.choose(changes)
    who = walk.choose(PEOPLE) if walk.one_in(6) else walk.owner(goal)
    return Move(who, "quota.set", given(goal, {**params}))


def observe(walk: Walk, goal: Goal) -> Move:
    """Look at a monitor, and mostly see the same again."""
    monitors = [todo for todo in goal.todos.values() if todo.task_class == "continuous_monitor"]
    if not monitors:
        about: dict[str, object] = {"text": "Watch the site", "task_class": "continuous_monitor", "cadence_seconds": 30}
        return Move("ann", "todo.add", given(goal, about | {"max_no_change_before_replan": 2}))
    todo_id = walk.todo(goal) if walk.slip() else walk.choose(monitors).todo_id
    seen = digest("seen" if not walk.one_in(4) else walk.state.seq)
    who = walk.anybody() if walk.slip() else walk.agent()
    return Move(who, "run.observe", given(goal, {"todo_id": todo_id, "result_hash": seen}))


def usage(walk: Walk, goal: Goal) -> Move:
    """Say what was used."""
    runs = [*goal.runs.runs, "run_none"]
    params: dict[str, object] = {
        "source": "provider",
        "tokens_in": walk.choose((None, 400, 1_200)),
        "tokens_out": walk.choose((None, 300)),
        "cost_micros": walk.choose((None, 4_100)),
        "usage_id": walk.choose((None, "usage_a")),
        "run_id": walk.choose(runs) if walk.one_in(3) else None,
    }
    return Move(walk.agent(), "usage.report", given(goal, params))


COMMANDS = (
    *(reserve,) * 4, release, *(report,) * 3, *(idle,) * 2, *(replan,) * 2, *(spend,) * 5, *(spend_early,) * 2,
    *(void,) * 2, *(settings,) * 2, *(observe,) * 3, usage,
)  # fmt: skip
