"""The picture of a goal's work: what documents say is what it shows, in its place, however much there is."""

import time
from itertools import combinations

import pytest

from daemon.web.fitted import cut, cut_front, lines_of, width_of
from daemon.web.graph_layout import lay_out
from daemon.web.graph_lines import BOX_HIGH, WIDE_MAX
from daemon.web.work_graph import DRAWN_MAX, graph_of, work_graph
from tests.unit.pictures_drawn import drawn, of_class, read
from tests.unit.sample_works import WORKS, alone, name, tangle, todo, waiting

PAINTED = {"script", "style", "foreignObject", "image", "iframe", "form", "button", "input"}


def picture(rows, artifacts=(), gates=(), **more):
    return work_graph(graph_of(rows, artifacts, gates, "docs"), **more)


def tree_of(graph, locale="en"):
    return read(drawn("graphs.graph(g)", locale, g=graph))


@pytest.mark.parametrize("work", WORKS)
def test_every_box_has_its_place_and_every_arrow_leads_from_side_to_side(work):
    graph = picture(WORKS[work])
    for one, other in combinations(graph.boxes, 2):
        assert abs(one.x - other.x) >= graph.long or abs(one.y - other.y) >= BOX_HIGH
    at = {box.node.todo_id: box for box in graph.boxes}
    assert all(0 < box.x < box.x + graph.long < graph.wide for box in graph.boxes)
    assert all(0 < box.y < box.y + BOX_HIGH < graph.high for box in graph.boxes)
    for arrow in graph.arrows:
        start, end = at[arrow.start], at[arrow.end]
        assert (arrow.kind == "circle") == (start.x >= end.x)
        first, last = sorted((start, end), key=lambda box: box.x)
        x, y = map(int, arrow.line[1:].partition("C")[0].split())
        assert x == first.x + graph.long
        assert first.y < y < first.y + BOX_HIGH
        x, y = map(int, arrow.line.split()[-2:])
        assert x == last.x
        assert last.y < y < last.y + BOX_HIGH
    assert drawn("graphs.graph(g)", g=graph) == drawn("graphs.graph(g)", g=picture(WORKS[work]))


def test_the_picture_has_what_the_documents_have():
    rows = waiting([
        todo(0, status="done", successor_todo_ids=[name(4)]),
        todo(1, [0], claimed_by="agent_one", claim="lease"),
        todo(2, [0], claimed_by="agent_two", claim="soft"),
        todo(3, [1, 2], held_by=[{"code": "gate_blocks", "id": "gate_a", "waits_for": ["ann"]}]),
        todo(4, status="proposed"),
    ])  # fmt: skip
    artifacts = [
        {"artifact_id": f"art_{status}", "todo_id": name(0), "label": "Report", "status": status}
        for status in ("submitted", "accepted", "rejected", "invalidated", "superseded")
    ]
    gates = [
        {"gate_id": "gate_a", "status": "waiting_on_user", "question": "May it?", "blocks": [name(3)]},
        {"gate_id": "gate_b", "status": "approved", "question": "May it?", "blocks": [name(2)]},
        {"gate_id": "gate_c", "status": "deferred", "question": "Shall we?", "blocks": ["docs"]},
    ]
    graph = picture(rows, artifacts, gates)
    assert [box.node.tone for box in graph.boxes] == ["done", "go", "go", "wait", "past"]
    assert {(arrow.start[-1], arrow.end[-1], arrow.kind, arrow.met) for arrow in graph.arrows} == {
        ("0", "1", "needs", True), ("0", "2", "needs", True), ("1", "3", "needs", False), ("2", "3", "needs", False),
        ("0", "4", "follows", True),
    }  # fmt: skip
    tree = tree_of(graph)
    boxes = {box.get("data-todo"): box for box in of_class(tree, "box") if box.get("data-todo")}
    papers = [paper.get("data-status") for paper in of_class(boxes[name(0)], "paper")]
    assert (papers, of_class(boxes[name(0)], "more")[0].text) == (["rejected", "invalidated", "superseded"], "+2")
    assert {todo_id: [gate.find("title").text.strip() for gate in of_class(box, "gate")]
            for todo_id, box in boxes.items() if of_class(box, "gate")} == {name(3): ["gate_a: May it?"]}  # fmt: skip
    assert [box.find("a").get("href") for box in boxes.values()] == [f"#todo-{name(at)}" for at in range(5)]
    assert [hold.get("data-hold") for hold in of_class(tree, "hold") if hold.get("data-hold")] == [
        "none",
        "lease",
        "soft",
    ]
    assert "gate_c" in "".join(of_class(tree, "warning")[0].itertext())


def test_what_closes_a_circle_is_told_apart():
    graph = picture(WORKS["circle"])
    assert [arrow.kind for arrow in graph.arrows].count("circle") == 1
    assert "circle" in graph.signs


