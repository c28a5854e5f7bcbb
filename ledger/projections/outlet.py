"""The one way out: what is read of the ledger leaves through here, whatever made it.

Every reader of the table of documents is wrapped once, where the table is made, and every view of a card once, where
cards are made. Who reads decides what stands in a private goal's place: its owners, its approvers and those it was
granted to by name have a part in it, as have the agents that may work on it. A chat has none, whoever sits in it.

Those who have a part in a goal, private or not, may ask for the originals (`--full`): who decides must be able to read
all of it, and a digest that was approved is over the original, never over what was shown of it.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from ledger.detectors import credential_in
from ledger.ids import GoalId
from ledger.params import Params
from ledger.projections.form_views import FormView, TypedView
from ledger.projections.privacy import Rights, RightsIn, clip, screened
from ledger.projections.views import CardView, FieldView
from ledger.records import Outline
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller, decides, granted, refuse, registered
from ledger.state import Goal, Workspace

_Typed = TypeVar("_Typed", FormView, TypedView)
Document = dict[str, object]
Reader = Callable[[Workspace, Caller, Params, int], Document | Refusal]
TITLE_CHARS_MAX = 500


def through_the_filter(reader: Reader) -> Reader:
    """The same reader, of whose document nothing leaves that is withheld from the caller."""

    def read(workspace: Workspace, caller: Caller, asked: Params, now_ms: int) -> Document | Refusal:
        return filtered(workspace, caller, asked, reader(workspace, caller, asked, now_ms))

    return read


def filtered(workspace: Workspace, caller: Caller, asked: Params, made: Document | Refusal) -> Document | Refusal:
    """What this caller may see of a document that was made for these parameters, by what holds in this workspace.

    A document of the past goes through here a second time, with the present: a right that ended shows nothing of the
    past either.
    """
    if isinstance(made, Refusal):
        return made
    goal_id: str | None = getattr(asked, "goal_id", None)
    if not getattr(asked, "full", False):
        return screened(made, rights_of(workspace, caller), goal_id)
    goal = None if goal_id is None else workspace.goals.peek(GoalId(goal_id))
    if goal is not None and not has_part(workspace, goal, caller):
        return refuse(GeneralRefusal.ORIGINALS_NOT_YOURS, goal_id=goal.goal_id)
    return made


def shown_in_chat(workspace: Workspace, view: CardView) -> CardView:
    """A card's view as a chat may see it: each of its parts. What the bot alone reads (tokens, mentions) is no part."""
    goal_id, rights = None if view.goal is None else view.goal.goal_id, rights_of(workspace, None)
    parts: dict[str, object] = {"typed": tuple(map(_without_secrets, view.typed))}
    for name in view.__struct_fields__:
        part = getattr(view, name)
        if isinstance(part, FormView):
            parts[name] = _typed(part)
        elif isinstance(part, msgspec.Struct):
            parts[name] = screened(part, rights, goal_id)
    return msgspec.structs.replace(view, **parts)


def promise_in_chat(workspace: Workspace, goal_id: GoalId, values: Mapping[str, str]) -> dict[str, str]:
    """The fields of a promise as a chat may see them, each withheld whole or shown."""
    fields = tuple(FieldView(name=name, field_class="retained", items=(text,)) for name, text in values.items())
    return {field.name: field.items[0] for field in screened(fields, rights_of(workspace, None), goal_id)}


def title_in_chat(workspace: Workspace, goal: Outline) -> str:
    """A goal's title as a chat may see it."""
    row = {"goal_id": goal.goal_id, "display_name": clip(goal.title, TITLE_CHARS_MAX)}
    return str(screened(row, rights_of(workspace, None))["display_name"])


def rights_of(workspace: Workspace, caller: Caller | None) -> RightsIn:
    """What this caller is to a goal; nobody in particular is whoever sits in a chat."""

    def rights_in(goal_id: str) -> Rights:
        goal = workspace.goals.peek(GoalId(goal_id))
        if goal is None or not (goal.private if isinstance(goal, Outline) else goal.intent.private):
            return "open"
        return "member" if caller is not None and has_part(workspace, goal, caller) else "stranger"

    return rights_in


def has_part(workspace: Workspace, goal: Goal | Outline, caller: Caller) -> bool:
    """Whether the caller owns or approves the goal, or it is granted to them: to a person by name, never by `*`."""
    promised = goal if isinstance(goal, Outline) else goal.intent
    member = registered(workspace, caller.member_id)
    if member is None or caller.surface == "lark" or caller.kind != member.kind:
        return False
    if member.kind == "agent":
        return granted(member, goal.goal_id)
    if member.kind != "person":
        return False
    return (
        decides(promised.owners, member.member_id, workspace)
        or member.member_id in promised.approvers
        or goal.goal_id in member.goals
    )


def _typed(form: FormView) -> FormView:
    """What somebody typed into a form comes back to them, but for a secret: that is left out, and the form says so."""
    secret = next((name for name, text in form.values.items() if credential_in(text)), None)
    shown = _without_secrets(form)
    if secret is None or form.problem_code is not None or form.status != "open":
        return shown
    code = GeneralRefusal.CREDENTIAL_IN_TEXT.value
    return msgspec.structs.replace(shown, problem_code=code, problem_details={"field": secret})


def _without_secrets(typed: _Typed) -> _Typed:
    values = {name: "" if credential_in(text) else text for name, text in typed.values.items()}
    details = {name: "" if credential_in(text) else text for name, text in typed.problem_details.items()}
    return msgspec.structs.replace(typed, values=values, problem_details=details)
