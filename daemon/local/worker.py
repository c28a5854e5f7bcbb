"""`frontstage worker run` and `frontstage worker status`: the worker's composition root, and what it says of itself."""

import json
import os
import re
import shutil
import signal
import tempfile
import time
from pathlib import Path

from daemon import wire
from daemon.agents.program_words import program_words
from daemon.agents.store import ArtifactStore
from daemon.agents.worker import Bench, Worker, absolute, document
from daemon.agents.worker_desk import Desk, DeskTaken
from daemon.agents.worker_drive import Validate, Validation
from daemon.agents.worker_folder import Setting
from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_look import folder_of
from daemon.agents.worker_tree import require_clean
from daemon.agents.worker_turn import Turn
from daemon.cli.call import chosen_locale
from daemon.cli.credential import TOKEN_FILE_VARIABLE, TOKEN_VARIABLE, find_token
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.client import Client
from daemon.local.check import NotAnswered, Validator, declarations, recorded, run_one, validator_of
from daemon.local.homes import home_of
from daemon.paths import Home

EXIT_REFUSED = 1
LEASE_SECONDS_DEFAULT, LEASE_SECONDS_LEAST, LEASE_SECONDS_MAX = 300, 3, 14_400
TIMEOUT_SECONDS_DEFAULT, TIMEOUT_SECONDS_MAX = 1_800, 86_400
ANSWER_MS_MAX = 15_000
"""A daemon that says nothing for longer is asked again: the lease waits for nobody."""
STORE = "artifacts"
AGENT_ID = re.compile(r"[a-z][a-z0-9_.:@-]{0,79}")


def run(command: Command) -> int:
    """Work until told to stop, or with --once for one turn."""
    home = home_of(command)
    token = _own_token(home)
    values = command.values
    agent_id = agent_of(command)
    setting = Setting(
        agent_id=agent_id,
        argv=_argv(str(values["exec"])),
        socket=str(absolute(Path(home.socket))),
        token=token,
        repository=_folder(command, "repository"),
        base=str(values.get("base", "HEAD")),
        validators=None if "validators" not in values else frozenset(_declared(command)),
        lease_seconds=_number(command, "lease_seconds", LEASE_SECONDS_DEFAULT, LEASE_SECONDS_LEAST, LEASE_SECONDS_MAX),
        timeout_seconds=_number(command, "timeout_seconds", TIMEOUT_SECONDS_DEFAULT, 1, TIMEOUT_SECONDS_MAX),
    )
    _require_repository(setting)
    client = Client(setting.socket, token, surface="cli", locale=_locale(command), answer_ms_max=ANSWER_MS_MAX)
    bench = Bench(
        client=client,
        setting=setting,
        desk=Desk(folder_of(home.path, agent_id)),
        store=ArtifactStore(_folder(command, "store") or absolute(Path(home.path) / STORE)),
        validate=_validating(client, _declared(command) if "validators" in values else {}),
        say=lambda line: tell(f"{time.strftime('%H:%M:%S')} {agent_id}: {line}"),
        ended=lambda turn: _print(command, turn),
        goal_id=None if "goal_id" not in values else str(values["goal_id"]),
        once="once" in values,
    )
    return _work(command, Worker(bench), once=bench.once)


def _own_token(home: Home) -> str | None:
    """The agent's own credential: the owner's, which other commands fall back to, is nobody's to work by."""
    if not {TOKEN_VARIABLE, TOKEN_FILE_VARIABLE} & os.environ.keys():
        raise UsageError(
            "a worker acts by its agent's own token, and there is none",
            hint=f"set {TOKEN_VARIABLE} or {TOKEN_FILE_VARIABLE}",
            code="credential_unusable",
        )
    return find_token(home)


def agent_of(command: Command) -> str:
    """The agent that is meant; its id is the name of a folder. Raises UsageError."""
    agent_id = str(command.values["agent"])
    if AGENT_ID.fullmatch(agent_id) is None:
        raise UsageError("--agent is no agent's id", hint="small letters, digits and _ . : @ -", field="agent")
    return agent_id


def _work(command: Command, worker: Worker, *, once: bool) -> int:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: worker.stop())
    try:
        last = worker.run()
    except DeskTaken as taken:
        hint = "one agent has one worker; stop that one first"
        return _no(command, "worker_taken", str(taken), hint, EXIT_REFUSED)
    except wire.WireFault as error:
        exit_code = EXIT_FAULT if isinstance(error, wire.NotOurs) else EXIT_UNREACHABLE
        return _no(command, "daemon_unreachable", str(error), "a worker needs a daemon: frontstage up", exit_code)
    except OSError as error:
        # The lease runs out by itself, and what is done is in the worker's folder for whoever comes next.
        return _no(command, "folder_failed", f"the worker's folder: {error.strerror}", "make room there", EXIT_FAULT)
    if once and last is not None and not document(last)["ok"]:
        return EXIT_REFUSED
    return 0


def _print(command: Command, turn: Turn) -> None:
    if command.options.json:
        write(STDOUT, json.dumps(document(turn), ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    elif turn.words:
        write(STDOUT, f"{turn.turn_id} {turn.close}: {_one_line(turn.words)}\n".encode("utf-8", "replace"))


def _one_line(text: str) -> str:
    """A program's words as a terminal may show them."""
    return "".join(char if char.isprintable() else " " for char in text)


def _no(command: Command, code: str, message: str, hint: str, exit_code: int) -> int:
    if command.options.json:
        return refuse(code, message, hint, action=command.action, details={}, exit_code=exit_code)
    tell(f"frontstage: {message}\n  {hint}")
    return exit_code


def _argv(words: str) -> tuple[str, ...]:
    argv = program_words(words, "exec")
    if "/" in argv[0]:
        # The program is started in another folder than this one.
        argv = (str(absolute(Path(argv[0]))), *argv[1:])
    if shutil.which(argv[0]) is None:
        raise UsageError(f"{argv[0]} is no program that can be run", field="exec")
    return argv


def _folder(command: Command, name: str) -> Path | None:
    return absolute(Path(str(command.values[name]))) if name in command.values else None


def _number(command: Command, name: str, default: int, least: int, most: int) -> int:
    value = command.values.get(name, default)
    if not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"--{name.replace('_', '-')} is {least} to {most}", field=name)
    return value


def _locale(command: Command) -> str:
    return command.options.locale or chosen_locale()


def _require_repository(setting: Setting) -> None:
    if setting.repository is None:
        return
    try:
        require_clean(setting.repository, setting.base)
    except TreeRefused as error:
        raise UsageError(f"--repository: {error.words}", code=error.code, field="repository") from error


def _declared(command: Command) -> dict[str, Validator]:
    path = Path(str(command.values["validators"]))
    return {name: validator_of(path, name, table) for name, table in declarations(path).items()}


def _validating(client: Client, declared: dict[str, Validator]) -> Validate:
    """As `artifact check` does it: each for a bounded time, without credentials, its words in a private file."""

    def validate(wanted: Validation) -> list[str]:
        passed = []
        with tempfile.TemporaryDirectory(prefix="frontstage-check-") as folder:
            for number, name in enumerate(wanted.names, 1):
                if (validator := declared.get(name)) is None:
                    # What is made anew may name one that is not known here: it has not passed.
                    continue
                ended, _ = run_one(validator, cwd=wanted.cwd, private=Path(folder), file=wanted.file, number=number)
                try:
                    recorded(client, wanted.goal_id, wanted.artifact_id, validator, ended)
                except NotAnswered as error:
                    raise OSError(str(error)) from error
                if ended.passed:
                    passed.append(name)
        return passed

    return validate
