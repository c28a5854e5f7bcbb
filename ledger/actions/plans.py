"""Actions on plans: numbers 100 to 109."""

from ledger.actions.base import ANYONE, WORKERS, Action
from ledger.rules import plan_params, plans

ROWS: tuple[Action, ...] = (
    Action(
        name="plan.propose",
        number=100,
        params=plan_params.ProposePlan,
        who=WORKERS,
        decide=plans.decide_propose,
        example='plan propose --goal-id docs --lane \'{"lane_id": "links", "title": "Check the links"}\'',
    ),
    Action(
        name="plan.confirm",
        number=101,
        params=plan_params.ConfirmPlan,
        who=WORKERS,
        decide=plans.decide_confirm,
        basis="state",
        example="plan confirm --goal-id docs --plan-id plan_000012 --basis b1:…",
    ),
    Action(
        name="plan.reject",
        number=102,
        params=plan_params.RejectPlan,
        who=WORKERS,
        decide=plans.decide_reject,
        basis="state",
        example="plan reject --goal-id docs --plan-id plan_000012 --reason 'Two lanes do the same'",
    ),
    Action(
        name="plan.withdraw",
        number=103,
        params=plan_params.WithdrawPlan,
        who=WORKERS,
        decide=plans.decide_withdraw,
        example="plan withdraw --goal-id docs --plan-id plan_000012",
    ),
    Action(
        name="plan.show",
        number=104,
        params=plan_params.ShowPlan,
        who=ANYONE,
        example="plan show --goal-id docs --plan-id plan_000012",
    ),
    Action(name="plan.list", number=105, params=plan_params.ListPlans, who=ANYONE, example="plan list --goal-id docs"),
)
