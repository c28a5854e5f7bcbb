"""Looking for work: what an agent should turn to next, and why it does not where it does not.

Nothing is reserved and nothing refused by looking: only reads are asked, until there is something to do. What stands in
the way of a goal is kept by its name, so that `worker status` can say it.
"""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from daemon.agents.docs_agent import mapping
from daemon.agents.worker_folder import Setting
from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_readings import NotRead, Readings, is_rejected, rows, texts
from daemon.agents.worker_tree import require_clean
from daemon.agents.worker_turn import Turn, TurnKind
from daemon.client import Client, Document, Params, new_request_key

BACK_OFF_S = (1.0, 2.0, 5.0, 15.0, 60.0, 300.0)
REPLANS_MAX = 3
FAILURES_MAX = 3
"""How often a request is tried before whoever sent it is told that it is put off."""
REWORKS_MAX = 3
"""How often evidence that was rejected is made anew under one name; then somebody else has to look."""
PEOPLE_DECIDE = frozenset({"goal_not_confirmed", "delivery_waits"})
"""Reasons by which the goal as a whole waits for its owners: nothing that is handed in would be taken."""
TURN = "turn-"
"""What the names of turns, and so the keys of leases that workers take, begin with."""
DEFERRED_S = 600.0
STANDS_STILL = frozenset({"paused", "blocked_health", "throttled", "objective_review_required"})


