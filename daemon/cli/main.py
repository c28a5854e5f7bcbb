"""The command `frontstage`: looks at its arguments before it loads anything.

What an agent calls in a loop (`quota should-run`, `todo claim`, `task-lease acquire`) must cost little more than
starting the interpreter, so this path imports built-in modules alone: parse against the generated catalogue, one HTTP
request over the Unix socket, print what the daemon wrote. The daemon renders the text; here nothing is understood.
Everything else (help, local commands, the fallback without a daemon) is imported when it is asked for.
"""

import os
import sys

from daemon.cli.parse import Command, UsageError, parse, wants_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Nouns

EXIT_FAULT = 8
LOCAL_MODULE = "daemon.cli.load"
"""Loaded when a local command runs; those end as programs usually do."""
EXIT_INTERRUPTED = 130


def main() -> int:
    """Run one command line; the exit code is the answer's."""
    code = run(sys.argv[1:])
    if LOCAL_MODULE not in sys.modules:
        # All was written by system calls and nothing waits for the end of the interpreter, which would cost as much
        # as everything this call has imported.
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(code)
    return code


def run(argv: list[str]) -> int:
    """Run a command line given as a list."""
    try:
        return _answered(argv)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001  (the top of the program: whatever else happens is a fault, code 8)
        from daemon.cli.output import OutputLost, tell  # noqa: PLC0415  (only after a fault)

        if isinstance(error, OutputLost):
            # Nothing is wrong here: there was no room for the answer.
            tell(f"frontstage: {error}")
            return EXIT_FAULT
        from traceback import print_exc  # noqa: PLC0415

        print_exc()
        return EXIT_FAULT


def _answered(argv: list[str]) -> int:
    """The same, with a mistake told as one. Raises OutputLost."""
    try:
        return _run(argv)
    except UsageError as error:
        from daemon.cli.call import locale_of_mistakes  # noqa: PLC0415  (only after a mistake)
        from daemon.cli.output import tell_usage  # noqa: PLC0415  (the same)

        locale = locale_of_mistakes(argv)
        if locale != "en" and error.keys[0]:
            from daemon.cli.manual import translate  # noqa: PLC0415  (and in another language)

            error.message, error.hint = translate(error, locale)
        return tell_usage(error, as_json=wants_json(argv))


def _run(argv: list[str]) -> int:
    if argv and argv[0] == "help":
        argv = ["--help", *argv[1:]]
    if argv and argv[0] == "schema":
        argv = _schema(argv)
    if argv == ["--version"]:
        argv = ["version"]
    if "--reserve" in argv and argv[:2] == ["quota", "should-run"]:
        # A question that keeps its answer is a write, and an action of its own.
        argv = ["quota", "reserve", *(word for word in argv[2:] if word != "--reserve")]
    if "--watch" in argv and argv[:1] == ["status"]:
        # An answer that stays is a command of its own, for which much is loaded.
        argv = ["watch", *(word for word in argv[1:] if word not in {"show", "--watch"})]
    command = parse(argv, _nouns(argv))
    if command.options.help or command.verb is None:
        from daemon.cli.manual import show  # noqa: PLC0415  (only for help)

        return show(command)
    module = command.verb.get("run")
    if module is not None:
        return _local(module, command)
    from daemon.cli.call import call  # noqa: PLC0415  (not needed by local commands)

    return call(command)


def _schema(argv: list[str]) -> list[str]:
    """`schema todo.claim` and `schema todo claim` name the action as `--action todo.claim` does."""
    words: list[str] = []
    for word in argv[1:3]:
        if word.startswith("-"):
            break
        words.append(word)
    named = ["--action", ".".join(words)] if words else []
    return [argv[0], *named, *argv[1 + len(words) :]]


def _nouns(argv: list[str]) -> "Nouns":
    """The part of the catalogue that can be meant."""
    from daemon.cli.catalogue import ACTIONS  # noqa: PLC0415  (kept beside its twin below)

    if argv and argv[0] in ACTIONS and not _may_be_local(argv):
        return ACTIONS
    from daemon.cli.local import together  # noqa: PLC0415  (not needed by what the daemon does)

    return together(ACTIONS)


LOCAL_VERBS = {"artifact": ("check",), "agent": ("connect", "qualify", "hook")}
"""What stands beside the daemon's own verbs of a noun; that noun alone, or asked about, is meant with all of them."""


def _may_be_local(argv: list[str]) -> bool:
    verbs = LOCAL_VERBS.get(argv[0])
    return verbs is not None and (len(argv) == 1 or argv[1].startswith("-") or argv[1] in verbs)


def _local(target: str, command: Command) -> int:
    """Load a module by name and run it; those modules may know everything, this package only the wire."""
    from daemon.cli.load import run_local  # noqa: PLC0415  (not on the hot path)

    return run_local(target, command)


if __name__ == "__main__":
    sys.exit(main())