def test_a_window_holds_the_work_of_fifty_todos_with_letters_that_can_be_read():
    graph = picture(WORKS["tangle"])
    assert len(graph.boxes) == 50
    assert graph.wide <= WIDE_MAX
    assert (graph.wide * 85 // 100, 13 * 0.85 >= 11) == (graph.least, True)
    deep = picture(WORKS["long chain"])
    assert (deep.long, deep.wide > WIDE_MAX) == (190, True)


def test_beyond_the_bound_what_is_open_and_what_it_hangs_together_with_is_drawn_and_the_rest_counted():
    rows = [*(todo(at, status="done") for at in range(200)), *(todo(at, [at - 200], "open") for at in range(200, 230))]
    graph = picture(rows, total=5_000)
    shown = {box.node.todo_id for box in graph.boxes}
    assert len(shown) == DRAWN_MAX
    assert shown >= {name(at) for at in (*range(200, 230), *range(30))}
    assert graph.left_out == 5_000 - DRAWN_MAX
    tree = tree_of(graph)
    left_out = next(one for one in tree.iter() if one.get("data-left-out"))
    assert (left_out.get("data-left-out"), left_out.find("a").get("href")) == (str(graph.left_out), "#panel-todos")


def test_what_is_merely_open_leaves_a_line_more_to_its_title():
    title = "one two three four five six seven eight nine ten eleven twelve"
    free, held = (todo(1, title=title), todo(2, title=title, claimed_by="agent_one", claim="lease"))
    assert [len(box.lines) for box in picture([free, held, todo(3, status="blocked", title=title)]).boxes] == [3, 2, 2]


def test_a_need_that_is_not_drawn_is_told_and_a_todo_without_a_row_leads_to_its_history():
    rows = [todo(1, [77], waiting_for=[name(77)]), todo(2, [78]), todo(3, [2])]
    graph = picture(rows)
    assert [box.stub for box in graph.boxes] == ["unmet", "met", None]
    tree = read(drawn("graphs.graph(g, shown=shown, goal_id='docs')", g=graph, shown=[name(2)]))
    assert [stub.get("data-met") for stub in of_class(tree, "stub")] == ["no", "yes"]
    links = {box.get("data-todo"): box.find("a").get("href") for box in of_class(tree, "box") if box.get("data-todo")}
    assert links[name(2)] == f"#todo-{name(2)}"
    assert links[name(3)] == f"/history?goal_id=docs&todo_id={name(3)}"


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_words_of_others_stay_words_and_looks_come_from_the_stylesheet(locale):
    hostile = '"><script>alert(1)</script>\u202e]]>' + "\u0301" * 500 + "x" * 10_000
    rows = [todo(1, title=hostile, claimed_by=hostile, claim="lease", priority='P"<'), todo(2, [1])]
    artifacts = [{"artifact_id": "art_1", "todo_id": name(1), "label": hostile, "status": "accepted"}]
    gates = [{"gate_id": "gate_1", "status": "waiting_on_user", "question": hostile, "blocks": [name(1), "docs"]}]
    html = drawn("graphs.graph(g)", locale, g=picture(rows, artifacts, gates))
    tree = read(html)
    assert not {one.tag for one in tree.iter()} & PAINTED
    assert not any(key.startswith("on") or key == "style" for one in tree.iter() for key in one.attrib)
    assert "\u202e" not in html
    assert len(html) < 20_000


def test_a_picture_is_made_quickly():
    rows, more = tangle(50, 3), tangle(300, 4)
    assert min(_cost(rows) for _ in range(5)) < 0.020
    assert min(_cost(more) for _ in range(3)) < 0.200


def _cost(rows):
    lay_out.cache_clear()
    begun = time.thread_time()
    picture(rows)
    return time.thread_time() - begun


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("Short", ("Short",)),
        ("Check every link in it", ("Check every link", "in it")),
        ("a" * 60, ("a" * 16, "a" * 14 + "…")),
        ("检查指南中的每个链接并写出报告", ("检查指南中的每个链接", "并写出报告")),
        ("one\ntwo", ("one two",)),
    ],
)
def test_a_title_is_broken_between_words_and_cut_where_it_is_too_long(text, lines):
    assert lines_of(text, 10.0, 2) == lines
    assert all(width_of(line) <= 10.0 for line in lines)
    assert cut("x" * 5_000, 5.0) == "x" * 6 + "…"
    assert cut_front("todo_of_a_long_name_12", 5.0) == "…me_12"


def test_work_without_edges_and_no_work_at_all_have_pictures():
    assert {box.x for box in picture(alone(3)).boxes} == {14, 14 + 232, 14 + 464}
    assert of_class(tree_of(picture([])), "empty")
