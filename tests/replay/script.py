"""One history with every kind of event in it, on a fixed clock and with fixed salts: the same bytes each time."""

from tests.replay.scripts import FAMILIES
from tests.support.world import DOCS, World, digest

SITE = "site"


def everything() -> World:
    """A workspace in which all that can happen has happened."""
    world = World()
    _registry(world)
    _proposals(world)
    _work(world)
    _life(world)
    for play in FAMILIES:
        play(world)
    return world


def _registry(world: World) -> None:
    world.do("operator", "token.issue", member_id="builder", secret_digest=digest("one"), ttl_seconds=86_400)
    world.do("operator", "token.issue", member_id="helper", secret_digest=digest("two"))
    world.do("operator", "token.revoke", token_id=world.state.tokens[digest("one")].token_id)
    world.do("operator", "member.pair", member_id="bob", code_digest=digest("code"))
    identity = {"tenant_key": "t1", "app_id": "cli_1", "open_id": "ou_1", "union_id": "on_1"}
    world.do("bot", "member.bind", code_digest=digest("code"), identity_digest=digest("on_1"), **identity)
    world.do("operator", "button-key.rotate", grace_seconds=3_600)
    world.now_ms += 1_000


def _proposals(world: World) -> None:
    request = world.request("ann", "goal.propose", goal_id=SITE, objective="A site", criterion=["It is up"])
    fields = {name: getattr(request, name) for name in request.__struct_fields__}
    world.drain(type(request)(**(fields | {"caller": world.caller("ann", "lark", "oc_docs")})))
    world.do("ann", "goal.withdraw", goal_id=SITE, reason="Too early")
    world.propose("style", by="bob")
    world.do("ann", "goal.decline", goal_id="style", basis=world.goal("style").intent.basis, reason="Not now")
    world.propose(owner=["ann", "bob"], approver=["bob"], capability=["docs"], budget="two hours", priority="P1")
    world.do("builder", "goal.clarify", goal_id=DOCS, question="Which folder?", option=["docs", "site"])
    world.do("ann", "goal.clarify", goal_id=DOCS, answer="docs")
    world.do("ann", "goal.revise", goal_id=DOCS, objective="Every page of docs/ 都能从头走到尾.", non_goal=["Style"])
    world.confirm()
    world.now_ms += 1_000


def _work(world: World) -> None:
    one = {"goal_id": DOCS, "todo_id": "todo_links"}
    world.add("todo_links", required_write_scope=["reports/links/**"], acceptance="A report with every link")
    world.add("todo_commands", depends_on=["todo_links"], required_capability=["docs"], action_kind="check")
    world.add("todo_drop", excluded_agent=["helper"], bound_agent="builder")
    world.add("todo_person", role="user", task_class="user_action")
    world.do("helper", "todo.claim", **one)
    world.do("helper", "todo.release", **one)
    world.lease("todo_links", "helper", "run-0", ttl_seconds=30)
    world.now_ms += 30_000
    world.lease("todo_links", ttl_seconds=60)
    world.do("builder", "task-lease.renew", **one, idempotency_key="run-1", expected_version=2)
    proof = world.submit("todo_links", criterion=["c1"], summary="41 links")
    fence = {"task_lease_idempotency_key": "run-1", "task_lease_expected_version": 3}
    follow = {"next_agent_todo": "Check the anchors", "next_claimed_by": "helper", "note": "All of them work"}
    world.do("builder", "todo.complete", **one, **fence, **follow, evidence=[proof], completion_turn_key="turn-1")
    world.do("ann", "todo.update", goal_id=DOCS, todo_id="todo_commands", priority="P0", note="Soon")
    world.do("builder", "todo.block", goal_id=DOCS, todo_id="todo_commands", reason="No shell")
    world.do("ann", "todo.update", goal_id=DOCS, todo_id="todo_commands", status="open", text="Run every command")
    world.do("ann", "todo.cancel", goal_id=DOCS, todo_id="todo_drop", reason="Done elsewhere")
    world.do("bob", "todo.complete", goal_id=DOCS, todo_id="todo_person")
    world.now_ms += 1_000


def _life(world: World) -> None:
    world.do("ann", "goal.revise", goal_id=DOCS, criterion=["Every link works"], allowed_slots=60)
    world.confirm(by="bob")
    for agent in ("builder", "helper"):
        world.do(agent, "goal.adopt", goal_id=DOCS, revision=3)
    world.do("ann", "goal.pause", goal_id=DOCS, reason="Lunch")
    world.do("ann", "goal.resume", goal_id=DOCS)
    world.finish("todo_commands")
    successor = world.todo("todo_links").successor_todo_ids[0]
    world.finish(successor, by="helper")
    world.deliver()
    basis = world.goal().delivery.basis
    world.do("bob", "goal.request-changes", goal_id=DOCS, basis=basis, reason="Check the anchors too")
    world.add("todo_again")
    world.finish("todo_again")
    world.deliver()
    world.do("ann", "goal.accept", goal_id=DOCS, basis=world.goal().delivery.basis, reason="Thank you")
    world.activate("late")
    world.add("todo_open", "late")
    world.lease("todo_open", "helper", "run-5", goal_id="late")
    world.do("operator", "member.revoke", member_id="helper")
    world.do("ann", "goal.stop", goal_id="late", reason="No longer needed")
