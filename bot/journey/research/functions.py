"""The data set: every function in a drawn sample of the standard library's source files.

The files are on every machine that runs this, they were written by many hands for other purposes, and nobody chose
them for what is asked here. Two samples of one seed share no file. The digest of a sample says which bytes were read.
"""

import ast
import random
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

FILES_OF_A_SAMPLE = 120
FILE_BYTES_MAX = 40_000
LEFT_OUT = frozenset(
    {"site-packages", "dist-packages", "test", "tests", "idlelib", "lib2to3", "__pycache__", "ensurepip"}
)
_NESTS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match)
_CHOOSES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler, ast.match_case)
_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class NoData(Exception):
    """This machine has too little of the data set; says how much."""


@dataclass(frozen=True, kw_only=True)
class Function:
    """What was counted in one function; its docstring is no part of its body."""

    name: str
    first_line: int
    place: float
    body_lines: int
    documented: bool
    in_class: bool
    arguments: int
    nesting: int
    choices: int
    raises: bool


@dataclass(frozen=True)
class Sample:
    """The functions by file, the digest of all that was read, and each file's name and digest."""

    files: tuple[tuple[Function, ...], ...]
    sha256: str
    names: tuple[tuple[str, str], ...] = ()

    @property
    def functions(self) -> int:
        """How many there are."""
        return sum(map(len, self.files))


def library() -> Path:
    """Where the standard library's source is."""
    return Path(sysconfig.get_path("stdlib"))


def source_files(root: Path) -> list[Path]:
    """Every source file that may be drawn, in an order that depends on names alone."""
    found = (path for path in root.rglob("*.py") if not LEFT_OUT & set(path.relative_to(root).parts))
    files = (path for path in found if path.is_file() and 0 < path.stat().st_size <= FILE_BYTES_MAX)
    return sorted(files, key=lambda path: path.relative_to(root).as_posix())


def drawn_files(root: Path, seed: int, number: int) -> list[Path]:
    """The files of sample `number` of a seed, in the order in which they are drawn. Raises NoData."""
    files = source_files(root)
    if len(files) < FILES_OF_A_SAMPLE * 2:
        raise NoData(f"the standard library has {len(files)} source files here, and {FILES_OF_A_SAMPLE * 2} are needed")
    random.Random(f"sample/{seed}").shuffle(files)  # noqa: S311  (a sample, no secret)
    start = (number - 1) * FILES_OF_A_SAMPLE
    return files[start : start + FILES_OF_A_SAMPLE]


def draw(root: Path, seed: int, number: int, count: int = FILES_OF_A_SAMPLE) -> Sample:
    """Sample `number` of a seed, or its first `count` files. Raises NoData where there are too few files."""
    whole, names = sha256(), []
    facts: list[tuple[Function, ...]] = []
    for path in drawn_files(root, seed, number)[:count]:
        source = path.read_bytes()
        digest = sha256(source)
        whole.update(digest.digest())
        names.append((path.relative_to(root).as_posix(), digest.hexdigest()))
        facts.append(tuple(functions_of(source)))
    return Sample(tuple(facts), whole.hexdigest(), tuple(names))


def functions_of(source: bytes) -> Iterator[Function]:
    """Every function of a file; none of a file that this Python cannot read."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    lines = source.count(b"\n") + 1
    for holder in ast.walk(tree):
        for node in ast.iter_child_nodes(holder):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield _facts(node, lines, in_class=isinstance(holder, ast.ClassDef))


def _facts(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: int, *, in_class: bool) -> Function:
    documented = ast.get_docstring(node, clean=False) is not None
    body = node.body[1:] if documented else node.body
    own = list(_own(body))
    named = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    return Function(
        name=node.name,
        first_line=node.lineno,
        place=node.lineno / lines,
        body_lines=(body[-1].end_lineno or node.lineno) - body[0].lineno + 1 if body else 1,
        documented=documented,
        in_class=in_class,
        arguments=len(named) - (in_class and bool(named) and named[0].arg in {"self", "cls"}),
        nesting=_depth(body),
        choices=sum(isinstance(one, _CHOOSES) for one in own),
        raises=any(isinstance(one, ast.Raise) for one in own),
    )


def _own(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
    """Everything in a body but what stands in functions and classes of its own."""
    waiting: list[ast.AST] = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _APART):
            waiting.extend(ast.iter_child_nodes(node))


def _depth(nodes: list[ast.stmt]) -> int:
    """How deep statements stand in one another."""
    deepest = 0
    waiting: list[tuple[ast.AST, int]] = [(node, 0) for node in nodes]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, _APART):
            continue
        inside = depth + isinstance(node, _NESTS)
        deepest = max(deepest, inside)
        waiting.extend((child, inside) for child in ast.iter_child_nodes(node))
    return deepest
