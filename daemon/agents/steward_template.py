"""The built-in plan: a template that anybody can read, with no knowledge of what the work is about.

Each criterion without proof is a lane of work; where two agents or more can work, a last lane writes down, from the
accepted work alone, what was done. The review of each lane's evidence is asked for when it is there. Lanes are bound to
agents that have the goal and its capabilities, in turn; grants that an owner named are kept to.
"""

from collections.abc import Sequence

from daemon.agents.steward_facts import proof, unproved
from daemon.agents.steward_view import Agent, Criterion, Evidence, View, Work
from daemon.agents.steward_words import Words

LANES_MAX = 8
ANY_KIND = "*"
_HELPERS = frozenset({"dreaming_proposer", "steward", "monitor"})
_REVIEWERS = ("reviewer", "critic")
_PRESENT = ("executing", "launchable", "bound", "addressable", "registered")
Lane = dict[str, object]


def staff(view: View) -> tuple[Agent, ...]:
    """Who can be given work: agents with the goal's capabilities; reviewers only where there is nobody else."""
    able = [
        one for one in view.agents
        if one.agent_id != view.me and one.role not in _HELPERS and set(view.capabilities) <= set(one.capabilities)
        and not ("action_kinds" in one.limits and not one.action_kinds)
    ]  # fmt: skip
    workers = [one for one in able if one.role not in _REVIEWERS]
    return tuple(workers or able)


def reviewers(view: View, author: str, load: Sequence[str]) -> tuple[Agent, ...]:
    """Who can review what this author made, the best first: by role, by being there, by how much each was asked."""
    able = [
        one for one in view.agents
        if one.agent_id not in {author, view.me} and one.role not in {"dreaming_proposer", "steward"}
    ]  # fmt: skip
    return tuple(
        sorted(
            able,
            key=lambda one: (
                _rank(one.role, _REVIEWERS),
                _rank(one.presence, _PRESENT),
                load.count(one.agent_id),
                one.agent_id,
            ),
        )
    )


def _rank(word: str, order: Sequence[str]) -> int:
    return order.index(word) if word in order else len(order)


def can_do(view: View, agent: Agent, work: Work) -> bool:
    """Whether an agent has what this work asks for; the ledger looks again."""
    if agent.role in _HELPERS or not {*view.capabilities, *work.capabilities} <= set(agent.capabilities):
        return False
    kinds, scopes = set(agent.action_kinds), set(agent.write_scopes)
    kind_fits = "action_kinds" not in agent.limits or ANY_KIND in kinds or work.action_kind in kinds
    return kind_fits and ("write_scopes" not in agent.limits or set(work.write_scopes) <= scopes)


def template(view: View, words: Words) -> tuple[Lane, ...]:
    """The lanes for what has no proof, or for what the owners sent back."""
    agents = staff(view)
    noted = len(agents) > 1
    room = LANES_MAX - (1 if noted else 0)
    wanted = unproved(view) or view.criteria
    single, rest = wanted[: room - 1 if len(wanted) > room else room], wanted[room - 1 :]
    groups = [(one,) for one in single] + ([tuple(rest)] if len(wanted) > room else [])
    lanes = [_work(view, number, group, agents, words) for number, group in enumerate(groups)]
    if noted:
        lanes.append(_note(view, lanes, agents, words))
    return tuple(lanes)


def _work(view: View, number: int, group: tuple[Criterion, ...], agents: tuple[Agent, ...], words: Words) -> Lane:
    if view.state == "changes_requested" and view.changes:
        title = words.say("lane.rework", text=view.changes)
    elif len(group) == 1:
        title = words.say("lane.work", text=group[0].text)
    else:
        title = words.say("lane.rest", count=len(group))
    good = "\n".join(f"{one.criterion_id}: {one.text}" for one in group)
    return _bound(view, agents[number % len(agents)] if agents else None) | {
        "lane_id": f"work-{number + 1}",
        "title": title,
        "acceptance": good,
    }


def _note(view: View, lanes: list[Lane], agents: tuple[Agent, ...], words: Words) -> Lane:
    """The note is written by somebody else than who did the first part of the work."""
    return _bound(view, agents[1]) | {
        "lane_id": "note",
        "title": words.say("lane.note"),
        "acceptance": words.say("lane.note.good"),
        "depends_on": [str(lane["lane_id"]) for lane in lanes],
    }


def _bound(view: View, agent: Agent | None) -> Lane:
    if agent is None:
        return {"write_scope": list(view.write_scopes), "capability": list(view.capabilities)}
    kinds = [one for one in agent.action_kinds if one != ANY_KIND]
    lane: Lane = {
        "agent": agent.agent_id,
        "write_scope": list(agent.write_scopes if "write_scopes" in agent.limits else view.write_scopes),
        "capability": list(view.capabilities),
    }
    return lane | ({"action_kind": kinds[0]} if kinds and ANY_KIND not in agent.action_kinds else {})


def packet(view: View, words: Words) -> dict[str, object]:
    """What a planner gets: the promise, who could work, what counts already, and what was turned down."""
    return {
        "schema_version": "frontstage_planner_packet_v0",
        "goal": {
            "goal_id": view.goal_id,
            "state": view.state,
            "revision": view.revision,
            "title": view.title,
            "objective": view.objective,
            "criteria": [{"criterion_id": one.criterion_id, "text": one.text} for one in view.criteria],
            "non_goals": list(view.non_goals),
            "constraints": list(view.constraints),
            "write_scopes": list(view.write_scopes),
            "capabilities": list(view.capabilities),
            "review": view.review,
        },
        "unproved": [one.criterion_id for one in unproved(view)],
        "changes_requested": view.changes if view.state == "changes_requested" else None,
        "agents": [
            {
                "agent_id": one.agent_id,
                "role": one.role,
                "capabilities": list(one.capabilities),
                "presence": one.presence,
                "limits": list(one.limits),
                "action_kinds": list(one.action_kinds),
                "write_scopes": list(one.write_scopes),
            }
            for one in staff(view)
        ],
        "accepted": [_accepted(one) for one in proof(view)],
        "turned_down": [
            {"plan_id": one.plan_id, "reason": one.reason} for one in view.plans if one.status == "rejected"
        ],
        "template": list(template(view, words)),
        "lanes_max": LANES_MAX,
    }


def _accepted(one: Evidence) -> dict[str, object]:
    return {
        "artifact_id": one.artifact_id,
        "label": one.label,
        "sha256": one.sha256,
        "todo_id": one.todo_id,
        "criteria": list(one.criterion_ids),
        "by": one.submitted_by,
    }
