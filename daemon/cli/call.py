"""One action, asked of the daemon: what was parsed becomes a request, the answer is printed as it came.

A write carries a request key, made here unless one was given. It is what makes asking again safe: after a connection
that broke, the second request is answered from the receipt of the first. If the outcome stays unknown (exit code 7),
the key is printed, so that the caller can do the same.
"""

import os
import time
from _json import encode_basestring_ascii

from daemon import wire
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, STDERR, STDOUT, OutputLost, line, refuse, tell, write
from daemon.cli.parse import Command, UsageError, flag_of
from daemon.paths import SOCKET_VARIABLE, Home, HomeUnclear, find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Value

LOCALE_VARIABLE = "FRONTSTAGE_LOCALE"
HTTP_OK = 200


def call(command: Command) -> int:
    """Ask, print, and return the exit code."""
    verb = command.verb
    assert verb is not None
    secret = None
    if "mints" in verb and verb["mints"] not in command.values:
        from daemon.cli.minting import mint  # noqa: PLC0415  (few commands make a secret)

        secret = mint(verb["mints"])
        command.values[verb["mints"]] = secret.digest
    writes = verb.get("writes", False)
    key = (command.options.request_key or _new_key()) if writes else None
    try:
        home = find_home(command.options.home, command.options.socket)
        answer = ask(command, home, _request(command, home, key))
        exit_code = answer.exit_code
    except HomeUnclear as error:
        raise UsageError(str(error), code="home_unclear", action=command.action) from error
    except UsageError as error:
        error.action = command.action
        raise
    except wire.WireFault as error:
        return _unknown(command, error, key, None if secret is None else secret.shown)
    except KeyboardInterrupt:
        tell(_again(command, key))
        raise
    return _print(command, answer, exit_code, key, None if secret is None else secret.shown)


def headers_of(command: Command, home: Home) -> dict[str, str]:
    """Who asks, from where, and in which language the answer should be."""
    from daemon.cli.credential import find_token  # noqa: PLC0415  (small, and after the home is known to be named)

    headers = {"Accept": "application/json" if command.options.json else "text/plain"}
    token = find_token(home)
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    headers["X-Frontstage-Surface"] = "cli"
    headers["X-Frontstage-Locale"] = command.options.locale or chosen_locale()
    return headers


def _request(command: Command, home: Home, key: str | None) -> bytes:
    headers = headers_of(command, home)
    target = f"/v1/actions/{command.action}"
    if key is None:
        target += _query(command.values, command.options.at)
        if len(target) > wire.TARGET_BYTES_MAX:
            raise _too_long(command.values)
        return wire.request_bytes("GET", target, headers, None)
    headers["Idempotency-Key"] = key
    return wire.request_bytes("POST", target, headers, _json(command.values))


def _too_long(values: "dict[str, Value]") -> UsageError:
    """A question that no daemon would read: the longest of its parameters is named."""
    lengths = {name: len(str(value)) for name, value in values.items()}
    name = max(lengths, key=lambda name: lengths[name])
    return UsageError(f"{flag_of(name)} is too long: it has {lengths[name]} characters", field=name)


def ask(command: Command, home: Home, request: bytes) -> wire.Answer:
    """The running daemon's answer, or that of one which is started for this call. Raises WireFault and UsageError."""
    try:
        return wire.ask(home.socket, request)
    except wire.NobodyListens:
        options = command.options
        socket_was_chosen = options.socket is not None or SOCKET_VARIABLE in os.environ
        if socket_was_chosen:
            # Whoever names a socket means the daemon behind it; a ledger somewhere else is not what was asked for.
            raise
        from daemon.cli.fallback import ask_once  # noqa: PLC0415  (only when no daemon runs)

        return ask_once(home, request)


