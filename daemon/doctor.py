"""`frontstage doctor`: looks at everything an installation rests on, changes nothing, and says how to mend it.

Each check is a function from a home to findings. A finding is `ok`, `warn` (works, but somebody should know) or
`fail` (does not work, or is not safe), and all but `ok` carry the remedy.
"""

import os
import shutil
import stat
import time
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import apsw

from daemon import config, lock, wire
from daemon.agents.bindings_check import bindings
from daemon.cli.credential import find_token
from daemon.cli.output import STDOUT, write
from daemon.cli.parse import Command, UsageError
from daemon.client import Client, Reply
from daemon.local.homes import home_of
from daemon.local.processes import INSTALL_HINT
from daemon.local.stop import is_held
from daemon.paths import SOCKET_PATH_BYTES_MAX, Home
from daemon.web import place
from ledger.canonical import canonical
from ledger.codec import CodecError, decode_body
from ledger.ports import StoreFault, StoreUnusable
from ledger.store.sqlite import open_sqlite_reader
from ledger.store.sqlite_guard import require_safe_library
from ledger.text.say import one_line

ANSWER_MS_MAX = 5_000
SKEW_MS_MAX = 2_000
HOOK_BEHIND_S_MAX = 300
DISK_FREE_BYTES_MIN = 200 * 1024 * 1024
Level = Literal["ok", "warn", "fail"]


class Finding(NamedTuple):
    """One thing that was looked at."""

    level: Level
    subject: str
    said: str
    remedy: str = ""


def main(command: Command) -> int:
    """Look at everything; exit code 1 if something failed."""
    home = home_of(command)
    findings = examine(home)
    failed = any(finding.level == "fail" for finding in findings)
    if command.options.json:
        document = {
            "schema_version": "frontstage_doctor_v1",
            "ok": not failed,
            "findings": [f._asdict() for f in findings],
        }
        write(STDOUT, canonical(document) + b"\n")
    else:
        write(STDOUT, "".join(_lines(finding) for finding in findings).encode())
    return 1 if failed else 0


def _lines(finding: Finding) -> str:
    line = f"{finding.level:<4}  {finding.subject:<15}  {one_line(finding.said)}\n"
    return line + (f"{'':23}fix: {one_line(finding.remedy)}\n" if finding.remedy else "")


def examine(home: Home) -> list[Finding]:
    """Every check in order. Without a home most of them have nothing to look at."""
    findings = _library(home)
    if not Path(home.ledger).exists():
        remedy = "frontstage init, or name another folder with --home or FRONTSTAGE_HOME"
        return [*findings, Finding("fail", "home", f"there is no ledger in {home.path}", remedy)]
    checks: tuple[Callable[[Home], list[Finding]], ...] = (
        _folder, _files, _socket_path, _ledger, _holder, _daemon, _page, _disk, _lark,
    )  # fmt: skip
    for check in checks:
        findings += check(home)
    return findings


def machine(home: Home) -> list[Finding]:
    """The library and who holds the ledger, for an answer that is about something else besides."""
    return [*_library(home), *_holder(home)]


def _library(_home: Home) -> list[Finding]:
    version = apsw.sqlite_lib_version()
    try:
        require_safe_library(version)
    except StoreUnusable as error:
        return [Finding("fail", "sqlite", str(error), "pip install --upgrade 'apsw>=3.51.3.0'")]
    return [Finding("ok", "sqlite", f"SQLite {version}")]


def _folder(home: Home) -> list[Finding]:
    return [_private(home.path, "home", 0o700)]


