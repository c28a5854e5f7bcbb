"""Reading a command line by hand, from a catalogue.

The standard parser costs more to import than a whole call may take, and knows nothing the catalogue does not say.
Every mistake is answered with the flag it is about and, where one is near, the flag that was meant.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from daemon.cli.shapes import Nouns, Parameter, Value, Verb

ARGUMENT_CHARS_MAX = 200_000
REPEATS_MAX = 1_000
INTEGER_DIGITS_MAX = 16
REQUEST_KEY_CHARS_MAX = 160
_KEY_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:@/-")
GLOBAL_PARAMETERS: "dict[str, Parameter]" = {
    "json": {"help": "Answer with the whole document as JSON.", "kind": "switch"},
    "format": {"help": "`json` is the same as --json.", "choices": ("json", "text")},
    "locale": {
        "help": "Language of the answer, of the manual, and of what is said of a mistake.",
        "choices": ("en", "zh"),
    },
    "request_key": {"help": "Names this request; the same key again is answered, not done again."},
    "at": {"help": "Read as it was after the event SEQ; for commands that only read.", "kind": "integer"},
    "socket": {"help": "The daemon's socket; daemon.sock in the home when absent.", "kind": "file"},
    "home": {"help": "The ledger's folder; ~/.frontstage when absent.", "kind": "folder"},
    "help": {"help": "Show the manual of a command.", "kind": "switch"},
}


MISTAKES = {
    "no_command": "there is no command {word}",
    "no_verb": "{noun} has no {word}",
    "meant": "did you mean {near}?",
    "see": "see frontstage {prefix}--help",
    "stray": "{word} stands where a flag was expected",
    "stray_hint": "see {line} --help; text with blanks needs quotes",
    "needs": "{line} needs {flags}",
    "example": "for example: frontstage {example}",
    "not_taken": "{line} takes no {flag}",
    "not_taken_hint": "see {line} --help",
    "at_hint": "--at is for commands that read what the daemon keeps",
    "value": "{flag} needs a value",
    "value_hint": "a value that begins with dashes: {flag}=--…",
    "no_flag": "there is no flag {word} here",
    "known": "known flags: {known}",
    "switch": "{flag} is true or false, not {word}",
    "long": "{flag} is longer than {limit} characters",
    "utf8": "{flag} is not valid UTF-8 text",
    "utf8_hint": "check the terminal's encoding",
    "choice": "{flag} is {choices}, not {word}",
    "integer": "{flag} is a whole number, not {word}",
    "often": "{flag} is given more than {limit} times",
    "twice": "{flag} is given twice",
    "twice_hint": "it takes one value",
    "differ": "{flag} is given twice with different values",
    "key": "--request-key is 1 to {limit} letters, digits and _ . : @ / -",
}
"""What is wrong with a command line, in English; another language is loaded with its manual, after the mistake."""
JOINED = {"flags": " and ", "choices": " or ", "known": ", "}
"""What stands between the items of a list."""


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
        self.keys: tuple[str, str] = ("", "")
        self.parts: dict[str, str | tuple[str, ...]] = {}


def mistake(key: str, hint: str = "", *, field: str | None = None, **parts: "str | tuple[str, ...]") -> UsageError:
    """One of MISTAKES with the words that belong in it, ready to be raised."""
    shown_parts = {name: one if isinstance(one, str) else JOINED[name].join(one) for name, one in parts.items()}
    said = MISTAKES[hint].format(**shown_parts) if hint else ""
    error = UsageError(MISTAKES[key].format(**shown_parts), hint=said, field=field)
    error.keys, error.parts = (key, hint), parts
    return error


class Options:
    """What every command takes."""

    __slots__ = ("at", "given", "help", "home", "json", "locale", "request_key", "socket")

    def __init__(self) -> None:
        self.given: set[str] = set()
        self.at: int | None = None
        self.json = False
        self.locale: str | None = None
        self.request_key: str | None = None
        self.socket: str | None = None
        self.home: str | None = None
        self.help = False


class Command:
    """One parsed command line."""

    __slots__ = ("noun", "options", "values", "verb", "verb_name", "verbs")

    def __init__(self, noun: str, verb_name: str, verb: "Verb | None", options: Options) -> None:
        self.noun = noun
        self.verb_name = verb_name
        self.verb = verb
        self.verbs: tuple[str, ...] = ()
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
        raise _unknown("no_command", noun, list(nouns))
    verbs = nouns[noun]
    # Help on a noun is about all it can do, not about the one thing that it does when nothing else is said.
    asked = options.help or rest[:1] in (["--help"], ["-h"])
    about_noun = asked and len(verbs) > 1 and "" not in verbs and not (rest and not rest[0].startswith("-"))
    if "" not in verbs and (about_noun or default_verb(noun, verbs) is None):
        rest = _read_flags(rest, {}, options, {})
    if about_noun and not rest:
        return Command(noun, "?", None, options)
    verb_name = _verb_name(noun, verbs, rest)
    command = Command(noun, verb_name, verbs.get(verb_name), options)
    command.verbs = tuple(verbs)
    if command.verb is None:
        return command
    try:
        left = _read_flags(rest, command.verb["parameters"], options, command.values)
        _require_nothing(command, _read_bare(command, left))
        if not options.help:
            _require_all(command)
            _require_taken(command)
    except UsageError as error:
        error.action = command.action
        raise
    return command


def default_verb(noun: str, verbs: "Iterable[str]") -> str | None:
    """`status` alone means `status show`, since that is all it does; `history` alone lists, `search` finds."""
    if list(verbs) == ["show"]:
        return "show"
    return {"history": "list", "search": "find"}.get(noun)


def _verb_name(noun: str, verbs: "dict[str, Verb]", rest: list[str]) -> str:
    if "" in verbs:
        # A command of one word may have others of two words beside it.
        return rest.pop(0) if rest and rest[0] and rest[0] in verbs else ""
    if rest and not rest[0].startswith("-"):
        name = rest[0]
        if name not in verbs and noun in BARE:
            return default_verb(noun, verbs) or "?"
        rest.pop(0)
        if name not in verbs:
            raise _unknown("no_verb", name, list(verbs), noun=noun, prefix=f"{noun} ")
        return name
    return default_verb(noun, verbs) or "?"


BARE = {"search": "query"}
"""Commands of one word that take what follows without its flag, as everybody types it first."""


BARE_VERBS = {
    ("agent", "connect"): "runtime",
    ("agent", "qualify"): "agent_id",
    ("agent", "hook"): "event",
    ("hook", "retry"): "name",
}
"""Commands of two words that do the same with the word after them."""


def _read_bare(command: Command, left: list[str]) -> list[str]:
    """Take a word without a flag for the parameter that it can only be; what is left is read on."""
    name = BARE_VERBS.get((command.noun, command.verb_name)) or BARE.get(command.noun)
    if not left or name is None or name in command.values or command.verb is None:
        return left
    parameters = command.verb["parameters"]
    command.values[name] = _value(flag_of(name), name, left[0], parameters[name])
    return _read_flags(left[1:], parameters, command.options, command.values)


def line_of(noun: str, verb_name: str, verbs: "Iterable[str]") -> str:
    """A command as it is typed: by one word where that is enough."""
    usual = verb_name in {"", default_verb(noun, verbs)}
    return f"frontstage {noun}" if usual else f"frontstage {noun} {verb_name}"


def _line(command: Command) -> str:
    return line_of(command.noun, command.verb_name, command.verbs)


def _unknown(key: str, word: str, known: list[str], *, noun: str = "", prefix: str = "") -> UsageError:
    near = nearest(word, known)
    return mistake(key, "meant" if near else "see", word=shown(word), noun=noun, prefix=prefix, near=f"{prefix}{near}")


def _require_nothing(command: Command, left: list[str]) -> None:
    if left:
        raise mistake("stray", "stray_hint", word=shown(left[0]), line=_line(command))


def _require_all(command: Command) -> None:
    assert command.verb is not None
    missing = [
        name
        for name, parameter in command.verb["parameters"].items()
        if parameter.get("required") and name not in command.values
    ]
    if missing:
        flags, example = tuple(flag_of(name) for name in missing), command.verb["example"]
        raise mistake("needs", "example", field=missing[0], line=_line(command), flags=flags, example=example)


def common_of(verb: "Verb") -> "dict[str, Parameter]":
    """The flags of every command that mean something to this one; no other is listed, offered or, mostly, taken.

    What is done is done now: only a question can be about an earlier moment. A key for a question is taken as well,
    since it changes nothing and a caller may give one to whatever it asks.
    """
    if "run" not in verb:
        absent = "at" if verb.get("writes") else "request_key"
        return {name: one for name, one in GLOBAL_PARAMETERS.items() if name != absent}
    takes = {"locale": "", "help": "", **verb.get("takes", {})}
    return {
        name: {**one, "help": takes[name] or one["help"]} for name, one in GLOBAL_PARAMETERS.items() if name in takes
    }


def _require_taken(command: Command) -> None:
    verb = command.verb
    assert verb is not None
    taken = common_of(verb) if command.options.given else {}
    for name in sorted(command.options.given):
        if name not in taken and ("run" in verb or name == "at"):
            hint = "at_hint" if name == "at" else "not_taken_hint"
            raise mistake("not_taken", hint, field=name, line=_line(command), flag=flag_of(name))


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
                raise mistake("value", "value_hint", field=name, flag=typed)
            text = argv[index]
            index += 1
        setting = _value(typed, name, text, parameter)
        if name in parameters:
            _keep(name, setting, parameter, values)
        else:
            options.given.add(name)
            _set_option(options, name, setting)
    return argv[index:]


def _unknown_flag(typed: str, parameters: "dict[str, Parameter]") -> UsageError:
    known = tuple(flag_of(name) for name in (*parameters, *GLOBAL_PARAMETERS))
    near = nearest(typed, list(known)) if typed.startswith("--") and len(typed) > 3 and typed.isascii() else ""
    return mistake("no_flag", "meant" if near else "known", word=shown(typed), near=near, known=known)


def _value(typed: str, name: str, text: str | None, parameter: "Parameter") -> str | int:
    """What was typed as what it means; only a switch may have no text."""
    if text is None or parameter.get("kind") == "switch":
        if text not in {None, "true", "false"}:
            raise mistake("switch", field=name, flag=typed, word=shown(text or ""))
        return text != "false"
    if len(text) > ARGUMENT_CHARS_MAX:
        raise mistake("long", field=name, flag=typed, limit=str(ARGUMENT_CHARS_MAX))
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise mistake("utf8", "utf8_hint", field=name, flag=typed)
    choices = parameter.get("choices")
    if choices and text not in choices:
        near = nearest(text, list(choices))
        hint = "meant" if near else ""
        raise mistake("choice", hint, field=name, flag=typed, choices=choices, word=shown(text), near=near)
    if parameter.get("kind") != "integer":
        return text
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= INTEGER_DIGITS_MAX):
        raise mistake("integer", field=name, flag=typed, word=shown(text))
    return int(text)


def _keep(name: str, value: str | int, parameter: "Parameter", values: "dict[str, Value]") -> None:
    if parameter.get("repeat"):
        kept = values.setdefault(name, [])
        assert isinstance(kept, list)
        if len(kept) >= REPEATS_MAX:
            raise mistake("often", field=name, flag=flag_of(name), limit=str(REPEATS_MAX))
        kept.append(value)
    elif name in values:
        raise mistake("twice", "twice_hint", field=name, flag=flag_of(name))
    else:
        values[name] = value


def _set_option(options: Options, name: str, value: str | int) -> None:
    if name == "format":
        options.json = value == "json"
    elif name in {"json", "help"}:
        setattr(options, name, bool(value))
    elif getattr(options, name) not in {None, value}:
        raise mistake("differ", field=name, flag=flag_of(name))
    else:
        if name == "request_key":
            _check_key(str(value))
        setattr(options, name, value)


def _check_key(key: str) -> None:
    if not 1 <= len(key) <= REQUEST_KEY_CHARS_MAX or not _KEY_CHARS.issuperset(key):
        raise mistake("key", field="request_key", limit=str(REQUEST_KEY_CHARS_MAX))


def shown(text: str) -> str:
    """Typed text as it may appear in a message: short, printable, in quotes."""
    printable = "".join(char if char.isprintable() else "\ufffd" for char in text[:60])
    return f"'{printable}'" + ("…" if len(text) > 60 else "")
