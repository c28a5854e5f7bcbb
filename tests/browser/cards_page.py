"""`docs/cards.md`: each kind of card, what it looks like, its states, and what each button does.

    python -m tests.browser.cards_page

The words under a kind's heading are written by hand and kept; what stands between the marks is made of the golden views
and of the sheets in `docs/images/cards`, which `python -m tests.browser.gallery --docs` takes. A kind that is added to
the golden views gets a section by itself; a test demands that the page is as this makes it.
"""

import re
from collections.abc import Iterator

from cards.draw import draw
from daemon.cli.catalogue import ACTIONS
from ledger.projections.views import CardView
from tests.browser.gallery import DOCS, MODES, kinds
from tests.golden.card_views import NOW_MS
from tests.tidy.sources import ROOT

PAGE = ROOT / "docs" / "cards.md"
MODE_NAMES = {"en": "English, light", "zh-dark": "Chinese, dark", "phone": "on a phone"}

HEAD = """\
# The cards

Every kind of card that the bot shows, in every state it can be in, as the simulator draws it. What a kind is for and
how to use it is told in [In Lark and Feishu](lark.md); how a card is built, in [the architecture](../ARCHITECTURE.md).
Every button that changes anything is an action that has a command too; the others open a card or a form. A card shows
only the buttons that may be pressed as things are; the names under *picture* stand over the cards on the sheets.
"""


def commands() -> dict[str, str]:
    """What to type in place of pressing, by the action's name."""
    return {f"{group}.{name}": f"frontstage {group} {name}" for group, listed in ACTIONS.items() for name in listed}


def buttons(node: object) -> Iterator[tuple[str, str]]:
    """Label and token of everything on a card that can be pressed, in reading order."""
    if isinstance(node, list):
        for item in node:
            yield from buttons(item)
    elif isinstance(node, dict):
        for behavior in node.get("behaviors", ()) if node.get("tag") == "button" else ():
            if behavior["type"] == "callback":
                yield node["text"]["content"], behavior["value"]["t"]
        for option in node.get("options", ()) if node.get("tag") == "overflow" else ():
            yield option["text"]["content"], option["value"]
        for value in node.values():
            yield from buttons(value)


def action_of(name: str) -> str:
    """The action behind a token's name: two buttons of one action are told apart by their answers."""
    return "member.answer-invitation" if name.startswith("invitation.") else name.replace("_", "-")


def pressed(view: CardView) -> str:
    """What can be pressed on a card, and the command that does the same."""
    by_token = {token: action for action, token in view.tokens.items()}
    known = commands()
    said = []
    for label, token in buttons(draw(view, locale="en", now_ms=NOW_MS).json()):
        command = known.get(action_of(by_token[token]))
        said.append(f"**{label}** `{command}`" if command else f"**{label}**")
    return " · ".join(dict.fromkeys(said)) or "nothing"


def state(view: CardView) -> str:
    """What the card says of itself below its title."""
    return draw(view, locale="en", now_ms=NOW_MS).json()["header"]["subtitle"]["content"]


def pictures(kind: str) -> list[str]:
    """The lines that show a kind's sheets."""
    lines = []
    for mode in MODES:
        found = sorted(DOCS.glob(f"{kind}-{mode.name}*.png"), key=lambda path: (len(path.name), path.name))
        shown = [f"![{kind}: {MODE_NAMES[mode.name]}](images/cards/{path.name})" for path in found]
        if mode is MODES[0]:
            lines += shown
        elif shown:
            lines += [f"<details><summary>{MODE_NAMES[mode.name]}</summary>", "", *shown, "", "</details>"]
        lines += [""] if shown else []
    return lines


def made(kind: str, views: dict[str, CardView]) -> str:
    """What stands between the marks."""
    rows = [f"| {state(view)} | {pressed(view)} | `{name}` |" for name, view in views.items()]
    lines = ["| State | What can be pressed | Picture |", "|---|---|---|", *rows, "", *pictures(kind)]
    return f"<!-- {kind} -->\n" + "\n".join(lines) + f"<!-- end of {kind} -->"


def heading(kind: str) -> str:
    """A kind's name as a heading."""
    return kind.replace("_", " ").capitalize()


def page(old: str) -> str:
    """The page anew, with the words that were written by hand."""
    kept = dict(re.findall(r"(?ms)^## ([\w ]+)\n\n(.*?)<!-- \w+ -->", old))
    sections = []
    for kind, views in kinds().items():
        name = heading(kind)
        sections.append(f"## {name}\n\n{kept.get(name, '')}{made(kind, views)}\n")
    return HEAD + "\n" + "\n".join(sections)


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""), encoding="utf-8")


if __name__ == "__main__":
    main()
