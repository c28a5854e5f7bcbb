"""What the cards of a conversation share: the button of a row, and pieces of a line put together."""

from cards.elements import Button, ButtonKind, Part
from cards.text import Copy, Words
from ledger.projections.views import CardView

_SIGN = " · "


def opener(view: CardView, name: str, label: Copy, *, kind: ButtonKind = "default") -> tuple[Part, ...]:
    """The button of a row, which opens something and changes nothing; none where it has no token."""
    token = view.tokens.get(name)
    return () if token is None else (Button(label=label, action=name, token=token, kind=kind),)


def numbered(label: Copy, at: int, of: int) -> Copy:
    """The label of one row's button; where there are several, with the row's number, so that each says which it is."""
    return label if of <= 1 else Copy(f"{label.en} ({at})", f"{label.zh}（{at}）")


def number_of(at: int, of: int) -> str:
    """What a row begins with where there are several."""
    return f"{at}. " if of > 1 else ""


def line(*pieces: Copy | Words | str) -> Copy:
    """The pieces on one line, in both languages; what is empty is left out."""
    both = [one if isinstance(one, Copy) else _same(one) for one in pieces]
    return Copy(_SIGN.join(one.en for one in both if one.en), _SIGN.join(one.zh for one in both if one.zh))


def lines(rows: list[Copy]) -> Copy:
    """Rows under each other."""
    return Copy("\n".join(row.en for row in rows), "\n".join(row.zh for row in rows))


def _same(piece: Words | str) -> Copy:
    text = piece.text if isinstance(piece, Words) else Words(piece).text
    return Copy(text, text)
