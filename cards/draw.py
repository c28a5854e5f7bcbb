"""From a view to a card: the one door.

Drawing is a pure function of the view, the locale and the moment. The moment only decides whether a claim has
ended; no age and no clock of ours is on a card, so a card that nothing happened to stays the same to the byte.
"""

import hashlib
from dataclasses import replace
from typing import assert_never

from cards.acceptance import acceptance_card
from cards.amendment import amendment_card
from cards.budget import encoded
from cards.conversation import conversation_card
from cards.elements import Button, Card, Columns, Form, Inner, Panel, Part
from cards.form import form_card
from cards.gate import gate_card
from cards.goal import goal_card
from cards.identity import identity_card
from cards.members import members_card
from cards.plan import plan_card
from cards.request import request_card
from cards.result import result_card
from cards.review import review_card
from cards.summary import summary_card
from cards.told import told_card
from ledger.projections.amendment_views import AmendmentView
from ledger.projections.chat_views import AttentionView, DigestView, HelpView, MissedView, WhichView
from ledger.projections.form_views import FormView
from ledger.projections.gate_views import GateView
from ledger.projections.identity_views import (
    AwayView,
    ChannelView,
    InvitationView,
    InviteView,
    PairingView,
    UnshownView,
)
from ledger.projections.member_views import MembersView
from ledger.projections.plan_views import PlanView
from ledger.projections.request_views import RequestView
from ledger.projections.summary_views import SummaryView
from ledger.projections.told_views import ToldView
from ledger.projections.views import AcceptanceView, CardView, GoalView, ResultView, ReviewView
from ledger.text.say import Locale


def draw(view: CardView, *, locale: Locale, now_ms: int) -> Card:
    """Draw what this view is of."""
    return replace(_drawn(view, locale, now_ms), button_key=view.button_key)


def _drawn(view: CardView, locale: Locale, now_ms: int) -> Card:
    part = view.part
    match part:
        case FormView():
            return form_card(view, part, locale=locale)
        case MembersView():
            return members_card(part, locale=locale, now_ms=now_ms)
        case InvitationView() | InviteView() | PairingView() | ChannelView() | UnshownView() | AwayView():
            return identity_card(view, part, locale=locale)
        case SummaryView():
            return summary_card(part, locale=locale)
        case ResultView():
            return result_card(view, part, locale=locale)
        case AttentionView() | DigestView() | HelpView() | MissedView() | WhichView():
            return conversation_card(view, part, locale=locale)
        case _:
            return _of_goal(view, part, locale, now_ms)


_OfGoal = ReviewView | GoalView | AcceptanceView | GateView | PlanView | AmendmentView | RequestView | ToldView


def _of_goal(view: CardView, part: _OfGoal, locale: Locale, now_ms: int) -> Card:
    match part:
        case ReviewView():
            return review_card(view, _goal(view), part, locale=locale)
        case GoalView():
            return goal_card(view, part, locale=locale, now_ms=now_ms)
        case AcceptanceView():
            return acceptance_card(view, _goal(view), part, locale=locale)
        case GateView():
            return gate_card(view, _goal(view), part, locale=locale)
        case PlanView():
            return plan_card(view, _goal(view), part, locale=locale)
        case AmendmentView():
            return amendment_card(view, _goal(view), part, locale=locale)
        case RequestView():
            return request_card(view, _goal(view), part, locale=locale)
        case ToldView():
            return told_card(view, _goal(view), part, locale=locale)
        case _:
            assert_never(part)


def _goal(view: CardView) -> GoalView:
    if view.goal is None:
        raise ValueError("a view of this kind carries its goal")
    return view.goal


def encode(card: Card) -> bytes:
    """The card's JSON, as it is put into a message."""
    return encoded(card.json())


def fingerprint(card: Card) -> str:
    """What a reader would notice: the card with action names in place of tokens, and what its presses stand on.

    A token that was minted anew is no change. Another promise under the same words is one, and so is another key: the
    buttons of the key before end, though they look the same.
    """
    bare = replace(card, parts=tuple(_bare(part) for part in card.parts))
    return hashlib.sha256(
        encoded({"card": bare.json(), "basis": card.basis, "button_key": card.button_key})
    ).hexdigest()


def _bare(part: Part) -> Part:
    match part:
        case Form() | Panel():
            return replace(part, parts=tuple(_bare_inner(inner) for inner in part.parts))
        case _:
            return _bare_inner(part)


def _bare_inner(part: Inner) -> Inner:
    match part:
        case Button():
            return replace(part, token=part.action)
        case Columns():
            return replace(part, columns=tuple(tuple(_bare_inner(one) for one in column) for column in part.columns))
        case _:
            return part
