"""A walk: the next command of people and agents who are mostly sensible, chosen from what the state offers.

Every family of rules has its moves in `tests.support.walks`. A walk has a focus, a few families that it plays more
often than the others, so that each of them is now and then played in depth.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ledger.ids import TokenId
from ledger.state import Goal
from ledger.writer import Request
from tests.support.walks import (
    agents,
    amendments,
    daemon,
    erasures,
    gates,
    goals,
    handoffs,
    identity,
    late,
    members,
    plans,
    requests,
    reviews,
    slots,
    summaries,
    work,
)
from tests.support.walks.base import Choose, Command, Move, Walk
from tests.support.world import World

FAMILIES: dict[str, tuple[Command, ...]] = {
    "goals": goals.COMMANDS,
    "work": (*work.COMMANDS, members.use_grant),
    "gates": gates.COMMANDS,
    "plans": plans.COMMANDS,
    "amendments": amendments.COMMANDS,
    "requests": requests.COMMANDS,
    "reviews": reviews.COMMANDS,
    "slots": slots.COMMANDS,
    "handoffs": handoffs.COMMANDS,
    "members": members.COMMANDS,
    "agents": agents.COMMANDS,
    "identity": (*identity.COMMANDS, *summaries.COMMANDS),
    "daemon": daemon.COMMANDS,
}
MOVING = frozenset({"proposed", "clarifying", "active", "paused", "changes_requested", "delivered"})
SELDOM = frozenset({"agents", "members", "goals", "identity"})
EVERYWHERE = ("work", "work", "work", "goals", *(name for name in FAMILIES if name not in SELDOM))
SEASONS: dict[str, tuple[Command, ...]] = {
    "proposed": (*(goals.decide,) * 8, *(goals.clarify,) * 2, goals.revise, handoffs.set_mode),
    "clarifying": (*(goals.decide,) * 3, goals.clarify, goals.revise),
    "paused": (*(goals.resume,) * 4, work.submit, work.complete, goals.decide, goals.halt, slots.observe, late.late),
    "delivered": (*(goals.judge,) * 6, work.add, goals.halt, plans.propose, amendments.submit, *(late.late,) * 3),
}
"""What goes on in a state in which no work begins, mostly."""


class Walker(Walk):
    """Chooses the next command."""

    def __init__(
        self,
        world: World,
        choose: Choose,
        slip_one_in: int = 9,
        focus: Sequence[str] = (),
        shown: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(world, choose, slip_one_in, shown)
        self.focus = focus

    def next(self) -> Move:
        """The next command, about a goal that is under way where there is one."""
        moving = [goal for goal in self.state.goals.values() if goal.state in MOVING]
        if not moving or (len(moving) < 3 and self.one_in(40)):
            return goals.propose(self)
        goal = self.choose([*self.state.goals.values()] if self.slip() else moving)
        move = self._command(goal)(self, goal)
        return self._by_token(move) if self.one_in(12) else move

    def _command(self, goal: Goal) -> Command:
        if goal.state not in MOVING:
            return late.late
        if goal.state in SEASONS and not self.one_in(5):
            return self.choose(SEASONS[goal.state])
        pressing = self._pressing(goal)
        if pressing and self.one_in(4):
            return self.choose(pressing)
        if self.focus and self.one_in(2):
            return self.choose(FAMILIES[self.choose(self.focus)])
        if self.one_in(25):
            return self.choose((*members.COMMANDS, *agents.COMMANDS, *identity.COMMANDS, *erasures.COMMANDS))
        return self.choose(FAMILIES[self.choose(EVERYWHERE)])

    def _pressing(self, goal: Goal) -> list[Command]:
        """What somebody would see to first, as things are: it passes by soon, or holds others up."""
        rights = self.state.authority.grants.values()
        over = any(not one.ended and one.until_ms is not None and one.until_ms <= self.at_ms for one in rights)
        asking = any(todo.claimed_by and todo.required_decision_scopes for todo in goal.todos.values())
        pressing: tuple[tuple[bool, Command], ...] = (
            (goal.confirmed > goal.first_confirmed, goals.adopt),
            (bool(goal.handoffs.proposals), work.dream),
            (bool(goal.amendments.held), amendments.adopt),
            (bool(goal.runs.streaks), slots.replan),
            (goal.state == "changes_requested", goals.deliver),
            (any(gate.delegates for gate in goal.gates.by_id.values() if gate.is_open), gates.stand_in),
            (any(gate.delegates for gate in goal.gates.by_id.values() if gate.is_open), gates.delegate),
            (over, members.use_grant),
            (asking, work.complete),
        )
        return [command for presses, command in pressing if presses]

    def _by_token(self, move: Move) -> Move:
        """The same, with a credential that may be good for less."""
        theirs = [token.token_id for token in self.state.tokens.values() if token.member_id == move.who]
        if not theirs:
            return move
        return Move(move.who, move.action, move.params, move.surface, move.channel_id, self.choose(theirs))


def request_of(world: World, move: Move) -> Request:
    """The move as it reaches the writer."""
    request = world.request(move.who, move.action, surface=move.surface, **move.params)
    token_id = None if move.token_id is None else TokenId(move.token_id)
    return replace(request, caller=replace(request.caller, channel_id=move.channel_id, token_id=token_id))
