"""What is said of a press on a request: what becomes of it, and who is told of it."""

from daemon.relay.gate_toast import Said
from ledger.projections.holds import name_of
from ledger.rules.request_events import RequestAnswered, RequestReturned
from ledger.state import Goal, Workspace
from ledger.text.say import one_line
from ledger.writer import Answer


def request_toast(answer: Answer, workspace: Workspace, goal: Goal | None) -> Said | None:
    """How the toast looks, its key and its values, where an answer or a result was given."""
    if answer.replayed or goal is None:
        return None
    for event in answer.events:
        match event.facts:
            case RequestAnswered(request_id=request_id, answer=given):
                return "success", f"toast.request.{given}", {"sender": _sender(workspace, goal, request_id)}
            case RequestReturned(request_id=request_id, automatic=False):
                return "success", "toast.request.return", {"sender": _sender(workspace, goal, request_id)}
            case _:
                continue
    return None


def _sender(workspace: Workspace, goal: Goal, request_id: str) -> str:
    return one_line(name_of(workspace, goal.requests.by_id[request_id].sender))
