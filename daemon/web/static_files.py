"""Style sheet and scripts: files of ours, read once, under addresses that change with their content."""

import hashlib
from functools import cache
from importlib import resources

KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
DIGEST_CHARS = 12


@cache
def files() -> dict[str, tuple[bytes, str]]:
    """Content and media type by name."""
    folder = resources.files("daemon.web") / "static"
    return {
        entry.name: (entry.read_bytes(), KINDS["." + entry.name.rpartition(".")[2]])
        for entry in folder.iterdir()
        if "." + entry.name.rpartition(".")[2] in KINDS
    }


@cache
def versions() -> dict[str, str]:
    """What an address says besides the name, so that a browser may keep what it has read."""
    return {name: hashlib.sha256(content).hexdigest()[:DIGEST_CHARS] for name, (content, _) in files().items()}
