"""Small edits of a Python module: what a programmer tries first where one thing on one line is wrong.

An edit is a new text of the whole module. They come in families, the simplest first: another comparison or operator, a
number one off, `and` for `or`, a part of a condition left out, an index moved by one, and last a condition that is
widened or narrowed by a comparison of what is at hand there. Nothing here knows what any module is meant to do.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

EDITS_MAX = 4_000
"""Of one module; what is left are the least likely ones."""
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
EXTREMES = {"max": "min", "min": "max"}
TRUTHS = {"True": "False", "False": "True"}


@dataclass(frozen=True)
class Edit:
    """One new text of a module, what was done to get it and on which line."""

    family: int
    line: int
    was: str
    now: str
    text: str


class Source:
    """A module's text, so that a part of its tree can be replaced."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._begins = [0]
        for line in text.splitlines(keepends=True):
            self._begins.append(self._begins[-1] + len(line.encode()))
        self._bytes = text.encode()

    def part(self, node: ast.expr) -> str:
        """The text of an expression."""
        begin, end = self._span(node)
        return self._bytes[begin:end].decode()

    def with_part(self, family: int, node: ast.expr, now: str) -> Edit:
        """The text with one expression replaced."""
        begin, end = self._span(node)
        text = (self._bytes[:begin] + now.encode() + self._bytes[end:]).decode()
        return Edit(family, node.lineno, self.part(node), now, text)

    def _span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None, "a parsed expression has an end"
        assert node.end_col_offset is not None, "a parsed expression has an end"
        return (
            self._begins[node.lineno - 1] + node.col_offset,
            self._begins[node.end_lineno - 1] + node.end_col_offset,
        )


def edits(text: str, suspicion: Mapping[int, float]) -> list[Edit]:
    """Every edit of the lines that are suspected at all, by family, then the most suspected lines first.

    An edit may be no Python: whoever compiles it finds out.
    """
    source = Source(text)
    found: dict[str, Edit] = {}
    for one in _all(source):
        if suspicion.get(one.line, 0.0) > 0 and one.text != text:
            found.setdefault(one.text, one)
    order = sorted(found.values(), key=lambda one: (one.family, -suspicion[one.line], one.line))
    return order[:EDITS_MAX]


def _all(source: Source) -> Iterator[Edit]:
    for function in ast.walk(source.tree):
        if isinstance(function, ast.FunctionDef):
            atoms = _atoms(source, function)
            for node in _expressions(function):
                yield from _simple(source, node)
            for condition in _conditions(function):
                yield from _bent(source, condition, atoms)


def _expressions(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The expressions of the body; what is said of types does nothing."""
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.AnnAssign):
                yield from (one for one in ast.walk(node.value or node.target) if isinstance(one, ast.expr))
            elif isinstance(node, ast.expr) and not _is_text(node):
                yield node


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _simple(source: Source, node: ast.expr) -> Iterator[Edit]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            for sign in COMPARISONS.values():
                yield source.with_part(0, node, f"{source.part(left)} {sign} {source.part(right)}")
            for moved in ("+ 1", "- 1"):
                yield source.with_part(4, left, f"{source.part(left)} {moved}")
                yield source.with_part(4, right, f"{source.part(right)} {moved}")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            for sign in OPERATORS.values():
                yield source.with_part(1, node, f"{source.part(left)} {sign} {source.part(right)}")
            yield source.with_part(3, node, source.part(left))
        case ast.BoolOp(op=op, values=values):
            other = " and " if isinstance(op, ast.Or) else " or "
            yield source.with_part(2, node, other.join(source.part(one) for one in values))
            same = " or " if isinstance(op, ast.Or) else " and "
            for left_out in values:
                yield source.with_part(3, node, same.join(source.part(one) for one in values if one is not left_out))
        case ast.Constant(value=bool() as value):
            yield source.with_part(2, node, TRUTHS[str(value)])
        case ast.Constant(value=int() as value):
            yield from (source.with_part(1, node, str(near)) for near in (value - 1, value + 1) if near >= 0)
        case ast.Call(func=ast.Name(id=name) as called) if name in EXTREMES:
            yield source.with_part(2, called, EXTREMES[name])
        case ast.Call(args=[*_, last]) | ast.Subscript(slice=last) if not isinstance(last, ast.Constant | ast.Slice):
            yield from (source.with_part(4, last, f"{source.part(last)} {moved}") for moved in ("+ 1", "- 1"))
        case _:
            return


def _conditions(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node.test


def _bent(source: Source, condition: ast.expr, atoms: Iterable[str]) -> Iterator[Edit]:
    """The condition with one more comparison, which makes it hold more often, or less."""
    known = list(atoms)
    whole = source.part(condition)
    for left in known:
        if left.isdigit():
            continue
        for right in known:
            if left == right:
                continue
            for sign in ("==", "!=", "<", "<=", ">", ">="):
                yield source.with_part(5, condition, f"{whole} or {left} {sign} {right}")
                yield source.with_part(6, condition, f"({whole}) and {left} {sign} {right}")


def _atoms(source: Source, function: ast.FunctionDef) -> list[str]:
    """Parameters and numbers of a function, and what it finds in lists by them: what a condition may speak of."""
    names = [one.arg for one in function.args.args]
    numbers: list[str] = []
    for node in _expressions(function):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            numbers.append(str(node.value))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            names.append(source.part(node))
    return list(dict.fromkeys([*names, *numbers]))
