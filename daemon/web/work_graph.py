"""The picture of a goal's work: what builds on what, what stands where, and who has it.

A function of documents: the same todos, artifacts and gates always make the same picture, to the byte. Only geometry
and words leave here; looks are the stylesheet's. A view puts `work_graph(graph_of(todos, artifacts, gates, goal_id))`
into its context, and its template calls the macro `graph` of `graph.html` with it. Where there is more work than a
picture can tell, it shows what is open and what that hangs together with, and says how much is left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from daemon.web.fitted import cut, cut_front, lines_of
from daemon.web.graph_layers import Measures
from daemon.web.graph_layout import Layout, lay_out
from daemon.web.graph_lines import BOX_HIGH, BOX_LONG, EDGE_GAP, MARGIN, Grid, head_of, line_of, ports_of
from ledger.parts.gates import UNDECIDED
from ledger.text.pieces import Doc, as_list, as_map
from ledger.text.say import plain

DRAWN_MAX = 120
"""Boxes of one picture."""
EDGES_MAX = 600
"""Arrows of one picture."""
PAPERS_DRAWN_MAX = 3
TITLE_LINES_MAX = 2
TITLE_CHARS_MAX = 300
"""Of a title where it is told in full."""
LETTER = 13
"""The size of letters. A picture is shrunk to 0.85 of its size at the least, so that they stay larger than 11."""
SIDE, SIGN_LONG, PAPER_LONG = 14, 17, 17
PRIORITY_LONG = 2.0
MEASURES = Measures(box=BOX_HIGH, thread=10, gap=EDGE_GAP, part_gap=24, layers=6)

Tone = Literal["go", "wait", "stop", "done", "past"]
Kind = Literal["needs", "follows", "circle"]
ARTIFACT_TONES: Mapping[str, Tone] = {
    "submitted": "wait",
    "accepted": "done",
    "rejected": "stop",
    "invalidated": "stop",
    "superseded": "past",
}
_TONES: Mapping[str, Tone] = {
    "done": "done",
    "blocked": "stop",
    "deferred": "wait",
    "proposed": "past",
    "cancelled": "past",
}


@dataclass(frozen=True, kw_only=True)
class Paper:
    """An artifact on the todo that it was handed in for."""

    artifact_id: str
    label: str
    status: str
    tone: Tone


@dataclass(frozen=True, kw_only=True)
class Diamond:
    """A gate that waits."""

    gate_id: str
    question: str


@dataclass(frozen=True, kw_only=True)
class Node:
    """One todo as the picture takes it."""

    todo_id: str
    title: str
    status: str
    priority: str = ""
    depends_on: tuple[str, ...] = ()
    waiting_for: tuple[str, ...] = ()
    """Those of `depends_on` that are not done."""
    successors: tuple[str, ...] = ()
    holder: str | None = None
    """Who has it, or who finished it."""
    hold: str = "none"
    """`soft` or `lease`, and `none` where nobody has it."""
    until: str | None = None
    held_by: tuple[str, ...] = ()
    papers: tuple[Paper, ...] = ()
    gates: tuple[Diamond, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing of it is left to do."""
        return self.status in {"done", "cancelled"}

    @property
    def tone(self) -> Tone:
        """How it stands, as a sign."""
        waits = self.waiting_for or self.gates or self.held_by
        return _TONES.get(self.status, "wait" if waits else "go")


@dataclass(frozen=True, kw_only=True)
class Work:
    """What there is to draw."""

    nodes: tuple[Node, ...]
    goal_gates: tuple[Diamond, ...] = ()
    """Gates that the whole goal waits for."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """A todo in its place."""

    node: Node
    x: int
    y: int
    name: str
    """The id, as far as it fits."""
    lines: tuple[str, ...]
    """The title, as far as it fits."""
    holder: str
    told: str
    """The title for whoever cannot see the picture."""
    papers: tuple[Paper, ...]
    more_papers: int
    stub: Literal["met", "unmet"] | None
    """Whether it needs something that is not drawn, and whether all of that is done."""


@dataclass(frozen=True, kw_only=True)
class Arrow:
    """A way from one box to another."""

    start: str
    end: str
    kind: Kind
    met: bool
    line: str
    """The path."""
    head: str
    """The path of the arrow's head."""


