"""The table of actions: everything anybody can do or ask, declared once.

Command line, HTTP route, OpenAPI document, card button and audit line are all made from these rows. A row names its
parameters, who may ask, by which surfaces, and what decides; a reader may ask nothing that writes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from ledger.params import Params
from ledger.rules import (
    artifacts,
    completion,
    deliveries,
    goal_params,
    goals,
    leases,
    members,
    quota,
    todo_params,
    todos,
)
from ledger.rules.common import Caller, Decision
from ledger.state import Workspace

Who = Literal["operator", "owner", "person", "agent", "bot", "daemon", "anyone"]
"""Classes of callers. `person` and `agent` are any member of that kind; `owner` is any person with that role."""

Decider = Callable[[Workspace, Caller, Params, int], Decision]
Basis = Literal["none", "intent", "delivery", "state"]


@dataclass(frozen=True, kw_only=True)
class Action:
    """One thing that can be done or asked. `number` names it in button tokens and is never used again."""

    name: str
    number: int
    params: type[Params]
    who: frozenset[Who]
    decide: Callable[..., Decision] | None = None
    basis: Basis = "none"
    hidden: bool = False
    example: str = ""
    mints: str | None = None
    """The parameter that holds the digest of a secret which the command line makes and prints once."""

    goal_bound: bool = field(init=False)
    """Whether it is about one existing goal."""

    def __post_init__(self) -> None:
        goal = self.params.model_fields.get("goal_id")
        object.__setattr__(self, "goal_bound", goal is not None and goal.is_required())

    @property
    def writes(self) -> bool:
        """Whether it can change anything."""
        return self.decide is not None

    @property
    def noun(self) -> str:
        """The first half of its name."""
        return self.name.partition(".")[0]

    @property
    def verb(self) -> str:
        """The second half of its name."""
        return self.name.partition(".")[2]

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (self.params.__doc__ or "").strip().splitlines()[0]


def _who(*names: Who) -> frozenset[Who]:
    return frozenset(names)


_PEOPLE = _who("person")
_AGENTS = _who("agent")
_WORKERS = _who("person", "agent")
_OPERATOR = _who("operator", "owner")
_ANYONE = _who("anyone")

_ROWS = (
    Action(
        name="workspace.create",
        number=1,
        params=members.CreateWorkspace,
        who=_who("daemon"),
        decide=members.decide_create,
        hidden=True,
    ),
    Action(
        name="member.add",
        number=2,
        params=members.AddMember,
        who=_OPERATOR,
        decide=members.decide_add,
        example="member add --member-id builder --kind agent --display-name Builder",
    ),
    Action(
        name="member.revoke",
        number=3,
        params=members.RevokeMember,
        who=_OPERATOR,
        decide=members.decide_revoke,
        example="member revoke --member-id builder",
    ),
    Action(
        name="member.pair",
        number=4,
        params=members.PairMember,
        who=_OPERATOR,
        decide=members.decide_pair,
        mints="code_digest",
        example="member pair --member-id ann",
    ),
    Action(
        name="member.bind",
        number=5,
        params=members.BindIdentity,
        who=_who("bot"),
        decide=members.decide_bind,
        hidden=True,
    ),
    Action(name="member.list", number=6, params=members.ListMembers, who=_ANYONE, example="member list"),
    Action(
        name="token.issue",
        number=7,
        params=members.IssueToken,
        who=_OPERATOR,
        decide=members.decide_issue_token,
        mints="secret_digest",
        example="token issue --member-id builder",
    ),
    Action(
        name="token.revoke",
        number=8,
        params=members.RevokeToken,
        who=_OPERATOR,
        decide=members.decide_revoke_token,
        example="token revoke --token-id tok_12",
    ),
    Action(
        name="button-key.rotate",
        number=9,
        params=members.RotateButtonKey,
        who=_OPERATOR,
        decide=members.decide_rotate,
        example="button-key rotate --grace-seconds 86400",
    ),
    Action(
        name="goal.propose",
        number=20,
        params=goal_params.ProposeGoal,
        who=_WORKERS,
        decide=goals.decide_propose,
        example="goal propose --objective 'Check the docs' --criterion 'Every link works' --write-scope 'reports/**'",
    ),
    Action(
        name="goal.clarify",
        number=21,
        params=goal_params.ClarifyGoal,
        who=_WORKERS,
        decide=goals.decide_clarify,
        example="goal clarify --goal-id docs --question 'Which folder?' --option docs --option site",
    ),
    Action(
        name="goal.revise",
        number=22,
        params=goal_params.ReviseGoal,
        who=_WORKERS,
        decide=goals.decide_revise,
        basis="intent",
        example="goal revise --goal-id docs --criterion 'Every link and heading works'",
    ),
    Action(
        name="goal.confirm",
        number=23,
        params=goal_params.ConfirmGoal,
        who=_PEOPLE,
        decide=goals.decide_confirm,
        basis="intent",
        example="goal confirm --goal-id docs --basis b1:…",
    ),
    Action(
        name="goal.decline",
        number=24,
        params=goal_params.DeclineGoal,
        who=_PEOPLE,
        decide=goals.decide_decline,
        basis="intent",
        example="goal decline --goal-id docs --basis b1:… --reason 'Not now'",
    ),
    Action(
        name="goal.withdraw",
        number=25,
        params=goal_params.WithdrawGoal,
        who=_WORKERS,
        decide=goals.decide_withdraw,
        basis="intent",
        example="goal withdraw --goal-id docs",
    ),
    Action(
        name="goal.pause",
        number=26,
        params=goal_params.PauseGoal,
        who=_PEOPLE,
        decide=goals.decide_pause,
        basis="state",
        example="goal pause --goal-id docs",
    ),
    Action(
        name="goal.resume",
        number=27,
        params=goal_params.ResumeGoal,
        who=_PEOPLE,
        decide=goals.decide_resume,
        basis="state",
        example="goal resume --goal-id docs",
    ),
    Action(
        name="goal.stop",
        number=28,
        params=goal_params.StopGoal,
        who=_PEOPLE,
        decide=goals.decide_stop,
        basis="state",
        example="goal stop --goal-id docs --reason 'No longer needed'",
    ),
    Action(
        name="goal.adopt",
        number=29,
        params=goal_params.AdoptRevision,
        who=_AGENTS,
        decide=goals.decide_adopt,
        example="goal adopt --goal-id docs --revision 2",
    ),
    Action(
        name="goal.deliver",
        number=30,
        params=goal_params.DeliverGoal,
        who=_WORKERS,
        decide=deliveries.decide_deliver,
        example="goal deliver --goal-id docs --summary 'All 41 links work'",
    ),
    Action(
        name="goal.accept",
        number=31,
        params=goal_params.AcceptGoal,
        who=_PEOPLE,
        decide=deliveries.decide_accept,
        basis="delivery",
        example="goal accept --goal-id docs --basis b1:…",
    ),
    Action(
        name="goal.request-changes",
        number=32,
        params=goal_params.RequestChanges,
        who=_PEOPLE,
        decide=deliveries.decide_request_changes,
        basis="delivery",
        example="goal request-changes --goal-id docs --basis b1:… --reason 'Check anchors too'",
    ),
    Action(name="goal.show", number=33, params=goal_params.ShowGoal, who=_ANYONE, example="goal show --goal-id docs"),
    Action(name="goal.list", number=34, params=goal_params.ListGoals, who=_ANYONE, example="goal list"),
    Action(
        name="todo.add",
        number=40,
        params=todo_params.AddTodo,
        who=_WORKERS,
        decide=todos.decide_add,
        example="todo add --goal-id docs --text 'Check the links'",
    ),
    Action(
        name="todo.claim",
        number=41,
        params=todo_params.ClaimTodo,
        who=_AGENTS,
        decide=todos.decide_claim,
        example="todo claim --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="todo.release",
        number=42,
        params=todo_params.ReleaseTodo,
        who=_WORKERS,
        decide=todos.decide_release,
        example="todo release --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="todo.update",
        number=43,
        params=todo_params.UpdateTodo,
        who=_WORKERS,
        decide=todos.decide_update,
        example="todo update --goal-id docs --todo-id todo_000012 --priority P1",
    ),
    Action(
        name="todo.block",
        number=44,
        params=todo_params.BlockTodo,
        who=_WORKERS,
        decide=todos.decide_block,
        example="todo block --goal-id docs --todo-id todo_000012 --reason 'The site is down'",
    ),
    Action(
        name="todo.complete",
        number=45,
        params=todo_params.CompleteTodo,
        who=_WORKERS,
        decide=completion.decide_complete,
        example="todo complete --goal-id docs --todo-id todo_000012 --evidence art_000014",
    ),
    Action(
        name="todo.cancel",
        number=46,
        params=todo_params.CancelTodo,
        who=_WORKERS,
        decide=todos.decide_cancel,
        example="todo cancel --goal-id docs --todo-id todo_000012",
    ),
    Action(name="todo.list", number=47, params=todo_params.ListTodos, who=_ANYONE, example="todo list --goal-id docs"),
    Action(
        name="todo.ready", number=48, params=todo_params.ReadyTodos, who=_ANYONE, example="todo ready --goal-id docs"
    ),
    Action(
        name="task-lease.acquire",
        number=50,
        params=leases.AcquireLease,
        who=_AGENTS,
        decide=leases.decide_acquire,
        example="task-lease acquire --goal-id docs --todo-id todo_000012 --idempotency-key run-1 --ttl-seconds 900",
    ),
    Action(
        name="task-lease.renew",
        number=51,
        params=leases.RenewLease,
        who=_AGENTS,
        decide=leases.decide_renew,
        example="task-lease renew --goal-id docs --todo-id todo_000012 --idempotency-key run-1 --expected-version 1",
    ),
    Action(
        name="task-lease.release",
        number=52,
        params=leases.ReleaseLease,
        who=_AGENTS,
        decide=leases.decide_release,
        example="task-lease release --goal-id docs --todo-id todo_000012 --idempotency-key run-1 --expected-version 2",
    ),
    Action(
        name="task-lease.inspect",
        number=53,
        params=leases.InspectLease,
        who=_ANYONE,
        example="task-lease inspect --goal-id docs --todo-id todo_000012",
    ),
    Action(
        name="task-lease.expire",
        number=54,
        params=leases.ExpireLease,
        who=_who("daemon"),
        decide=leases.decide_expire,
        hidden=True,
    ),
    Action(
        name="artifact.submit",
        number=60,
        params=artifacts.SubmitArtifact,
        who=_WORKERS,
        decide=artifacts.decide_submit,
        example="artifact submit --goal-id docs --todo-id todo_000012 --label report.json --sha256 … --size-bytes 812",
    ),
    Action(
        name="artifact.list",
        number=61,
        params=artifacts.ListArtifacts,
        who=_ANYONE,
        example="artifact list --goal-id docs",
    ),
    Action(
        name="quota.should-run",
        number=70,
        params=quota.ShouldRun,
        who=_ANYONE,
        example="quota should-run --goal-id docs --agent-id builder",
    ),
    Action(name="status.show", number=80, params=quota.ShowStatus, who=_ANYONE, example="status"),
)

ACTIONS: dict[str, Action] = {action.name: action for action in _ROWS}
BY_NUMBER: dict[int, Action] = {action.number: action for action in _ROWS}
