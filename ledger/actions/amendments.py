"""Actions on amendments: numbers 110 to 119."""

from ledger.actions.base import ANYONE, WORKERS, Action
from ledger.rules import amendment_params, amendments

ROWS: tuple[Action, ...] = (
    Action(
        name="amendment.submit",
        number=110,
        params=amendment_params.SubmitAmendment,
        who=WORKERS,
        decide=amendments.decide_submit,
        example="amendment submit --goal-id docs --amendment-class lane_route --why 'The release waits for it'"
        ' --operation \'{"op": "reprioritise", "todo_id": "todo_000012", "priority": "P0"}\'',
    ),
    Action(
        name="amendment.commit",
        number=111,
        params=amendment_params.CommitAmendment,
        who=WORKERS,
        decide=amendments.decide_commit,
        basis="state",
        example="amendment commit --goal-id docs --amendment-id amend_000012 --basis b1:…",
    ),
    Action(
        name="amendment.reject",
        number=112,
        params=amendment_params.RejectAmendment,
        who=WORKERS,
        decide=amendments.decide_reject,
        basis="state",
        example="amendment reject --goal-id docs --amendment-id amend_000012 --reason 'The old order is better'",
    ),
    Action(
        name="amendment.withdraw",
        number=113,
        params=amendment_params.WithdrawAmendment,
        who=WORKERS,
        decide=amendments.decide_withdraw,
        example="amendment withdraw --goal-id docs --amendment-id amend_000012",
    ),
    Action(
        name="amendment.rebase",
        number=114,
        params=amendment_params.RebaseAmendment,
        who=WORKERS,
        decide=amendments.decide_rebase,
        example="amendment rebase --goal-id docs --amendment-id amend_000012 --continue-todo todo_000012",
    ),
    Action(
        name="amendment.adopt",
        number=115,
        params=amendment_params.AdoptAmendment,
        who=WORKERS,
        decide=amendments.decide_adopt,
        example="amendment adopt --goal-id docs --amendment-id amend_000012 --todo-id todo_000012",
    ),
    Action(
        name="amendment.show",
        number=116,
        params=amendment_params.ShowAmendment,
        who=ANYONE,
        example="amendment show --goal-id docs --amendment-id amend_000012",
    ),
    Action(
        name="amendment.list",
        number=117,
        params=amendment_params.ListAmendments,
        who=ANYONE,
        example="amendment list --goal-id docs",
    ),
)
