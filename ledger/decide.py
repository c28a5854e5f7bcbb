"""Deciding: from a command and the state to all its events, or to the first rule it breaks.

A pure function on values. Who may ask at all is checked before anything about the subject is, so that a refusal
tells a stranger nothing; then the subject must exist; then the family's own rules speak.
"""

from collections.abc import Mapping

import msgspec

from ledger.catalogue import ACTIONS, Action
from ledger.ids import GoalId
from ledger.params import Params
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller, Decision, refuse, registered
from ledger.rules.erasures import Mentioned
from ledger.rules.goals import GoalRefusal
from ledger.rules.secrets_kept_out import credential_field
from ledger.rules.tokens import IssueToken, out_of_scope, unknown_action
from ledger.state import Workspace

MEMBER_KINDS = frozenset({"person", "agent", "bot"})
"""Callers who are members; the operator and the daemon are not."""


def may_ask(workspace: Workspace, action: Action, caller: Caller) -> bool:
    """Whether this kind of caller may ask for the action at all."""
    if "anyone" in action.who or caller.kind in action.who:
        return True
    member = workspace.members.get(caller.member_id)
    return "owner" in action.who and member is not None and not member.revoked and "owner" in member.roles


def decide(
    workspace: Workspace,
    action: Action,
    caller: Caller,
    params: Params,
    now_ms: int,
    mentioned: Mapping[int, Mentioned] | None = None,
) -> Decision:
    """All events of one command, or what already holds, or the refusal. `now_ms` is ledger time.

    `mentioned` is what the log says of the events that the parameters name, for an action that names any.
    """
    member = registered(workspace, caller.member_id)
    if caller.kind in MEMBER_KINDS and (member is None or member.kind != caller.kind):
        # The credential was good when it was looked at; what counts is the state that this command will change.
        return refuse(GeneralRefusal.CREDENTIAL_REVOKED)
    if (broken := out_of_scope(workspace, caller, action.name, getattr(params, "goal_id", None))) is not None:
        return broken
    if not may_ask(workspace, action, caller):
        return refuse(GeneralRefusal.NOT_PERMITTED, action=action.name, needs=sorted(action.who))
    if (field := credential_field(params)) is not None:
        return refuse(GeneralRefusal.CREDENTIAL_IN_TEXT, field=field)
    if isinstance(params, IssueToken) and (broken := unknown_action(params.allowed_action, ACTIONS)) is not None:
        return broken
    if action.goal_bound:
        goal_id = GoalId(params.goal_id)  # type: ignore[attr-defined]  # goal_bound says that the field is there
        if goal_id not in workspace.goals:
            return refuse(GoalRefusal.GOAL_NOT_FOUND, goal_id=goal_id)
    assert action.decide is not None, f"{action.name} only reads"
    if action.names_events:
        return action.decide(workspace, caller, params, now_ms, mentioned or {})
    return _with_its_show(action, params, action.decide(workspace, caller, params, now_ms))


def _with_its_show(action: Action, params: Params, decision: Decision) -> Decision:
    """A refusal for want of a basis says which command prints the one of this very subject."""
    if not isinstance(decision, Refusal) or decision.code.value != GeneralRefusal.BASIS_REQUIRED.value:
        return decision
    named = (name for name in ("goal_id", f"{action.noun}_id") if getattr(params, name, None) is not None)
    ids = "".join(f" --{name.replace('_', '-')} {getattr(params, name)}" for name in dict.fromkeys(named))
    return msgspec.structs.replace(decision, details={**decision.details, "shown_by": f"{action.noun} show{ids}"})
