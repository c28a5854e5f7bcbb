"""A git worktree for one turn: made from the base, judged by what differs from it, and gone afterwards.

What a program did to its worktree is read from git, and never from what the program says of it. Everything that is not
ignored counts, committed or not, also what was moved away: both names of a moved file are paths that changed. What is
ignored is not handed in, and goes away with the worktree; the repository says what that is, and no setting of the user.
A link that leads out, a repository inside the repository, or a second spelling of a name is refused wherever it is.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from daemon.agents.store import ARTIFACT_BYTES_MAX
from daemon.agents.worker_git import TreeRefused, git, shown
from daemon.agents.worker_hidden import require_nothing_hidden
from daemon.agents.worker_scope import Scopes

PATHS_MAX = 20_000
ADDED_AT_ONCE = 200
_LINK, _REPOSITORY = "120000", "160000"
_SPECIAL = re.compile(rb"(new file mode|new mode|index [0-9a-f.]+) (120000|160000)")
_INFO = ("attributes", "exclude", "sparse-checkout")


class NotApplied(TreeRefused):
    """A patch that is handed in does not fit the base."""


@dataclass(frozen=True)
class Change:
    """One path that differs from the base, with its file mode of now."""

    path: str
    mode: str


def require_clean(repository: Path, base: str) -> str:
    """The commit that a worktree begins at. Raises TreeRefused where the repository cannot be worked from."""
    if not repository.is_dir():
        raise TreeRefused("repository_missing", "There is no such folder; give --repository a git repository.")
    try:
        root = Path(os.fsdecode(git(repository, "rev-parse", "--show-toplevel").strip()))
    except TreeRefused as error:
        raise TreeRefused("repository_missing", "It is no git repository; run git init and commit.") from error
    if root.resolve() != repository.resolve():
        # Scopes are held against paths from the root on.
        raise TreeRefused("repository_missing", "It is a folder inside a git repository; give the repository itself.")
    if git(repository, "status", "--porcelain", "--untracked-files=normal").strip():
        words = "The repository has changes that are not committed; commit or stash them."
        raise TreeRefused("repository_dirty", words)
    try:
        return git(repository, "rev-parse", "--verify", "--end-of-options", f"{base}^{{commit}}").decode().strip()
    except TreeRefused as error:
        raise TreeRefused("base_missing", "The base is no commit of the repository; give another --base.") from error


def forget(repository: Path) -> None:
    """Take worktrees that are no longer there out of the repository's list. Raises TreeRefused."""
    git(repository, "worktree", "prune")


