"""Moves on members, their credentials and their rights."""

from ledger.state import Goal
from tests.support.walks.base import AGENTS, KEYS, SCOPES, Move, Walk, given
from tests.support.world import digest

OPERATOR = "operator"
COMERS = ("guest", "painter", "painter-2", "bot")
GRANTS: tuple[dict[str, object], ...] = (
    {"action_kind": ["check"]}, {"action_kind": ["*"]}, {"write_scope": ["docs/**", "reports"]},
    {"capability": ["gpu"]}, {"action_kind": ["check", "publish"], "write_scope": ["**"]},
)  # fmt: skip
WRONG_GRANTS: tuple[dict[str, object], ...] = ({}, {"write_scope": ["../x"]}, {"goal_id": ["none"]})


def grant(walk: Walk, goal: Goal) -> Move:
    """An owner lets an agent do something, mostly for a while and on this goal."""
    params: dict[str, object] = {
        "member_id": walk.anybody() if walk.slip() else walk.choose(("helper", "dreamer", "stranger", "critic")),
        "goal_id": [goal.goal_id] if not walk.one_in(6) else [],
        **walk.choose(WRONG_GRANTS if walk.one_in(5) else GRANTS),
    }
    if not walk.one_in(3):
        params["ttl_seconds"] = walk.choose((60, 3_600))
    return Move("bob" if walk.one_in(6) else walk.person(), "member.grant", params)


def end_grant(walk: Walk, _goal: Goal) -> Move:
    """Take one back; or the daemon looks whether it is over."""
    grants = [*walk.state.authority.grants]
    grant_id = walk.choose(grants) if grants and not walk.slip() else "grant_1"
    if walk.one_in(4):
        return Move("daemon", "member.end-grant", {"grant_id": grant_id})
    return Move(walk.person(), "member.revoke-grant", {"grant_id": grant_id})


def use_grant(walk: Walk, goal: Goal) -> Move:
    """Somebody who was granted something begins work, in time or too late."""
    about = [one for one in walk.state.authority.grants.values() if goal.goal_id in one.goal_ids]
    if not about:
        return grant(walk, goal)
    over = [one for one in about if not one.ended and one.until_ms is not None and one.until_ms <= walk.at_ms]
    one = walk.choose(over if over and walk.one_in(2) else about)
    needs_it = [todo.todo_id for todo in goal.todos.values() if {*one.capabilities} & {*todo.required_capabilities}]
    who, todo_id = one.member_id, walk.choose(needs_it) if needs_it and walk.one_in(2) else walk.free(goal)
    if walk.one_in(2) or goal.intent.handoff_mode == "hard_lease":
        asked = {"todo_id": todo_id, "idempotency_key": walk.choose(KEYS), "write_scope": [walk.choose(SCOPES)]}
        return Move(who, "task-lease.acquire", given(goal, asked))
    return Move(who, "todo.claim", given(goal, {"todo_id": todo_id}))


def profile(walk: Walk, _goal: Goal) -> Move:
    """An agent describes itself, or is described."""
    params: dict[str, object] = {"scope_summary": "Checks links", "preferred_action_kind": ["check"]}
    if walk.one_in(3):
        params |= {"profile_role": "steward"}
    if walk.slip():
        params |= {"member_id": walk.anybody(), "profile_role": walk.choose(("steward", "executor"))}
    return Move(walk.choose(AGENTS), "member.profile", params)


def come_or_go(walk: Walk, _goal: Goal) -> Move:
    """Somebody comes, or is revoked: seldom one of those who do the work."""
    if walk.one_in(2):
        who = walk.choose(("bob", "helper", "operator")) if walk.slip() else walk.choose(COMERS)
        about: dict[str, object] = {"member_id": who, "kind": "agent", "display_name": who}
        about |= walk.choose(
            ({"capability": ["docs", "gpu"]}, {"capability": ["docs"]}, {"kind": "person", "role": ["owner"]})
        )
        return Move(OPERATOR, "member.add", about | ({"role": ["viewer"]} if walk.slip() else {}))
    often = [name for name in COMERS if name in walk.state.members]
    gone = (
        walk.choose(("helper", "bob", "ann", "nobody", "operator", "cat"))
        if walk.one_in(4) or not often
        else walk.choose(often)
    )
    return Move(OPERATOR, "member.revoke", {"member_id": gone})


def credential(walk: Walk, goal: Goal) -> Move:
    """A token is issued, rotated or revoked."""
    tokens = [*walk.state.tokens_by_id]
    secret = digest("ann") if walk.slip() else digest(f"secret {walk.state.seq}")
    token_id = walk.choose(tokens) if tokens and not walk.slip() else "tok_99999"
    match walk.choose(("issue", "issue", "rotate", "revoke")):
        case "issue":
            who = walk.anybody() if walk.slip() else walk.choose(("builder", "helper"))
            scope = walk.choose(({"allowed_action": ["todo"]}, {"goal_id": [goal.goal_id]}, {}))
            return Move(OPERATOR, "token.issue", {"member_id": who, "secret_digest": secret, **scope})
        case "rotate":
            params = {"token_id": token_id, "secret_digest": secret, "grace_seconds": walk.choose((0, 60))}
            return Move(walk.choose((OPERATOR, "builder")), "token.rotate", params)
        case _:
            return Move(OPERATOR, "token.revoke", {"token_id": token_id})


def bind(walk: Walk, _goal: Goal) -> Move:
    """A person is offered a code, or somebody sends one."""
    if walk.one_in(2) or not walk.state.pairings:
        who = walk.anybody() if walk.slip() else walk.choose(("ann", "bob"))
        code = digest(f"code {walk.state.seq % 7}")
        return Move(OPERATOR, "member.pair", {"member_id": who, "code_digest": code, "ttl_seconds": 60})
    code = digest("never") if walk.slip() else walk.choose([*walk.state.pairings])
    names = {"tenant_key": "t", "app_id": "a", "open_id": "o", "union_id": "u"}
    params = {"code_digest": code, "identity_digest": digest(f"identity {walk.choose(range(2))}")}
    return Move("bot", "member.bind", params | names)


def enrol(walk: Walk, _goal: Goal) -> Move:
    """A person may give one-time codes from now on, or anew."""
    who = walk.anybody() if walk.slip() else walk.person()
    return Move(OPERATOR, "member.enrol-code", {"member_id": who})


def odd(walk: Walk, _goal: Goal) -> Move:
    """What happens seldom: a new button key, a ledger that is begun twice."""
    if walk.slip():
        begun = {"name": "Again", "incarnation": "1" * 32, "owner": "eve", "owner_name": "Eve"}
        secrets = {"owner_secret_digest": digest("eve"), "bot_secret_digest": digest("other")}
        return Move("daemon", "workspace.create", begun | secrets)
    return Move(OPERATOR, "button-key.rotate", {"grace_seconds": 60})


COMMANDS = (
    *(grant,) * 4,
    *(end_grant,) * 2,
    *(use_grant,) * 3,
    profile,
    *(come_or_go,) * 3,
    *(credential,) * 2,
    *(bind,) * 2,
    enrol,
    odd,
)
