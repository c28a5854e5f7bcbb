"""The few sentences that the bot says by itself, because the daemon could not be asked or a card was refused."""

from typing import Final

from bot.backend import BackendFaultKind
from bot.lark import ToastType
from ledger.text.say import Locale, one_line

TITLE_CHARS_MAX: Final = 80

# What a presser reads when the daemon gave no answer: kind of toast, English, Chinese.
PRESS_TOASTS: Final[dict[BackendFaultKind, tuple[ToastType, str, str]]] = {
    BackendFaultKind.UNREACHABLE: (
        "warning",
        "The ledger cannot be reached right now. Nothing was applied; please press again in a moment.",
        "暂时无法连接账本，未作任何更改，请稍后再点一次。",
    ),
    BackendFaultKind.BUSY: (
        "warning",
        "The ledger is busy right now. Nothing was applied; please press again in a moment.",
        "账本正忙，未作任何更改，请稍后再点一次。",
    ),
    BackendFaultKind.UNKNOWN: (
        "warning",
        "The ledger did not answer, so the outcome is not known yet. Pressing again is safe: it is applied once.",
        "账本未及时答复，结果尚不确定。可以放心再点一次，只会生效一次。",
    ),
    BackendFaultKind.REFUSED: (
        "error",
        "The ledger did not take this press. Nothing was applied; ask for a fresh card.",
        "账本未接受此次点击，未作任何更改，请重新获取卡片。",
    ),
    BackendFaultKind.FAULT: (
        "error",
        "Something failed in the ledger. Look at the card, then press again: it is applied once.",
        "账本处理出错。请先查看卡片再点一次，只会生效一次。",
    ),
}


def fallback_text(goal_id: str | None, title: str, locale: Locale) -> str:
    """Says, in place of a card that the platform refused, what it was about and where it can be read."""
    if goal_id is None:
        return {
            "en": "A card could not be shown here. The command `frontstage goal propose` does the same.",
            "zh": "此处的卡片无法显示。可改用命令 `frontstage goal propose`。",
        }[locale]
    goal = one_line(goal_id)[:TITLE_CHARS_MAX]
    name = one_line(title)
    name = name if len(name) <= TITLE_CHARS_MAX else f"{name[:TITLE_CHARS_MAX]} […]"
    return {
        "en": f"The card of “{name}” ({goal}) could not be shown here. "
        f"All of it: frontstage goal show --goal-id {goal}",
        "zh": f"“{name}”（{goal}）的卡片无法在此显示。查看全部：frontstage goal show --goal-id {goal}",
    }[locale]
