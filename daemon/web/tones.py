"""How a state looks: one of five signs, each with a shape of its own, so that nobody has to tell colours apart."""

from typing import Literal

Tone = Literal["go", "wait", "stop", "done", "past"]

_GOALS: dict[str, Tone] = {
    "proposed": "wait",
    "clarifying": "wait",
    "active": "go",
    "paused": "wait",
    "delivered": "wait",
    "changes_requested": "wait",
    "accepted": "done",
    "declined": "past",
    "withdrawn": "past",
    "stopped": "stop",
}
_SEVERITIES: dict[str, Tone] = {"high": "stop", "action": "wait", "watch": "go", "info": "past"}
_PRESENCES: dict[str, Tone] = {
    "executing": "go",
    "launchable": "done",
    "bound": "done",
    "addressable": "past",
    "registered": "past",
    "blocked": "stop",
}
_TODOS: dict[str, Tone] = {"open": "go", "blocked": "stop", "deferred": "wait", "done": "done", "cancelled": "past"}
_ARTIFACTS: dict[str, Tone] = {"accepted": "done", "submitted": "wait", "rejected": "stop", "invalidated": "stop"}
_GATES: dict[str, Tone] = {"waiting_on_user": "wait", "approved": "done", "rejected": "stop", "deferred": "wait"}


def tone_of_goal(state: str, severity: str = "") -> Tone:
    """A goal's: what is at work but urgent waits for somebody."""
    tone = _GOALS.get(state, "past")
    return "wait" if tone == "go" and severity in {"high", "action"} else tone


def tone_of_severity(severity: str) -> Tone:
    """What waits: how urgent it is."""
    return _SEVERITIES.get(severity, "past")


def tone_of_presence(presence: str) -> Tone:
    """An agent's: how near it is to work."""
    return _PRESENCES.get(presence, "past")


def tone_of_todo(status: str) -> Tone:
    """A todo's."""
    return _TODOS.get(status, "past")


def tone_of_artifact(status: str) -> Tone:
    """The tone of evidence: whether it counts."""
    return _ARTIFACTS.get(status, "past")


def tone_of_gate(status: str) -> Tone:
    """A gate's: what is over in another way than by a yes or a no is past."""
    return _GATES.get(status, "past")