@dataclass(frozen=True)
class WorkTree:
    """One worktree of a repository."""

    repository: Path
    folder: Path
    base: str
    """A commit."""
    _rules: dict[Path, bytes | None] = field(default_factory=dict, compare=False, repr=False)
    """What git was told of this repository when the worktree was made."""

    def make(self) -> None:
        """Check the base out. Raises TreeRefused."""
        git(self.repository, "worktree", "add", "--detach", "--quiet", str(self.folder), self.base)
        common = _path_of(self.repository, "--git-common-dir")
        own = _path_of(self.folder, "--git-dir")
        files = (common / "config", common / "config.worktree", own / "config.worktree")
        self._rules.update((path, _read(path)) for path in (*files, *(common / "info" / name for name in _INFO)))

    def remove(self) -> None:
        """Take it away, whatever is in it. Raises TreeRefused."""
        shutil.rmtree(self.folder, ignore_errors=True)
        forget(self.repository)

    def apply(self, patch: Path) -> None:
        """Change what is checked out as the patch says, all of it or nothing. Raises NotApplied."""
        try:
            git(self.folder, "apply", "--index", "--whitespace=nowarn", "--", str(patch))
        except TreeRefused as error:
            raise NotApplied("patch_not_applied", "The patch does not apply to the base.") from error

    def patch(self, scopes: Scopes) -> bytes:
        """What differs from the base, as git applies it; nothing where nothing does. Raises TreeRefused."""
        self._require_own()
        index = self._indexed()
        try:
            changes = self._changes(index)
            _require_inside([one.path for one in changes], scopes)
            self._require_ordinary(changes, index)
            require_nothing_hidden(self.folder, index, scopes)
            if not changes:
                return b""
            patch = git(
                self.folder, "diff", "--cached", "--binary", "--full-index", "--no-renames", "--no-ext-diff",
                "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", self.base, index=index,
            )  # fmt: skip
        finally:
            index.unlink(missing_ok=True)
        if len(patch) > ARTIFACT_BYTES_MAX:
            raise TreeRefused("patch_too_large", f"The patch has more than {ARTIFACT_BYTES_MAX} bytes.")
        return patch

    def require_fit(self, patches: Sequence[Path], scopes: Scopes) -> None:
        """Patches that the program made itself are held to the same rules as what it did. Raises TreeRefused.

        They are applied to a checkout of their own, in their order, for a link leads where other files let it lead.
        """
        for patch in patches:
            self.require_inside(patch, scopes)
        clean = WorkTree(self.repository, self.folder.parent / "own", self.base)
        try:
            clean.make()
            for patch in patches:
                clean.apply(patch)
            changes = clean._changes(None)
            _require_inside([one.path for one in changes], scopes)
            clean._require_ordinary(changes, None)
        except NotApplied as error:
            # Whoever reviews it will see as much; but where a link in it would lead, nobody can say.
            if any(_makes_links(patch) for patch in patches):
                raise TreeRefused("link_unknown", "A patch that does not apply to the base has links in it.") from error
        finally:
            clean.remove()

    def require_inside(self, patch: Path, scopes: Scopes) -> None:
        """A patch that the program made itself changes nothing outside of the scopes either. Raises TreeRefused."""
        paths: set[str] = set()
        for way in ((), ("--reverse",)):
            # Read both ways: what is moved is told by its new name alone.
            try:
                told = git(self.folder, "apply", "--numstat", "-z", *way, "--", str(patch))
            except TreeRefused:
                # Git can apply nothing of it; whoever reviews it will see as much.
                return
            paths |= {os.fsdecode(line.split(b"\t", 2)[2]) for line in told.split(b"\0") if line.count(b"\t") >= 2}
        _require_inside(sorted(paths), scopes)

    def _require_own(self) -> None:
        """The folder still belongs to the repository that it was made of, and git looks at it as it did then."""
        if any(_read(path) != then for path, then in self._rules.items()):
            # They are the repository's own, shared by its worktrees: by them a program could say what git sees.
            raise TreeRefused("repository_changed", "The repository's settings changed during the turn.")
        where = ("rev-parse", "--path-format=absolute", "--git-common-dir")
        if not (self.folder / ".git").is_file() or git(self.folder, *where) != git(self.repository, *where):
            raise TreeRefused("worktree_replaced", "The worktree is no longer one of its repository.")

    def _indexed(self) -> Path:
        """An index of our own that has all there is now, made by reading every file.

        The program's index is not believed in: what it says of a file's size and time may be from the same second in
        which the file was changed, or be what the program wants it to be. Only names are taken from it, of what is
        ignored and was added all the same.
        """
        index = self.folder.parent / "index"
        index.unlink(missing_ok=True)
        git(self.folder, "read-tree", self.base, index=index)
        git(self.folder, "add", "--all", index=index)
        own = set(git(self.folder, "ls-files", "-z", "--cached").split(b"\0")[:-1])
        new = own - set(git(self.folder, "ls-files", "-z", "--cached", index=index).split(b"\0"))
        there = [path for name in sorted(new) if os.path.lexists(self.folder / (path := os.fsdecode(name)))]
        for place in range(0, len(there), ADDED_AT_ONCE):
            git(self.folder, "add", "--force", "--", *there[place : place + ADDED_AT_ONCE], index=index)
        return index

    def _changes(self, index: Path | None) -> list[Change]:
        """What differs from the base by this index, or by the worktree's own where nobody else has touched it."""
        raw = git(self.folder, "diff-index", "--cached", "--raw", "-z", "--no-renames", self.base, index=index)
        fields = raw.split(b"\0")[:-1]
        if len(fields) > 2 * PATHS_MAX:
            raise TreeRefused("too_many_paths", f"More than {PATHS_MAX} paths changed.")
        pairs = zip(fields[0::2], fields[1::2], strict=True)
        return [Change(os.fsdecode(path), told.split(b" ")[1].decode("ascii")) for told, path in pairs]

    def _require_ordinary(self, changes: list[Change], index: Path | None) -> None:
        for one in changes:
            if one.mode == _REPOSITORY:
                raise TreeRefused("submodule_changed", f"{shown([one.path])} is a repository of its own.")
            if one.mode == _LINK and not self._leads_inside(one.path):
                raise TreeRefused("link_leads_out", f"{shown([one.path])} is a link that leads out of the worktree.")
        tracked = git(self.folder, "ls-files", "-z", "--cached", index=index).split(b"\0")[:-1]
        spelled = Counter(os.fsdecode(path).casefold() for path in tracked)
        twice = [one.path for one in changes if spelled[one.path.casefold()] > 1]
        if twice:
            raise TreeRefused("case_collision", f"{shown(twice[:1])} differs from another name by case alone.")

    def _leads_inside(self, path: str) -> bool:
        link = self.folder / path
        target = link.readlink() if link.is_symlink() else Path("/")
        if target.is_absolute():
            return False
        root = self.folder.resolve()
        reached = (link.parent.resolve() / target).resolve()
        return reached.is_relative_to(root) and ".git" not in reached.relative_to(root).parts[:1]


def _makes_links(patch: Path) -> bool:
    """Whether a header in it may speak of a link or a repository; what files say begins with another sign."""
    with patch.open("rb") as file:
        return any(_SPECIAL.match(line) for line in file)


def _path_of(folder: Path, what: str) -> Path:
    return Path(os.fsdecode(git(folder, "rev-parse", "--path-format=absolute", what).rstrip(b"\n")))


def _read(path: Path) -> bytes | None:
    """A file of git's settings; None where there is none."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def _require_inside(paths: list[str], scopes: Scopes) -> None:
    if beyond := scopes.outside(paths):
        raise TreeRefused("outside_write_scope", f"Outside of the write scopes: {shown(beyond)}.")
