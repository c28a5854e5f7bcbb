"""The form that asks for one text: why, or what must change; filled in again where it was refused."""

from cards import typed
from cards.actions import button, offered
from cards.elements import Form, Inner, Input
from cards.text import copy
from ledger.projections.views import CardView

REASON_CHARS_MAX = 1000


def reason_form(view: CardView, action: str, *, label: str, required: bool) -> tuple[Form, ...]:
    """One text and the button that sends it with its action; nothing where the action is not offered."""
    name = offered(view, action)
    if name is None:
        return ()
    field = Input(
        name="reason",
        label=copy(label),
        placeholder=copy("card.reason.placeholder"),
        chars_max=REASON_CHARS_MAX,
        value=typed.value(view, "reason", REASON_CHARS_MAX, action),
        rows=2,
        required=required,
    )
    parts: tuple[Inner, ...] = (*typed.problem(view, action), field, button(view, name, submits=True))
    return (Form(name="reason_form", parts=parts),)
