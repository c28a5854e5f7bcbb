"""Reading a command line by hand, from a catalogue.

The standard parser costs more to import than a whole call may take, and knows nothing the catalogue does not say.
Every mistake is answered with the flag it is about and, where one is near, the flag that was meant.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Nouns, Parameter, Value, Verb

ARGUMENT_CHARS_MAX = 200_000
REPEATS_MAX = 1_000
INTEGER_DIGITS_MAX = 16
REQUEST_KEY_CHARS_MAX = 160
_KEY_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:@/-")
GLOBAL_PARAMETERS: "dict[str, Parameter]" = {
    "json": {"help": "Answer with the whole document as JSON.", "kind": "switch"},
    "format": {"help": "`json` is the same as --json.", "choices": ("json", "text")},
    "locale": {"help": "Language of the answer.", "choices": ("en", "zh")},
    "request_key": {"help": "Names this request; the same key again is answered, not done again."},
    "at": {"help": "Read as it was after the event SEQ; for commands that only read.", "kind": "integer"},
    "socket": {"help": "The daemon's socket; daemon.sock in the home when absent."},
    "home": {"help": "The ledger's folder; ~/.frontstage when absent."},
    "help": {"help": "Show the manual of a command.", "kind": "switch"},
}


class UsageError(Exception):
    """The command line is not one; `field` names the parameter it is about, if any."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        field: str | None = None,
        code: str = "malformed_params",
        action: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
        self.code = code
        self.action = action


class Options:
    """What every command takes."""

    __slots__ = ("at", "help", "home", "json", "locale", "request_key", "socket")

    def __init__(self) -> None:
        self.at: int | None = None
        self.json = False
        self.locale: str | None = None
        self.request_key: str | None = None
        self.socket: str | None = None
        self.home: str | None = None
        self.help = False


class Command:
    """One parsed command line."""

    __slots__ = ("noun", "options", "values", "verb", "verb_name")

    def __init__(self, noun: str, verb_name: str, verb: "Verb | None", options: Options) -> None:
        self.noun = noun
        self.verb_name = verb_name
        self.verb = verb
        self.options = options
        self.values: dict[str, Value] = {}

    @property
    def action(self) -> str:
        """Its name in the table of actions."""
        return f"{self.noun}.{self.verb_name}"


def flag_of(name: str) -> str:
    """How a parameter is typed."""
    return "--" + name.replace("_", "-")


