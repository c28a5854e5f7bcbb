"""What a reader of the history wants: which events, which words, which explanation. All of it is in the address.

The names are those of the actions that are read. A field of a form that was left empty says nothing; what cannot be
understood is said beside the form, which keeps what was typed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import ValidationError

from daemon.api.edge import malformed
from ledger.params import Params
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.history_params import ExplainHistory, ListHistory, ListRefusals
from ledger.rules.search_params import FindWords

EVENTS_MAX = 40
"""Events on one page."""
FOUND_MAX = 20
REFUSED_MAX = 8
REFUSED_ALONE_MAX = 50
"""Refused attempts on a page that shows them alone."""
ABOUT = ("todo_id", "gate_id", "plan_id", "amendment_id", "request_id", "artifact_id", "member_id")
TYPED = ("goal_id", "actor", "kind", "from_seq", "to_seq", "order")
"""What the form has a field for; the others come from links."""
PAGING = ("after", "back", "query", "found_after", "why", "refused", "refused_after", "verify", "verify_again")
"""What of the address says where in the history one is, and not what is wanted of it."""
_EXPLAINED_BY = {
    "goal": None, "todo": "todo_id", "lease": "todo_id", "gate": "gate_id", "plan": "plan_id",
    "amendment": "amendment_id", "request": "request_id",
}  # fmt: skip
_Model = TypeVar("_Model", bound=Params)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """One address of the history, understood as far as it can be."""

    said: Mapping[str, str]
    """The filters as they were typed."""
    events: ListHistory | Refusal
    backwards: bool
    """Whether the page before is wanted: it is read the other way round, from where this one began."""
    query: str
    found: FindWords | Refusal | None
    why: ExplainHistory | Refusal | None
    refused: ListRefusals | Refusal
    alone: Literal["refused"] | None
    """Whether one list is wanted for itself."""

    @property
    def filtered(self) -> bool:
        """Whether not every event is wanted."""
        return bool(self.said.keys() - {"order"})


def wanted(query: Mapping[str, str]) -> Wanted:
    """What is asked for."""
    given = {name: text for name, value in query.items() if (text := value.strip())}
    said = {name: given[name] for name in (*TYPED, *ABOUT) if name in given}
    searched = given.get("query", "")
    alone: Literal["refused"] | None = "refused" if "refused" in given else None
    about_goal = {name: said[name] for name in ("goal_id",) if name in said}
    found_where = about_goal | {"query": searched, "limit": str(FOUND_MAX)} | _renamed(given, "after", "found_after")
    refused = about_goal | {name: said[name] for name in ("actor",) if name in said}
    refused |= {"limit": str(REFUSED_MAX if alone is None else REFUSED_ALONE_MAX)}
    return Wanted(
        said=said,
        events=_model(ListHistory, {**said, "limit": str(EVENTS_MAX), **_page(given, said)}),
        backwards="back" in given,
        query=searched,
        found=_model(FindWords, found_where) if searched else None,
        why=_why(given["why"], said) if "why" in given else None,
        refused=_model(ListRefusals, refused | _renamed(given, "after", "refused_after")),
        alone=alone,
    )


def _page(given: Mapping[str, str], said: Mapping[str, str]) -> dict[str, str]:
    if "back" not in given:
        return _renamed(given, "after", "after")
    order = said.get("order", "newest")
    turned = {"newest": "oldest", "oldest": "newest"}.get(order, order)
    return {"after": given["back"], "order": turned}


def _why(kind: str, said: Mapping[str, str]) -> ExplainHistory | Refusal:
    if kind not in _EXPLAINED_BY:
        return refuse(
            GeneralRefusal.MALFORMED_PARAMS, field="why", problem="must be one of " + ", ".join(_EXPLAINED_BY)
        )
    name = _EXPLAINED_BY[kind]
    needed = ("goal_id",) if name is None else ("goal_id", name)
    missing = next((one for one in needed if one not in said), None)
    if missing is not None:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="why", problem=f"needs {missing}")
    asked = {one: said[one] for one in needed} | ({"lease": "true"} if kind == "lease" else {})
    return _model(ExplainHistory, asked)


def _renamed(given: Mapping[str, str], name: str, said_as: str) -> dict[str, str]:
    return {name: given[said_as]} if said_as in given else {}


def _model(model: type[_Model], asked: Mapping[str, str]) -> _Model | Refusal:
    try:
        return model.model_validate_strings(asked)
    except ValidationError as error:
        return malformed(error)
