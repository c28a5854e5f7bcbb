"""The four faults that must be impossible, as scenarios for any surface.

F1 a confirmed commitment lost; F2 a yes to A applied to B; F3 success that did nothing; F4 a partial commit, or a retry
that duplicates or widens work. The people are Ann (owner), Builder and Helper (agents of every goal). A surface that
has more of a ledger in it than these goals is no trouble: every scenario makes goals of its own.
"""

from collections.abc import Callable

from tests.support.scene import PROMISE, SHOWN_AS, Scene
from tests.support.surfaces import Surface

# F1: what was confirmed is there, field by field.


def what_was_confirmed_is_there_field_by_field(surface: Surface) -> None:
    """What the owner read on the card is what is promised afterwards, word for word."""
    scene = Scene(surface, "f1-promise")
    scene.propose()
    seen = scene.promise()
    for name, value in PROMISE.items():
        asked = value if isinstance(value, list) else [str(value)]
        assert seen[SHOWN_AS.get(name, name)] == asked, name
    scene.confirm()
    assert scene.promise() == seen
    assert scene.show()["pending_review"] is None


def a_confirmed_revision_is_there_and_so_is_what_it_left_alone(surface: Surface) -> None:
    """A revision changes what it names; the rest of the promise stays, even after another was turned down."""
    scene = Scene(surface, "f1-revision")
    scene.propose()
    scene.confirm()
    before = scene.promise()
    scene.do("ann", "goal.revise", objective="Rewrite everything", write_scope=["**"], priority="P4")
    scene.do("ann", "goal.decline", basis=scene.basis("confirm"))
    assert scene.promise() == before
    scene.do("ann", "goal.revise", budget="three hours")
    scene.confirm()
    assert scene.promise() == before | {"budget": ["three hours"]}


def work_is_there_with_its_priority_and_never_merged_with_work_of_the_same_words(surface: Surface) -> None:
    """Two todos with one text are two, and the urgent one stays urgent."""
    scene = Scene(surface, "f1-work")
    scene.propose()
    scene.confirm()
    scene.do("ann", "todo.add", todo_id="todo_urgent", text="Check the links", priority="P0")
    scene.do("ann", "todo.add", todo_id="todo_other", text="Check the links", priority="P3", depends_on=["todo_urgent"])
    todos = scene.todos()
    assert {name: (todo["title"], todo["priority"]) for name, todo in todos.items()} == {
        "todo_urgent": ("Check the links", "P0"),
        "todo_other": ("Check the links", "P3"),
    }
    assert scene.finish("todo_urgent").ok
    assert scene.todos()["todo_urgent"]["status"] == "done"
    assert scene.todos()["todo_other"]["status"] == "open"


# F2: a yes applies to what was shown, or to nothing.


def a_yes_to_what_was_revised_since_confirms_nothing(surface: Surface) -> None:
    """The owner presses on the card of before."""
    scene = Scene(surface, "f2-revise")
    scene.propose()
    seen = scene.basis("confirm")
    scene.do("ann", "goal.revise", objective="Rewrite everything", basis=seen)
    for action in ("goal.confirm", "goal.decline"):
        reply = scene.act("ann", action, basis=seen)
        assert (reply.outcome, reply.code) == ("stale", "stale_basis")
        assert "objective" in str(reply.details["changed"])
    assert scene.show()["state"] == "proposed"
    scene.confirm()
    assert scene.promise()["objective"] == ["Rewrite everything"]
    assert scene.act("ann", "goal.confirm", basis=seen).code == "nothing_to_confirm"


def a_yes_to_one_goal_is_no_yes_to_another(surface: Surface) -> None:
    """Two equal promises have bases of their own."""
    one, other = Scene(surface, "f2-one"), Scene(surface, "f2-other")
    one.propose()
    other.propose()
    assert other.act("ann", "goal.confirm", basis=one.basis("confirm")).code == "stale_basis"
    assert other.show()["state"] == "proposed"


def a_yes_to_the_result_of_before_accepts_nothing(surface: Surface) -> None:
    """The owner sent a result back; another is delivered; the old card is pressed."""
    scene = Scene(surface, "f2-deliver")
    scene.delivered()
    seen = scene.basis("accept")
    scene.do("ann", "goal.request-changes", basis=seen, reason="Check the anchors too")
    assert scene.act("ann", "goal.accept", basis=seen).code == "goal_state_forbids"
    scene.do("ann", "todo.add", todo_id="todo_two", text="Check the anchors")
    scene.finish("todo_two")
    scene.do("builder", "goal.deliver", summary="The anchors work too")
    for action, more in (("goal.accept", {}), ("goal.request-changes", {"reason": "No"})):
        assert scene.act("ann", action, basis=seen, **more).code == "stale_basis"
    assert scene.show()["state"] == "delivered"
    scene.do("ann", "goal.accept", basis=scene.basis("accept"))
    assert scene.show()["state"] == "accepted"


