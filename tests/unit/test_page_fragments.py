"""What is kept of pages: pieces drawn once for what they show, in each language, and whole pages; in bounded room."""

from types import SimpleNamespace

from daemon.web import fragments, pages
from daemon.web.fragments import Fragments
from daemon.web.pace import Pace
from daemon.web.pages import Made, Pages


class Drawn:
    """A macro that counts."""

    def __init__(self, chars: int = 0) -> None:
        self.seen: list[object] = []
        self.chars = chars

    def __call__(self, shown: object) -> str:
        self.seen.append(shown)
        return f"<p>{shown}</p>" + "x" * self.chars


def test_a_piece_is_drawn_once_for_what_it_shows():
    kept, draw = Fragments(), Drawn()
    for shown in ({"state": "active"}, {"state": "active"}, {"state": "paused"}):
        assert kept.piece(("goal", "en"), draw, shown) == f"<p>{shown}</p>"
    assert draw.seen == [{"state": "active"}, {"state": "paused"}]


def test_another_place_and_another_language_have_pieces_of_their_own():
    kept, draw = Fragments(), Drawn()
    for where in (("goal", "en"), ("goal", "zh"), ("need", "en"), ("goal", "en", ("at", "7"))):
        kept.piece(where, draw, 1)
    assert len(draw.seen) == 4


def test_what_was_erased_is_drawn_again():
    kept, draw = Fragments(), Drawn()
    kept.piece(("goal",), draw, 1)
    kept.forget()
    kept.piece(("goal",), draw, 1)
    assert draw.seen == [1, 1]


def test_pieces_take_bounded_room_and_the_one_wanted_last_goes_first(monkeypatch):
    monkeypatch.setattr(fragments, "BYTES_MAX", 3_500)
    kept, draw = Fragments(), Drawn(1_000)
    for shown in (1, 2, 3, 1, 4):
        kept.piece(("goal",), draw, shown)
    assert len(kept) == 3
    kept.piece(("goal",), draw, 1)
    assert draw.seen == [1, 2, 3, 4]
    kept.piece(("goal",), draw, 2)
    assert draw.seen == [1, 2, 3, 4, 2]


def test_pages_take_bounded_room_and_the_one_made_longest_ago_goes_first(monkeypatch):
    monkeypatch.setattr(pages, "KEPT_BYTES_MAX", 2_500)
    kept = Pages(SimpleNamespace(erasures=0), None, None, Pace())
    for path in ("one", "two", "one", "three", "one"):
        kept._keep((path, "en", None, None, ()), Made(200, b"x" * 1_000, 1, 1))
    assert [path for path, *_ in kept._kept] == ["three", "one"]
    kept._keep(("large", "en", None, None, ()), Made(200, b"x" * 2_501, 1, 1))
    assert not kept._kept
