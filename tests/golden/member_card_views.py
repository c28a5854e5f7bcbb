"""The members in every state their card can be in, for the goldens and the budget tests."""

import msgspec

from ledger.projections.causes import Cause
from ledger.projections.member_views import HeldView, MembersView, MemberView
from ledger.projections.privacy import WITHHELD
from ledger.projections.views import CardView

HOUR_MS = 3_600_000


def member(name: str, kind: str, presence: str, *held: HeldView, **changes: object) -> MemberView:
    """One row."""
    row = MemberView(
        name=name,
        kind="person" if kind == "person" else "agent",
        roles=("owner",) if kind == "person" else ("executor",),
        presence=presence,
        because="",
        binding="none",
        held=held,
        held_total=len(held),
    )
    return msgspec.structs.replace(row, **changes)


def members(now_ms: int) -> dict[str, CardView]:
    """Every state of the members' card."""
    leased = HeldView(
        goal_id="docs", title="Check every link", until_ms=now_ms + HOUR_MS, write_scopes=("reports/**", "docs/**")
    )
    claimed = HeldView(goal_id="docs", title="Write it down", until_ms=None, write_scopes=())
    ended = msgspec.structs.replace(leased, until_ms=now_ms - 1)
    ann = member("Ann Li", "person", "addressable")
    bo = member("陈博", "person", "registered", roles=("owner", "approver"))
    vic = member("Vic", "person", "registered", roles=())
    busy = member("link-checker", "agent", "executing", leased, claimed, held_total=7)
    waiting = member("reader", "agent", "launchable", roles=("reviewer",), binding="qualified")
    late = member("late-one", "agent", "bound", ended, binding="untested")
    both = (ann, bo, vic, busy, waiting, late)
    view = MembersView(
        goals=("docs",),
        goals_total=1,
        goals_seen=1,
        people=3,
        agents=3,
        rows=both,
        total=6,
        cause=Cause(
            seq=58, kind="lease.acquired", actor_id="x", actor_name="link-checker", at_ms=now_ms - HOUR_MS,
            short_hash="77ab0c12",
        ),
    )  # fmt: skip
    many = tuple(member(f"agent-{number:02d}", "agent", "bound", leased) for number in range(37))
    hidden = msgspec.structs.replace(leased, title=WITHHELD)
    views = {
        "busy": view,
        "idle": msgspec.structs.replace(view, rows=(ann, bo, waiting), people=2, agents=1, total=3),
        "alone": msgspec.structs.replace(view, rows=(ann,), people=1, agents=0, total=1, goals=(), cause=None),
        "many": msgspec.structs.replace(view, rows=(*both[:3], *many), agents=61, total=64, goals=()),
        "newest": msgspec.structs.replace(view, goals=(), goals_total=230, goals_seen=50),
        "withheld": msgspec.structs.replace(view, rows=(ann, member("link-checker", "agent", "executing", hidden))),
    }
    return {
        f"members_{name}": CardView(kind="members", audience="group", tokens={}, members=one)
        for name, one in views.items()
    }
