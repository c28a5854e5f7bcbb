"""A small agent that does one real thing: it checks a folder of documents and hands in a report with its digest.

It works as any agent would, through the socket and nothing else: it asks whether it should run, claims, takes a
lease, does the work, renews, submits the evidence, completes with the lease's fence, and delivers. It keeps no state:
whatever it needs to know after a crash it reads from the ledger.
"""

import argparse
import hashlib
import json
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from daemon.agents.docs_check import NoDocs, check_folder, command_exists
from daemon.agents.program_words import program_words
from daemon.cli.parse import UsageError
from daemon.client import Client, Params, Reply, new_request_key
from daemon.wire import WireFault

POLL_S = 0.5
BACK_OFF_S_MAX = 10.0
LEASE_SECONDS = 300
REWORKS_MAX = 3
"""How often a rejected report is made anew; then a person looks."""
REPORT = "reports/docs-report.json"
SCOPE = "reports/**"
NO_SCOPE = f"The report goes to {SCOPE}, which this goal does not let anybody write."


class Refused(Exception):
    """The ledger said no; the agent leaves this goal alone until something changes."""

    def __init__(self, action: str, code: str) -> None:
        self.action, self.code = action, code
        super().__init__(f"{action}: {code}")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Whose work it is, on what, and where the report goes."""

    agent_id: str
    docs: Path
    out: Path
    program: tuple[str, ...]


class DocsAgent:
    """One agent with one skill."""

    def __init__(self, client: Client, setting: Setting, say: Callable[[str], None]) -> None:
        self._client = client
        self._setting = setting
        self._say = say

    def turn(self) -> bool:
        """Look at every goal that could be worked on; whether anything was done."""
        worked = False
        for state in ("active", "changes_requested"):
            for goal in items(self._client.read("goal.list", {"state": state}), "goals"):
                worked |= self._on_goal(str(goal["goal_id"]), state)
        return worked

    def _on_goal(self, goal_id: str, state: str) -> bool:
        verdict = self._client.read("quota.should-run", {"goal_id": goal_id, "agent_id": self._setting.agent_id}).body
        try:
            match verdict.get("decision"):
                case "run":
                    self._work(goal_id, mapping(verdict["selected_todo"]))
                case "repair" if verdict.get("state") == "objective_review_required":
                    self._act("goal.adopt", {"goal_id": goal_id, "revision": _revision(verdict)})
                case "skip" if verdict.get("state") in {"focus_wait", "terminal_no_followup"}:
                    return self._plan_or_deliver(goal_id, state)
                case _:
                    return False
        except Refused as refused:
            self._say(f"{goal_id}: refused: {refused}")
            return False
        return True

    def _plan_or_deliver(self, goal_id: str, state: str) -> bool:
        todos = items(self._client.read("todo.list", {"goal_id": goal_id, "limit": 200}), "todos")
        rounds = sum(1 for todo in todos if todo["status"] == "done")
        deliveries = self._deliveries(goal_id)
        if any(todo["status"] in {"open", "blocked"} for todo in todos):
            return False
        if rounds <= deliveries:
            text = (
                "Check every heading, link and command of the docs"
                if state == "active"
                else "Check the docs again, as the owner asked"
            )
            key = f"{self._setting.agent_id}/{goal_id}/plan/{rounds + 1}"
            if not self._may_write(goal_id):
                self._say_why_not(goal_id, text)
                return True
            self._act(
                "todo.add",
                {"goal_id": goal_id, "text": text, "required_write_scope": [SCOPE], "action_kind": "check"},
                key,
            )
        else:
            listed = self._client.read("artifact.list", {"goal_id": goal_id})
            done = items(listed, "artifacts")
            if listed.body.get("review") == "independent" and not done[-1]["counts"]:
                return self._rework(goal_id, done)
            key = f"{self._setting.agent_id}/{goal_id}/deliver/{rounds}"
            self._act("goal.deliver", {"goal_id": goal_id, "summary": str(done[-1]["summary"])}, key)
            self._say(f"{goal_id}: delivered")
        return True

    def _rework(self, goal_id: str, artifacts: list[dict[str, object]]) -> bool:
        """Until somebody else has accepted the report nothing is delivered; one that was rejected is made anew."""
        last = artifacts[-1]
        if last["status"] != "rejected" or sum(1 for one in artifacts if one["revises"]) >= REWORKS_MAX:
            return False
        summary, report = self._check(again=True)
        self._act("artifact.submit", {**self._evidence(goal_id, summary, report), "revises": str(last["artifact_id"])})
        self._say(f"{goal_id}: made the report anew")
        return True

    def _evidence(self, goal_id: str, summary: str, report: bytes) -> dict[str, str | int | list[str]]:
        return {
            "goal_id": goal_id,
            "label": "docs-report.json",
            "kind": "report",
            "sha256": hashlib.sha256(report).hexdigest(),
            "size_bytes": len(report),
            "summary": summary,
            "criterion": self._criteria(goal_id),
        }

    def _may_write(self, goal_id: str) -> bool:
        # The goal's scopes, not those of the work that is offered now: what is asked is where new work could write.
        scopes = self._client.read("goal.show", {"goal_id": goal_id}).body["write_scopes"]
        return isinstance(scopes, list) and bool({SCOPE, "**", "*", "reports"} & set(scopes))

    def _say_why_not(self, goal_id: str, text: str) -> None:
        """A report that may be written nowhere is work that cannot go on: the card shows it, and what would help."""
        prefix = f"{self._setting.agent_id}/{goal_id}"
        added = self._act("todo.add", {"goal_id": goal_id, "text": text}, f"{prefix}/bare")
        blocked: Params = {"goal_id": goal_id, "todo_id": str(added["todo_id"]), "reason": NO_SCOPE}
        self._act("todo.block", blocked, f"{prefix}/blocked")
        self._say(f"{goal_id}: may not write {SCOPE}")

    def _deliveries(self, goal_id: str) -> int:
        acceptance = self._client.read("goal.show", {"goal_id": goal_id}).body.get("acceptance")
        return int(str(acceptance["delivery"])) if isinstance(acceptance, dict) else 0

    def _work(self, goal_id: str, todo: dict[str, object]) -> None:
        subject: dict[str, str] = {"goal_id": goal_id, "todo_id": str(todo["todo_id"])}
        # An execution names itself once; a later one, even of the same agent, is another.
        execution = f"{self._setting.agent_id}-{new_request_key()}"
        self._act("todo.claim", subject)
        lease = self._act("task-lease.acquire", {**subject, "idempotency_key": execution, "ttl_seconds": LEASE_SECONDS})
        version = int(str(lease["version"]))
        self._say(f"{goal_id}: holds {subject['todo_id']}")
        try:
            summary, report = self._check(again="again" in str(todo["title"]))
        except NoDocs as problem:
            self._act("todo.block", {**subject, "reason": str(problem)})
            return
        renewed = self._act("task-lease.renew", {**subject, "idempotency_key": execution, "expected_version": version})
        version = int(str(renewed["version"]))
        artifact = self._act("artifact.submit", {**subject, **self._evidence(goal_id, summary, report)})
        self._act(
            "todo.complete",
            {
                **subject,
                "evidence": [str(artifact["artifact_id"])],
                "task_lease_idempotency_key": execution,
                "task_lease_expected_version": version,
                "completion_turn_key": execution,
                "note": summary,
            },
        )
        self._say(f"{goal_id}: {summary}")

    def _check(self, *, again: bool) -> tuple[str, bytes]:
        """A second look shows everything that was looked at, not only what was wrong."""
        report = check_folder(self._setting.docs, command_exists(self._setting.program))
        body = (json.dumps(report.document(full=again), indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
        target = self._setting.out / REPORT
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
        return report.summary(), body

    def _criteria(self, goal_id: str) -> list[str]:
        review = mapping(self._client.read("goal.show", {"goal_id": goal_id}).body["review"])
        criteria = review["criteria"]
        return [str(mapping(one)["criterion_id"]) for one in criteria] if isinstance(criteria, list) else []

    def _act(self, action: str, params: Params, request_key: str | None = None) -> dict[str, object]:
        reply = self._client.act(action, params, request_key)
        if not reply.ok:
            raise Refused(action, reply.code)
        return mapping(reply.body["result"])


def mapping(value: object) -> dict[str, object]:
    """An object of an answer. Raises TypeError for anything else."""
    if not isinstance(value, dict):
        raise TypeError("the daemon answered with something that is not an object")
    return value


def items(reply: Reply, name: str) -> list[dict[str, object]]:
    """The rows of a list, none where it was refused."""
    listed = reply.body.get(name)
    return [mapping(one) for one in listed] if isinstance(listed, list) else []


def _revision(verdict: dict[str, object]) -> int:
    return int(str(mapping(verdict["goal_boundary"])["revision"]))


def keep_on(turn: Callable[[], bool], stop: threading.Event, say: Callable[[str], None]) -> None:
    """Take one turn after the other until told to stop, slower while the daemon is not there."""
    pause = POLL_S
    while not stop.wait(pause):
        try:
            turn()
            pause = POLL_S
        except WireFault as fault:
            pause = min(pause * 2, BACK_OFF_S_MAX)
            say(f"the daemon is not there ({fault}); next try in {pause:.0f} s")


class Worker(Protocol):
    """What can take one turn after the other."""

    def turn(self) -> bool:
        """Whether there was anything to do."""
        ...


Made = Callable[[Client, Setting, Callable[[str], None]], Worker]


def serve(prog: str, description: str, made: Made, argv: list[str] | None) -> int:
    """Read a command line, make the agent that it describes, and let it work until told to stop."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("--socket", required=True)
    parser.add_argument("--token-file", required=True, type=Path)
    parser.add_argument("--agent-id", required=True)
    parser.add_argument("--docs", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--program", default="frontstage", help="how the command line is called")
    options = parser.parse_args(argv)
    try:
        program = program_words(options.program, "program")
    except UsageError as error:
        parser.error(error.message)

    def say(line: str) -> None:
        print(f"{time.strftime('%H:%M:%S')} {options.agent_id}: {line}", file=sys.stderr, flush=True)  # noqa: T201

    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    client = Client(options.socket, options.token_file.read_text(encoding="utf-8").strip())
    setting = Setting(agent_id=options.agent_id, docs=options.docs, out=options.out, program=program)
    keep_on(made(client, setting, say).turn, stop, say)
    return 0


def main(argv: list[str] | None = None) -> int:
    """`python -m daemon.agents.docs_agent`: work until told to stop."""
    return serve("docs-agent", "Check a folder of documents for whoever asks for it.", DocsAgent, argv)


if __name__ == "__main__":
    sys.exit(main())
