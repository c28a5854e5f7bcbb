"""Git as the worker calls it: with no setting of the user or the machine, no hook, and nobody at a terminal."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

GIT_S_MAX = 120
SHOWN_MAX = 5
_QUIET = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotepath=off",
    # Git reads these in the user's home even where no setting names them.
    "-c", "core.excludesFile=/dev/null", "-c", "core.attributesFile=/dev/null",
)  # fmt: skip


class TreeRefused(Exception):
    """The repository cannot be worked in, or what was done there may not be handed in."""

    def __init__(self, code: str, words: str) -> None:
        self.code, self.words = code, words
        super().__init__(words)


def shown(paths: Sequence[str]) -> str:
    """Paths as a report may show them: without what a terminal would obey, and not longer than some lines."""
    more = f" and {len(paths) - SHOWN_MAX} more" if len(paths) > SHOWN_MAX else ""
    return ", ".join(map(_shown, paths[:SHOWN_MAX])) + more


def _shown(path: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in path)[:120]


def git(folder: Path, *words: str, index: Path | None = None, said: bytes | None = None) -> bytes:
    """What git says; where it is told paths, they are no literal ones. Raises TreeRefused where it says no."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables = {
        **kept,
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LITERAL_PATHSPECS": "1" if said is None else "0",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
    }
    if index is not None:
        variables["GIT_INDEX_FILE"] = str(index)
    try:
        done = subprocess.run(
            ["git", *_QUIET, *words], cwd=folder, env=variables, input=said or b"", capture_output=True,
            timeout=GIT_S_MAX, check=True,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise TreeRefused("git_missing", "git is not installed.") from error
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as error:
        raise TreeRefused("git_refused", f"git {words[0]} did not do it.") from error
    return done.stdout