def _files(home: Home) -> list[Finding]:
    findings = []
    for path, needed in (
        (home.ledger, True),
        (home.owner_token, False),
        (home.bot_token, False),
        (home.button_key, True),
        (home.code_key, False),
        (home.page, False),
        (home.socket, False),
        (home.config, False),
    ):
        subject = Path(path).name
        if Path(path).exists():
            findings.append(_private(path, subject, 0o600))
        elif needed:
            findings.append(Finding("fail", subject, f"{path} is missing", "restore it from a backup of the home"))
    if not Path(home.owner_token).exists():
        remedy = f"frontstage token issue --member-id OWNER, and put the secret into {home.owner_token} (mode 0600)"
        findings.append(Finding("warn", "owner.token", "the owner has no credential here", remedy))
    return findings


def _private(path: str, subject: str, mode: int) -> Finding:
    """Whether a path is its user's alone."""
    status = Path(path).stat()
    if status.st_uid != os.geteuid():
        return Finding(
            "fail", subject, f"{path} belongs to another user (uid {status.st_uid})", "run as that user, or chown it"
        )
    found = stat.S_IMODE(status.st_mode)
    if found & 0o077:
        return Finding("fail", subject, f"others may use {path} (mode {found:04o})", f"chmod {mode:o} {path}")
    return Finding("ok", subject, f"{path} is private")


def _socket_path(home: Home) -> list[Finding]:
    size = len(os.fsencode(home.socket))
    if size > SOCKET_PATH_BYTES_MAX:
        said = f"the socket's path has {size} bytes, at most {SOCKET_PATH_BYTES_MAX} fit"
        return [Finding("fail", "socket", said, "choose a shorter home, or set FRONTSTAGE_SOCKET to a short path")]
    return [Finding("ok", "socket", f"the socket's path has {size} of {SOCKET_PATH_BYTES_MAX} bytes")]


def _ledger(home: Home) -> list[Finding]:
    try:
        store = open_sqlite_reader(Path(home.ledger))
        try:
            head = store.head()
            last = next(iter(store.events(head.seq - 1)), None)
        finally:
            store.close()
    except (StoreUnusable, StoreFault) as error:
        return [Finding("fail", "ledger", str(error), "frontstage ledger verify; restore the last good backup")]
    if last is None:
        return [Finding("fail", "ledger", "the ledger has no first event", "frontstage init")]
    found = [Finding("ok", "ledger", f"{head.seq} events, head {head.hash.hex()[:16]}")]
    try:
        ahead_ms = decode_body(last.body).at_ms - time.time_ns() // 1_000_000
    except CodecError as error:
        return [Finding("fail", "ledger", str(error), "frontstage ledger verify")]
    if ahead_ms > SKEW_MS_MAX:
        said = f"the last event is {ahead_ms / 1000:.0f} s ahead of this machine's clock"
        found.append(Finding("warn", "clock", said, "set the machine's clock (timedatectl, or your NTP service)"))
    else:
        found.append(Finding("ok", "clock", "the wall clock is not behind the ledger"))
    return found


def _holder(home: Home) -> list[Finding]:
    path = Path(home.lock)
    if not is_held(path):
        if Path(home.socket).exists():
            said = "a socket was left behind; the next daemon replaces it"
            return [Finding("warn", "lock", said, "frontstage up")]
        return [Finding("ok", "lock", "no process holds the ledger")]
    holder = lock.read_holder(path)
    if holder is None:
        return [
            Finding(
                "warn", "lock", "the ledger is held by a process that the lock does not name", "try again in a moment"
            )
        ]
    return [Finding("ok", "lock", f"held by process {holder.pid} on {holder.host}, version {holder.version}")]