@dataclass(frozen=True, kw_only=True)
class Graph:
    """The whole picture."""

    wide: int
    high: int
    least: int
    """The width below which its letters would be too small."""
    long: int = BOX_LONG
    """The width of a box; the deeper the work, the narrower, so that a window holds it."""
    boxes: tuple[Box, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    goal_gates: tuple[Diamond, ...] = ()
    left_out: int = 0
    signs: frozenset[str] = frozenset()
    """What occurs in the picture, so that its key tells of nothing else."""
    states: tuple[tuple[str, Tone], ...] = ()
    """The states of the todos that occur in it, each with its sign; `waits` is an open todo that cannot begin."""
    paper_signs: tuple[tuple[str, Tone], ...] = ()
    """The states of the artifacts that occur in it."""


def graph_of(
    todos: Iterable[Doc], artifacts: Iterable[Doc] = (), gates: Iterable[Doc] = (), goal_id: str | None = None
) -> Work:
    """What there is to draw, from the rows of `todo.list`, `artifact.list` and `gate.list` (or of the open gates)."""
    papers: dict[str, list[Paper]] = {}
    for row in artifacts:
        status = str(row.get("status"))
        tone = ARTIFACT_TONES.get(status, "past")
        paper = Paper(artifact_id=str(row["artifact_id"]), label=_told(row.get("label")), status=status, tone=tone)
        papers.setdefault(str(row.get("todo_id")), []).append(paper)
    diamonds: dict[str, list[Diamond]] = {}
    for row in gates:
        if row.get("status") not in UNDECIDED:
            continue
        diamond = Diamond(gate_id=str(row["gate_id"]), question=_told(row.get("question")))
        for blocked in as_list(row.get("blocks")):
            diamonds.setdefault(str(blocked), []).append(diamond)
    nodes = tuple(
        _node(row, tuple(papers.get(str(row["todo_id"]), ())), tuple(diamonds.get(str(row["todo_id"]), ())))
        for row in todos
    )
    return Work(nodes=nodes, goal_gates=tuple(diamonds.get(goal_id, ())) if goal_id is not None else ())


def _node(row: Doc, papers: tuple[Paper, ...], gates: tuple[Diamond, ...]) -> Node:
    holder = row.get("claimed_by") or row.get("completed_by")
    until = row.get("claimed_until")
    return Node(
        todo_id=str(row["todo_id"]),
        title=str(row.get("title") or ""),
        status=str(row.get("status")),
        priority=cut(str(row.get("priority") or ""), PRIORITY_LONG),
        depends_on=tuple(map(str, as_list(row.get("depends_on")))),
        waiting_for=tuple(map(str, as_list(row.get("waiting_for")))),
        successors=tuple(map(str, as_list(row.get("successor_todo_ids")))),
        holder=None if holder is None else _told(holder),
        hold=str(row.get("claim") or "none"),
        until=None if until is None else str(until),
        held_by=tuple(str(as_map(one).get("code", one)) for one in as_list(row.get("held_by"))),
        papers=papers,
        gates=gates,
    )


def _told(text: object) -> str:
    return plain(str(text or ""))[:TITLE_CHARS_MAX]


def work_graph(work: Work, total: int | None = None) -> Graph:
    """The picture. `total` says how many todos there are, where not all of them were read."""
    nodes = _kept(work.nodes)
    known = {node.todo_id: at for at, node in enumerate(nodes)}
    links = list(islice(_links(nodes, known), EDGES_MAX))
    layout = lay_out(len(nodes), tuple((start, end) for start, end, _ in links), MEASURES)
    grid = Grid.of(layout.layers)
    spots = [(grid.x(layer), MARGIN + middle) for layer, middle in zip(layout.layer, layout.middle, strict=True)]
    wide = grid.wide(layout.layers)
    return Graph(
        wide=wide,
        high=2 * MARGIN + layout.breadth,
        least=wide * 85 // 100,
        long=grid.long,
        boxes=tuple(_box(node, known, grid, x, y - BOX_HIGH // 2) for node, (x, y) in zip(nodes, spots, strict=True)),
        arrows=_arrows(nodes, links, layout, grid),
        goal_gates=work.goal_gates,
        left_out=max(total or 0, len(work.nodes)) - len(nodes),
        signs=_signs(nodes, links, layout) | ({"stub"} if any(_stub(node, known) for node in nodes) else set()),
        states=tuple(dict.fromkeys((_state(node), node.tone) for node in nodes)),
        paper_signs=tuple(
            (status, tone)
            for status, tone in ARTIFACT_TONES.items()
            if any(paper.status == status for node in nodes for paper in node.papers)
        ),
    )


def _kept(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """What is drawn where not all can be: what is left to do first, then what hangs together with it, then the rest."""
    if len(nodes) <= DRAWN_MAX:
        return tuple(nodes)
    beside: dict[str, list[str]] = {}
    for node in nodes:
        for other in (*node.depends_on, *node.successors):
            beside.setdefault(node.todo_id, []).append(other)
            beside.setdefault(other, []).append(node.todo_id)
    by_id = {node.todo_id: node for node in nodes}
    kept = dict.fromkeys(islice((node.todo_id for node in nodes if not node.over), DRAWN_MAX))
    for todo_id in list(kept):
        for other in beside.get(todo_id, ()):
            if len(kept) < DRAWN_MAX and other in by_id:
                kept.setdefault(other)
    for node in reversed(nodes):
        if len(kept) < DRAWN_MAX:
            kept.setdefault(node.todo_id)
    return tuple(node for node in nodes if node.todo_id in kept)


def _links(nodes: Sequence[Node], known: Mapping[str, int]) -> Iterator[tuple[int, int, Kind]]:
    """What builds on what, and what followed from what where nothing says that it builds on it."""
    seen: set[tuple[int, int]] = set()
    for at, node in enumerate(nodes):
        for other in node.depends_on:
            pair = (known.get(other, at), at)
            if pair[0] != at and pair not in seen:
                seen.add(pair)
                yield *pair, "needs"
    for at, node in enumerate(nodes):
        for other in node.successors:
            pair = (at, known.get(other, at))
            if pair[1] != at and pair not in seen and pair[::-1] not in seen:
                seen.add(pair)
                yield *pair, "follows"


def _box(node: Node, known: Mapping[str, int], grid: Grid, x: int, y: int) -> Box:
    room = grid.long - 2 * SIDE
    papers = node.papers[-PAPERS_DRAWN_MAX:]
    papers_long = PAPER_LONG * len(papers) + (24 if len(node.papers) > len(papers) else 0)
    return Box(
        node=node,
        x=x,
        y=y,
        name=cut_front(node.todo_id, (room - SIGN_LONG - 26) / LETTER),
        # What is merely open says so by its sign, and leaves the third line to its title.
        lines=lines_of(
            node.title, room / LETTER, TITLE_LINES_MAX + (node.status == "open" and not node.holder and not papers)
        ),
        holder=cut(node.holder, (room - SIGN_LONG - papers_long) / LETTER) if node.holder else "",
        told=_told(node.title),
        papers=papers,
        more_papers=len(node.papers) - len(papers),
        stub=_stub(node, known),
    )


def _stub(node: Node, known: Mapping[str, int]) -> Literal["met", "unmet"] | None:
    hidden = [one for one in node.depends_on if one not in known]
    if not hidden:
        return None
    return "unmet" if any(one in node.waiting_for for one in hidden) else "met"


def _arrows(
    nodes: Sequence[Node], links: Sequence[tuple[int, int, Kind]], layout: Layout, grid: Grid
) -> tuple[Arrow, ...]:
    """Arrows in the order of the links. What closes a circle points backwards, and is told apart."""
    ports = ports_of(layout)
    arrows: list[Arrow] = []
    for at, ((start, end, kind), route) in enumerate(zip(links, layout.routes, strict=True)):
        turned = at in layout.turned
        points = [(grid.x(layer), MARGIN + middle) for layer, middle in route]
        points[0] = (points[0][0], points[0][1] + ports[at, 0])
        points[-1] = (points[-1][0], points[-1][1] + ports[at, 1])
        arrows.append(
            Arrow(
                start=nodes[start].todo_id,
                end=nodes[end].todo_id,
                kind="circle" if turned else kind,
                met=kind == "follows" or nodes[start].todo_id not in nodes[end].waiting_for,
                line=line_of(points, grid.long),
                head=head_of(points[0][0] + grid.long, points[0][1], -1) if turned else head_of(*points[-1], 1),
            )
        )
    return tuple(arrows)


def _state(node: Node) -> str:
    return "waits" if node.status == "open" and node.tone == "wait" else node.status


def _signs(nodes: Sequence[Node], links: Sequence[tuple[int, int, Kind]], layout: Layout) -> frozenset[str]:
    """What the key of the picture has to tell."""
    met = {
        "circle" if at in layout.turned
        else kind if kind == "follows"
        else "unmet" if nodes[start].todo_id in nodes[end].waiting_for
        else "met"
        for at, (start, end, kind) in enumerate(links)
    }  # fmt: skip
    holds = {f"hold.{node.hold}" for node in nodes if node.holder and node.hold in {"soft", "lease"}}
    return frozenset(met | holds | ({"gate"} if any(node.gates for node in nodes) else set()))
