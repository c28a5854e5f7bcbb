"""What an owner may do about a member, as lines for a shell: nothing of it is done here.

Each line comes from the table of actions, with what is known filled in. What only the person who runs it can know is
left open, as dots after its flag, so that a line that is not finished cannot be run by mistake.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from daemon.api.envelope import command_line, flag_of
from daemon.web.agent_shapes import Hold
from daemon.web.lines import left_open
from daemon.web.workload import Untaken
from ledger.catalogue import ACTIONS
from ledger.text.pieces import Doc

EACH_MAX: Final = 3
"""Lines of one kind, where there is one for each credential, grant or piece of work."""


class Line(NamedTuple):
    """A line with what it would do, and whether that can be taken back."""

    key: str
    about: str
    """Which of several things it is about; empty where there is one."""
    line: str
    ends: bool = False


def line_of(action: str, /, *asked: str, **known: object) -> str:
    """The line of an action, with the parameters that are still to be given left open."""
    params = ACTIONS[action].params
    known_line = command_line(ACTIONS[action], params.model_construct(None, **known))
    return " ".join([known_line, *(f"{flag_of(name)} {left_open(flag_of(name))}" for name in asked)])


def lines_for_agent(
    agent_id: str, binding: Doc, tokens: Sequence[Doc], grants: Sequence[Doc], holds: Sequence[Hold]
) -> list[Line]:
    """What may be done about an agent, the harmless first."""
    active = [str(one.get("token_id")) for one in _standing(tokens, "active")]
    in_force = [str(one.get("grant_id")) for one in _standing(grants, "in_force")]
    return [
        *_connection(agent_id, binding),
        Line("grant", "", line_of("member.grant", "goal_id", "write_scope", member_id=agent_id)),
        *_work(agent_id, holds),
        *[Line("rotate", one, line_of("token.rotate", token_id=one)) for one in active],
        *[Line("revoke_grant", one, line_of("member.revoke-grant", grant_id=one)) for one in in_force],
        *[Line("revoke_token", one, line_of("token.revoke", token_id=one), ends=True) for one in active],
        Line("revoke", "", line_of("member.revoke", member_id=agent_id), ends=True),
    ]


def _connection(agent_id: str, binding: Doc) -> list[Line]:
    """Connecting and testing are commands of the machine and not of the ledger."""
    if not binding:
        return [Line("connect", "", f"frontstage agent connect <runtime> --agent-id {agent_id} --goal-id <goal-id>")]
    return [] if binding.get("state") == "qualified" else [Line("qualify", "", f"frontstage agent qualify {agent_id}")]


def _standing(rows: Sequence[Doc], status: str) -> list[Doc]:
    return [one for one in rows if one.get("status") == status][:EACH_MAX]


def _work(agent_id: str, holds: Sequence[Hold]) -> list[Line]:
    """Work goes back to everybody by the release of a claim; what is under a lease, another may be let act on."""
    lines: list[Line] = []
    for hold in holds[:EACH_MAX]:
        of_work = {"goal_id": hold.goal_id, "todo_id": hold.todo_id}
        if hold.kind == "soft_claim":
            lines.append(Line("release", hold.todo_id, line_of("todo.release", **of_work)))
        else:
            delegated = line_of(
                "todo.delegate", "agent_id", "allowed_action", "reason",
                goal_id=hold.goal_id, on_behalf_of=agent_id, todo_id=(hold.todo_id,),
            )  # fmt: skip
            lines.append(Line("delegate", hold.todo_id, delegated))
    return lines


def lines_for_person(person_id: str, *, paired: bool, revoked: bool) -> list[Line]:
    """What may be done about a person."""
    if revoked:
        return []
    pairing = Line("unbind", "", line_of("member.unbind", member_id=person_id), ends=True)
    return [
        *([] if paired else [Line("pair", "", line_of("member.pair", member_id=person_id))]),
        *([pairing] if paired else []),
        Line("revoke", "", line_of("member.revoke", member_id=person_id), ends=True),
    ]


def line_for_work(work: Untaken) -> str | None:
    """What would let an agent take work that nobody may; None where no grant would."""
    granted: dict[str, object] = {"goal_id": (work.goal_id,)}
    match work.why:
        case "nobody_granted":
            pass
        case "capability_missing":
            granted["capability"] = tuple(work.needs)
        case "rights_missing" if work.needs:
            granted["write_scope"] = tuple(work.needs)
        case _:
            return None
    return line_of("member.grant", "member_id", **granted)
