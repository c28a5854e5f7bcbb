"""The rules of grants, credentials, delegations, deferrals and adoption as ladders, with their worlds."""

from ledger.rules.decisions import DecisionRefusal as D
from ledger.rules.deferrals import DeferralRefusal as F
from ledger.rules.delegations import DelegationRefusal as L
from ledger.rules.handoffs import HandoffRefusal as H
from ledger.rules.lease_transfer import ModeRefusal as Mode
from ledger.rules.leases import LeaseRefusal as R
from ledger.rules.member_grants import GrantRefusal as G
from ledger.rules.members import MemberRefusal as M
from ledger.rules.todos import TodoRefusal as T
from tests.support.ladder import Ladder, Rung
from tests.support.world import DOCS, World, digest

ONE = {"goal_id": DOCS, "todo_id": "todo_one"}
GO_ON = {"goal_id": DOCS, "text": "Go on?", "role": "user", "task_class": "user_gate"}


def ready(world: World, goal: dict[str, object]) -> None:
    """A goal with three todos: one to do, one that a helper may not touch, and one that is done."""
    world.activate(**({"owner": ["ann"]} | goal))
    world.add("todo_one")
    world.add("todo_barred", excluded_agent=["helper"])
    world.add("todo_done")
    world.finish("todo_done")


def stopped(world: World) -> None:
    """The goal is at its end."""
    world.do("ann", "goal.stop", goal_id=DOCS)


def revoked(world: World) -> None:
    """The builder is a member no more."""
    world.do("operator", "member.revoke", member_id="builder")


def granted(world: World, goal: dict[str, object]) -> None:
    """The builder was granted something."""
    ready(world, goal)
    world.do("ann", "member.grant", member_id="builder", action_kind=["check"])


def grant_id(world: World) -> str:
    """The grant."""
    return str(next(iter(world.state.authority.grants)))


def ended(world: World) -> None:
    """It was ended."""
    world.do("ann", "member.revoke-grant", grant_id=grant_id(world))


GRANT = Ladder(
    action="member.grant",
    who="ann",
    base=ready,
    params={"member_id": "builder", "goal_id": [DOCS], "write_scope": ["docs/**"]},
    rungs=(
        Rung(code=G.MEMBER_NOT_FOUND, params={"member_id": "nobody"}, alone=True),
        Rung(code=G.MEMBER_REVOKED, world=revoked, alone=True),
        Rung(code=G.NOT_AN_AGENT, params={"member_id": "bob"}),
        Rung(code=G.GRANT_GOAL_NOT_FOUND, params={"goal_id": ["nowhere"]}),
        Rung(code=G.NOT_AN_OWNER, who="bob"),
        Rung(code=G.GOAL_STATE_FORBIDS, world=World.over, late=True, alone=True),
        Rung(code=G.GRANT_NAMES_NOTHING, params={"goal_id": [], "write_scope": []}, alone=True),
        Rung(code=G.INVALID_WRITE_SCOPE, params={"write_scope": ["../x"]}),
    ),
)
END_GRANT = Ladder(
    action="member.revoke-grant",
    who="ann",
    base=granted,
    params={"grant_id": grant_id},
    rungs=(
        Rung(code=G.GRANT_NOT_FOUND, params={"grant_id": "grant_9999"}),
        Rung(code=G.NOT_AN_OWNER, who="bob"),
        Rung(code=G.GRANT_ALREADY_ENDED, world=ended),
    ),
)
PROFILE = Ladder(
    action="member.profile",
    who="builder",
    base=ready,
    params={"scope_summary": "Checks links"},
    rungs=(
        Rung(code=G.NOT_AN_AGENT, params={"member_id": "bob"}, alone=True),
        Rung(code=G.NOT_AN_OWNER, params={"member_id": "helper"}),
        Rung(code=G.PROFILE_ROLE_NOT_YOURS, params={"profile_role": "steward"}),
    ),
)


def issued(world: World, goal: dict[str, object]) -> None:
    """Two credentials."""
    ready(world, goal)
    for member_id in ("builder", "helper"):
        world.do("operator", "token.issue", member_id=member_id, secret_digest=digest(member_id))


def token_of(member_id: str):
    """The id of somebody's credential."""
    return lambda world: str(world.state.tokens[digest(member_id)].token_id)


ROTATE = Ladder(
    action="token.rotate",
    who="builder",
    base=issued,
    params={"token_id": token_of("builder"), "secret_digest": digest("new")},
    rungs=(
        Rung(code=M.TOKEN_NOT_FOUND, params={"token_id": token_of("helper")}, alone=True),
        Rung(
            code=M.TOKEN_ALREADY_REVOKED,
            world=lambda world: world.do("operator", "token.revoke", token_id=token_of("builder")(world)),
        ),
        Rung(code=M.SECRET_IN_USE, params={"secret_digest": digest("helper")}),
    ),
)
DELEGATE = Ladder(
    action="todo.delegate",
    who="ann",
    base=ready,
    params={
        "goal_id": DOCS,
        "agent_id": "helper",
        "on_behalf_of": "builder",
        "allowed_action": ["complete"],
        "todo_id": ["todo_one"],
        "reason": "Away",
    },
    rungs=(
        Rung(code=L.GOAL_CLOSED, world=stopped, late=True),
        Rung(code=L.NOT_AN_OWNER, who="bob"),
        Rung(code=L.ACTOR_NOT_REGISTERED, params={"on_behalf_of": "stranger"}, alone=True),
        Rung(code=L.DELEGATE_IS_HOLDER, params={"on_behalf_of": "helper"}),
        Rung(code=L.DELEGATION_NAMES_NOTHING, params={"todo_id": []}, alone=True),
        Rung(code=L.TODO_NOT_FOUND, params={"todo_id": ["todo_none", "todo_barred"]}),
        Rung(code=L.ACTOR_EXCLUDED, params={"todo_id": ["todo_barred"]}),
    ),
)
UNDELEGATE = Ladder(
    action="todo.undelegate",
    who="ann",
    base=ready,
    params={"goal_id": DOCS, "grant_id": "dlg_9999"},
    rungs=(Rung(code=L.NOT_AN_OWNER, who="bob"), Rung(code=L.DELEGATION_NOT_FOUND)),
    expected=L.DELEGATION_NOT_FOUND.value,
)


