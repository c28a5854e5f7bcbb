"""`frontstage artifact check`: run the validators that a todo asks for, and record how each ended.

The ledger keeps names of validators and never what they run: what a name means is said by whoever runs it, in a file
beside the work. So nobody who may write to the ledger can have anything run on somebody else's machine. What is
recorded is how the programs ended and the digest of their words, under the name of whoever ran them, and no more.
"""

import hashlib
import json
import os
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from daemon import wire
from daemon.cli.call import chosen_locale
from daemon.cli.credential import find_token
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.client import Client, Document, Params, Reply, new_request_key
from daemon.local.homes import home_of
from daemon.local.running import Ended, environment, run, words_sha256

EXIT_FAILED, EXIT_NOT_FOUND, EXIT_STALE = 1, 3, 4
SECONDS_DEFAULT, SECONDS_MAX = 300, 3_600
WORDS_MAX, WORD_CHARS_MAX = 64, 4_096
FILE_BYTES_MAX = 262_144
READ_BYTES = 1 << 20
FILE_VARIABLE = "ARTIFACT_FILE"
PAGE = 200


class NotAnswered(Exception):
    """The daemon refused something that is needed first."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(str(reply.body.get("message", "the daemon refused")))
        self.reply = reply


class Declined(Exception):
    """What is to be checked is not there, with the code and exit code that the daemon has for it."""

    def __init__(self, code: str, message: str, hint: str, exit_code: int) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.exit_code = code, message, hint, exit_code


@dataclass(frozen=True)
class Validator:
    """What a name means here."""

    name: str
    argv: tuple[str, ...]
    seconds: int
    variables: dict[str, str] = field(default_factory=dict)


def main(command: Command) -> int:
    """Check one artifact; exit code 0 says that all passed and that this is on record."""
    if command.options.request_key is not None:
        raise UsageError(
            "artifact check takes no --request-key", hint="each run is a fact of its own", field="request_key"
        )
    home = home_of(command)
    client = Client(home.socket, find_token(home), surface="cli", locale=command.options.locale or chosen_locale())
    try:
        artifact = _artifact(client, command)
        names = _names(client, command, artifact)
        validators = _validators(command, names)
        return _check(client, command, artifact, validators)
    except NotAnswered as error:
        return _told(command, error.reply)
    except Declined as error:
        return _no(command, error.code, error.message, error.hint, error.exit_code)
    except wire.WireFault as error:
        exit_code = EXIT_FAULT if isinstance(error, wire.NotOurs) else EXIT_UNREACHABLE
        hint = "artifact check needs a running daemon: frontstage up"
        return _no(command, "daemon_unreachable", str(error), hint, exit_code)


def _artifact(client: Client, command: Command) -> Document:
    """The artifact as the ledger knows it. Raises Declined, UsageError, NotAnswered and WireFault."""
    listed = _answered(client.read("artifact.list", {"goal_id": str(command.values["goal_id"])}))
    wanted = command.values["artifact_id"]
    artifacts = listed.body["artifacts"]
    assert isinstance(artifacts, list)
    found = [one for one in artifacts if one["artifact_id"] == wanted]
    if not found:
        hint = "frontstage artifact list shows what was handed in"
        raise Declined("artifact_not_found", f"there is no artifact {wanted} in this goal", hint, EXIT_NOT_FOUND)
    path = command.values.get("file")
    if path is not None and _sha256(Path(str(path))) != found[0]["sha256"]:
        message, hint = f"{path} is not what was handed in as {wanted}", f"its SHA-256 must be {found[0]['sha256']}"
        raise Declined("digest_mismatch", message, hint, EXIT_STALE)
    return dict(found[0])


def _answered(reply: Reply) -> Reply:
    if not reply.ok:
        raise NotAnswered(reply)
    return reply


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while data := file.read(READ_BYTES):
                digest.update(data)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", field="file") from error
    return digest.hexdigest()


def _names(client: Client, command: Command, artifact: Document) -> list[str]:
    """The validators that are asked for, or those of the todo in its order. Raises UsageError."""
    given = command.values.get("validator")
    if isinstance(given, list):
        return list(dict.fromkeys(map(str, given)))
    for todo in _todos(client, str(command.values["goal_id"])):
        if todo["todo_id"] == artifact["todo_id"]:
            if names := todo["validators"]:
                return list(names)
            break
    raise UsageError(
        f"no validator is declared for {artifact['artifact_id']}",
        hint="a todo names its validators with --validator; name some here with --validator to run them anyhow",
        field="validator",
    )


def _todos(client: Client, goal_id: str) -> Iterator[dict[str, list[str]]]:
    after: str | None = None
    while True:
        page = _answered(client.read("todo.list", {"goal_id": goal_id, "limit": PAGE, "after": after})).body
        todos = page["todos"]
        assert isinstance(todos, list)
        yield from todos
        following = page["next_after"]
        if following is None:
            return
        after = str(following)


def _validators(command: Command, names: list[str]) -> list[Validator]:
    """What each name means, all of them before any is run. Raises UsageError."""
    path = Path(str(command.values["validators"]))
    declared = declarations(path)
    if missing := [name for name in names if name not in declared]:
        raise UsageError(
            f"{path} does not say what {', '.join(missing)} means",
            hint=f'a table for each: [{missing[0]}] with argv = ["program", "word"]',
            field="validators",
        )
    return [validator_of(path, name, declared[name]) for name in names]


def declarations(path: Path) -> dict[str, object]:
    """What a file of validators says, by name. Raises UsageError."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
        declared = tomllib.loads(data.decode("utf-8")) if len(data) <= FILE_BYTES_MAX else {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", field="validators") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}", field="validators") from error
    return declared


