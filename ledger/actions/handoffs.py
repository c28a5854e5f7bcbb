"""Actions on the handing over of work: numbers 160 to 169."""

from ledger.actions.base import AGENTS, ANYONE, PEOPLE, WORKERS, Action
from ledger.rules import delegations, handoff_params, handoffs

ROWS: tuple[Action, ...] = (
    Action(
        name="todo.handoff",
        number=160,
        params=handoff_params.HandOff,
        who=WORKERS,
        decide=handoffs.decide_hand_off,
        example=(
            "todo handoff --goal-id docs --todo-id todo_000012 --to-agent helper --context 'Two pages are checked' "
            "--remaining-work 'Check install.md'"
        ),
    ),
    Action(
        name="todo.adopt",
        number=161,
        params=handoff_params.AdoptTodo,
        who=AGENTS,
        decide=handoffs.decide_adopt,
        example="todo adopt --goal-id docs --todo-id todo_000012 --idempotency-key run-2 --expected-version 1",
    ),
    Action(
        name="todo.delegate",
        number=162,
        params=handoff_params.DelegateTodo,
        who=PEOPLE,
        decide=delegations.decide_delegate,
        example=(
            "todo delegate --goal-id docs --agent-id helper --on-behalf-of builder --allowed-action complete "
            "--todo-id todo_000012 --reason 'Builder is away'"
        ),
    ),
    Action(
        name="todo.undelegate",
        number=163,
        params=handoff_params.UndelegateTodo,
        who=PEOPLE,
        decide=delegations.decide_undelegate,
        example="todo undelegate --goal-id docs --grant-id dlg_12",
    ),
    Action(
        name="todo.delegations",
        number=164,
        params=handoff_params.ListDelegations,
        who=ANYONE,
        example="todo delegations --goal-id docs",
    ),
)
