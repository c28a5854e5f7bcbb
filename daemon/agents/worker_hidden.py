"""What a program hid from the patch: files that git ignores by a rule which nobody else will ever see.

What the repository ignores by its own rules is left out of a patch, as its owner wants it: what was built or installed.
A rule that is handed in with the patch can be read by whoever reviews it. But an ignore file that ignores itself is in
no patch, and neither is what it names: work would be said to be done of which a part went away with the worktree.
Folders that say of themselves that they are a cache, by the tag that such tools leave, are what they say.
"""

import os
from pathlib import Path, PurePosixPath
from typing import Final

from daemon.agents.worker_git import TreeRefused, git, shown
from daemon.agents.worker_scope import Scopes

RULES: Final = ".gitignore"
CACHE_TAG: Final = "CACHEDIR.TAG"
CACHE_SIGNATURE: Final = b"Signature: 8a477f597d28d172789f06886806bc55"


def require_nothing_hidden(folder: Path, index: Path, scopes: Scopes) -> None:
    """No file inside of the write scopes is ignored by a rule that is not handed in. Raises TreeRefused."""
    told = git(folder, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", index=index)
    ignored = [os.fsdecode(path) for path in told.split(b"\0")[:-1]]
    hiding = _hiding(folder, index, [path for path in ignored if PurePosixPath(path).name == RULES])
    hidden = [path for path in ignored if PurePosixPath(path).name != RULES and scopes.hold(path)]
    below = [path for path in hidden if any(str(one) in hiding for one in PurePosixPath(path).parents)]
    if below:
        words = f"Files are hidden by a {RULES} that is not handed in: {shown(below)}."
        raise TreeRefused("hidden_by_ignore", words)


def _hiding(folder: Path, index: Path, candidates: list[str]) -> set[str]:
    """Folders with an ignore file that is itself ignored by a rule which stands in no file that is handed in."""
    if not candidates:
        return set()
    kept = {os.fsdecode(path) for path in git(folder, "ls-files", "-z", "--cached", index=index).split(b"\0")}
    # This one command of git knows no literal paths: with a folder before it, no name means anything more.
    asked = b"".join(os.fsencode(f"./{path}") + b"\0" for path in candidates)
    told = git(folder, "check-ignore", "--no-index", "--verbose", "-z", "--stdin", said=asked).split(b"\0")[:-1]
    found = set()
    for source, path in zip(map(os.fsdecode, told[0::4]), map(os.fsdecode, told[3::4]), strict=True):
        above = PurePosixPath(path).parent
        if PurePosixPath(source).name == RULES and source not in kept and not _is_cache(folder, above):
            found.add(str(above))
    return found


def _is_cache(folder: Path, above: PurePosixPath) -> bool:
    """Whether a folder, or one that it is in, has the tag of a cache."""
    for one in (above, *above.parents):
        tag = folder / one / CACHE_TAG
        if one.name and tag.is_file() and not tag.is_symlink() and _begins(tag):
            return True
    return False


def _begins(tag: Path) -> bool:
    with tag.open("rb") as file:
        return file.read(len(CACHE_SIGNATURE)) == CACHE_SIGNATURE
