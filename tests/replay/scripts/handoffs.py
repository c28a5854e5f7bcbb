"""What can happen to handoffs, once each."""

from tests.support.world import World, digest

GOAL = "relay"
SECOND = "second"
"""An agent of its own: whoever worked before was revoked in the course of this history."""


def play(world: World) -> None:
    """Play it at the end of a history."""
    world.do("operator", "member.add", member_id=SECOND, kind="agent", display_name="Second", capability=["docs"])
    world.activate(GOAL)
    one = {"goal_id": GOAL, "todo_id": "todo_relay"}
    two = {"goal_id": GOAL, "todo_id": "todo_later"}
    world.add("todo_relay", GOAL, action_kind="check")
    world.add("todo_later", GOAL)
    world.do("ann", "todo.defer", **two, resume_when="todo_done:todo_relay", reason="Links first")
    world.do("ann", "todo.resume", **two, reason="Not needed after all")
    key = {"idempotency_key": "relay-1", "expected_version": 1}
    world.do("builder", "task-lease.acquire", **one, idempotency_key="relay-1", ttl_seconds=60)
    give = {"new_owner": SECOND, "new_idempotency_key": "relay-2"}
    world.do("builder", "task-lease.transfer", **one, **key, **give)
    fence = {"task_lease_idempotency_key": "relay-2", "task_lease_expected_version": 2}
    notes = {"context": "Two pages are checked", "remaining_work": "install.md"}
    world.do(SECOND, "todo.handoff", **one, **fence, **notes)
    world.do(SECOND, "todo.handoff", **one, **fence, **notes, to_agent="builder", new_idempotency_key="relay-3")
    world.now_ms += 60_000
    world.do(SECOND, "todo.adopt", **one, idempotency_key="relay-4", expected_version=3)
    asked = {"agent_id": "builder", "on_behalf_of": SECOND, "allowed_action": ["complete"], "action_kind": ["check"]}
    (event,) = world.do("ann", "todo.delegate", goal_id=GOAL, **asked, reason="Second is away")
    world.do("ann", "todo.undelegate", goal_id=GOAL, grant_id=event.facts.grant_id, reason="Back again")
    world.do(SECOND, "task-lease.release", **one, idempotency_key="relay-4", expected_version=4)
    world.do("ann", "goal.set-handoff-mode", goal_id=GOAL, handoff_mode="soft_claim", reason="One agent is enough")
    world.do("ann", "token.issue", member_id=SECOND, secret_digest=digest("relay"), ttl_seconds=86_400)
    token_id = world.state.tokens[digest("relay")].token_id
    world.do("ann", "token.rotate", token_id=token_id, secret_digest=digest("relay-2"), grace_seconds=60)
