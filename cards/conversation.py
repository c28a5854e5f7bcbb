"""The cards of a conversation: which of them draws what."""

from typing import assert_never

from cards.attention import attention_card
from cards.digest import digest_card
from cards.elements import Card
from cards.help import help_card
from cards.missed import missed_card
from cards.which import which_card
from ledger.projections.chat_views import AttentionView, ChatPart, DigestView, HelpView, MissedView, WhichView
from ledger.projections.views import CardView
from ledger.text.say import Locale


def conversation_card(view: CardView, part: ChatPart, *, locale: Locale) -> Card:
    """Draw an answer, or one person's own list."""
    match part:
        case AttentionView():
            return attention_card(view, part, locale=locale)
        case DigestView():
            return digest_card(part, locale=locale)
        case HelpView():
            return help_card(part, locale=locale)
        case MissedView():
            return missed_card(view, part, locale=locale)
        case WhichView():
            return which_card(view, part, locale=locale)
        case _:
            assert_never(part)
