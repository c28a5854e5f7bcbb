"""`frontstage schema`: what an action takes, as JSON Schema, straight from the models that check it.

The daemon is not asked: what is printed is what this installation would check.
"""

from daemon.cli.output import STDOUT, write
from daemon.cli.parse import Command, UsageError
from ledger.canonical import canonical
from ledger.catalogue import ACTIONS


def main(command: Command) -> int:
    """Print one schema, or the names of all actions."""
    name = command.values.get("action")
    listed = {action.name: action for action in ACTIONS.values() if not action.hidden}
    if name is None:
        write(STDOUT, _list_as_json() if command.options.json else _list_as_text())
        return 0
    action = listed.get(str(name))
    if action is None:
        raise UsageError(f"there is no action {name}", field="action", hint="frontstage schema lists them all")
    from json import dumps  # noqa: PLC0415  (only for one schema, which a person reads)

    write(STDOUT, (dumps(action.params.model_json_schema(), indent=2, ensure_ascii=False) + "\n").encode())
    return 0


def _list_as_text() -> bytes:
    rows = [(action.name, action.summary) for action in ACTIONS.values() if not action.hidden]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:<{width}}  {summary}\n" for name, summary in rows).encode()


def _list_as_json() -> bytes:
    actions = [
        {"action": action.name, "summary": action.summary, "writes": action.writes}
        for action in ACTIONS.values()
        if not action.hidden
    ]
    document = {"schema_version": "frontstage_action_list_v1", "ok": True, "actions": actions, "total": len(actions)}
    return canonical(document) + b"\n"
