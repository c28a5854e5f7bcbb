"""A clean checkout of a repository, with a patch on it: where somebody else's work is looked at."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS_MAX = 60


class DoesNotApply(Exception):
    """The patch is none, or is none of this repository."""


@contextmanager
def clean_checkout(repository: Path, patches: tuple[Path, ...] = (), *, base: str = "HEAD") -> Iterator[Path]:
    """A copy of a commit in a folder that goes away. Raises DoesNotApply and subprocess.CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="fs-checkout-") as folder:
        root = Path(folder) / "repository"
        git("clone", "--quiet", "--no-hardlinks", "--", str(repository), str(root))
        git("-C", str(root), "checkout", "--quiet", "--detach", base)
        for patch in patches:
            try:
                git("-C", str(root), "apply", "--whitespace=nowarn", "--", str(patch.resolve()))
            except subprocess.CalledProcessError as problem:
                raise DoesNotApply(str(problem.stderr).strip()[:300]) from problem
        yield root


def changed_paths(root: Path) -> list[str]:
    """What differs from the commit, new files included."""
    git("-C", str(root), "add", "--all", "--intent-to-add")
    return git("-C", str(root), "diff", "--name-only", "-z").strip("\0").split("\0")


def difference(root: Path) -> str:
    """The same as a patch."""
    git("-C", str(root), "add", "--all", "--intent-to-add")
    return git("-C", str(root), "diff", "--no-color", "--no-ext-diff")


def git(*words: str) -> str:
    """What git answers. Raises subprocess.CalledProcessError and subprocess.TimeoutExpired."""
    program = shutil.which("git") or "git"
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=SECONDS_MAX, check=True)
    return done.stdout