def after_one(world: World) -> None:
    """Other work waits for this one already."""
    world.add("todo_later", depends_on=["todo_one"])


DEFER = Ladder(
    action="todo.defer",
    who="builder",
    base=ready,
    params=ONE | {"resume_when": "todo_done:todo_barred"},
    rungs=(
        Rung(code=T.GOAL_CLOSED, world=stopped, late=True),
        Rung(code=T.TODO_NOT_FOUND, params={"todo_id": "todo_none"}),
        Rung(code=T.ACTOR_NOT_REGISTERED, who="stranger", alone=True),
        Rung(code=T.NOT_AN_OWNER, who="bob", alone=True),
        Rung(code=T.ACTOR_EXCLUDED, who="helper", params={"todo_id": "todo_barred", "resume_when": "pr_merged:x"}),
        Rung(code=F.TODO_NOT_OPEN, params={"todo_id": "todo_done"}),
        Rung(code=F.RESUME_TIME_PAST, params={"resume_when": "time:2020-01-01T00:00:00Z"}, alone=True),
        Rung(code=F.RESUME_TODO_NOT_FOUND, params={"resume_when": "todo_done:todo_none"}, alone=True),
        Rung(code=F.RESUME_TODO_ENDED, params={"resume_when": "todo_done:todo_done"}, alone=True),
        Rung(code=F.RESUME_WOULD_CYCLE, world=after_one, params={"resume_when": "todo_done:todo_later"}),
    ),
)
RESUME = Ladder(
    action="todo.resume",
    who="builder",
    base=ready,
    params=ONE,
    rungs=(
        Rung(code=T.GOAL_CLOSED, world=stopped, late=True),
        Rung(code=T.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=F.TODO_NOT_DEFERRED),
    ),
    expected=F.TODO_NOT_DEFERRED.value,
)


def orphaned(world: World, goal: dict[str, object]) -> None:
    """The builder's lease ran out."""
    ready(world, goal)
    world.lease("todo_one", ttl_seconds=60)
    world.now_ms += 60_000


def taken(world: World) -> None:
    """Somebody has a lease on it again."""
    world.lease("todo_one", by="builder", key="run-2")


ADOPT = Ladder(
    action="todo.adopt",
    who="helper",
    base=orphaned,
    params=ONE | {"idempotency_key": "run-9", "expected_version": 1},
    rungs=(
        Rung(code=H.GOAL_CLOSED, world=stopped, late=True),
        Rung(code=H.TODO_NOT_FOUND, params={"todo_id": "todo_none"}, alone=True),
        Rung(code=H.TODO_NOT_ORPHANED, world=taken),
        Rung(code=R.VERSION_MISMATCH, params={"expected_version": 7}),
        Rung(code=R.IDEMPOTENCY_KEY_REUSE, params={"idempotency_key": "run-1"}),
    ),
)
MODE = Ladder(
    action="goal.set-handoff-mode",
    who="ann",
    base=lambda world, goal: (ready(world, goal), world.lease("todo_one")),
    params={"goal_id": DOCS, "handoff_mode": "hard_lease"},
    rungs=(Rung(code=Mode.NOT_AN_OWNER, who="bob"), Rung(code=Mode.HANDOFF_MODE_NOT_QUIESCENT)),
    expected=Mode.HANDOFF_MODE_NOT_QUIESCENT.value,
)
UNCONFIRMED = Ladder(
    action="goal.set-handoff-mode",
    who="ann",
    base=lambda world, goal: world.propose(**goal),
    params=MODE.params,
    rungs=(Rung(code=Mode.GOAL_NOT_CONFIRMED, who="bob"),),
    expected=Mode.GOAL_NOT_CONFIRMED.value,
)
DECIDE = Ladder(
    action="todo.add",
    who="ann",
    base=ready,
    params=GO_ON | {"unblocks_todo_id": "todo_one"},
    rungs=(
        Rung(code=T.NOT_AN_OWNER, who="bob"),
        Rung(code=D.UNBLOCKED_NOT_FOUND, params={"unblocks_todo_id": "todo_done"}, alone=True),
        Rung(code=D.UNBLOCKED_COMES_FIRST, params={"depends_on": ["todo_one"]}),
    ),
)
LADDERS = (GRANT, END_GRANT, PROFILE, ROTATE, DELEGATE, UNDELEGATE, DEFER, RESUME, ADOPT, MODE, UNCONFIRMED, DECIDE)
