"""Starting one of our own programs with this interpreter, whatever folder the caller stands in."""

import os
import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])
SECRETS = ("FRONTSTAGE_TOKEN", "FRONTSTAGE_TOKEN_FILE")


def module_argv(module: str) -> list[str]:
    """How a module is run; -P keeps the caller's folder from deciding what is imported."""
    return [sys.executable, "-P", "-m", module]


def module_environment() -> dict[str, str]:
    """The caller's environment without its credential; in a checkout, with the way to find the packages."""
    environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
    if Path(ROOT).name not in {"site-packages", "dist-packages"}:
        others = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = ROOT + (os.pathsep + others if others else "")
    return environment