def _daemon(home: Home) -> list[Finding]:
    try:
        client = Client(home.socket, find_token(home), surface="cli", answer_ms_max=ANSWER_MS_MAX)
        ready, health, members = client.get("/readyz"), client.get("/healthz"), client.read("member.list")
        hooks, connected = client.get("/v1/hooks"), client.read("agent.list")
    except UsageError as error:
        return [Finding("fail", "daemon", error.message, error.hint or "mend the credential first")]
    except wire.NobodyListens:
        return [Finding("warn", "daemon", "no daemon runs; each command starts one for itself", "frontstage up")]
    except wire.WireFault as error:
        return [
            Finding("fail", "daemon", f"the daemon does not answer: {error}", "frontstage stop, then frontstage up")
        ]
    if not ready.ok:
        said = "the daemon runs but commits nothing now"
        return [Finding("fail", "daemon", said, "look at its log; often the disk is full or read-only")]
    return [
        Finding("ok", "daemon", f"ready at seq {ready.seq}"),
        _skew(health),
        _credential(members),
        *_bot(home, health),
        *_agents(members),
        *(Finding(one.level, "bindings", one.text, one.remedy) for one in bindings(home, connected)),
        *_hooks(hooks),
    ]


def _skew(health: Reply) -> Finding:
    clock = health.body.get("clock")
    skew_ms = clock.get("skew_ms") if isinstance(clock, dict) else None
    if not isinstance(skew_ms, int):
        return Finding(
            "warn", "clock", "the daemon does not tell its clock's skew", "use the same version on both sides"
        )
    if abs(skew_ms) > SKEW_MS_MAX:
        said = f"the wall clock is {skew_ms / 1000:+.1f} s off the ledger's"
        return Finding("warn", "clock", said, "set the machine's clock (timedatectl, or your NTP service)")
    return Finding("ok", "clock", f"wall and ledger clock differ by {skew_ms} ms")


def _credential(members: Reply) -> Finding:
    if members.ok:
        return Finding("ok", "credential", "the daemon knows this caller")
    remedy = "frontstage token issue for a new one, and store it in owner.token (mode 0600)"
    return Finding("fail", "credential", f"the daemon refuses this caller: {members.code}", remedy)


_BOT_LEVELS: dict[object, tuple[Level, str, str]] = {
    "qualified": ("ok", "a press has reached the bot: callbacks are proven", ""),
    "unqualified": (
        "warn",
        "unqualified: the bot hears the platform, and no press has reached it yet, so cards may be dead",
        "press any button on a card once; if nothing answers, frontstage lark doctor says what to look at",
    ),
    "not_ready": ("warn", "the bot runs and hears nothing from the platform yet", "frontstage lark doctor"),
    "down": ("warn", "the bot says that it has stopped", "frontstage up"),
    "silent": ("warn", "the bot has not been heard of for half a minute", "look at its log; frontstage up"),
    "absent": ("warn", "no bot runs: no card is posted, and no press is heard", "frontstage up, or frontstage bot"),
}


def _bot(home: Home, health: Reply) -> list[Finding]:
    """What the bot last said of itself; a process that runs is not told as one that works."""
    settings, _ = _settings(home)
    told = health.body.get("bot")
    if "lark" not in settings or not isinstance(told, dict):
        return []
    for refused in (told.get("fatal"), told.get("send_fault")):
        if refused and told.get("state") == "up":
            return [Finding("fail", "bot", str(refused), "frontstage lark doctor")]
    state = told.get("qualification") if told.get("state") == "up" else told.get("state")
    level, said, remedy = _BOT_LEVELS.get(state, _BOT_LEVELS["silent"])
    return [Finding(level, "bot", said, remedy)]


def _hooks(listed: Reply) -> list[Finding]:
    """Hooks that are parked or fall behind: nobody else would notice that nobody is told."""
    rows = listed.body.get("hooks") if listed.ok else None
    found: list[Finding] = []
    for row in rows if isinstance(rows, list) else []:
        name, state, reason = row.get("name"), row.get("state"), row.get("reason")
        behind_s = row.get("behind_seconds", 0)
        if state == "parked":
            said = f"hook {name} is parked at seq {row.get('before_seq')}: {reason}"
            found.append(Finding("warn", "hooks", said, f"mend what it says, then frontstage hook retry {name}"))
        elif isinstance(behind_s, int | float) and behind_s > HOOK_BEHIND_S_MAX:
            said = f"hook {name} is {behind_s:.0f} s behind ({reason or 'it is slow'})"
            found.append(Finding("warn", "hooks", said, "frontstage hook list shows what is in its way"))
        elif state == "unconfigured":
            found.append(Finding("ok", "hooks", f"hook {name} is no longer in config.toml; its place is kept"))
        else:
            found.append(Finding("ok", "hooks", f"hook {name} is {state}, {row.get('behind_events')} events behind"))
    return found


