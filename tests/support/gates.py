"""Gates on the work of a goal: how the tests of gates open, decide and look at them."""

from msgspec.structs import replace

from ledger.ids import TodoId
from ledger.rules.gates import blocking, gate_basis
from tests.support.world import DOCS, World

GATE = "gate_a"


def gates_world() -> World:
    """Two todos, an owner, approvers and agents."""
    made = World()
    made.activate(owner=["ann"])
    made.do("operator", "member.add", member_id="cara", kind="person", display_name="Cara")
    for todo_id in ("todo_one", "todo_two"):
        made.add(todo_id)
    return made


def open_gate(world, by="builder", **more):
    asked = {"goal_id": DOCS, "gate_id": GATE, "question": "May the pages be published?", "blocks_todo": ["todo_one"]}
    return world.ask(by, "gate.open", **(asked | more))


def opened(world, by="builder", **more):
    answer = open_gate(world, by, **more)
    assert answer.refusal is None, answer.refusal


def gate(world, gate_id=GATE):
    return world.goal().gates.by_id[gate_id]


def basis(world, gate_id=GATE):
    return gate_basis(world.goal(), gate(world, gate_id))


def decide(world, by, verb, gate_id=GATE, **more):
    asked = {"goal_id": DOCS, "gate_id": gate_id, "basis": basis(world, gate_id)} | more
    return world.ask(by, f"gate.{verb}", **asked)


def code(answer):
    return None if answer.refusal is None else answer.refusal.code.value


def blocks(world, todo_id="todo_one", agent="builder"):
    todo = None if todo_id is None else world.todo(todo_id)
    return blocking(world.state, world.goal(), todo, agent, world.now_ms)


def need(world, todo_id, *scopes):
    """The todo needs decisions of these scopes."""
    for state in (world.state, world.writer._ahead):
        todos = state.goals[DOCS].todos
        todos[TodoId(todo_id)] = replace(todos[TodoId(todo_id)], required_decision_scopes=scopes)
