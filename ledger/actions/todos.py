"""Actions on todos: numbers 40 to 49 and 150 to 159."""

from ledger.actions.base import AGENTS, ANYONE, WORKERS, Action, who
from ledger.rules import beginning, completion, deferrals, proposals, todo_params, todos

ROWS = (
    Action(
        name="todo.add",
        number=40,
        params=todo_params.AddTodo,
        who=WORKERS,
        decide=todos.decide_add,
        example="todo add --goal-id docs --text 'Check the links'",
    ),
    Action(
        name="todo.claim",
        number=41,
        params=todo_params.ClaimTodo,
        who=AGENTS,
        decide=beginning.decide_claim,
        example="todo claim --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="todo.release",
        number=42,
        params=todo_params.ReleaseTodo,
        who=WORKERS,
        decide=todos.decide_release,
        example="todo release --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="todo.update",
        number=43,
        params=todo_params.UpdateTodo,
        who=WORKERS,
        decide=todos.decide_update,
        example="todo update --goal-id docs --todo-id todo_000012 --priority P1",
    ),
    Action(
        name="todo.block",
        number=44,
        params=todo_params.BlockTodo,
        who=WORKERS,
        decide=todos.decide_block,
        example="todo block --goal-id docs --todo-id todo_000012 --reason 'The site is down'",
    ),
    Action(
        name="todo.complete",
        number=45,
        params=todo_params.CompleteTodo,
        who=WORKERS,
        decide=completion.decide_complete,
        example="todo complete --goal-id docs --todo-id todo_000012 --evidence art_000014",
    ),
    Action(
        name="todo.cancel",
        number=46,
        params=todo_params.CancelTodo,
        who=WORKERS,
        decide=todos.decide_cancel,
        example="todo cancel --goal-id docs --todo-id todo_000012",
    ),
    Action(name="todo.list", number=47, params=todo_params.ListTodos, who=ANYONE, example="todo list --goal-id docs"),
    Action(
        name="todo.ready", number=48, params=todo_params.ReadyTodos, who=ANYONE, example="todo ready --goal-id docs"
    ),
    Action(
        name="todo.defer",
        number=150,
        params=todo_params.DeferTodo,
        who=WORKERS,
        decide=deferrals.decide_defer,
        example="todo defer --goal-id docs --todo-id todo_000012 --resume-when todo_done:todo_000011",
    ),
    Action(
        name="todo.resume",
        number=151,
        params=todo_params.ResumeTodo,
        who=WORKERS,
        decide=deferrals.decide_resume,
        example="todo resume --goal-id docs --todo-id todo_000012 --reason 'The fix is merged'",
    ),
    Action(
        name="todo.wake",
        number=152,
        params=todo_params.WakeTodo,
        who=who("daemon"),
        decide=deferrals.decide_wake,
        hidden=True,
    ),
    Action(
        name="todo.admit",
        number=153,
        params=todo_params.AdmitTodo,
        who=WORKERS,
        decide=proposals.decide_admit,
        example="todo admit --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="todo.decline",
        number=154,
        params=todo_params.DeclineTodo,
        who=WORKERS,
        decide=proposals.decide_decline,
        example="todo decline --goal-id docs --todo-id todo_000012 --reason 'Not this year'",
    ),
)