def _agents(members: Reply) -> list[Finding]:
    """Agents are told apart by tokens, which protect nothing between programs of one user."""
    listed = members.body.get("members")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    agents = [row for row in rows if "agent" in {row.get("kind"), row.get("member_kind")} and not row.get("revoked")]
    if not agents:
        return []
    said = f"{len(agents)} agents are registered; programs of this user can read the owner's credential"
    return [
        Finding(
            "warn", "agents", said, "run agents under another user, with FRONTSTAGE_SOCKET and a token of their own"
        )
    ]


def _page(home: Home) -> list[Finding]:
    """Whether the local page is open, and whether it can be. Its address is a secret and is not told."""
    settings, _ = _settings(home)
    section = settings.get("page")
    port = section.get("port") if isinstance(section, dict) else None
    kept = place.kept_port(home)
    if kept is not None and place.is_taken(kept):
        return [Finding("ok", "page", f"the local page is open on port {kept} of this machine")]
    if isinstance(port, int) and place.is_taken(port):
        said = f"[page] port {port} cannot be listened on, so the local page cannot be opened"
        return [Finding("warn", "page", said, "free the port, or set another in config.toml, and restart the daemon")]
    if kept is not None:
        said = "the local page was opened and is not there now"
        return [Finding("warn", "page", said, "frontstage up; then frontstage open says where it is")]
    return [Finding("ok", "page", "the local page is closed; frontstage open opens it")]


def _disk(home: Home) -> list[Finding]:
    free = shutil.disk_usage(home.path).free
    said = f"{free // (1024 * 1024)} MiB are free where the ledger is"
    if free < DISK_FREE_BYTES_MIN:
        return [Finding("fail", "disk", said, "make room: with a full disk nothing is committed")]
    return [Finding("ok", "disk", said)]


def _settings(home: Home) -> tuple[dict[str, object], list[Finding]]:
    """The settings as they stand, and what is wrong with them: a key that nobody reads is named."""
    try:
        config.load(home)
    except config.ConfigError as error:
        return {}, [Finding("fail", "config", str(error), "mend it as config/frontstage.toml.example shows")]
    path = Path(home.config)
    return (tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}), []


def _lark(home: Home) -> list[Finding]:
    settings, wrong = _settings(home)
    if wrong:
        return wrong
    section = settings.get("lark")
    if not isinstance(section, dict):
        return [
            Finding(
                "warn",
                "lark",
                "not set up: goals are proposed and approved from the shell only",
                "run frontstage lark setup",
            )
        ]
    if not section.get("app_id") or not (section.get("app_secret_file") or section.get("app_secret")):
        return [
            Finding("fail", "lark", "[lark] lacks app_id or app_secret_file", "take both from the developer console")
        ]
    missing = [name for name in ("lark_oapi", "httpx", "aiolimiter") if find_spec(name) is None]
    if missing:
        return [Finding("fail", "lark", f"not installed: {', '.join(missing)}", INSTALL_HINT)]
    for name in ("app_secret_file", "encrypt_key_file", "verification_token_file"):
        secret_file = section.get(name)
        if not isinstance(secret_file, str):
            continue
        path = Path(home.path, secret_file).expanduser()
        if not path.exists():
            return [Finding("fail", "lark", f"{path} is missing", f"put what {name} names there (mode 0600)")]
        private = _private(str(path), "lark", 0o600)
        if private.level != "ok":
            return [private]
    return [Finding("ok", "lark", "set up")]