def a_yes_without_saying_to_what_is_refused(surface: Surface) -> None:
    """No basis, no decision."""
    scene = Scene(surface, "f2-none")
    scene.propose()
    assert scene.act("ann", "goal.confirm").code == "basis_required"
    scene.confirm()
    scene.do("ann", "todo.add", todo_id="todo_one", text="Check the links")
    scene.finish("todo_one")
    scene.do("builder", "goal.deliver", summary="All links work")
    assert scene.act("ann", "goal.accept").code == "basis_required"
    assert scene.act("ann", "goal.request-changes", reason="No").code == "basis_required"


def a_press_on_a_state_that_has_moved_changes_nothing(surface: Surface) -> None:
    """Paused and resumed since: the state has the same name and is another one."""
    scene = Scene(surface, "f2-state")
    scene.propose()
    scene.confirm()
    seen = scene.basis("state")
    scene.do("ann", "goal.pause", basis=seen)
    scene.do("ann", "goal.resume", basis=scene.basis("state"))
    for action in ("goal.pause", "goal.stop"):
        assert scene.act("ann", action, basis=seen).code == "stale_basis"
    assert scene.show()["state"] == "active"


def an_agent_says_no_owners_word(surface: Surface) -> None:
    """Whatever the agent knows of the basis."""
    scene = Scene(surface, "f2-agent")
    scene.propose()
    assert scene.act("builder", "goal.confirm", basis=scene.basis("confirm")).code == "not_permitted"
    scene = Scene(surface, "f2-agent-accepts")
    scene.delivered()
    for action, more in (("goal.accept", {}), ("goal.request-changes", {"reason": "No"})):
        assert scene.act("builder", action, basis=scene.basis("accept"), **more).code == "not_permitted"


# F3: success has an effect, and what has none says so.


def an_empty_delivery_is_refused(surface: Surface) -> None:
    """Nothing done, something open, or nothing new."""
    scene = Scene(surface, "f3-deliver")
    scene.propose()
    scene.confirm()
    assert scene.act("builder", "goal.deliver", summary="Done").code == "nothing_to_deliver"
    scene.do("ann", "todo.add", todo_id="todo_one", text="Check the links")
    assert scene.act("builder", "goal.deliver", summary="Done").code == "work_open"
    scene.do("ann", "todo.block", todo_id="todo_one", reason="The site is down")
    assert scene.act("builder", "goal.deliver", summary="Done").code == "work_open"
    scene.do("ann", "todo.cancel", todo_id="todo_one")
    assert scene.act("builder", "goal.deliver", summary="Done").code == "nothing_to_deliver"


def the_same_result_is_not_delivered_twice(surface: Surface) -> None:
    """Sent back and delivered again as it was."""
    scene = Scene(surface, "f3-again")
    scene.delivered()
    scene.do("ann", "goal.request-changes", basis=scene.basis("accept"), reason="Check the anchors too")
    assert scene.act("builder", "goal.deliver", summary="Done").code == "delivery_unchanged"


def done_without_evidence_is_refused(surface: Surface) -> None:
    """A word that something is done proves nothing, and neither does evidence of something else."""
    scene = Scene(surface, "f3-evidence")
    scene.propose()
    scene.confirm()
    for todo_id in ("todo_one", "todo_two"):
        scene.do("ann", "todo.add", todo_id=todo_id, text="Check the links")
        scene.do("builder", "todo.claim", todo_id=todo_id)
    other = scene.prove("todo_two")
    refused = (([], "evidence_required"), (["art_none"], "artifact_not_found"), ([other], "artifact_of_another_todo"))
    for evidence, code in refused:
        assert scene.act("builder", "todo.complete", todo_id="todo_one", evidence=evidence).code == code
    assert scene.todos()["todo_one"]["status"] == "open"


def what_changes_nothing_is_no_success_or_names_the_event_that_made_it_so(surface: Surface) -> None:
    """A wish that already holds is a `noop` with that event, and nothing else is stored."""
    scene = Scene(surface, "f3-noop")
    scene.propose()
    scene.confirm()
    scene.do("ann", "todo.add", todo_id="todo_one", text="Check the links")
    seq, _ = scene.do("builder", "todo.claim", todo_id="todo_one").events[0]
    before = list(surface.history())
    again = scene.act("builder", "todo.claim", todo_id="todo_one")
    assert (again.outcome, [held for held, _ in again.events]) == ("noop", [seq])
    missing = {"idempotency_key": "run-1", "expected_version": 0}
    gone = scene.act("builder", "task-lease.release", todo_id="todo_one", **missing)
    assert (gone.outcome, gone.details.get("missing")) == ("noop", True)
    assert scene.act("ann", "goal.revise", priority="P0").code == "nothing_to_change"
    assert scene.act("ann", "todo.update", todo_id="todo_one").code == "nothing_to_change"
    assert scene.act("ann", "todo.update", todo_id="todo_one", priority="P2").code == "nothing_to_change"
    assert list(surface.history()) == before


# F4: all of it once, however often it is asked for.