def nearest(word: str, known: "list[str]") -> str:
    """The known word that was probably meant, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415  (only after a mistake)

    return "".join(get_close_matches(word, known, n=1, cutoff=0.5))


def wants_json(argv: list[str]) -> bool:
    """Whether a command line asks for JSON, even if it cannot be parsed."""
    if "--json" in argv or "--format=json" in argv:
        return True
    return any(word == "--format" and argv[index + 1 : index + 2] == ["json"] for index, word in enumerate(argv))


def parse(argv: list[str], nouns: "Nouns") -> Command:
    """Read a whole command line. Raises UsageError."""
    options = Options()
    rest = _read_flags(argv, {}, options, {})
    if not rest:
        return Command("", "", None, options)
    noun = rest.pop(0)
    if noun not in nouns:
        raise UsageError(f"there is no command {shown(noun)}", hint=_meant(noun, list(nouns)))
    verbs = nouns[noun]
    # Help on a noun is about all it can do, not about the one thing that it does when nothing else is said.
    asked = options.help or rest[:1] in (["--help"], ["-h"])
    about_noun = asked and len(verbs) > 1 and not (rest and not rest[0].startswith("-"))
    if "" not in verbs and (about_noun or default_verb(noun, verbs) is None):
        rest = _read_flags(rest, {}, options, {})
    if about_noun and not rest:
        return Command(noun, "?", None, options)
    verb_name = _verb_name(noun, verbs, rest)
    command = Command(noun, verb_name, verbs.get(verb_name), options)
    if command.verb is None:
        return command
    try:
        _require_nothing(command, _read_flags(rest, command.verb["parameters"], options, command.values))
        if not options.help:
            _require_all(command)
            _require_reading(command)
    except UsageError as error:
        error.action = command.action
        raise
    return command


def default_verb(noun: str, verbs: "dict[str, Verb]") -> str | None:
    """`status` alone means `status show`, since that is all it does; `history` alone lists, `search` finds."""
    if list(verbs) == ["show"]:
        return "show"
    return {"history": "list", "search": "find"}.get(noun)


def _verb_name(noun: str, verbs: "dict[str, Verb]", rest: list[str]) -> str:
    if "" in verbs:
        return ""
    if rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        if name not in verbs:
            raise UsageError(f"{noun} has no {shown(name)}", hint=_meant(name, list(verbs), prefix=f"{noun} "))
        return name
    return default_verb(noun, verbs) or "?"


def _line(command: Command) -> str:
    return f"frontstage {command.noun} {command.verb_name}".rstrip()


def _meant(word: str, known: list[str], prefix: str = "") -> str:
    near = nearest(word, known)
    return f"did you mean {prefix}{near}?" if near else f"see frontstage {prefix}--help"


def _require_nothing(command: Command, left: list[str]) -> None:
    if left:
        raise UsageError(
            f"{shown(left[0])} stands where a flag was expected",
            hint=f"see {_line(command)} --help; text with blanks needs quotes",
        )


def _require_all(command: Command) -> None:
    assert command.verb is not None
    missing = [
        name
        for name, parameter in command.verb["parameters"].items()
        if parameter.get("required") and name not in command.values
    ]
    if missing:
        flags = " and ".join(flag_of(name) for name in missing)
        raise UsageError(
            f"{_line(command)} needs {flags}",
            hint=f"for example: frontstage {command.verb['example']}",
            field=missing[0],
        )


def _require_reading(command: Command) -> None:
    """What is done is done now: only a question can be about an earlier moment."""
    assert command.verb is not None
    if command.options.at is not None and (command.verb.get("writes") or "run" in command.verb):
        raise UsageError(
            f"{_line(command)} takes no --at",
            hint="--at is for commands that read what the daemon keeps",
            field="at",
        )


def _read_flags(
    argv: list[str],
    parameters: "dict[str, Parameter]",
    options: Options,
    values: "dict[str, Value]",
) -> list[str]:
    """Read flags from the front; what is left begins with a word that is none."""
    index = 0
    while index < len(argv) and argv[index].startswith("-"):
        word = argv[index]
        index += 1
        typed, equals, after = word.partition("=")
        text = after if equals else None
        name = "help" if typed == "-h" else typed[2:].replace("-", "_") if typed.startswith("--") else ""
        parameter = parameters.get(name) or GLOBAL_PARAMETERS.get(name)
        if parameter is None or (typed != "-h" and typed != flag_of(name)):
            raise _unknown_flag(typed, parameters)
        if text is None and parameter.get("kind") != "switch":
            if index >= len(argv) or argv[index].startswith("--"):
                hint = f"a value that begins with dashes: {typed}=--…"
                raise UsageError(f"{typed} needs a value", hint=hint, field=name)
            text = argv[index]
            index += 1
        setting = _value(typed, name, text, parameter)
        if name in parameters:
            _keep(name, setting, parameter, values)
        else:
            _set_option(options, name, setting)
    return argv[index:]


def _unknown_flag(typed: str, parameters: "dict[str, Parameter]") -> UsageError:
    known = [flag_of(name) for name in (*parameters, *GLOBAL_PARAMETERS)]
    near = nearest(typed, known) if typed.startswith("--") and len(typed) > 3 and typed.isascii() else ""
    hint = f"did you mean {near}?" if near else f"known flags: {', '.join(known)}"
    return UsageError(f"there is no flag {shown(typed)} here", hint=hint)


def _value(typed: str, name: str, text: str | None, parameter: "Parameter") -> str | int:
    """What was typed as what it means; only a switch may have no text."""
    if text is None or parameter.get("kind") == "switch":
        if text not in {None, "true", "false"}:
            raise UsageError(f"{typed} is true or false, not {shown(text or '')}", field=name)
        return text != "false"
    if len(text) > ARGUMENT_CHARS_MAX:
        raise UsageError(f"{typed} is longer than {ARGUMENT_CHARS_MAX} characters", field=name)
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError(f"{typed} is not valid UTF-8 text", hint="check the terminal's encoding", field=name)
    choices = parameter.get("choices")
    if choices and text not in choices:
        near = nearest(text, list(choices))
        raise UsageError(
            f"{typed} is {' or '.join(choices)}, not {shown(text)}",
            hint=f"did you mean {near}?" if near else "",
            field=name,
        )
    if parameter.get("kind") != "integer":
        return text
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= INTEGER_DIGITS_MAX):
        raise UsageError(f"{typed} is a whole number, not {shown(text)}", field=name)
    return int(text)


def _keep(name: str, value: str | int, parameter: "Parameter", values: "dict[str, Value]") -> None:
    if parameter.get("repeat"):
        kept = values.setdefault(name, [])
        assert isinstance(kept, list)
        if len(kept) >= REPEATS_MAX:
            raise UsageError(f"{flag_of(name)} is given more than {REPEATS_MAX} times", field=name)
        kept.append(value)
    elif name in values:
        raise UsageError(f"{flag_of(name)} is given twice", hint="it takes one value", field=name)
    else:
        values[name] = value


def _set_option(options: Options, name: str, value: str | int) -> None:
    if name == "format":
        options.json = value == "json"
    elif name in {"json", "help"}:
        setattr(options, name, bool(value))
    elif getattr(options, name) not in {None, value}:
        raise UsageError(f"{flag_of(name)} is given twice with different values", field=name)
    else:
        if name == "request_key":
            _check_key(str(value))
        setattr(options, name, value)


def _check_key(key: str) -> None:
    if not 1 <= len(key) <= REQUEST_KEY_CHARS_MAX or not _KEY_CHARS.issuperset(key):
        raise UsageError(
            f"--request-key is 1 to {REQUEST_KEY_CHARS_MAX} letters, digits and _ . : @ / -",
            field="request_key",
        )


def shown(text: str) -> str:
    """Typed text as it may appear in a message: short, printable, in quotes."""
    printable = "".join(char if char.isprintable() else "\ufffd" for char in text[:60])
    return f"'{printable}'" + ("…" if len(text) > 60 else "")
