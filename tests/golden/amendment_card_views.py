"""Amendments in every state they can be in, for the goldens and the budget tests."""

from collections.abc import Callable

import msgspec

from ledger.projections.amendment_views import AmendmentView, ChangeView, DispositionView, MovedView, OperationView
from ledger.projections.causes import Cause, DecisionView
from ledger.projections.views import CardView, GoalView

HOUR_MS = 3_600_000
OPERATIONS = (
    OperationView(
        op="reprioritise",
        todo_id="todo_check_links",
        title="Check every link in docs/",
        changes=(ChangeView(name="priority", was=("P2",), becomes=("P0",)),),
    ),
    OperationView(
        op="rebind",
        todo_id="todo_run_commands",
        title="Run every command of the guide",
        changes=(ChangeView(name="agent", was=(), becomes=("helper",)),),
    ),
    OperationView(
        op="add",
        todo_id="todo_amend_000041_3",
        title="Check the downloads too",
        changes=(
            ChangeView(name="depends_on", was=None, becomes=("todo_check_links",)),
            ChangeView(name="write_scopes", was=None, becomes=("reports/**",)),
            ChangeView(name="acceptance", was=None, becomes=("Each is there",)),
        ),
    ),
    OperationView(op="cancel", todo_id="todo_name_host", title="Name the host the guide may use", changes=()),
)
DISPOSITIONS = (
    DispositionView(todo_id="todo_check_links", choice="continue", agent="link-checker"),
    DispositionView(todo_id="todo_run_commands", choice="rebase", agent="builder"),
    DispositionView(todo_id="todo_name_host", choice="stop", agent="helper"),
)
MOVED = (
    MovedView(todo_id="", name="revision", was=("2",), becomes=("3",)),
    MovedView(todo_id="todo_check_links", name="holder", was=(), becomes=("helper",)),
)


def amendment(status: str, at_ms: int, **changes: object) -> AmendmentView:
    """An amendment in this state."""
    decided = status in {"committed", "rejected", "withdrawn"}
    is_open = status in {"open", "needs_rebase"}
    event = "goal.stopped" if status == "ended" else f"amendment.{status if decided else 'submitted'}"
    who = "Ben Ortiz" if status in {"committed", "rejected", "ended"} else "steward"
    view = AmendmentView(
        amendment_id="amend_000041",
        amendment_class="shared_work_graph",
        status=status,
        why="The downloads moved to another host, and readers report dead ones.",
        operations=OPERATIONS,
        dispositions=DISPOSITIONS,
        moved=MOVED if status == "needs_rebase" else (),
        waits_for_gate=False,
        gate_id=None,
        rebased_seq=0,
        people={"open": ("Ann Li", "Ben Ortiz"), "needs_rebase": ("steward",)}.get(status, ()),
        submitted_by="steward",
        basis="b1:" + "d4" * 16 if is_open else "",
        decision=DecisionView(outcome=status, by_name=who, at_ms=at_ms, reason="") if decided else None,
        cause=Cause(
            seq=45, kind=event, actor_id="ann", actor_name=who, at_ms=at_ms, short_hash="" if decided else "77ab0c12"
        ),
    )
    return msgspec.structs.replace(view, **changes)


def amendments(goal: GoalView, tokens: Callable[..., dict[str, str]], now_ms: int) -> dict[str, CardView]:
    """Every state of an amendment's card."""
    at_ms = now_ms - HOUR_MS
    decide, reject = tokens("amendment.commit", "amendment.reject"), tokens("amendment.reject")
    protected = {"amendment_class": "protected_authority", "waits_for_gate": True, "gate_id": "gate_7"}
    views = {
        "open": (amendment("open", at_ms), decide),
        "rebased": (amendment("open", at_ms, rebased_seq=52), decide),
        "gate": (amendment("open", at_ms, **protected), reject),
        "cannot": (amendment("open", at_ms), reject),
        "needs_rebase": (amendment("needs_rebase", at_ms), reject),
        "committed": (amendment("committed", at_ms), {}),
        "rejected": (amendment("rejected", at_ms), {}),
        "withdrawn": (amendment("withdrawn", at_ms), {}),
        "ended": (amendment("ended", at_ms), {}),
    }
    return {
        f"amendment_{name}": CardView(kind="amendment", audience="group", tokens=offered, goal=goal, amendment=view)
        for name, (view, offered) in views.items()
    }