def a_retry_reads_the_first_receipt_whatever_happened_since(surface: Surface) -> None:
    """The work was given back, cancelled, the goal stopped: the receipt is the same."""
    scene = Scene(surface, "f4-retry")
    scene.propose()
    scene.confirm()
    scene.do("ann", "todo.add", todo_id="todo_one", text="Check the links")
    first = scene.do("builder", "todo.claim", "f4-claim", todo_id="todo_one")
    for change in (("builder", "todo.release"), ("ann", "todo.cancel")):
        scene.do(*change, todo_id="todo_one")
    scene.do("ann", "goal.stop")
    before = list(surface.history())
    again = scene.act("builder", "todo.claim", "f4-claim", todo_id="todo_one")
    assert (again.receipt_id, again.events, again.replayed) == (first.receipt_id, first.events, True)
    assert list(surface.history()) == before


def a_retry_cannot_widen_what_was_asked(surface: Surface) -> None:
    """The same key with more in it is a conflict and changes nothing."""
    scene = Scene(surface, "f4-widen")
    scene.propose()
    scene.confirm()
    asked = {"todo_id": "todo_one", "text": "Check the links", "required_write_scope": ["reports/links"]}
    scene.do("ann", "todo.add", "f4-add", **asked)
    before = list(surface.history())
    for wider in ({"required_write_scope": ["reports/**"]}, {"priority": "P0"}, {"todo_id": "todo_two"}):
        assert scene.act("ann", "todo.add", "f4-add", **(asked | wider)).code == "idempotency_conflict"
    assert list(surface.history()) == before
    assert list(scene.todos()) == ["todo_one"]


def a_completion_said_twice_has_one_successor(surface: Surface) -> None:
    """By the same key, and by another one."""
    scene = Scene(surface, "f4-successor")
    scene.propose()
    scene.confirm()
    scene.do("ann", "todo.add", todo_id="todo_one", text="Check the links")
    scene.do("builder", "todo.claim", todo_id="todo_one")
    asked = {"todo_id": "todo_one", "evidence": [scene.prove("todo_one")], "next_agent_todo": "Check the anchors"}
    first = scene.do("builder", "todo.complete", "f4-done", **asked)
    assert first.kinds == ["todo.completed", "todo.added"]
    assert scene.act("builder", "todo.complete", "f4-done", **asked).events == first.events
    another = scene.act("builder", "todo.complete", **(asked | {"next_agent_todo": "Check them again"}))
    assert (another.outcome, another.events[0][0]) == ("noop", first.events[0][0])
    titles = [str(todo["title"]) for todo in scene.todos().values()]
    assert sorted(titles) == ["Check the anchors", "Check the links"]


def a_late_execution_finishes_nothing(surface: Surface) -> None:
    """Its lease was given back and taken anew by another execution of the same agent."""
    scene = Scene(surface, "f4-late")
    scene.propose()
    scene.confirm()
    scene.do("ann", "todo.add", todo_id="todo_one", text="Check the links")
    one = {"todo_id": "todo_one"}
    scene.do("builder", "task-lease.acquire", **one, idempotency_key="run-1", ttl_seconds=600)
    proof = scene.prove("todo_one")
    scene.do("builder", "task-lease.release", **one, idempotency_key="run-1", expected_version=1)
    scene.do("builder", "task-lease.acquire", **one, idempotency_key="run-2", ttl_seconds=600)
    late = one | {"evidence": [proof], "next_agent_todo": "Check the anchors"}
    refused = (
        ("run-1", 1, "lease_cas_mismatch"),
        ("run-2", 1, "version_mismatch"),
        (None, None, "lease_fence_required"),
    )
    for key, version, code in refused:
        fence = {} if key is None else {"task_lease_idempotency_key": key, "task_lease_expected_version": version}
        assert scene.act("builder", "todo.complete", **late, **fence).code == code
    assert scene.act("builder", "task-lease.acquire", **one, idempotency_key="run-1").code == "todo_lease_conflict"
    assert list(scene.todos()) == ["todo_one"]
    fence = {"task_lease_idempotency_key": "run-2", "task_lease_expected_version": 2}
    done = scene.do("builder", "todo.complete", **late, **fence)
    assert done.kinds == ["lease.released", "todo.completed", "todo.added"]


SCENARIOS: tuple[Callable[[Surface], None], ...] = (
    what_was_confirmed_is_there_field_by_field,
    a_confirmed_revision_is_there_and_so_is_what_it_left_alone,
    work_is_there_with_its_priority_and_never_merged_with_work_of_the_same_words,
    a_yes_to_what_was_revised_since_confirms_nothing,
    a_yes_to_one_goal_is_no_yes_to_another,
    a_yes_to_the_result_of_before_accepts_nothing,
    a_yes_without_saying_to_what_is_refused,
    a_press_on_a_state_that_has_moved_changes_nothing,
    an_agent_says_no_owners_word,
    an_empty_delivery_is_refused,
    the_same_result_is_not_delivered_twice,
    done_without_evidence_is_refused,
    what_changes_nothing_is_no_success_or_names_the_event_that_made_it_so,
    a_retry_reads_the_first_receipt_whatever_happened_since,
    a_retry_cannot_widen_what_was_asked,
    a_completion_said_twice_has_one_successor,
    a_late_execution_finishes_nothing,
)
