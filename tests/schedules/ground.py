"""What every schedule begins with: one ledger with its people and five goals in five states, made once and copied."""

import os
from dataclasses import fields
from functools import cache
from itertools import count

from bot.simulator.clock import SimClock
from bot.simulator.ids import Ids
from bot.simulator.scenario import DEMO, DEMO_APP_ID, DEMO_GROUP, populate
from bot.simulator.world import World
from daemon.relay.people import identity_digest
from daemon.service import replay
from ledger.catalogue import ACTIONS
from ledger.events import Proof
from ledger.ids import BOT, DAEMON, OPERATOR, MemberId
from ledger.rules.common import Caller
from ledger.store.memory import MemoryStore, Records
from ledger.writer import Request, Writer

WALL_MS = 1_764_500_000_000
APP = DEMO_APP_ID
KINDS = {"ann": "person", "bo": "person", "builder": "agent", "helper": "agent"}
KINDS |= {OPERATOR: "operator", DAEMON: "daemon", BOT: "bot"}
_KEEPER = {"title": "Docs", "criterion": ("Every link works",), "write_scope": ("docs/**",)}


def platform_world(clock: SimClock, seed: str) -> World:
    """The simulated platform's people and its one group."""
    world = World(clock, Ids(seed))
    populate(world, DEMO)
    return world


def group_of(world: World) -> str:
    """The group's chat id."""
    return next(chat.chat_id for chat in world.chats.values() if chat.name == DEMO_GROUP)


def request(who: str, action: str, key: str | None, channel: str | None = None, /, **params: object) -> Request:
    """One command of somebody."""
    row = ACTIONS[action]
    return Request(
        action=row,
        params=row.params.model_validate(params),
        caller=Caller(member_id=MemberId(who), kind=KINDS[who], surface="cli", channel_id=channel),
        proof=Proof(kind="token", reference=f"tok_{who}"),
        request_key=key,
    )


class Seeder:
    """Commands through the real writer, before anybody serves the ledger."""

    def __init__(self, store: MemoryStore, channel: str) -> None:
        self.store = store
        self._channel = channel
        self._keys = count(1)
        self._writer = Writer(store, store.open_term("0" * 32), replay(store), os.urandom, lambda: replay(store))

    def do(self, who: str, action: str, /, **params: object) -> None:
        """A command that must be taken."""
        key = None if action == "workspace.create" else f"seed-{next(self._keys)}"
        answer = self._writer.drain([request(who, action, key, self._channel, **params)], WALL_MS)[0]
        assert answer.refusal is None, (action, answer.refusal)

    def basis(self, goal_id: str) -> str:
        """What a confirmation of this goal stands on."""
        return replay(self.store).goals[goal_id].intents[-1].basis


def _people(seeder: Seeder, world: World) -> None:
    seeder.do(
        DAEMON, "workspace.create", name="Docs team", incarnation="0" * 32, owner="ann", owner_name="Ann Lee",
        owner_secret_digest="1" * 64, bot_secret_digest="2" * 64,
    )  # fmt: skip
    seeder.do(OPERATOR, "member.add", member_id="bo", kind="person", display_name="陈博", role=("owner",))
    for who in ("builder", "helper"):
        seeder.do(OPERATOR, "member.add", member_id=who, kind="agent", display_name=who.title())
    for who in ("ann", "bo"):
        person, app = world.people[who], world.apps[APP]
        code = "3" * 63 + str(len(who))
        named = {"open_id": person.open_id(APP), "union_id": person.union_id}
        seeder.do(OPERATOR, "member.pair", member_id=who, code_digest=code)
        seeder.do(
            BOT, "member.bind", code_digest=code, tenant_key=app.tenant_key, app_id=APP, **named,
            identity_digest=identity_digest(app.tenant_key, APP, **named),
        )  # fmt: skip


def _goals(seeder: Seeder) -> None:
    for goal_id in ("plain", "working", "gated", "asked", "handed"):
        about = {"objective": f"The {goal_id} pages can be followed", "review": "owner"}
        seeder.do("ann", "goal.propose", goal_id=goal_id, **(_KEEPER | about))
    for goal_id in ("working", "gated", "handed"):
        seeder.do("ann", "goal.confirm", goal_id=goal_id, basis=seeder.basis(goal_id))
        seeder.do("ann", "todo.add", goal_id=goal_id, todo_id="todo_000", text="Do the first part")
    seeder.do(
        "builder", "gate.open", goal_id="gated", gate_id="gate_site", question="May the pages be published?",
        quorum=2, approver=("ann", "bo"), blocks_todo=("todo_000",),
    )  # fmt: skip
    seeder.do("builder", "goal.clarify", goal_id="asked", question="Which folder?", option=("docs", "site"))
    seeder.do("builder", "todo.claim", goal_id="handed", todo_id="todo_000")


@cache
def _made() -> Records:
    world = platform_world(SimClock(frozen_at_ms=WALL_MS), "ground")
    records = Records()
    seeder = Seeder(MemoryStore(records), group_of(world))
    _people(seeder, world)
    _goals(seeder)
    return records


def fresh_records() -> Records:
    """A ledger of its own for one schedule."""
    made = _made()
    kept = {one.name: getattr(made, one.name) for one in fields(made) if one.name != "lock"}
    return Records(**{name: value.copy() if isinstance(value, dict | list) else value for name, value in kept.items()})