def validator_of(path: Path, name: str, table: object) -> Validator:
    """What one table of such a file says. Raises UsageError."""
    if not isinstance(table, dict) or (beyond := table.keys() - {"argv", "timeout_seconds", "env"}):
        told = f"has {min(beyond)}" if isinstance(table, dict) else "is no table"
        raise UsageError(f"[{name}] in {path} {told}; it takes argv, timeout_seconds and env", field="validators")
    argv, seconds, env = table.get("argv"), table.get("timeout_seconds", SECONDS_DEFAULT), table.get("env", [])
    if not _are_words(argv) or not argv:
        raise UsageError(f"argv of [{name}] in {path} is a list of 1 to {WORDS_MAX} words", field="validators")
    if type(seconds) is not int or not 1 <= seconds <= SECONDS_MAX:
        raise UsageError(f"timeout_seconds of [{name}] in {path} is 1 to {SECONDS_MAX}", field="validators")
    if not _are_words(env) or any(one.upper().startswith("FRONTSTAGE") for one in env):
        raise UsageError(
            f"env of [{name}] in {path} is a list of names of variables, and none of Frontstage's own",
            field="validators",
        )
    assert isinstance(argv, list)
    variables = {one: os.environ[one] for one in env if one in os.environ}
    return Validator(name, tuple(argv), seconds, variables)


def _are_words(value: object) -> bool:
    if not isinstance(value, list) or len(value) > WORDS_MAX:
        return False
    return all(isinstance(one, str) and len(one) <= WORD_CHARS_MAX and "\0" not in one for one in value)


def run_one(validator: Validator, *, cwd: Path, private: Path, file: Path | None, number: int) -> tuple[Ended, Path]:
    """Run one to its end; how it ended, and the file with what it printed. Raises OSError."""
    more = dict(validator.variables)
    if file is not None:
        more[FILE_VARIABLE] = str(file)
    output = private / f"{number}-{validator.name}.log"
    variables = environment(private, more)
    return run(validator.argv, cwd=cwd, variables=variables, seconds=validator.seconds, output=output), output


def recorded(client: Client, goal_id: str, artifact_id: str, validator: Validator, ended: Ended) -> Reply:
    """Put on record how it ended. Raises NotAnswered and WireFault."""
    return _answered(_record(client, _recorded(goal_id, artifact_id, validator, ended)))


def _check(client: Client, command: Command, artifact: Document, validators: list[Validator]) -> int:
    """Run each and record it. Raises NotAnswered, WireFault and UsageError."""
    cwd = Path(str(command.values["cwd"]))
    if not cwd.is_dir():
        raise UsageError(f"{cwd} is not a folder", field="cwd")
    private = Path(tempfile.mkdtemp(prefix="frontstage-check-"))
    file = Path(str(command.values["file"])).resolve() if "file" in command.values else None
    goal_id, artifact_id = str(command.values["goal_id"]), str(command.values["artifact_id"])
    checks: list[dict[str, object]] = []
    for number, validator in enumerate(validators, 1):
        ended, output = run_one(validator, cwd=cwd, private=private, file=file, number=number)
        reply = recorded(client, goal_id, artifact_id, validator, ended)
        checks.append(_row(validator, ended, output, reply))
        if not command.options.json:
            write(STDOUT, _line(validator, ended, output).encode("utf-8", "replace"))
    passed = all(check["passed"] for check in checks)
    if command.options.json:
        document = {
            "schema_version": "frontstage_check_v1",
            "ok": True,
            "passed": passed,
            "goal_id": command.values["goal_id"],
            "artifact_id": artifact["artifact_id"],
            "checks": checks,
        }
        write(STDOUT, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    return 0 if passed else EXIT_FAILED


def _record(client: Client, params: Params) -> Reply:
    """Put it on record, and ask once more under the same key where no whole answer came. Raises WireFault."""
    key = new_request_key()
    try:
        return client.act("artifact.record-check", params, key)
    except (wire.Dropped, wire.TooSlow):
        return client.act("artifact.record-check", params, key)


def _recorded(goal_id: str, artifact_id: str, validator: Validator, ended: Ended) -> Params:
    return {
        "goal_id": goal_id,
        "artifact_id": artifact_id,
        "name": validator.name,
        "argv_sha256": words_sha256(validator.argv),
        "exit_code": ended.exit_code,
        "duration_ms": ended.duration_ms,
        "timed_out": ended.timed_out,
    }


def _row(validator: Validator, ended: Ended, output: Path, reply: Reply) -> dict[str, object]:
    return {
        "name": validator.name,
        "passed": ended.passed,
        "exit_code": ended.exit_code,
        "timed_out": ended.timed_out,
        "duration_ms": ended.duration_ms,
        "remark": ended.remark,
        "output": str(output),
        "output_bytes": ended.output_bytes,
        "seq": reply.body["seq"],
        "receipt_id": reply.body["receipt_id"],
    }


def _line(validator: Validator, ended: Ended, output: Path) -> str:
    how = ended.remark or ("passed" if ended.passed else f"ended with {ended.exit_code}")
    return f"{validator.name}: {how} ({ended.duration_ms} ms); recorded. Its output: {output}\n"


def _told(command: Command, reply: Reply) -> int:
    """The daemon's refusal, as the command line shows it anywhere."""
    if command.options.json:
        write(STDOUT, json.dumps(reply.body, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    else:
        hint = reply.body.get("hint")
        tell(f"{reply.body.get('message', reply.code)}" + (f"\n{hint}" if hint else ""))
    return reply.exit_code


def _no(command: Command, code: str, message: str, hint: str, exit_code: int) -> int:
    if command.options.json:
        return refuse(code, message, hint, action=command.action, details={}, exit_code=exit_code)
    tell(f"frontstage: {message}\n  {hint}")
    return exit_code