def _print(command: Command, answer: wire.Answer, exit_code: int, key: str | None, secret: str | None) -> int:
    done = answer.status == HTTP_OK
    if not answer.body:
        # A connection too many is turned away before anybody reads it.
        return _unread(command, exit_code, key)
    body = answer.body
    if secret is not None and done:
        from daemon.cli.minting import with_secret  # noqa: PLC0415

        body = with_secret(body, secret, as_json=command.options.json)
    try:
        write(STDOUT if done or command.options.json else STDERR, line(body))
    except OutputLost as error:
        tell(f"frontstage: {error}; the action itself was answered with exit code {exit_code}\n{_again(command, key)}")
        return EXIT_FAULT
    if exit_code == EXIT_UNREACHABLE:
        tell(_again(command, key))
    return exit_code


def _unread(command: Command, exit_code: int, key: str | None) -> int:
    said, again = "the daemon has too many connections and read nothing", _again(command, key)
    if command.options.json:
        return refuse("busy", said, again, action=command.action, details={}, exit_code=exit_code)
    tell(f"frontstage: {said}" + (f"\n{again}" if again else ""))
    return exit_code


def _unknown(command: Command, error: wire.WireFault, key: str | None, secret: str | None) -> int:
    """Nobody can say whether it was done: say how to find out."""
    fault = isinstance(error, wire.NotOurs)
    exit_code = EXIT_FAULT if fault else EXIT_UNREACHABLE
    again = _again(command, key)
    if command.options.json:
        details: dict[str, object] = {} if key is None else {"request_key": key}
        if secret is not None:
            details["secret"] = secret
        code = "fault" if fault else "daemon_unreachable"
        return refuse(code, str(error), again, action=command.action, details=details, exit_code=exit_code)
    tell(f"frontstage: {error}" + (f"\n{again}" if again else ""))
    if secret is not None:
        # If it was done, this is the only copy there is.
        write(STDOUT, f"secret: {secret}\n".encode())
    return exit_code


def _again(command: Command, key: str | None) -> str:
    if key is None:
        return ""
    verb = command.verb
    minted = verb.get("mints") if verb is not None else None
    same = f" {flag_of(minted)} {command.values[minted]}" if minted is not None else ""
    return f"  ask again with --request-key {key}{same}: what was done is not done twice"


def _new_key() -> str:
    """A request key: time first, so that receipts made together lie together; then 64 random bits."""
    return f"k{time.time_ns() // 1_000_000:012x}-{os.urandom(8).hex()}"


def chosen_locale() -> str:
    """The language of the environment: what Frontstage is told, or else what the terminal speaks. Raises UsageError."""
    chosen = os.environ.get(LOCALE_VARIABLE)
    if chosen is not None:
        if chosen not in {"en", "zh"}:
            raise UsageError(f"{LOCALE_VARIABLE} is en or zh")
        return chosen
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return "zh" if value.startswith("zh") else "en"
    return "en"


def locale_of_mistakes(argv: list[str]) -> str:
    """The language of a command line that may not be one: as far as it says, or the environment does."""
    for index, word in enumerate(argv):
        for locale in ("en", "zh"):
            if word == f"--locale={locale}" or (word == "--locale" and argv[index + 1 : index + 2] == [locale]):
                return locale
    try:
        return chosen_locale()
    except UsageError:
        return "en"


def _query(values: "dict[str, Value]", at: int | None) -> str:
    pairs = [] if at is None else [f"at={at}"]
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            text = str(one).lower() if isinstance(one, bool) else str(one)
            pairs.append(f"{name}={wire.quote(text)}")
    return "?" + "&".join(pairs) if pairs else ""


def _json(values: "dict[str, Value]") -> bytes:
    """A flat object as JSON; the parser admits text, integers, switches and lists of the first two."""
    members = [f"{encode_basestring_ascii(name)}:{_json_value(value)}" for name, value in values.items()]
    return ("{" + ",".join(members) + "}").encode("ascii")


def _json_value(value: "Value") -> str:
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return "[" + ",".join(_json_value(one) for one in value) + "]"
