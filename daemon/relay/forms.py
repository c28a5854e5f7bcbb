"""Forms: what a person typed, from input names to parameters and back.

Nothing that was typed is lost: a refused form keeps its values and is drawn filled again. Open forms live in memory;
losing them costs a person the refill, never an effect.
"""

from dataclasses import dataclass, field, replace

from ledger.catalogue import Action
from ledger.projections.views import FormView

FORMS_MAX = 2_000
_LISTS = {
    "criteria": "criterion",
    "non_goals": "non_goal",
    "stop_conditions": "stop_condition",
    "write_scopes": "write_scope",
    "constraints": "constraint",
}
_TEXTS = {"title": "title", "objective": "objective", "budget": "budget", "answer": "answer", "reason": "reason"}
TITLE_INPUT_CHARS_MAX = 120


@dataclass(frozen=True, slots=True)
class OpenForm:
    """One form card: what is in it, what was wrong, how often it was submitted."""

    values: dict[str, str] = field(default_factory=dict)
    problem_code: str | None = None
    problem_details: dict[str, str] = field(default_factory=dict)
    goal_id: str | None = None
    submissions: int = 0

    def view(self) -> FormView:
        """As a card draws it."""
        return FormView(
            status="open" if self.goal_id is None else "submitted",
            values=self.values,
            problem_code=self.problem_code,
            problem_details=self.problem_details,
            goal_id=self.goal_id,
        )


class Forms:
    """The open forms by slot."""

    def __init__(self) -> None:
        self._open: dict[str, OpenForm] = {}

    def open(self, slot: str, values: dict[str, str]) -> None:
        """Open a form; the oldest gives way when there are too many."""
        if len(self._open) >= FORMS_MAX:
            del self._open[next(iter(self._open))]
        self._open.setdefault(slot, OpenForm(values=values))

    def find(self, slot: str) -> OpenForm | None:
        """The form of a slot, if it is remembered."""
        return self._open.get(slot)

    def refused(self, slot: str, values: dict[str, str], code: str, details: dict[str, object]) -> None:
        """Keep what was typed beside what was wrong with it; the next submission gets a new nonce."""
        form = self._open.get(slot, OpenForm())
        plain = {name: str(value) for name, value in details.items()}
        self._open[slot] = replace(
            form, values=values, problem_code=code, problem_details=plain, submissions=form.submissions + 1
        )

    def submitted(self, slot: str, values: dict[str, str], goal_id: str) -> None:
        """Close a form that became a goal."""
        form = self._open.get(slot, OpenForm())
        self._open[slot] = replace(form, values=values, problem_code=None, problem_details={}, goal_id=goal_id)


def to_parameters(action: Action, form: dict[str, str]) -> dict[str, object]:
    """Input values as parameters of the action; lists are one a line. Empty inputs are left out."""
    known = action.params.model_fields
    parameters: dict[str, object] = {}
    for name, value in form.items():
        if name in _LISTS and _LISTS[name] in known:
            lines = [line.strip() for line in value.splitlines() if line.strip()]
            if lines:
                parameters[_LISTS[name]] = lines
        elif name in _TEXTS and _TEXTS[name] in known and value.strip():
            parameters[_TEXTS[name]] = value.strip()
    return parameters
