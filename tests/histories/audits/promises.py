"""Goals: the states they go through, whose word moves them, and that a word applies to what was shown."""

from collections.abc import Callable

from tests.histories.audits.beliefs import Case
from tests.histories.audits.model import ENDED, EXECUTABLE

MOVES: dict[str, tuple[frozenset[str], str | None]] = {
    "goal.question_asked": (frozenset({"proposed"}), "clarifying"),
    "goal.question_answered": (frozenset({"clarifying"}), "proposed"),
    "goal.paused": (EXECUTABLE, "paused"),
    "goal.stopped": (frozenset({"active", "changes_requested", "paused", "delivered"}), "stopped"),
    "goal.delivered": (EXECUTABLE, "delivered"),
    "goal.accepted": (frozenset({"delivered"}), "accepted"),
    "goal.changes_requested": (frozenset({"delivered"}), "changes_requested"),
}
OWNERS_WORD = frozenset(
    {
        "goal.confirmed", "goal.declined", "goal.paused", "goal.resumed", "goal.stopped", "goal.accepted",
        "goal.changes_requested", "goal.handoff_mode_set", "quota.set", "todo.delegated", "todo.delegation_ended",
    }
)  # fmt: skip
"""What is an owner's to say, and never an agent's."""


def owners_word(case: Case) -> None:
    """Whoever said an owner's word is one of them, and a person."""
    if case.event.kind in OWNERS_WORD:
        assert case.owns, f"{case.event.actor} said an owner's {case.event.kind}"
        assert case.model.members[case.event.actor].kind == "person", "an agent said an owner's word"


def move(case: Case) -> None:
    """A goal goes from state to state as it may."""
    if case.event.kind in MOVES:
        allowed, after = MOVES[case.event.kind]
        assert case.promise.state in allowed, f"{case.event.kind} came out of {case.promise.state}"
        if case.event.kind == "goal.paused":
            case.promise.before_pause = case.promise.state
        case.promise.state = after or case.promise.state


def _revised(case: Case) -> None:
    promise = case.promise
    assert promise.state not in ENDED | {"delivered"}
    assert case.facts.revision == len(promise.intents) + 1
    promise.intents.append(case.facts)
    promise.open_revision = case.facts.revision


def _confirmed(case: Case) -> None:
    promise, facts = case.promise, case.facts
    assert promise.open_revision == facts.revision, "a yes to a revision that does not wait"
    assert facts.basis == promise.bases[facts.revision - 1], "a yes to something else than was shown"
    assert promise.state not in ENDED | {"clarifying", "delivered"}
    first, mode = not promise.confirmed, promise.mode
    promise.open_revision, promise.confirmed = 0, facts.revision
    promise.first = promise.first or facts.revision
    promise.mode = promise.intent.handoff_mode
    assert first or promise.mode == mode or not held(case), "the mode moved while somebody held work"
    promise.state = "active" if promise.state == "proposed" else promise.state


def _declined(case: Case) -> None:
    _turned_down(case, "declined")


def _withdrawn(case: Case) -> None:
    _turned_down(case, "withdrawn")


def _turned_down(case: Case, state: str) -> None:
    assert case.promise.open_revision == case.facts.revision
    case.promise.open_revision = 0
    case.promise.state = case.promise.state if case.promise.confirmed else state


def _resumed(case: Case) -> None:
    assert case.promise.state == "paused"
    case.promise.state = case.promise.before_pause


def _stopped(case: Case) -> None:
    case.promise.open_revision = 0


def _adopted(case: Case) -> None:
    facts = case.facts
    assert (case.event.actor, facts.revision) == (facts.agent_id, case.promise.confirmed)
    case.promise.adopted[facts.agent_id] = facts.revision


def _delivered(case: Case) -> None:
    promise, model = case.promise, case.model
    assert not [one for one in promise.work.values() if one.status in {"open", "blocked"}], "delivered with open work"
    assert promise.open_revision == 0, "delivered while a revision waits"
    assert case.facts.artifacts, "an empty delivery"
    spoken_to: set[str] = set()
    for artifact_id, sha256 in case.facts.artifacts:
        proof = promise.proofs[artifact_id]
        assert proof.sha256 == sha256
        assert artifact_id in promise.work[str(proof.todo_id)].evidence
        assert promise.work[str(proof.todo_id)].status == "done"
        assert model.counts(promise, artifact_id), "delivered what does not count"
        if proof.revision == promise.confirmed:
            spoken_to.update(proof.criteria)
    if promise.intent.review == "independent":
        missing = set(promise.intent.criterion_ids) - spoken_to
        assert not missing, "delivered with a criterion that nothing accepted speaks to"


def _judged(case: Case) -> None:
    assert case.facts.delivery == len(case.promise.deliveries), "a word on a delivery that is not the last"
    assert case.facts.basis == case.promise.deliveries[-1], "a yes to another delivery than was shown"


def held(case: Case) -> list[str]:
    """The open work that somebody has."""
    promise, model = case.promise, case.model
    return [name for name, one in promise.work.items() if one.status == "open" and model.claimant(promise, name)]


def _mode_set(case: Case) -> None:
    promise = case.promise
    assert promise.open_revision == 0, "the mode moved under a revision that carries its own"
    assert not held(case), "the mode moved while somebody held work"
    assert promise.state not in ENDED
    assert case.facts.previous == promise.mode
    promise.mode = case.facts.handoff_mode


CHECKS: dict[str, Callable[[Case], None]] = {
    "goal.revised": _revised,
    "goal.confirmed": _confirmed,
    "goal.declined": _declined,
    "goal.withdrawn": _withdrawn,
    "goal.resumed": _resumed,
    "goal.stopped": _stopped,
    "goal.revision_adopted": _adopted,
    "goal.delivered": _delivered,
    "goal.accepted": _judged,
    "goal.changes_requested": _judged,
    "goal.handoff_mode_set": _mode_set,
}
