"""Reading one goal into a view: the few documents that anybody may read, each of them once."""

from dataclasses import replace

from daemon.aclient import AsyncClient
from daemon.agents.steward_facts import ROUTINE
from daemon.agents.steward_view import (
    Agent,
    Amendment,
    Document,
    Gate,
    Plan,
    Request,
    Stuck,
    View,
    Work,
    agent_of,
    evidence_of,
    goal_fields,
    mapping,
    moment,
    number,
    plan_of,
    rows,
    text,
    text_or_none,
    texts,
    work_of,
)
from daemon.client import Params

PAGE = 200
PAGES_MAX = 100
STEWARD, SUMMARY = "steward", "summary"
"""The role, and the kind of action, by which an agent may post into chats."""
LEASES_MAX = 64
"""Bound work without a holder of which it is asked how its last lease ended."""


class ReadRefused(Exception):
    """A document was refused, with the daemon's code."""


class Reader:
    """What one steward reads."""

    def __init__(self, client: AsyncClient, me: str, *, has_planner: bool) -> None:
        self._client = client
        self._me = me
        self._has_planner = has_planner

    async def goals(self, state: str) -> list[str]:
        """The goals in a state. Raises ReadRefused and WireFault."""
        found = await self._pages("goal.list", "goals", {"state": state}, "goal_id")
        return [text(one, "goal_id") for one in found]

    async def view(self, goal_id: str, now_ms: int) -> tuple[View, int]:
        """A goal at a moment, and the seq of its last event. Raises ReadRefused, NotReadable and WireFault."""
        about: Params = {"goal_id": goal_id}
        shown = await self._read("goal.show", {**about, "full": True})
        fields, agents = goal_fields(shown), await self._agents(goal_id)
        view = View(
            me=self._me,
            now_ms=now_ms,
            has_planner=self._has_planner,
            work=await self._work(goal_id),
            evidence=tuple(evidence_of(one) for one in rows(await self._read("artifact.list", about), "artifacts")),
            plans=await self._plans(goal_id),
            gates=tuple(_gate(one) for one in rows(await self._read("gate.list", _all(goal_id)), "gates")),
            amendments=await self._amendments(goal_id),
            requests=tuple(_request(one) for one in rows(await self._read("request.list", _all(goal_id)), "requests")),
            agents=agents,
            can_post=await self._posts(goal_id, agents),
            **fields,  # type: ignore[arg-type]  # the fields are made for this very struct, by name
        )
        return view, number(mapping(shown.get("truth_contract")), "goal_seq")

    async def _work(self, goal_id: str) -> tuple[Work, ...]:
        found = await self._pages("todo.list", "todos", {"goal_id": goal_id, "full": True}, "todo_id")
        looked_at = [
            (text(one, "todo_id"), text(one, "bound_agent"))
            for one in found
            if one.get("status") == "open" and one.get("bound_agent") is not None and one.get("claimed_by") is None
        ]
        lapses = {todo_id: await self._lapses(goal_id, todo_id, who) for todo_id, who in looked_at[:LEASES_MAX]}
        return tuple(work_of(one, lapses.get(text(one, "todo_id"), 0)) for one in found)

    async def _lapses(self, goal_id: str, todo_id: str, bound_agent: str) -> int:
        lease = await self._read("task-lease.inspect", {"goal_id": goal_id, "todo_id": todo_id})
        ran_out = lease.get("end") == "expired" or (lease.get("status") == "active" and lease.get("effective") is False)
        # Where another agent was relieved of it, the one that it is bound to now has not failed yet.
        return number(lease, "lease_epoch") if ran_out and lease.get("owner") == bound_agent else 0

    async def _plans(self, goal_id: str) -> tuple[Plan, ...]:
        plans = []
        for row in rows(await self._read("plan.list", _all(goal_id)), "plans"):
            whole = row.get("status") in {"open", "rejected"}
            asked: Params = {"goal_id": goal_id, "plan_id": text(row, "plan_id"), "full": True}
            plans.append(plan_of(await self._read("plan.show", asked) if whole else row))
        return tuple(plans)

    async def _amendments(self, goal_id: str) -> tuple[Amendment, ...]:
        found = []
        for row in rows(await self._read("amendment.list", _all(goal_id)), "amendments"):
            basis = ""
            mine = row.get("submitted_by") == self._me and row.get("amendment_class") in ROUTINE
            if mine and row.get("status") in {"open", "needs_rebase"}:
                asked: Params = {"goal_id": goal_id, "amendment_id": text(row, "amendment_id")}
                basis = text(await self._read("amendment.show", asked), "basis")
            found.append(
                Amendment(
                    amendment_id=text(row, "amendment_id"),
                    status=text(row, "status"),
                    amendment_class=text(row, "amendment_class"),
                    submitted_by=text(row, "submitted_by"),
                    basis=basis,
                )
            )
        return tuple(found)

    async def _agents(self, goal_id: str) -> tuple[Agent, ...]:
        members = rows(await self._read("member.list", {}), "members")
        grants = rows(await self._read("member.grants", {}), "grants")
        found = []
        for row in members:
            own = [one for one in grants if one.get("member_id") == row.get("member_id")]
            if (agent := agent_of(row, own, goal_id)) is not None:
                asked: Params = {"agent_id": agent.agent_id, "goal_id": goal_id}
                shown = await self._read("member.show", asked)
                stuck = await self._stuck(asked)
                found.append(replace(agent, presence=text(shown, "presence"), stuck=stuck))
        return tuple(found)

    async def _stuck(self, asked: Params) -> Stuck | None:
        """The last turn of an agent that must replan; a monitor that saw no change is no turn."""
        verdict = await self._read("quota.should-run", asked)
        if verdict.get("decision") != "replan":
            return None
        runs = rows(await self._read("run.list", {**asked, "limit": 1}), "runs")
        if not runs:
            return None
        return Stuck(seq=number(runs[0], "seq"), at_ms=moment(runs[0], "at"), todo_id=text(runs[0], "todo_id"))

    async def _posts(self, goal_id: str, agents: tuple[Agent, ...]) -> bool:
        """Whether there is a chat that shows the goal, and this steward may post into it."""
        mine = next((one for one in agents if one.agent_id == self._me), None)
        if mine is None or (mine.role != STEWARD and SUMMARY not in mine.action_kinds):
            return False
        chats = rows(await self._read("channel.list", {}), "channels")
        own = [one for one in chats if one.get("goal_id") == goal_id]
        shown = own or [one for one in chats if one.get("goal_id") is None]
        return any(one.get("reachable") is True for one in shown)

    async def _read(self, name: str, params: Params) -> Document:
        reply = await self._client.read(name, params)
        if not reply.ok:
            raise ReadRefused(f"{name} was refused: {reply.code}")
        return reply.body

    async def _pages(self, name: str, listed: str, params: Params, after: str) -> list[Document]:
        found: list[Document] = []
        follows: str | None = None
        for _ in range(PAGES_MAX):
            page = await self._read(name, {**params, "limit": PAGE, "after": follows})
            found += rows(page, listed)
            follows = text_or_none(page, "next_after")
            if follows is None:
                return found
        raise ReadRefused(f"{name} has more than {PAGES_MAX} pages of {after}s")


def _all(goal_id: str) -> Params:
    return {"goal_id": goal_id, "limit": PAGE}


def _gate(row: Document) -> Gate:
    return Gate(
        gate_id=text(row, "gate_id"),
        status=text(row, "status"),
        opened_by=text(row, "opened_by"),
        blocks=texts(row, "blocks"),
    )


def _request(row: Document) -> Request:
    return Request(
        request_id=text(row, "request_id"),
        sender=text(row, "sender"),
        receiver=text(row, "receiver"),
        status=text(row, "status"),
        sent_at_ms=moment(row, "sent_at"),
    )
