"""Running a repository's own tests as anybody would, in a process of their own."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS_MAX = 60
WORDS = ("-m", "unittest", "discover", "-s", "tests", "-t", ".")
BAD = re.compile(r"^(?:FAIL|ERROR): \S+ \(tests\.(?P<module>\w+)\.", re.MULTILINE)
RAN = re.compile(r"^Ran (?P<count>\d+) tests?", re.MULTILINE)


@dataclass(frozen=True)
class Ran:
    """How a run of the tests ended."""

    exit_code: int
    count: int
    failing: tuple[str, ...]
    """The test modules in which something failed."""
    argv: tuple[str, ...]
    duration_ms: int

    @property
    def passed(self) -> bool:
        """Whether there were tests and all of them passed."""
        return self.exit_code == 0 and self.count > 0


def run_suite(root: Path) -> Ran:
    """All tests of a folder. Raises subprocess.TimeoutExpired and OSError."""
    argv = (sys.executable, *WORDS)
    began = time.monotonic_ns()
    done = subprocess.run(
        argv, cwd=root, env=_environment(), capture_output=True, text=True, timeout=SECONDS_MAX, check=False
    )
    taken = (time.monotonic_ns() - began) // 1_000_000
    count = RAN.search(done.stderr)
    bad = tuple(dict.fromkeys(one["module"] for one in BAD.finditer(done.stderr)))
    return Ran(done.returncode, int(count["count"]) if count else 0, bad, argv, taken)


def compiles(root: Path, folder: str) -> bool:
    """Whether every module of a folder is Python at all."""
    argv = [sys.executable, "-m", "compileall", "-q", "-f", folder]
    done = subprocess.run(argv, cwd=root, env=_environment(), capture_output=True, timeout=SECONDS_MAX, check=False)
    return done.returncode == 0


def _environment() -> dict[str, str]:
    """The machine's, without anything of ours: tests of a patch have no business with a credential."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("FRONTSTAGE_", "PYTHON"))}
    return {**kept, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
