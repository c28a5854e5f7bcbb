"""Asking the daemon from a local command: a refusal, or no answer, ends it as any command ends."""

import json
from collections.abc import Callable, Collection
from typing import NoReturn

from daemon import wire
from daemon.cli.call import chosen_locale
from daemon.cli.credential import find_token
from daemon.cli.output import EXIT_FAULT, EXIT_UNREACHABLE, STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.client import Client, Params, Reply, new_request_key
from daemon.paths import Home, HomeUnclear, find_home

EXIT_DECLINED = 1


class Declined(Exception):
    """Something that is needed is not so, by the daemon's word or by what was found here."""

    def __init__(self, code: str, message: str, hint: str, exit_code: int = EXIT_DECLINED) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.exit_code = code, message, hint, exit_code


class Answers:
    """A client whose refusals are exceptions; a write whose answer was lost is asked once more under its key."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def read(self, action: str, params: Params | None = None) -> Reply:
        """A document. Raises Declined and wire.WireFault."""
        return _given(self._client.read(action, params))

    def act(self, action: str, params: Params, passing: Collection[str] = ()) -> Reply:
        """Do something; codes in `passing` say that it is so already. Raises Declined and wire.WireFault."""
        key = new_request_key()
        try:
            reply = self._client.act(action, params, key)
        except (wire.Dropped, wire.TooSlow):
            reply = self._client.act(action, params, key)
        return reply if reply.code in passing and reply.code else _given(reply)

    def decline(self, code: str, message: str, hint: str, exit_code: int = EXIT_DECLINED) -> NoReturn:
        """End the command. Raises Declined."""
        raise Declined(code, message, hint, exit_code)


def _given(reply: Reply) -> Reply:
    if not reply.ok:
        message, hint = str(reply.body.get("message", reply.code)), str(reply.body.get("hint") or "")
        raise Declined(reply.code, message, hint, reply.exit_code)
    return reply


def told(command: Command, run: Callable[[Command, Home, Answers], int]) -> int:
    """Run a command that asks the daemon, and say how it ended where it could not go on. Raises UsageError."""
    try:
        home = find_home(command.options.home, command.options.socket)
    except HomeUnclear as error:
        raise UsageError(str(error), code="home_unclear") from error
    locale = command.options.locale or chosen_locale()
    answers = Answers(Client(home.socket, find_token(home), surface="cli", locale=locale))
    try:
        return run(command, home, answers)
    except Declined as error:
        return no(command, error.code, error.message, error.hint, error.exit_code)
    except wire.NobodyListens as error:
        return no(command, "daemon_unreachable", str(error), "start it with frontstage up", EXIT_UNREACHABLE)
    except wire.NotOurs as error:
        return no(command, "fault", str(error), "", EXIT_FAULT)
    except wire.WireFault as error:
        hint = "run the same command again: what was done is not done twice"
        return no(command, "daemon_unreachable", str(error), hint, EXIT_UNREACHABLE)


def no(command: Command, code: str, message: str, hint: str, exit_code: int) -> int:
    """Say why not, as a person or a program reads it."""
    if command.options.json:
        return refuse(code, message, hint, action=command.action, details={}, exit_code=exit_code)
    tell(f"frontstage: {message}" + (f"\n  {hint}" if hint else ""))
    return exit_code


def print_document(document: dict[str, object]) -> None:
    """A whole document for a program."""
    write(STDOUT, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
