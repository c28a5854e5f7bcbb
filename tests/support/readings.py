"""Every document that can be read of a state: each reading action, for each goal and each thing that lists name."""

from contextlib import suppress

import msgspec
from pydantic import ValidationError

from ledger.canonical import digest_hex
from ledger.catalogue import ACTIONS, Action
from ledger.ids import MemberId
from ledger.params import Params
from ledger.projections.documents import READERS
from ledger.refusals import Refusal
from ledger.rules.common import Caller
from ledger.state import Workspace

NAMED_MAX = 5
"""How many things of one kind are read one by one."""
CALLERS = (
    Caller(member_id=MemberId("ann"), kind="person", surface="cli"),
    Caller(member_id=MemberId("builder"), kind="agent", surface="cli"),
)


def queries(workspace: Workspace) -> dict[str, Params]:
    """What can be asked, by the text of the question."""
    found: dict[str, Params] = {}
    for action in (ACTIONS[name] for name in READERS):
        for goal_id in workspace.goals if action.goal_bound else (None,):
            for given in _given(workspace, action, goal_id):
                with suppress(ValidationError):  # A name of another kind under the same key.
                    found[f"{action.name} {given}"] = action.params.model_validate(given)
    return found


def _given(workspace: Workspace, action: Action, goal_id: str | None) -> list[dict[str, str]]:
    needed = [name for name, field in action.params.model_fields.items() if field.is_required() and name != "goal_id"]
    given: list[dict[str, str]] = [{} if goal_id is None else {"goal_id": goal_id}]
    for name in needed:
        named = _of_workspace(workspace, name) if goal_id is None else _values(_lists(workspace, goal_id), name)
        ids = sorted(named)[-NAMED_MAX:]
        given = [{**one, name: value} for one in given for value in ids]
    return given


def _of_workspace(workspace: Workspace, name: str) -> set[str]:
    """What a document that is about no goal can be asked for."""
    return {*workspace.summaries.by_id} if name == "summary_id" else {*workspace.members}


def _lists(workspace: Workspace, goal_id: str) -> list[object]:
    """The documents of a goal that need no other name; they name the rest."""
    plain = [action for action in (ACTIONS[name] for name in READERS) if action.goal_bound and _only_goal(action)]
    return [_read(workspace, action.name, action.params.model_validate({"goal_id": goal_id})) for action in plain]


def _only_goal(action: Action) -> bool:
    return [name for name, field in action.params.model_fields.items() if field.is_required()] == ["goal_id"]


def _values(document: object, name: str) -> set[str]:
    if isinstance(document, dict):
        own = {document[name]} if isinstance(document.get(name), str) else set()
        return own.union(*(_values(value, name) for value in document.values()))
    return set().union(*(_values(value, name) for value in document)) if isinstance(document, list) else set()


def _read(workspace: Workspace, name: str, params: Params, caller: Caller = CALLERS[0]) -> object:
    answer = READERS[name](workspace, caller, params, workspace.at_ms)
    return answer.code.value if isinstance(answer, Refusal) else msgspec.to_builtins(answer)


def readings(workspace: Workspace) -> dict[str, str]:
    """A digest of each document, by who asked and what."""
    return {
        f"{caller.member_id}: {question}": digest_hex(_read(workspace, question.partition(" ")[0], params, caller))
        for question, params in queries(workspace).items()
        for caller in CALLERS
    }
