"""The overview on a terminal: a document, a size and a moment as lines of text, each of them one line, always.

What somebody wrote is put in as text and nothing else: no markup is read in it, and `one_line` leaves no control
characters. What there is no room for is counted.
"""

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from ledger.text.lines import need_line, step_line
from ledger.text.pieces import COLON, COMMA, Doc, as_list, as_map, label, named, number, rows_of
from ledger.text.say import Locale, one_line, say
from ledger.text.views_text import age

WIDE_COLUMNS = 118
"""From here on goals stand on one side, and what waits and who works on the other."""
GAP = 3
SIGNS = {
    "go": ("●", "green"), "wait": ("◆", "yellow"), "stop": ("■", "red"), "done": ("✓", "blue"), "past": ("–", "dim"),
}  # fmt: skip
"""A shape for each tone, so that nothing depends on its colour."""
GOAL_TONES = {"active": "go", "accepted": "done", "stopped": "stop", "declined": "past", "withdrawn": "past"}
NEED_TONES = {"high": "stop", "action": "wait", "watch": "go"}
PRESENCE_TONES = {"executing": "go", "blocked": "stop", "launchable": "done", "bound": "done"}
_SHARE_OF_NEEDS, _SHARE_OF_AGENTS = 4, 5
"""On a narrow terminal one line in so many is theirs at most."""
Lines = list[Text]


