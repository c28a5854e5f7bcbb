"""Actions on gates and standing grants: numbers 90 to 99 and 170 to 179 but for 173."""

from ledger.actions.base import ANYONE, PEOPLE, WORKERS, Action, who
from ledger.rules import gate_life, gate_opening, gate_params, gate_votes

_NAMED = "--goal-id docs --gate-id gate_000012"

ROWS: tuple[Action, ...] = (
    Action(
        name="gate.open",
        number=90,
        params=gate_params.OpenGate,
        who=WORKERS,
        decide=gate_opening.decide_open,
        example="gate open --goal-id docs --question 'May we publish?' --kind publish --blocks-todo todo_site",
    ),
    Action(
        name="gate.approve",
        number=91,
        params=gate_params.ApproveGate,
        who=PEOPLE,
        decide=gate_votes.decide_approve,
        takes_code=True,
        basis="state",
        example=f"gate approve {_NAMED} --basis b1:…",
    ),
    Action(
        name="gate.reject",
        number=92,
        params=gate_params.RejectGate,
        who=PEOPLE,
        decide=gate_votes.decide_reject,
        basis="state",
        example=f"gate reject {_NAMED} --basis b1:… --reason 'The links are not checked yet'",
    ),
    Action(
        name="gate.defer",
        number=93,
        params=gate_params.DeferGate,
        who=PEOPLE,
        decide=gate_votes.decide_defer,
        basis="state",
        example=f"gate defer {_NAMED} --basis b1:… --remind-in-seconds 86400",
    ),
    Action(
        name="gate.cancel",
        number=94,
        params=gate_params.CancelGate,
        who=PEOPLE,
        decide=gate_votes.decide_cancel,
        basis="state",
        example=f"gate cancel {_NAMED} --basis b1:…",
    ),
    Action(
        name="gate.delegate",
        number=95,
        params=gate_params.DelegateGate,
        who=PEOPLE,
        decide=gate_life.decide_delegate,
        example=f"gate delegate {_NAMED} --to bob --for-seconds 86400",
    ),
    Action(
        name="gate.withdraw",
        number=96,
        params=gate_params.WithdrawGate,
        who=WORKERS,
        decide=gate_life.decide_withdraw,
        example=f"gate withdraw {_NAMED}",
    ),
    Action(
        name="gate.revise",
        number=97,
        params=gate_params.ReviseGate,
        who=WORKERS,
        decide=gate_life.decide_revise,
        example=f"gate revise {_NAMED} --question 'May the site be published without search?'",
    ),
    Action(name="gate.list", number=98, params=gate_params.ListGates, who=ANYONE, example="gate list --goal-id docs"),
    Action(name="gate.show", number=99, params=gate_params.ShowGate, who=ANYONE, example=f"gate show {_NAMED}"),
    Action(
        name="gate.revoke-grant",
        number=170,
        params=gate_params.RevokeGrant,
        who=PEOPLE,
        decide=gate_life.decide_revoke_grant,
        example="gate revoke-grant --grant-id standing_000013 --reason 'Ask each time from now on'",
    ),
    Action(
        name="gate.expire",
        number=171,
        params=gate_params.ExpireGate,
        who=who("daemon"),
        decide=gate_life.decide_expire,
        hidden=True,
    ),
    Action(
        name="gate.remind",
        number=172,
        params=gate_params.RemindGate,
        who=who("daemon"),
        decide=gate_life.decide_remind,
        hidden=True,
    ),
)
