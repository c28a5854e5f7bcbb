"""Where the boxes of a graph stand: whatever the graph is, arrows point onwards and nothing covers anything."""

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.web.graph_layers import Measures, settled
from daemon.web.graph_layout import lay_out

MEASURES = Measures(box=90, thread=10, gap=14, part_gap=24, layers=6)


@st.composite
def graphs(draw):
    boxes = draw(st.integers(1, 30))
    ends = st.integers(0, boxes - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=50, unique=True))
    return boxes, tuple((start, end) for start, end in pairs if start != end)


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_a_layout_is_sound_whatever_the_graph(graph):
    boxes, edges = graph
    layout = lay_out(boxes, edges, MEASURES)
    assert layout == lay_out.__wrapped__(boxes, edges, MEASURES)
    assert all(0 <= layer < layout.layers for layer in layout.layer)
    assert all(45 <= middle <= layout.breadth - 45 for middle in layout.middle)
    for one, other in combinations(range(boxes), 2):
        apart = abs(layout.middle[one] - layout.middle[other])
        assert layout.layer[one] != layout.layer[other] or apart >= 90 + 14
    for at, (edge, route) in enumerate(zip(edges, layout.routes, strict=True)):
        start, end = edge[::-1] if at in layout.turned else edge
        assert (route[0], route[-1]) == tuple((layout.layer[box], layout.middle[box]) for box in (start, end))
        assert all(there[0] == here[0] + 1 for here, there in pairwise(route))
        for layer, middle in route[1:-1]:
            beside = [layout.middle[box] for box in range(boxes) if layout.layer[box] == layer]
            assert all(abs(middle - other) >= (90 + 10) // 2 + 14 for other in beside)


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_only_what_closes_a_circle_is_turned(graph):
    boxes, edges = graph
    onwards = tuple((min(edge), max(edge)) for edge in edges)
    assert lay_out(boxes, onwards, MEASURES).turned == frozenset()
    layout = lay_out(boxes, edges, MEASURES)
    after = [[end for at, (start, end) in enumerate(edges) if start == box and at not in layout.turned]
             for box in range(boxes)]  # fmt: skip
    for at in layout.turned:
        start, end = edges[at]
        seen = [end]
        for box in seen:
            seen += (one for one in after[box] if one not in seen)
        assert start in seen, "without it nothing would lead back"


def test_two_ways_between_the_same_ends_do_not_cross():
    edges = ((0, 2), (0, 3), (1, 2), (1, 3), (2, 5), (3, 4))
    layout = lay_out(6, edges, MEASURES)
    places = {box: layout.middle[box] for box in range(6)}
    assert (places[2] < places[3]) == (places[5] < places[4])


def test_a_chain_and_a_long_edge_are_straight():
    chain = lay_out(5, tuple((at, at + 1) for at in range(4)), MEASURES)
    assert len(set(chain.middle)) == 1
    past = lay_out(5, ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4)), MEASURES)
    assert len({middle for _, middle in past.routes[4][1:-1]}) == 1


def test_parts_stand_side_by_side_while_there_is_room_and_single_boxes_beside_them():
    layout = lay_out(8, ((0, 1), (2, 3)), MEASURES)
    assert layout.layer[:4] == (0, 1, 2, 3)
    assert (layout.layers, layout.breadth) == (6, 90 + 24 + 90)
    assert layout.middle[4:6] == (45, 45)
    assert layout.middle[6:] == (45 + 90 + 24, 45 + 90 + 24)


@given(st.lists(st.tuples(st.floats(-500, 500), st.integers(1, 9), st.integers(1, 50)), min_size=1, max_size=9))
def test_places_are_kept_apart_and_stay_where_they_are_wanted_if_they_can(rows):
    wanted, weights, apart = ([row[at] for row in rows] for at in range(3))
    places = settled(wanted, weights, apart)
    for (here, there), step in zip(pairwise(places), apart[1:], strict=True):
        assert there - here >= step - 1e-6
    if all(there - here > step for (here, there), step in zip(pairwise(wanted), apart[1:], strict=True)):
        assert all(abs(place - want) < 1e-6 for place, want in zip(places, wanted, strict=True))
