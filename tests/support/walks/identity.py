"""Moves on invitations, bindings and chats."""

from collections.abc import Iterator

from ledger.ids import GoalId
from ledger.rules.identities import identity_digest
from ledger.state import Goal
from tests.support.walks.base import Move, Walk
from tests.support.world import digest

HOME = {"tenant_key": "t", "app_id": "a"}
GUESTS = ("zoe", "yan", "xu")
CHATS = ("oc_one", "oc_two")


def _person(walk: Walk, who: str) -> dict[str, str]:
    """A person as the platform names them: with a union id, mostly."""
    union_id = "" if walk.one_in(2) else f"on_{who}"
    return {**HOME, "open_id": f"ou_{who}", "union_id": union_id}


def invite(walk: Walk, _goal: Goal) -> Move:
    """Somebody is invited as themselves, mostly; or as somebody who is there."""
    who = walk.choose(GUESTS)
    asked: dict[str, object] = {"member_id": who, "display_name": who, "open_id": f"ou_{who}", "ttl_seconds": 300}
    asked |= {} if walk.one_in(8) else HOME
    if walk.one_in(3):
        member_id = walk.choose(("bob", "builder", "me", who, walk.anybody()))
        asked |= {"member_id": member_id, "role": walk.choose(((), ["viewer"]))}
    if walk.slip():
        asked |= walk.choose(
            ({"display_name": None}, {"tenant_key": "elsewhere"}, {"open_id": f"ou_{walk.choose(GUESTS)}"})
        )
    given = {name: value for name, value in asked.items() if value is not None}
    return Move(walk.choose(("ann", "operator", "bob" if walk.slip() else "ann")), "member.invite", given)


def answer(walk: Walk, goal: Goal) -> Move:
    """Whoever was invited says yes, mostly; or somebody else does, or nobody was."""
    invitations = walk.state.identity.invitations
    if not invitations:
        return invite(walk, goal)
    waiting = [*walk.state.identity.open_for.values()]
    name = walk.choose(waiting if waiting and not walk.one_in(4) else [*invitations, "inv_1"])
    address = None if name not in invitations else invitations[name].address
    who = walk.choose(GUESTS) if address is None or walk.slip() else address.open_id.removeprefix("ou_")
    if walk.one_in(8):
        return Move("ann", "member.withdraw-invitation", {"invitation_id": name})
    person = _person(walk, who)
    if walk.slip():
        person |= {"union_id": f"on_{walk.choose(GUESTS)}"}
    return Move(
        "bot",
        "member.answer-invitation",
        {"invitation_id": name, "answer": walk.choose(("accept", "accept", "decline")), **person},
    )


def change(walk: Walk, goal: Goal) -> Move:
    """A binding ends, is known by more, or the platform says that its person left or is back."""
    bound = [*walk.state.identity.bindings]
    who = walk.choose(bound) if bound and not walk.slip() else walk.anybody()
    which = walk.choose(("unbind", "upgrade", "report", "report", "pair"))
    if which == "unbind":
        if walk.one_in(3):
            return Move(who if who in {"bob", "ann", *GUESTS} else "bob", "member.unbind")
        return Move(
            walk.choose(("ann", "operator", "bob" if walk.slip() else "ann")), "member.unbind", {"member_id": who}
        )
    if which == "upgrade":
        address = walk.state.addresses.get(who)
        guest = walk.choose(GUESTS) if address is None else address.open_id.removeprefix("ou_")
        union_id = f"on_{walk.choose(GUESTS) if walk.one_in(3) else guest}"
        return Move("bot", "member.upgrade-identity", {**HOME, "open_id": f"ou_{guest}", "union_id": union_id})
    if which == "report":
        away = "back" if who in walk.state.identity.away else walk.choose(("left_chat", "resigned"))
        return Move("bot", "member.report", {"member_id": "nobody-here" if walk.slip() else who, "change": away})
    return _paired_as_guest(walk, goal)


def _paired_as_guest(walk: Walk, _goal: Goal) -> Move:
    """A guest's identity is bound by a code, to whoever the code was for."""
    if not walk.state.pairings:
        code = digest(f"guest {walk.state.seq % 5}")
        return Move("operator", "member.pair", {"member_id": walk.choose(("bob", "ann")), "code_digest": code})
    person = _person(walk, walk.choose(GUESTS))
    digests = {"code_digest": walk.choose([*walk.state.pairings]), "identity_digest": identity_digest(**person)}
    return Move("bot", "member.bind", {**digests, **person})


