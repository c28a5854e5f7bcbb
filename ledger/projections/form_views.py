"""Views of forms: a goal's proposal or revision, and what somebody typed into a form that a card carries."""

from typing import Literal

import msgspec


class ChoiceView(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who can be chosen: the member's id, which is sent, and the name, which is read."""

    member_id: str
    name: str


class TypedView(msgspec.Struct, frozen=True, kw_only=True):
    """What one person typed into a form, and why it was not done; for that person's eyes alone.

    `action` is the action that the form sends, `values` are by input name.
    """

    action: str
    values: dict[str, str]
    problem_code: str | None
    problem_details: dict[str, str]


class FormView(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal form, blank or filled again after a refusal, or the form that revises a goal; `values` are by input.

    Input names: title, objective, criteria, non_goals, write_scopes, approvers, priority, allowed_slots, token_cap,
    cost_cap, budget, stop_conditions. A revision has no approvers: they are promised once.
    """

    status: Literal["open", "submitted", "over"]
    values: dict[str, str]
    problem_code: str | None
    problem_details: dict[str, str]
    goal_id: str | None
    revision: int = 0
    """The revision that it would replace; none for a proposal."""
    people: tuple[ChoiceView, ...] = ()
    """Who can be chosen where the chat has nobody to pick from."""
    material_chars: int = 0
    material_sha256: str = ""
    """A text that is attached to the proposal: it is longer than an input holds."""
    left_as_they_are: tuple[str, ...] = ()
    """Fields that are longer than an input holds: empty on the form, and unchanged unless something is typed."""

    @property
    def open(self) -> bool:
        """Whether it may still be submitted."""
        return self.status == "open"
