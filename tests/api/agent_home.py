"""A home with a daemon, a goal and the program `frontstage` on the path, for tests of connected agents."""

import json
import os
import shlex
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from daemon.client import Client
from tests.api.cli_home import daemon_in, make_home
from tests.tidy.sources import ROOT

GOAL = {"goal_id": "docs"}


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        """What it answered, as JSON."""
        return json.loads(self.out)


@dataclass
class Place:
    """The home, its daemon, and how commands are run there."""

    home: Path
    daemon: object
    bin: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def owner(self) -> Client:
        """Ann, who owns the workspace."""
        return self.daemon.owner

    def run(self, *words: str, said: object = None, **variables: str) -> Ran:
        """Run `frontstage` as a process, with this on its standard input."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FRONTSTAGE")}
        path = f"{self.bin}:{os.environ['PATH']}"
        env = {**kept, "PATH": path, "FRONTSTAGE_HOME": str(self.home), "LC_ALL": "C.UTF-8"}
        ended = subprocess.run(
            [str(self.bin / "frontstage"), *words],
            env=env | variables, input="" if said is None else json.dumps(said), capture_output=True, text=True,
            timeout=60, check=False, cwd=self.home.parent,
        )  # fmt: skip
        return Ran(ended.returncode, ended.stdout, ended.stderr)

    def agent(self, agent_id: str) -> Client:
        """The agent by the credential in its private file."""
        token = (self.home / "agents" / f"{agent_id}.token").read_text(encoding="utf-8").strip()
        return Client(self.daemon.socket, token)

    def binding(self, agent_id: str) -> dict | None:
        """What the ledger has of an agent's binding."""
        return self.owner.read("agent.list", {"agent_id": agent_id}).body["agents"][0]["binding"]

    def todo(self, todo_id: str, **more: object) -> str:
        """New work."""
        assert self.owner.act("todo.add", {**GOAL, "todo_id": todo_id, "text": f"Do {todo_id}", **more}).ok
        return todo_id


def program(folder: Path) -> Path:
    """`frontstage`, as this tree has it."""
    folder.mkdir()
    tool = folder / "frontstage"
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv[0] = {str(tool)!r}; "
    code += "from daemon.cli.main import main; sys.exit(main())"
    line = f'exec {shlex.quote(sys.executable)} -P -c {shlex.quote(code)} "$@"'
    tool.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    tool.chmod(0o755)
    return folder


@contextmanager
def place_in(folder: Path):
    """A home with a daemon and one goal under way."""
    home = make_home(folder / "home")
    with daemon_in(home) as running:
        running.owner.act("goal.propose", GOAL | {"objective": "Check the docs", "criterion": ["It works"]})
        basis = running.owner.read("goal.show", GOAL).body["basis"]["confirm"]
        running.owner.act("goal.confirm", GOAL | {"basis": basis})
        yield Place(home, running, program(folder / "bin"))
