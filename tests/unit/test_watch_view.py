"""The overview as lines of a terminal: it fits, counts what it leaves out, and shows words as words."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from daemon.local.watch_view import drawn

EVIL = (
    "[red]x[/red] \x1b[2J\x1b]0;title\x07 :smile: \u202elru [link=https://x]y[/link] \r\n second 目标名称" + "w" * 300
)
NOW_MS = 1_796_000_000_000


def goal(number, **changes):
    return {
        "goal_id": f"goal-{number}", "display_name": f"Goal {number}", "state": "active", "priority": "P1",
        "age_seconds": 3_600, "todos": {"done": 1, "total": 4}, "quota": {"spent_slots": 2, "allowed_slots": 9},
        "responsible": [{"member_id": "ann", "display_name": "Ann"}], "claimed_until": "2026-11-29T18:13:20Z",
        "next_safe_action": {"code": "goal.confirm", "subject": {"goal_id": "g", "revision": 1}, "members": ["ann"]},
        "gates_waiting": [{"gate_id": "gate_1"}], **changes,
    }  # fmt: skip


def overview(goals, needs=(), agents=(), more=0):
    return {
        "workspace": {"name": "Team"}, "head": {"seq": 7, "short_hash": "abcdef"}, "goals": goals,
        "goals_listed": len(goals) + more, "attention_queue": {"items": list(needs), "total": len(needs) + more},
        "members": list(agents),
    }  # fmt: skip


def lines(document, width=60, height=20, locale="en", color=None):
    out = io.StringIO()
    console = Console(
        file=out, width=width, height=height or 100, highlight=False, markup=False, emoji=False,
        force_terminal=color is not None, color_system=color,
    )  # fmt: skip
    console.print(drawn(document, Text("state"), width=width, height=height, locale=locale, now_ms=NOW_MS))
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [20, 60, 80, 118, 200])
@pytest.mark.parametrize("height", [8, 20, 50])
def test_it_fits_the_terminal_and_counts_what_it_leaves_out(width, height):
    need = {"goal_id": "goal-1", "kind": "gate", "severity": "high", "subject": {"gate_id": "g"}, "text": EVIL}
    agent = {"kind": "agent", "member_id": "bot", "display_name": EVIL, "presence": "executing"}
    document = overview([goal(number) for number in range(30)], [need] * 9, [agent] * 9, more=20)
    shown = lines(document, width, height)
    assert len(shown) <= height
    assert max(map(cell_len, shown)) <= width
    said = "\n".join(shown)
    if width > 20:
        assert "Goals 50" in said
        assert "more" in said


def test_words_are_words():
    document = overview(
        [goal(1, display_name=EVIL, responsible=[{"display_name": EVIL}])],
        [{"goal_id": "g", "kind": "gate", "severity": "high", "subject": {}, "text": EVIL, "waits_for": [EVIL]}],
        [{"kind": "agent", "member_id": "bot", "display_name": EVIL, "presence": "bound"}],
    )
    said = "\n".join(lines(document, 160, None))
    assert "[red]x[/red]" in said
    assert ":smile:" in said
    assert [char for char in said if not char.isprintable() and char != "\n"] == []
    assert "\u202e" not in said


def test_a_goal_says_what_it_is_who_has_it_until_when_and_what_comes_next():
    said = "\n".join(lines(overview([goal(1)]), 80, None))
    for expected in ("Active", "Goal 1", "goal-1 · P1 · 1 h · 1/4", "2/9", "Ann · until", "(ann)", "gate_1"):
        assert expected in said
    assert "until" not in "\n".join(lines(overview([goal(1, claimed_until=None)]), 80, None))
    chinese = "\n".join(lines(overview([goal(1)]), 80, None, "zh"))
    assert "进行中" in chinese
    assert "Waits" not in chinese


def test_what_is_over_is_not_told_as_to_come():
    over = goal(1, claimed_until="2026-11-01T00:00:00Z")
    assert "(over)" in "\n".join(lines(overview([over]), 80, None))
