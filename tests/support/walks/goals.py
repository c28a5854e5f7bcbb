"""Moves on promises: proposed, clarified, revised, decided, halted, delivered, judged."""

from ledger.rules.goals import state_basis
from ledger.state import Goal
from tests.support.walks.base import AGENTS, PEOPLE, STALE, Move, Walk, given

REVISIONS: tuple[dict[str, object], ...] = (
    {"objective": "Better docs"},
    {"objective": "Best docs"},
    {"budget": "two hours"},
    {"priority": "P0"},
    {"review": "independent"},
    {"review": "owner"},
    {"plan_approval": "steward"},
    {"allowed_slots": 3},
    {"token_cap": 5_000},
    {"handoff_mode": "hard_lease"},
    {"handoff_mode": "optional_lease"},
    {"criterion": ["Every link works", "Every page is read"]},
)
BAD_REVISIONS: tuple[dict[str, object], ...] = ({"write_scope": ["~"]}, {"enforce": ["constraints"]})
BOUNDARIES = (["**"], ["**"], ["reports/**", "docs"])
OWNERS: tuple[list[str], ...] = ([], [], ["ann"], ["ann", "bob"])
PROOF_BY = ("owner", "owner", "independent")


def propose(walk: Walk) -> Move:
    """Put a goal before its owners."""
    params: dict[str, object] = {
        "objective": "Check the docs",
        "criterion": walk.choose((["Every link works"], ["Every link works", "Every command runs"])),
        "write_scope": ["../x"] if walk.slip() else walk.choose(BOUNDARIES),
        "handoff_mode": walk.choose(("optional_lease",) * 4 + ("soft_claim", "hard_lease")),
        "owner": ["builder"] if walk.slip() else walk.choose(OWNERS),
        "approver": walk.choose(([], [], ["cat"], ["ann", "bob", "cat"])),
        "enforce": ["budget"] if walk.slip() else ["write_scopes"],
        "review": walk.choose(PROOF_BY),
        "plan_approval": walk.choose(("owner", "owner", "steward")),
        "allowed_slots": walk.choose((None, None, 2, 4)),
        "token_cap": walk.choose((None, None, None, 2_000)),
        "fold_case": walk.one_in(6),
    }
    if walk.slip():
        params["goal_id"] = walk.choose([*walk.state.goals, "docs", "elsewhere"])
    asked = {name: value for name, value in params.items() if value is not None}
    return Move(walk.choose(("ann", "ann", "bob", "builder")), "goal.propose", asked, **_place(walk))


def _place(walk: Walk) -> dict[str, str]:
    return {"surface": "lark", "channel_id": "oc_docs"} if walk.one_in(8) else {}


def revise(walk: Walk, goal: Goal) -> Move:
    """Change the promise."""
    changes = walk.choose(BAD_REVISIONS if walk.slip() else REVISIONS)
    basis = walk.choose((None, goal.intents[(goal.pending or goal.confirmed or 1) - 1].basis))
    who = walk.choose((*PEOPLE, "builder")) if walk.slip() else walk.choose(("ann", goal.proposed_by))
    return Move(who, "goal.revise", given(goal, changes | {"basis": STALE if walk.slip() else basis}))


def clarify(walk: Walk, goal: Goal) -> Move:
    """Ask or answer."""
    asked, answered = {"question": "Which folder?"}, {"answer": "docs"}
    params: dict[str, object] = {**(answered if goal.question else asked)}
    if walk.slip():
        params = walk.choose((asked | answered, answered | {"question_id": "q_1"}, asked, answered))
    return Move(walk.choose((*PEOPLE, *AGENTS)) if walk.slip() else "ann", "goal.clarify", given(goal, params))


def decide(walk: Walk, goal: Goal) -> Move:
    """Say yes or no to the revision that waits."""
    if goal.question is not None and not walk.one_in(4):
        return clarify(walk, goal)
    basis = walk.basis(goal.intents[-1].basis, [intent.basis for intent in goal.intents[:-1]])
    verb = walk.choose(("decline", "withdraw")) if walk.one_in(12) else "confirm"
    who = goal.intents[-1].proposed_by if verb == "withdraw" and not walk.slip() else walk.owner(goal)
    return Move(who, f"goal.{verb}", given(goal, {"basis": basis}))


def halt(walk: Walk, goal: Goal) -> Move:
    """Pause, or seldom stop."""
    verb = "stop" if walk.one_in(6) else "resume" if walk.slip() else "pause"
    basis = STALE if walk.slip() else walk.choose((None, state_basis(goal)))
    return Move(walk.owner(goal), f"goal.{verb}", given(goal, {"basis": basis}))


def resume(walk: Walk, goal: Goal) -> Move:
    """Go on."""
    return Move(walk.owner(goal), "goal.resume", given(goal, {"basis": walk.choose((None, state_basis(goal)))}))


def adopt(walk: Walk, goal: Goal) -> Move:
    """Read the promise."""
    who = walk.agent() if walk.one_in(3) else walk.choose(AGENTS)
    return Move(who, "goal.adopt", given(goal, {"revision": 9 if walk.slip() else goal.confirmed or 1}))


def deliver(walk: Walk, goal: Goal) -> Move:
    """Put the result before the owners, whether there is one or not."""
    return Move(walk.anybody() if walk.slip() else walk.agent(), "goal.deliver", given(goal, {"summary": "Done"}))


def judge(walk: Walk, goal: Goal) -> Move:
    """Accept the delivery that waits, or send it back."""
    bases = [delivery.basis for delivery in goal.deliveries] or [STALE]
    params: dict[str, object] = {"basis": walk.basis(bases[-1], bases[:1])}
    if walk.one_in(3):
        return Move(walk.owner(goal), "goal.accept", given(goal, params))
    return Move(walk.owner(goal), "goal.request-changes", given(goal, params | {"reason": "Check the anchors"}))


def settle(walk: Walk, goal: Goal) -> Move:
    """Decide on a revision of a promise that is in force, or make one."""
    return decide(walk, goal) if goal.pending or walk.slip() else revise(walk, goal)


COMMANDS = (*(settle,) * 4, clarify, halt, resume, *(adopt,) * 2, deliver, judge)