@dataclass
class Lookout:
    """What a worker remembers between turns. Losing it costs a try that comes a little too soon."""

    client: Client
    setting: Setting
    goal_id: str | None
    now_s: float = 0.0
    waits: dict[str, str] = field(default_factory=dict)
    """Why there is nothing to do, by goal."""
    failures: dict[str, int] = field(default_factory=dict)
    reworks: dict[str, int] = field(default_factory=dict)
    """How often evidence was taken up again, by its id."""
    not_before_s: dict[str, float] = field(default_factory=dict)

    def find(self, now_s: float) -> Turn | None:
        """The next turn, if there is one. Raises WireFault."""
        self.now_s = now_s
        readings = Readings(self.client, self.setting.agent_id)
        self.waits = {}
        goals = [self.goal_id] if self.goal_id is not None else list(readings.goals())
        for goal_id in goals:
            try:
                turn = self._in_goal(readings, goal_id)
            except NotRead as error:
                self.waits[goal_id] = error.code or "not_read"
                continue
            if turn is not None:
                del self.waits[goal_id]
                return turn
        return None

    def failed(self, turn: Turn) -> None:
        """It came to nothing: the same is not tried again at once."""
        for key in (turn.subject or turn.goal_id, turn.goal_id):
            tries = self.failures[key] = self.failures.get(key, 0) + 1
            self.not_before_s[key] = self.now_s + _jittered(BACK_OFF_S[min(tries, len(BACK_OFF_S)) - 1])

    def succeeded(self, turn: Turn) -> None:
        """It came to something: what had failed before is forgotten."""
        for key in (turn.subject, turn.goal_id, f"replan {turn.goal_id}"):
            self.failures.pop(key, None)
            self.not_before_s.pop(key, None)

    def next_look_s(self, idle_s_max: float) -> float:
        """How long nothing needs to be looked at if nothing happens."""
        waiting = [at - self.now_s for at in self.not_before_s.values() if at > self.now_s]
        return min([_jittered(idle_s_max), *waiting])

    def _in_goal(self, readings: Readings, goal_id: str) -> Turn | None:
        verdict = readings.verdict(goal_id)
        if verdict["state"] == "objective_review_required":
            revision = int(str(mapping(verdict["goal_boundary"])["revision"]))
            self._say("goal.adopt", {"goal_id": goal_id, "revision": revision}, f"adopt/{revision}")
            verdict = readings.verdict(goal_id)
        self.waits[goal_id] = (texts(verdict, "reason_codes") or [str(verdict["state"])])[0]
        if verdict["state"] in STANDS_STILL or self.waits[goal_id] in PEOPLE_DECIDE:
            return None
        for turn in chain(self._requests(readings, goal_id), self._reworks(readings, goal_id)):
            if self._is_due(turn.subject):
                return turn
        return self._todo(readings, goal_id, verdict)

    def _todo(self, readings: Readings, goal_id: str, verdict: Document) -> Turn | None:
        if verdict["decision"] == "replan":
            return self._replan(readings, goal_id)
        if verdict["decision"] not in {"run", "observe"}:
            self._read_amendments(readings, goal_id)
            return None
        selected = mapping(verdict["selected_todo"])
        todo_id = str(selected["todo_id"])
        if not (self._is_due(todo_id) and self._is_due(goal_id)):
            self.waits[goal_id] = "failed_before"
            return None
        if verdict["decision"] == "observe":
            return self._turn("monitor", goal_id, todo_id)
        if (obstacle := self._obstacle(readings, goal_id, todo_id)) is not None:
            self.waits[goal_id] = obstacle
            return None
        turn = self._turn("todo", goal_id, "", str(mapping(verdict["goal_boundary"])["handoff_mode"]))
        if selected.get("claimed_until") is None:
            return turn
        lease = readings.one("task-lease.inspect", goal_id=goal_id, todo_id=todo_id)
        key, version = str(lease["idempotency_key"]), int(str(lease["version"]))
        if key.startswith(TURN):
            # No turn of this worker's is under way: it is another's who goes by the same name, or will run out.
            self.waits[goal_id] = "leased_to_this_agent"
            return None
        return replace(turn, came_over=(key, version))

    def _obstacle(self, readings: Readings, goal_id: str, todo_id: str) -> str | None:
        """What this worker lacks for the work, asked before anything is taken."""
        found = [one for one in readings.todos(goal_id) if one["todo_id"] == todo_id]
        wanted = set(texts(found[0], "validators")) if found else set()
        if wanted - (self.setting.validators or frozenset()):
            return "validators_missing"
        if found and texts(found[0], "required_write_scopes") and self.setting.repository is not None:
            try:
                require_clean(self.setting.repository, self.setting.base)
            except TreeRefused as error:
                return error.code
        return None

    def _replan(self, readings: Readings, goal_id: str) -> Turn | None:
        """Two turns came to nothing. It waits, says so, and tries again; after a few times somebody else must look."""
        key = f"replan {goal_id}"
        tries = self.failures.get(key, 0)
        self.waits[goal_id] = "replan_required"
        if tries >= REPLANS_MAX or not self._is_due(goal_id):
            return None
        self.failures[key] = tries + 1
        summary = (
            f"Two turns came to nothing. The work is begun anew from what was rejected or failed, try {tries + 1}."
        )
        self._say("run.replan", {"goal_id": goal_id, "summary": summary}, f"replan/{new_request_key()}")
        verdict = readings.verdict(goal_id)
        return self._todo(readings, goal_id, verdict) if verdict["decision"] == "run" else None

    def _read_amendments(self, readings: Readings, goal_id: str) -> None:
        """Work that waits for its change to be read: the next packet has the change in it."""
        for todo in readings.todos(goal_id):
            if todo["status"] != "open" or todo.get("bound_agent") not in {None, self.setting.agent_id}:
                continue
            for hold in rows(todo, "held_by"):
                if hold["code"] == "amendment_holds":
                    amendment_id = str(hold["id"])
                    params = {"goal_id": goal_id, "todo_id": str(todo["todo_id"]), "amendment_id": amendment_id}
                    self._say("amendment.adopt", params, f"read/{amendment_id}/{todo['todo_id']}")

    def _requests(self, readings: Readings, goal_id: str) -> Iterator[Turn]:
        for request in readings.requests(goal_id):
            request_id = str(request["request_id"])
            # What was taken on by a todo is done by doing the todo.
            if request["todo_id"] is not None or request["receiver"] != self.setting.agent_id:
                continue
            if self.failures.get(request_id, 0) >= FAILURES_MAX and request["answer"] != "defer":
                reason = f"The program failed {FAILURES_MAX} times on it."
                params = {"goal_id": goal_id, "request_id": request_id, "decision": "defer", "reason": reason}
                self._say("request.respond", params, f"defer/{request_id}")
            elif request["answer"] != "defer":
                yield self._turn("request", goal_id, request_id)
            elif request_id not in self.not_before_s:
                # What was put off is looked at again after a while, whoever put it off.
                self.not_before_s[request_id] = self.now_s + _jittered(DEFERRED_S)
            else:
                yield self._turn("request", goal_id, request_id)

    def _reworks(self, readings: Readings, goal_id: str) -> Iterator[Turn]:
        """Todos that this agent finished, by evidence that somebody has said no to since, or that lost its basis."""
        artifacts = readings.artifacts(goal_id)
        rejected = [one for one in artifacts if is_rejected(one) and one["submitted_by"] == self.setting.agent_id]
        if not rejected:
            return
        todos = {str(one["todo_id"]): one for one in readings.todos(goal_id)}
        for todo_id in dict.fromkeys(str(one["todo_id"]) for one in rejected if one["todo_id"] in todos):
            todo = todos[todo_id]
            if todo["status"] != "done" or todo["completed_by"] != self.setting.agent_id:
                continue
            if not all(_stands(todos.get(one), artifacts) for one in texts(todo, "depends_on")):
                self.waits[goal_id] = "inputs_not_accepted"
            elif self._tried_too_often(todo_id, artifacts):
                self.waits[goal_id] = "rejected_too_often"
            elif self._is_due(todo_id):
                newest = next(one for one in reversed(rejected) if one["todo_id"] == todo_id)
                key = str(newest["artifact_id"])
                self.reworks[key] = self.reworks.get(key, 0) + 1
                yield self._turn("rework", goal_id, todo_id)

    def _tried_too_often(self, todo_id: str, artifacts: list[Document]) -> bool:
        mine = [one for one in artifacts if one["todo_id"] == todo_id]
        tried = max(self.reworks.get(str(one["artifact_id"]), 0) for one in mine)
        return tried >= REWORKS_MAX or sum(1 for one in mine if one["revises"]) >= REWORKS_MAX

    def _turn(self, kind: TurnKind, goal_id: str, subject: str, handoff_mode: str = "optional_lease") -> Turn:
        return Turn(
            turn_id=f"{TURN}{new_request_key()}",
            agent_id=self.setting.agent_id,
            goal_id=goal_id,
            kind=kind,
            subject=subject,
            handoff_mode=handoff_mode,
            lease_seconds=self.setting.lease_seconds,
            timeout_seconds=self.setting.timeout_seconds,
        )

    def _is_due(self, key: str) -> bool:
        return self.now_s >= self.not_before_s.get(key, 0.0)

    def _say(self, action: str, params: Params, name: str) -> None:
        """Tell the ledger something that needs no turn. Raises NotRead where it is refused."""
        goal_id = params["goal_id"]
        reply = self.client.act(action, params, f"{self.setting.agent_id}/{goal_id}/{name}"[:160])
        if not reply.ok:
            raise NotRead(action, reply.code)


def _stands(todo: Document | None, artifacts: list[Document]) -> bool:
    """Whether there is evidence of the todo that may be built on."""
    return todo is not None and any(one["todo_id"] == todo["todo_id"] and one["counts"] for one in artifacts)


def _jittered(seconds: float) -> float:
    """A little more or less, so that workers that waited together do not ask together."""
    return seconds * random.uniform(0.75, 1.25)  # noqa: S311  (nothing secret follows from it)


def folder_of(home: str, agent_id: str) -> Path:
    """Where a worker keeps what it needs."""
    return Path(os.path.abspath(home)) / "workers" / agent_id  # noqa: PTH100  (a link is not to be followed)
