"""A second small agent: it reviews what the first hands in, where a goal asks for an independent review.

It believes nothing that it is told. The report that lies there must be the one that was handed in, byte for byte, and
the folder is checked again; only a report that says what this check finds is accepted. It keeps no state.
"""

import hashlib
import json
import sys
from collections.abc import Callable

from daemon.agents.docs_agent import REPORT, Setting, items, mapping, serve
from daemon.agents.docs_check import NoDocs, check_folder, command_exists
from daemon.client import Client

LABEL = "docs-report.json"
STATES = ("active", "changes_requested")


class DocsReviewer:
    """Whoever is not the author."""

    def __init__(self, client: Client, setting: Setting, say: Callable[[str], None]) -> None:
        self._client = client
        self._setting = setting
        self._say = say

    def turn(self) -> bool:
        """Review whatever waits for somebody else's word; whether anything did."""
        worked = False
        for state in STATES:
            for goal in items(self._client.read("goal.list", {"state": state}), "goals"):
                worked |= self._on_goal(str(goal["goal_id"]))
        return worked

    def _on_goal(self, goal_id: str) -> bool:
        listed = self._client.read("artifact.list", {"goal_id": goal_id})
        if listed.body.get("review") != "independent":
            return False
        waiting = [
            one
            for one in items(listed, "artifacts")
            if one["status"] == "submitted" and one["label"] == LABEL and one["submitted_by"] != self._setting.agent_id
        ]
        for artifact in waiting:
            self._review(goal_id, artifact)
        return bool(waiting)

    def _review(self, goal_id: str, artifact: dict[str, object]) -> None:
        artifact_id, wrong = str(artifact["artifact_id"]), self._wrong(str(artifact["sha256"]))
        asked = {"goal_id": goal_id, "artifact_id": artifact_id}
        said = {"verdict": "reject", "reason": wrong} if wrong else {"verdict": "accept", "sha256": artifact["sha256"]}
        key = f"{self._setting.agent_id}/{goal_id}/{artifact_id}"
        reply = self._client.act("artifact.review", asked | {name: str(value) for name, value in said.items()}, key)
        self._say(f"{goal_id}: {artifact_id} {said['verdict'] if reply.ok else reply.code}")

    def _wrong(self, sha256: str) -> str:
        """What is wrong with the report, or nothing."""
        path = self._setting.out / REPORT
        try:
            body = path.read_bytes()
        except OSError:
            return "The report is not where reports are."
        if hashlib.sha256(body).hexdigest() != sha256:
            return "The report that lies there is not the one that was handed in."
        try:
            report = mapping(json.loads(body))
            own = check_folder(self._setting.docs, command_exists(self._setting.program))
        except (ValueError, TypeError):
            return "The report cannot be read."
        except NoDocs as problem:
            return str(problem)
        found = json.loads(json.dumps(own.document(full="looked_at" in report)))
        differing = sorted(name for name in found.keys() | report.keys() if found.get(name) != report.get(name))
        return f"Checked again, the docs say otherwise: {', '.join(differing)}." if differing else ""


def main(argv: list[str] | None = None) -> int:
    """`python -m daemon.agents.docs_reviewer`: review until told to stop."""
    return serve("docs-reviewer", "Review reports on a folder of documents.", DocsReviewer, argv)


if __name__ == "__main__":
    sys.exit(main())
