"""`frontstage hook`: how far each after-commit hook has come, and to have one try again.

The daemon is asked, for it knows. Where none runs, the list is read from the ledger's file: no hook moves meanwhile.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from daemon import config, wire
from daemon.cli.call import chosen_locale
from daemon.cli.credential import find_token
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.client import Client, Reply
from daemon.local.homes import home_of, initialised_home_of
from daemon.paths import Home
from ledger.canonical import canonical
from ledger.store.sqlite import open_sqlite_reader
from ledger.text.say import Locale, one_line, say
from ledger.text.times import rfc3339
from ledger.wire import all_kinds

SCHEMA_VERSION = "frontstage_hooks_v0"
RETRY_PATH = "/v1/hooks/retry"
COLUMNS = ("name", "state", "cursor", "behind_events", "delivered", "target", "reason")


def list_hooks(command: Command) -> int:
    """Print every hook with its place; or, with --kinds, what there is to ask for."""
    if command.values.get("kinds"):
        kinds = sorted({kind.name for kind in all_kinds()})
        told = canonical({"schema_version": SCHEMA_VERSION, "ok": True, "kinds": kinds}) + b"\n"
        write(STDOUT, told if command.options.json else ("\n".join(kinds) + "\n").encode())
        return 0
    home = initialised_home_of(command)
    try:
        reply = _client(home, command).get("/v1/hooks")
    except wire.NobodyListens:
        return _printed(command, _at_rest(home))
    except wire.WireFault as error:
        return _unreachable(command, error)
    return _printed(command, reply.body) if reply.ok else _told(command, reply)


def retry_hook(command: Command) -> int:
    """Have one try again at once."""
    home = home_of(command)
    name, skip = str(command.values["name"]), bool(command.values.get("skip"))
    try:
        reply = _client(home, command).post(RETRY_PATH, {"name": name, "skip": skip})
    except wire.WireFault as error:
        return _unreachable(command, error)
    if not reply.ok:
        return _told(command, reply)
    if command.options.json:
        write(STDOUT, canonical(reply.body) + b"\n")
    else:
        key = ("hooks.skipped" if skip else "hooks.retried") if reply.body.get("changed") else "hooks.nothing_to_retry"
        write(STDOUT, (say(key, _locale(command), hook=name) + "\n").encode())
    return 0


def _client(home: Home, command: Command) -> Client:
    return Client(home.socket, find_token(home), surface="cli", locale=_locale(command))


def _locale(command: Command) -> Locale:
    return "zh" if (command.options.locale or chosen_locale()).startswith("zh") else "en"


def _at_rest(home: Home) -> dict[str, object]:
    """What the file says while no daemon runs. Raises UsageError where the settings cannot be read."""
    try:
        settings = {hook.name: hook for hook in config.load(home).hooks}
    except config.ConfigError as error:
        raise UsageError(str(error), hint="mend it as config/frontstage.toml.example shows") from error
    store = open_sqlite_reader(Path(home.ledger))
    try:
        rows, head = {row.name: row for row in store.hooks()}, store.head().seq
    finally:
        store.close()
    hooks: list[dict[str, object]] = []
    for name in sorted({*rows, *settings}):
        row, hook = rows.get(name), settings.get(name)
        state = "unconfigured" if hook is None else "new" if row is None else "parked" if row.parked else "resting"
        hooks.append(
            {
                "name": name,
                "state": state,
                "target": None if hook is None else hook.target,
                "cursor": None if row is None else row.seq,
                "behind_events": None if row is None else max(0, head - row.seq),
                "delivered": 0 if row is None else row.delivered,
                "attempts": 0 if row is None else row.attempts,
                "reason": "" if row is None else row.reason,
                "changed_at": None if row is None else rfc3339(row.changed_at_ms),
            }
        )
    return {"schema_version": SCHEMA_VERSION, "ok": True, "hooks": hooks, "seq": head}


def _printed(command: Command, document: Mapping[str, object]) -> int:
    if command.options.json:
        write(STDOUT, canonical(document) + b"\n")
        return 0
    hooks, locale = document["hooks"], _locale(command)
    assert isinstance(hooks, list)
    if not hooks:
        write(STDOUT, (say("hooks.none", locale) + "\n").encode())
        return 0
    heads = [say(f"hooks.column.{name}", locale) for name in COLUMNS]
    rows = [[_cell(hook, name, locale) for name in COLUMNS] for hook in hooks]
    write(STDOUT, _table([heads, *rows]).encode("utf-8", "replace"))
    return 0


def _cell(hook: Mapping[str, object], name: str, locale: Locale) -> str:
    value = hook.get(name)
    if name == "state":
        return say(f"hooks.state.{value}", locale)
    if name == "reason":
        return _reason(str(value), locale) if value else "-"
    return "-" if value is None else one_line(str(value))


def _reason(reason: str, locale: Locale) -> str:
    code, _, number = reason.partition(" ")
    return say(f"hooks.reason.{code}", locale, number=number or "-")


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(lines) + "\n"


def _told(command: Command, reply: Reply) -> int:
    if command.options.json:
        write(STDOUT, canonical(reply.body) + b"\n")
    else:
        tell(f"{reply.body.get('message', '')}\n{reply.body.get('hint', '')}".strip())
    return reply.exit_code


def _unreachable(command: Command, error: wire.WireFault) -> int:
    exit_code = EXIT_FAULT if isinstance(error, wire.NotOurs) else EXIT_UNREACHABLE
    hint = say("hooks.needs_daemon", _locale(command))
    if command.options.json:
        name = f"hook.{'retry' if 'name' in command.values else 'list'}"
        return refuse("daemon_unreachable", str(error), hint, action=name, details={}, exit_code=exit_code)
    tell(f"frontstage: {error}\n  {hint}")
    return exit_code