def show(walk: Walk, goal: Goal) -> Move:
    """A chat is shown a goal or the workspace, or no longer."""
    target: dict[str, object] = {"goal_id": goal.goal_id} if not walk.one_in(4) else {"workspace": True}
    if walk.slip():
        target = walk.choose(({}, {"goal_id": "none"}, {"goal_id": goal.goal_id, "workspace": True}))
    chat = {"channel_id": walk.choose(CHATS)}
    if walk.one_in(6):
        chat = walk.choose(({}, {"channel_id": "chat_000000000000"}))
    verb = walk.choose(("bind", "bind", "unbind"))
    return Move(walk.owner(goal), f"channel.{verb}", target | chat, "lark", None if walk.one_in(3) else "oc_one")


def hear(walk: Walk, _goal: Goal) -> Move:
    """The platform says that the bot is in a chat, or no more."""
    chat = "oc_none" if walk.slip() else walk.choose(CHATS)
    change = walk.choose(("removed", "dissolved", "added", "added"))
    return Move("bot", "channel.report", {"channel_id": chat, "change": change})


def invited(walk: Walk) -> Iterator[Move]:
    """Some are bound, one of them is away, one was invited by an owner who goes; and what is not let through."""
    promise = {"goal_id": "docs", "objective": "Check the docs", "criterion": ["Every link works"], "review": "owner"}
    yield Move("ann", "goal.propose", promise)
    yield Move("ann", "goal.confirm", {"goal_id": "docs", "basis": walk.state.goals[GoalId("docs")].intents[-1].basis})
    yield _offer("ann", "zoe", tenant_key="", app_id="")
    guest = {"member_id": "guest", "kind": "person", "display_name": "Guest", "role": ["owner"]}
    yield Move("operator", "member.add", guest)
    for who, by in (("zoe", "ann"), ("yan", "guest"), ("xu", "ann")):
        yield _offer(by, who)
    zoe, yan, _ = walk.state.identity.invitations
    yield _says_yes(zoe, "zoe", "")
    yield from _not_let_through(yan)
    yield Move("bot", "member.report", {"member_id": "zoe", "change": "left_chat"})
    if walk.one_in(3):
        code, other = digest("code of bob"), {**HOME, "open_id": "ou_bob", "union_id": "on_zoe"}
        yield Move("operator", "member.pair", {"member_id": "bob", "code_digest": code})
        yield Move("bot", "member.bind", {"code_digest": code, "identity_digest": identity_digest(**other), **other})
    yield Move("bot", "member.upgrade-identity", {**HOME, "open_id": "ou_zoe", "union_id": "on_zoe"})
    yield Move("ann", "channel.bind", {"goal_id": "docs", "channel_id": "oc_one"})
    if walk.one_in(3):
        yield Move("bot", "channel.report", {"channel_id": "oc_one", "change": "removed"})


def _offer(by: str, who: str, **changes: object) -> Move:
    asked = {"member_id": who, "display_name": who, "open_id": f"ou_{who}", "ttl_seconds": 300, **HOME} | changes
    return Move(by, "member.invite", {name: value for name, value in asked.items() if value is not None})


def _says_yes(invitation_id: str, who: str, union_id: str) -> Move:
    who_is = {**HOME, "open_id": f"ou_{who}", "union_id": union_id}
    return Move("bot", "member.answer-invitation", {"invitation_id": invitation_id, "answer": "accept", **who_is})


def _not_let_through(from_guest: str) -> Iterator[Move]:
    """What every rule of the family says no to, when Zoe is bound and whoever invited Yan is gone."""
    yield _offer("ann", "zed", tenant_key="elsewhere")
    yield _offer("ann", "zed", display_name=None)
    yield _offer("ann", "zed", open_id="ou_zoe")
    yield Move("operator", "member.revoke", {"member_id": "guest"})
    yield _offer("ann", "guest")
    yield _says_yes(from_guest, "yan", "on_yan")
    yield Move("zoe", "member.unbind", {"member_id": "ann"})
    yield Move("zoe", "channel.bind", {"goal_id": "docs", "channel_id": "oc_one"})


COMMANDS = (*(invite,) * 4, *(answer,) * 6, *(change,) * 5, *(show,) * 5, *(hear,) * 2)
