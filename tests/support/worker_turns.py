"""A turn that a table can begin with, and the yes to whatever it asks."""

from dataclasses import replace

from daemon.agents.worker_core import begin, step
from daemon.agents.worker_turn import Answered, Exited, Hand, Piece, Prepared, Turn

TURN = Turn(turn_id="turn-1", agent_id="scout", goal_id="docs", lease_seconds=300, timeout_seconds=1_800)
PIECE = Piece(sha256="0" * 64, size_bytes=3, label="a.txt", kind="report")
HAND = Hand(outcome="done", summary="Done.", pieces=(PIECE,), delivery_outcome="outcome_progress")
RESULTS = {
    "reserve": {"todo_id": "todo_links"},
    "lease": {"version": 4},
    "take_over": {"version": 4},
    "submit": {"artifact_id": "art_1"},
    "report": {"run_id": "run_1"},
    "inspect": {"idempotency_key": "turn-1", "version": 5, "effective": True},
    "validate": {"passed": ["links"]},
}
COMMIT = ("submit", "complete", "report", "spend")


def walk(turn, commands, *, until=lambda turn: False, said=(), now_ms=0):
    """Answer everything with yes until something holds; which steps were asked, in order."""
    said = list(said)
    while commands and commands[0] in {"ask", "validate"} and not until(turn):
        first = turn.steps[0]
        said.append(first.name)
        turn, commands = step(turn, Answered(first, RESULTS.get(first.name, {})), now_ms)
    return turn, commands, said


def running(**more):
    turn, commands, _ = walk(*begin(replace(TURN, **more)))
    assert commands == ("prepare",)
    turn, commands = step(turn, Prepared(more.get("validators", ())), 0)
    assert commands == ("launch",)
    return turn


def judging(**more):
    turn, commands = step(running(**more), Exited(0), 10)
    assert commands == ("judge",)
    return turn
