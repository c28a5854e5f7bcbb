"""A worker inside the test, at a daemon inside the test: programs are real processes, and so is their guard."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from daemon.agents.store import ArtifactStore
from daemon.agents.worker import Bench, Worker, document
from daemon.agents.worker_desk import Desk
from daemon.agents.worker_drive import Validation
from daemon.agents.worker_folder import Setting
from daemon.agents.worker_look import folder_of
from daemon.agents.worker_turn import Turn
from daemon.client import Client

PRELUDE = """
import json, os, pathlib, signal, sys, time
packet = json.load(sys.stdin)
out, result = pathlib.Path(os.environ["FRONTSTAGE_OUT"]), pathlib.Path(os.environ["FRONTSTAGE_RESULT"])
def end(outcome, summary="Done.", **more):
    result.write_text(json.dumps(
        {"schema_version": "frontstage_worker_result_v0", "outcome": outcome, "summary": summary, **more}))
def hand(name, text, **more):
    (out / name).write_text(text)
    return {"path": name, **more}
"""
GOOD = 'end("done", artifacts=[hand("report.txt", "41 links", criteria=["c1"])])'


@dataclass
class Seat:
    """A place for a worker: whatever it needs, and what it said."""

    socket: str
    token: str
    folder: Path
    agent_id: str = "builder"
    said: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    validate: Callable[[Validation], list[str]] = lambda wanted: list(wanted.names)

    @property
    def client(self) -> Client:
        """The agent, asking."""
        return Client(self.socket, self.token, answer_ms_max=10_000)

    @property
    def desk(self) -> Desk:
        """The worker's folder."""
        return Desk(folder_of(str(self.folder), self.agent_id))

    @property
    def store(self) -> ArtifactStore:
        """Its evidence."""
        return ArtifactStore(self.folder / "artifacts")

    def program(self, text: str) -> tuple[str, ...]:
        """A program that does this."""
        path = self.folder / f"program-{len(list(self.folder.glob('program-*')))}.py"
        path.write_text(PRELUDE + text + "\n", encoding="utf-8")
        return (sys.executable, str(path))

    def setting(self, text: str, **more: object) -> Setting:
        """How a worker with this program is set up."""
        plain = Setting(
            agent_id=self.agent_id, argv=self.program(text), socket=self.socket, token=self.token,
            validators=frozenset({"links"}),
        )  # fmt: skip
        return replace(plain, **more)  # type: ignore[arg-type]

    def worker(self, text: str, *, once: bool = True, goal_id: str | None = "docs", **more: object) -> Worker:
        """A worker with this program."""
        bench = Bench(
            client=self.client, setting=self.setting(text, **more), desk=self.desk, store=self.store,
            validate=self.validate, say=self.said.append, ended=self.turns.append, goal_id=goal_id, once=once,
        )  # fmt: skip
        return Worker(bench)

    def turn(self, text: str = GOOD, **more: object) -> dict[str, object] | None:
        """Let it take one turn; what came of it."""
        last = self.worker(text, **more).run()
        return None if last is None else document(last)

    def told(self) -> dict[str, object]:
        """What a program wrote into `told.json` beside the programs."""
        return json.loads((self.folder / "told.json").read_text(encoding="utf-8"))


def repository(folder: Path, files: dict[str, str]) -> Path:
    """A git repository with one commit."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "Begin")):
        git(folder, *words)
    return folder


def git(folder: Path, *words: str) -> str:
    """What git says."""
    named = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid")
    done = subprocess.run(["git", *named, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout
