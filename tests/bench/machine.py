"""On what a run was made, in one line: enough to judge its figures by, and nothing that names the machine."""

import os
import platform
from importlib.metadata import version

import apsw


def machine() -> str:
    """Interpreter, libraries and cores."""
    load = os.getloadavg()[0]
    return (
        f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores (load {load:.1f} at the end); aiohttp {version('aiohttp')}, "
        f"SQLite {apsw.sqlite_lib_version()} through apsw."
    )
