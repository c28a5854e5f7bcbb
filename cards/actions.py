"""Buttons: which there are, in which order, and which ask first.

A button is drawn for an action that has a token, and for no other. The order is by safety: what can be undone or
moves the goal along as agreed comes first; what ends something comes last and asks before it is done.
"""

from dataclasses import dataclass

from cards.elements import Button, ButtonKind, Columns, Panel, Part
from cards.text import copy, named
from ledger.projections.views import CardView
from ledger.text.say import has

ROW_MAX = 3


@dataclass(frozen=True, slots=True)
class Style:
    """How an action's button looks, and whether it asks before it is sent."""

    kind: ButtonKind = "default"
    asks: bool = False


# In order of safety.
STYLES: dict[str, Style] = {
    "goal.confirm": Style("primary_filled"),
    "goal.accept": Style("primary_filled"),
    "goal.clarify": Style("primary_filled"),
    "goal.resume": Style("primary_filled"),
    "plan.confirm": Style("primary_filled"),
    "amendment.commit": Style("primary_filled"),
    "goal.propose": Style("primary_filled"),
    "gate.approve": Style("primary_filled"),
    "request.respond": Style("primary_filled"),
    "request.commit": Style("primary_filled"),
    "request.return": Style("primary_filled"),
    "request.acknowledge": Style("primary_filled"),
    "request.receive": Style(),
    "member.invite": Style("primary_filled"),
    "invitation.accept": Style("primary_filled"),
    "channel.bind": Style("primary_filled"),
    "goal.pause": Style(),
    "goal.revise": Style(),
    "goal.request_changes": Style(),
    "gate.defer": Style(),
    "gate.delegate": Style(),
    "gate.reject": Style("danger"),
    "plan.reject": Style("danger", asks=True),
    "amendment.reject": Style("danger", asks=True),
    "request.withdraw": Style("danger", asks=True),
    "channel.unbind": Style("danger"),
    "invitation.decline": Style("default", asks=True),
    "member.withdraw_invitation": Style("danger", asks=True),
    "goal.withdraw": Style("danger", asks=True),
    "goal.decline": Style("danger", asks=True),
    "goal.stop": Style("danger", asks=True),
}
ENDS = frozenset({"goal.stop", "goal.withdraw"})
_ORDER = {name: place for place, name in enumerate(STYLES)}


def key_of(action: str) -> str:
    """An action's name as the texts know it: the catalogue may write a dash where a key has an underscore."""
    return action.replace("-", "_")


def offered(view: CardView, action: str) -> str | None:
    """The name under which this action has a token here, if it has one."""
    return next((name for name in sorted(view.tokens) if key_of(name) == action), None)


def button(view: CardView, name: str, *, submits: bool = False) -> Button:
    """The button of an offered action."""
    key = key_of(name)
    special = f"card.button.{key}"
    style = STYLES.get(key, Style())
    asks = style.asks and has(f"card.confirm.{key}.title")
    return Button(
        label=copy(special) if has(special) else named("action", key),
        action=name,
        token=view.tokens[name],
        kind=style.kind,
        confirm=(copy(f"card.confirm.{key}.title"), copy(f"card.confirm.{key}.text")) if asks else None,
        submits=submits,
    )


def rows(view: CardView, *, without: frozenset[str] = frozenset()) -> tuple[Part, ...]:
    """Up to three buttons in a row, the safe one first; the destructive and the rest behind "more"."""
    names = sorted(
        (name for name in view.tokens if key_of(name) not in without),
        key=lambda name: (_ORDER.get(key_of(name), len(_ORDER)), name),
    )
    if not names:
        return ()
    # Buttons that end something step back when there is anything else to press.
    ends = [name for name in names if key_of(name) in ENDS] if len(names) > 1 else []
    first = [name for name in names if name not in ends][:ROW_MAX]
    rest = [name for name in names if name not in first]
    parts: list[Part] = [_row(view, first)]
    if rest:
        folded = tuple(_row(view, rest[start : start + ROW_MAX]) for start in range(0, len(rest), ROW_MAX))
        parts.append(Panel(title=copy("card.more_actions"), parts=folded))
    return tuple(parts)


def _row(view: CardView, names: list[str]) -> Columns:
    return Columns(columns=tuple((button(view, name),) for name in names), flow=True)
