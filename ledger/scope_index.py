"""Which leases a scope could meet, found without comparing it with all of them.

Two globs meet when the text before the first wildcard of one begins that of the other, so globs are sorted by it. A
glob and a plain path can meet only where that text leads to the path or the path to it, and a plain file has to end as
the glob does as well, so plain paths are sorted by how they begin, and files also by how they end. What is found this
way is compared in full. The work grows with what is met, not with what there is.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from typing import TypeVar

from ledger.scope_case import folded
from ledger.scopes import endings, is_file, literal_beginning, overlap

_Key = TypeVar("_Key", str, int)
_Entry = tuple[str, str, str]
"""What it is sorted by, the scope, the holder."""
_LAST_CHAR = "\U0010ffff"


class ScopeIndex:
    """The scopes of all holders. Equal holdings make equal indexes, in whatever order they came."""

    __slots__ = ("beginnings", "endings", "files", "folders", "globs", "sizes")

    def __init__(self) -> None:
        self.globs: list[_Entry] = []
        """By what stands before the first wildcard."""
        self.beginnings: dict[str, int] = {}
        """How many globs begin like this."""
        self.sizes: dict[int, int] = {}
        """How many globs have a beginning of this length."""
        self.folders: list[_Entry] = []
        """Plain paths that mean a subtree."""
        self.files: list[_Entry] = []
        """Plain paths whose last part has an extension."""
        self.endings: list[_Entry] = []
        """The same files by their text backwards."""

    def add(self, holder: str, scopes: tuple[str, ...]) -> None:
        """Enter a holder's canonical scopes; to say so twice changes nothing."""
        for scope in scopes:
            for entries, key in self._places(scope):
                entry = (key, scope, holder)
                at = bisect_left(entries, entry)
                if at < len(entries) and entries[at] == entry:
                    break
                entries.insert(at, entry)
                if entries is self.globs:
                    _count(self.beginnings, key, 1)
                    _count(self.sizes, len(key), 1)

    def remove(self, holder: str, scopes: tuple[str, ...]) -> None:
        """Take them out again."""
        for scope in scopes:
            for entries, key in self._places(scope):
                entry = (key, scope, holder)
                at = bisect_left(entries, entry)
                if at == len(entries) or entries[at] != entry:
                    break
                del entries[at]
                if entries is self.globs:
                    _count(self.beginnings, key, -1)
                    _count(self.sizes, len(key), -1)

    def conflicts(self, holder: str, scopes: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        """Each (other holder, its scope, the scope asked for) that overlaps."""
        for scope in scopes:
            for _, their, other in self._near(scope):
                if other != holder and overlap(their, scope):
                    yield other, their, scope

    def _places(self, scope: str) -> tuple[tuple[list[_Entry], str], ...]:
        beginning = literal_beginning(scope)
        if beginning is not None:
            return ((self.globs, beginning),)
        if is_file(scope):
            return ((self.files, scope), (self.endings, scope[::-1]))
        return ((self.folders, scope),)

    def _near(self, scope: str) -> list[_Entry]:
        """Every entry that could meet the scope, each once."""
        beginning = literal_beginning(scope)
        near: list[_Entry] = []
        if beginning is None:
            # Globs that lead to the path or start below it, and the plain paths above and below.
            below = scope + "/"
            if self.globs:
                near += self._globs_on_the_way(scope)
                near += _beginning_with(self.globs, below)
            for entries in filter(None, (self.folders, self.files)):
                near += _exactly(entries, scope)
                near += _beginning_with(entries, below)
        else:
            near += self._globs_on_the_way(beginning)
            near += (entry for entry in _beginning_with(self.globs, beginning) if entry[0] != beginning)
            near += _beginning_with(self.folders, beginning)
            near += self._files(scope, beginning)
        if self.folders or self.files:
            for above in _above(scope if beginning is None else beginning):
                near += _exactly(self.folders, above)
                near += _exactly(self.files, above)
        return near

    def _globs_on_the_way(self, text: str) -> Iterator[_Entry]:
        """Globs whose beginning is one of the text's."""
        length = len(text)
        for size in sorted(self.sizes):
            if size > length:
                return
            if text[:size] in self.beginnings:
                yield from _exactly(self.globs, text[:size])

    def _files(self, glob: str, beginning: str) -> Iterator[_Entry]:
        """Files that begin as the glob does or that end as it does, whichever are fewer."""
        first, last = _range(self.files, beginning)
        ranges = [_range(self.endings, ending[::-1]) for ending in endings(glob)]
        if sum(high - low for low, high in ranges) < last - first:
            # Of two endings one may be the end of the other.
            return iter(dict.fromkeys(chain.from_iterable(self.endings[low:high] for low, high in ranges)))
        return iter(self.files[first:last])


class CaselessScopeIndex(ScopeIndex):
    """The same where case counts for nothing: scopes are kept folded, and those of others are told folded."""

    __slots__ = ()

    def add(self, holder: str, scopes: tuple[str, ...]) -> None:
        """Enter a holder's canonical scopes."""
        super().add(holder, tuple(map(folded, scopes)))

    def remove(self, holder: str, scopes: tuple[str, ...]) -> None:
        """Take them out again."""
        super().remove(holder, tuple(map(folded, scopes)))

    def conflicts(self, holder: str, scopes: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        """Each (other holder, its scope, the scope asked for) that overlaps."""
        for scope in scopes:
            for other, their, _ in super().conflicts(holder, (folded(scope),)):
                yield other, their, scope


def index_for(*, fold_case: bool) -> ScopeIndex:
    """An empty index, for a goal that says whether case counts."""
    return CaselessScopeIndex() if fold_case else ScopeIndex()


def _above(text: str) -> Iterator[str]:
    """The folders on the way to what the text names or begins."""
    at = text.find("/")
    while at >= 0:
        yield text[:at]
        at = text.find("/", at + 1)


def _count(counts: dict[_Key, int], key: _Key, change: int) -> None:
    """Count what there is; what there is none of is not there."""
    counts[key] = counts.get(key, 0) + change
    if not counts[key]:
        del counts[key]


def _exactly(entries: list[_Entry], key: str) -> list[_Entry]:
    at = last = bisect_left(entries, (key,))
    while last < len(entries) and entries[last][0] == key:
        last += 1
    return entries[at:last]


def _beginning_with(entries: list[_Entry], text: str) -> list[_Entry]:
    at = last = bisect_left(entries, (text,))
    while last < len(entries) and entries[last][0].startswith(text):
        last += 1
    return entries[at:last]


def _range(entries: list[_Entry], text: str) -> tuple[int, int]:
    """Where the entries are that begin with the text; perhaps more, where it ends with the last character there is."""
    if not text or text[-1] == _LAST_CHAR:
        return 0, len(entries)
    return bisect_left(entries, (text,)), bisect_left(entries, (text[:-1] + chr(ord(text[-1]) + 1),))
