"""`frontstage worker status`: how near an agent is to work, by the ledger and by what its worker last said.

The ledger's words are facts with an end and no sign of life; the worker's are what it wrote into its own folder, and
whether it lives is asked of the lock that it holds. They stand beside each other and neither is made up from the other.
"""

import json

from daemon import wire
from daemon.agents.worker_desk import Desk
from daemon.agents.worker_look import folder_of
from daemon.cli.call import chosen_locale
from daemon.cli.credential import find_token
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, STDOUT, refuse, tell, write
from daemon.cli.parse import Command
from daemon.client import Client, Document, Reply
from daemon.local.homes import home_of
from daemon.local.worker import agent_of

LADDER = ("registered", "addressable", "bound", "launchable", "executing", "blocked")
EXIT_ABSENT = 1


def main(command: Command) -> int:
    """Print it; exit code 0 while a worker runs here."""
    home = home_of(command)
    agent_id = agent_of(command)
    desk = Desk(folder_of(home.path, agent_id))
    locale = command.options.locale or chosen_locale()
    client = Client(home.socket, find_token(home), surface="cli", locale=locale)
    try:
        reply = client.read("member.show", {"agent_id": agent_id, "goal_id": _goal(command)})
    except wire.WireFault as error:
        exit_code = EXIT_FAULT if isinstance(error, wire.NotOurs) else EXIT_UNREACHABLE
        return _no(command, "daemon_unreachable", str(error), "it needs a daemon: frontstage up", exit_code)
    if not reply.ok:
        return _refused(command, reply)
    process, told = desk.holder(), desk.told()
    document = {
        "schema_version": "frontstage_worker_status_v0",
        "ok": True,
        "seq": reply.seq,
        "agent_id": agent_id,
        "presence": reply.body["presence"],
        "presence_because": reply.body["presence_because"],
        "ladder": ladder(reply.body),
        "running": process is not None,
        "process": process,
        "worker": told,
    }
    if command.options.json:
        write(STDOUT, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    else:
        write(STDOUT, "".join(f"{line}\n" for line in lines(document)).encode("utf-8", "replace"))
    return 0 if process is not None else EXIT_ABSENT


def ladder(member: Document) -> dict[str, bool]:
    """Each word of the ladder apart, as the ledger's one word implies it."""
    word = str(member["presence"] or "")
    height = LADDER.index(word) if word in LADDER[:5] else LADDER.index("bound") if word == "blocked" else -1
    steps = {name: place <= height for place, name in enumerate(LADDER[:5])}
    # A promise to work on, which a revision or a gate may block while it is kept.
    steps["executing"] |= bool(member.get("current_claims"))
    # Whoever is at work could not begin another turn; what it is launched for is under way.
    return {**steps, "blocked": word == "blocked"}


def lines(document: Document) -> list[str]:
    """The same for a person."""
    steps = document["ladder"]
    assert isinstance(steps, dict)
    told = document["worker"]
    assert isinstance(told, dict)
    turn, last, waits = told.get("turn"), told.get("last"), told.get("waits")
    rows = [f"{name:<12} {'yes' if holds else 'no'}" for name, holds in steps.items()]
    rows.append(f"{'because':<12} {document['presence_because']}")
    how = f"process {document['process']}, {told.get('how')}" if document["running"] else "not running here"
    rows.append(f"{'worker':<12} {how}")
    if isinstance(turn, dict) and document["running"]:
        rows.append(
            f"{'turn':<12} {turn['turn_id']}: {turn['kind']} {turn['subject']} of {turn['goal_id']}, {turn['phase']}"
        )
    if isinstance(last, dict):
        why = f" ({last['problem']})" if last["problem"] else ""
        rows.append(f"{'last turn':<12} {last['subject']}: {last['close']}{why}")
    if isinstance(waits, dict):
        rows += [f"{'waits':<12} {goal_id}: {why}" for goal_id, why in sorted(waits.items())]
    return rows


def _goal(command: Command) -> str | None:
    return str(command.values["goal_id"]) if "goal_id" in command.values else None


def _refused(command: Command, reply: Reply) -> int:
    if command.options.json:
        write(STDOUT, json.dumps(reply.body, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    else:
        tell(str(reply.body.get("message", reply.code)))
    return reply.exit_code


def _no(command: Command, code: str, message: str, hint: str, exit_code: int) -> int:
    if command.options.json:
        return refuse(code, message, hint, action=command.action, details={}, exit_code=exit_code)
    tell(f"frontstage: {message}\n  {hint}")
    return exit_code
