"""What tests need of npm, in exactly the versions of a lock file, installed into a folder that is kept.

Without npm such tests are skipped, unless `REQUIRE_NODE` says that it must be there.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tidy.sources import ROOT

KEPT = ROOT / ".node"
INSTALL_SECONDS_MAX = 300


def left_out(why: str) -> None:
    """Skip, or fail where it is required."""
    if os.environ.get("REQUIRE_NODE") == "1":
        pytest.fail(why)
    pytest.skip(why)


def installed(source: Path, target: Path) -> Path:
    """The folder of the modules that the lock file in `source` names."""
    npm = shutil.which("npm")
    if npm is None:
        left_out("npm is not installed")
    stamp = target / "installed.json"
    lock = (source / "package-lock.json").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != lock:
        target.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(source / name, target / name)
        # Not `npm ci`: it refuses a lock file without an optional package for another system that is not published.
        command = [str(npm), "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(
            command, cwd=target, capture_output=True, text=True, timeout=INSTALL_SECONDS_MAX, check=False
        )
        if done.returncode:
            left_out(f"npm could not install what {source.name} names: {done.stderr[-300:]}")
        stamp.write_text(lock, encoding="utf-8")
    return target / "node_modules"