def drawn(document: Doc, state: Text, *, width: int, height: int | None, locale: Locale, now_ms: int) -> Table:
    """Everything, in as many lines as there are; None is as many as it takes."""
    room = None if height is None else max(6, height) - 2
    goals = [_goal(row, locale, now_ms) for row in rows_of(document, "goals")]
    goals_more = number(document.get("goals_listed")) - len(goals)
    queue = as_map(document.get("attention_queue"))
    needs = [_need(row, locale) for row in rows_of(queue, "items")]
    needs_more = number(queue.get("total")) - len(needs)
    agents = [_agent(row, locale) for row in rows_of(document, "members") if row.get("kind") == "agent"]
    whole = Table.grid(expand=True)
    whole.add_column(no_wrap=True, overflow="ellipsis")
    whole.add_row(_head(document, locale))
    whole.add_row(state)
    titles = [say(key, locale) for key in ("page.goals", "page.needs", "page.agents")]
    if width >= WIDE_COLUMNS:
        sides = Table.grid(expand=True, padding=(0, GAP, 0, 0))
        sides.add_column(ratio=3, no_wrap=True, overflow="ellipsis")
        sides.add_column(ratio=2, no_wrap=True, overflow="ellipsis")
        right = _section(titles[1], needs, needs_more, None if room is None else room * 3 // 5, locale, "nothing_waits")
        left_over = None if room is None else room - len(right)
        right += _section(titles[2], agents, 0, left_over, locale, "no_agents")
        left = _section(titles[0], goals, goals_more, room, locale, "no_goals")
        sides.add_row(_joined(left), _joined(right))
        whole.add_row(sides)
        return whole
    shares = (None, None) if room is None else (room // _SHARE_OF_NEEDS + 1, room // _SHARE_OF_AGENTS + 1)
    below = _section(titles[1], needs, needs_more, shares[0], locale, "nothing_waits")
    last = _section(titles[2], agents, 0, shares[1], locale, "no_agents")
    left_over = None if room is None else room - len(below) - len(last)
    whole.add_row(_joined(_section(titles[0], goals, goals_more, left_over, locale, "no_goals")))
    whole.add_row(_joined([*below, *last]))
    return whole


def _joined(lines: Sequence[Text]) -> Text:
    return Text("\n", no_wrap=True, overflow="ellipsis").join(lines)


def _section(title: str, entries: list[Lines], more: int, room: int | None, locale: Locale, none: str) -> Lines:
    """A heading and as many whole entries as fit; the rest is counted."""
    count = len(entries) + max(0, more)
    lines = [Text.assemble((title, "bold"), (f" {count}", "dim"))]
    if not entries:
        return [*lines, Text(say(f"page.watch.{none}", locale), style="dim")]
    for at, entry in enumerate(entries):
        left = count - at
        if room is not None and len(lines) + len(entry) + (1 if left > 1 else 0) > room:
            return [*lines, Text(say("page.more", locale, n=left), style="dim")]
        lines += entry
    return [*lines, Text(say("page.more", locale, n=more), style="dim")] if more > 0 else lines


def _head(document: Doc, locale: Locale) -> Text:
    head, name = as_map(document.get("head")), as_map(document.get("workspace")).get("name")
    return Text.assemble(
        (one_line(str(name)), "bold"),
        ("  " + say("page.seq", locale) + " ", "dim"),
        (f"{number(head.get('seq'))}", "bold"),
        (f" {one_line(str(head.get('short_hash')))}", "dim"),
    )


def _sign(tone: str) -> tuple[str, str]:
    return SIGNS[tone]


def _goal(row: Doc, locale: Locale, now_ms: int) -> Lines:
    """Its name and state; how far it is; who has it; its next step; the gates that wait."""
    state, todos, quota = str(row.get("state")), as_map(row.get("todos")), as_map(row.get("quota"))
    shape, style = _sign(GOAL_TONES.get(state, "wait"))
    step = as_map(row.get("next_safe_action"))
    so_far = (
        str(row.get("goal_id")), str(row.get("priority")), age(number(row.get("age_seconds")), locale),
        f"{todos.get('done')}/{todos.get('total')}",
        f"{label('quota', locale)} {quota.get('spent_slots')}/{quota.get('allowed_slots')}",
    )  # fmt: skip
    lines = [
        Text.assemble(
            (f"{shape} {named('state', state, locale)}", style), "  ", (one_line(str(row.get("display_name"))), "bold")
        ),
        Text(f"  {' · '.join(so_far)}", style="dim"),
        Text.assemble("  ", (f"{label('responsible', locale)}{COLON[locale]}", "dim"), _held(row, locale, now_ms)),
        Text.assemble(
            "  → ",
            one_line(step_line(str(step.get("code")), as_map(step.get("subject")), locale)),
            (_by(as_list(step.get("members")), locale), "dim"),
        ),
    ]
    gates = [str(one.get("gate_id")) for one in rows_of(row, "gates_waiting")]
    if gates:
        shape, style = _sign("wait")
        said = f"  {shape} {say('page.gates_waiting', locale)}{COLON[locale]}{COMMA[locale].join(gates)}"
        lines.append(Text(said, style=style))
    return lines


def _by(members: list[object], locale: Locale) -> str:
    return f"  ({COMMA[locale].join(one_line(str(one)) for one in members)})" if members else ""


def _held(row: Doc, locale: Locale, now_ms: int) -> str:
    """Who is responsible, and until when it is claimed."""
    names = [one_line(str(one.get("display_name"))) for one in rows_of(row, "responsible")]
    who = COMMA[locale].join(names) or say("page.nobody", locale)
    until = row.get("claimed_until")
    return who if not until else f"{who} · {say('page.until', locale)} {_moment(str(until), locale, now_ms)}"


def _moment(until: str, locale: Locale, now_ms: int) -> str:
    """A moment in the terminal's own zone, and how far away it is."""
    at = datetime.fromisoformat(until).astimezone()
    left_s = round(at.timestamp() - now_ms / 1_000)
    if left_s < 0:
        return f"{at:%H:%M} ({say('page.watch.over', locale)})"
    return f"{at:%H:%M} ({say('page.watch.in', locale, span=age(left_s, locale))})"


def _need(row: Doc, locale: Locale) -> Lines:
    shape, style = _sign(NEED_TONES.get(str(row.get("severity")), "past"))
    code = row.get("reason_code")
    said = need_line(str(row.get("kind")), None if code is None else str(code), as_map(row.get("subject")), locale)
    first = Text.assemble(
        (f"{shape} ", style), (one_line(str(row.get("goal_id"))), "bold"), "  ", one_line(said),
        (_by(as_list(row.get("waits_for")), locale), "dim"),
    )  # fmt: skip
    return [first, Text(f"  {one_line(str(row['text']))}", style="dim")] if row.get("text") else [first]


def _agent(row: Doc, locale: Locale) -> Lines:
    presence = row.get("presence")
    shape, style = _sign(PRESENCE_TONES.get(str(presence), "past"))
    known = "none" if presence is None else str(presence)
    return [
        Text.assemble(
            (f"{shape} {named('cli.presence', known, locale)}", style), "  ",
            one_line(str(row.get("display_name"))), (f"  {row.get('member_id')}", "dim"),
        )
    ]  # fmt: skip
