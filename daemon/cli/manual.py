"""The manual: what `--help` prints, made from the catalogue and the pages of the chosen language.

The language is chosen as it is for answers: by `--locale`, by `FRONTSTAGE_LOCALE`, or by the terminal's own. What local
commands say of themselves is in the pages of each language but English, in which they say it where they are declared.
"""

from daemon.cli.call import chosen_locale
from daemon.cli.catalogue import ACTIONS
from daemon.cli.local import together
from daemon.cli.output import STDOUT, tell, write
from daemon.cli.parse import GLOBAL_PARAMETERS, Command, UsageError, common_of, default_verb, flag_of, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from daemon.cli.shapes import LocalPage, Page, Parameter, Verb

WIDTH = 100
INDENT = 30
SAMPLE = "  "
"""How a line begins that is typed or read as it is, and never broken."""
BESIDE = {"status.show": "status --watch"}
"""What else there is of a command, that another does."""
CHOICES_CHARS_MAX = 32
"""Longer lists of what may be chosen stand beside the flag's name, not in it."""
_GROUPS = (
    ("begin", ("init", "up", "open", "demo", "doctor", "lark")),
    (
        "people",
        (
            "status",
            "watch",
            "attention",
            "overview",
            "digest",
            "summary",
            "review-packet",
            "history",
            "goal",
            "plan",
            "gate",
            "amendment",
            "member",
        ),
    ),
    ("agents", ("quota", "todo", "task-lease", "artifact", "run", "request", "usage", "batch", "worker", "mcp")),
    ("operation", ("daemon", "bot", "stop", "ledger", "token", "button-key", "version", "schema", "completion")),
)
_TYPED = {"integer": "N", "file": "FILE", "folder": "FOLDER"}
_CLOSING = frozenset("，。；：、！？）》」』”’")
_WIDE = range(0x2E80, 0xFFE1)
"""Characters that take two columns of a terminal."""


def show(command: Command) -> int:
    """Print the manual of what was asked about; exit code 2 if nothing was asked but a command left unfinished."""
    manual = Manual(command.options.locale or chosen_locale())
    nouns = together(ACTIONS)
    if not command.noun:
        text = manual.overview()
    elif command.verb is None:
        text = manual.of_noun(command.noun, nouns[command.noun])
    else:
        beside = {} if command.verb_name else {name: one for name, one in nouns[command.noun].items() if name}
        text = manual.of_verb(command.noun, command.verb_name, command.verb, beside)
    if command.options.help:
        write(STDOUT, text.encode())
        return 0
    tell(text)
    return 2


class Manual:
    """The manual in one language."""

    def __init__(self, locale: str) -> None:
        pages = _pages_in(locale)
        self._pages: dict[str, Page] = pages.PAGES
        self._local: dict[str, LocalPage] = pages.LOCAL
        self._words: dict[str, str] = pages.WORDS
        self._common: dict[str, str] = pages.COMMON
        self._exits: tuple[str, ...] = pages.EXIT_CODES
        self._refusals: dict[str, tuple[int, str]] = pages.REFUSALS
        self._everywhere: str = pages.EVERYWHERE

    def overview(self) -> str:
        """The first page."""
        nouns, words = together(ACTIONS), self._words
        lines = [words["title"], "", words["usage"], "  frontstage COMMAND [VERB] [--flag VALUE ...]"]
        lines += ["  frontstage help COMMAND [VERB]"]
        named = {noun for _, group in _GROUPS for noun in group}
        others = tuple(noun for noun in nouns if noun not in named)
        for title, group in (*_GROUPS, ("more", others)):
            if group:
                lines += ["", words[f"group_{title}"]]
                lines += [_row(noun, self._of(noun, nouns[noun])) for noun in group if noun in nouns]
        lines += ["", words["common"], *self._common_flags(GLOBAL_PARAMETERS, {})]
        lines += ["", *self._exit_codes(), "", words["example"]]
        lines += [
            "  frontstage init --name 'Docs team' --owner ann --owner-name Ann",
            "  frontstage up &",
            "  frontstage status",
        ]
        return "\n".join(lines) + "\n"

    def _of(self, noun: str, verbs: "dict[str, Verb]") -> str:
        if len(verbs) == 1 or "" in verbs:
            return self._summary(noun, *next(iter(verbs.items())))
        return ", ".join(verbs)

    def _summary(self, noun: str, name: str, verb: "Verb") -> str:
        if (local := self._local_page(noun, name)) is not None:
            return local["summary"]
        page = self._pages.get(f"{noun}.{name}")
        return verb["summary"] if page is None else page.get("summary", verb["summary"])

    def _local_page(self, noun: str, name: str) -> "LocalPage | None":
        return self._local.get(f"{noun}.{name}".rstrip("."))

    def _about(self, noun: str, name: str, verb: "Verb") -> list[str]:
        """What a command says beside its summary; what is translated is wrapped anew, but for samples."""
        if (local := self._local_page(noun, name)) is None:
            return [f"  {part}" for part in verb["about"].split("\n")] if verb.get("about") else []
        lines: list[str] = []
        for part in local["about"].split("\n") if local["about"] else ():
            lines += [f"  {part}"] if part.startswith(SAMPLE) else _wrapped(part, WIDTH, "  ")
        return lines

    def of_noun(self, noun: str, verbs: "dict[str, Verb]") -> str:
        """What can be done with one noun."""
        words = self._words
        verb_name = "VERB" if default_verb(noun, verbs) is None else "[VERB]"
        lines = [f"frontstage {noun}", "", words["usage"], f"  frontstage {noun} {verb_name} [--flag VALUE ...]"]
        lines += ["", words["verbs"], *(_row(name, self._summary(noun, name, verb)) for name, verb in verbs.items())]
        lines += ["", words["example"], *(f"  frontstage {verb['example']}" for verb in verbs.values())]
        lines += ["", f"{words['see_also']}: frontstage {noun} VERB --help"]
        return "\n".join(lines) + "\n"

    def of_verb(self, noun: str, name: str, verb: "Verb", beside: "dict[str, Verb] | None" = None) -> str:
        """The manual page of one command; beside one of one word there may be others of two."""
        words, page, local = self._words, self._pages.get(f"{noun}.{name}"), self._local_page(noun, name)
        title = line_of(noun, name, ACTIONS.get(noun, (name,)))
        lines = [f"{title} - {self._summary(noun, name, verb)}", "", words["usage"]]
        lines += [f"  {title}{_usage(verb['parameters'])}"]
        if about := self._about(noun, name, verb):
            lines += ["", *about]
        if page is not None:
            lines += ["", words["who"], f"  {page['who']}"]
        required = {field: parameter for field, parameter in verb["parameters"].items() if _needed(parameter)}
        optional = {field: one for field, one in verb["parameters"].items() if not _needed(one)}
        for heading, parameters in (("needed", required), ("options", optional)):
            if parameters:
                helps = {} if page is None else page.get("helps", {})
                helps = helps if local is None else local["helps"]
                lines += ["", words[heading], *self._flags(parameters, page, helps)]
        if (other := BESIDE.get(f"{noun}.{name}")) is not None:
            lines += ["", f"{words['see_also']}: frontstage {other}"]
        takes = {} if local is None else local["takes"]
        lines += ["", words["common"], *self._common_flags(common_of(verb), takes)]
        if beside:
            lines += ["", words["verbs"]]
            lines += [_row(other, self._summary(noun, other, one)) for other, one in beside.items()]
        lines += ["", words["example"], *(f"  frontstage {one['example']}" for one in (verb, *(beside or {}).values()))]
        if page is not None:
            method = "POST" if verb.get("writes") else "GET"
            lines += ["", words["http"], f"  {method} /v1/actions/{noun}.{name}", "", *self._exit_codes()]
            lines += ["", *self._refused(page)]
        return "\n".join(lines) + "\n"

    def _exit_codes(self) -> list[str]:
        return [self._words["exit"], *(f"  {code} {said}" for code, said in enumerate(self._exits))]

    def _refused(self, page: "Page") -> list[str]:
        """Each refusal with its sentence, in the order in which the rules are checked."""
        lines = [self._words["refusals"]] if page["refusals"] else []
        for code in page["refusals"]:
            exit_code, said = self._refusals[code]
            lines.append(_row(f"{exit_code} {code}", said))
        return [*lines, "", *_wrapped(self._everywhere, WIDTH, "  ")]

    def _common_flags(self, parameters: "dict[str, Parameter]", takes: dict[str, str]) -> list[str]:
        usual = {name for name, one in parameters.items() if one["help"] == GLOBAL_PARAMETERS[name]["help"]}
        return self._flags(parameters, None, {name: self._common[name] for name in usual} | takes)

    def _flags(self, parameters: "dict[str, Parameter]", page: "Page | None", helps: dict[str, str]) -> list[str]:
        words, rows = self._words, []
        for name, parameter in parameters.items():
            said = [helps.get(name, parameter["help"]), "" if page is None else page["shapes"].get(name, "")]
            if _kind(parameter) == "NAME":
                said.append(f"{words['one_of']} {', '.join(parameter['choices'])}.")
            if parameter.get("repeat"):
                said.append(words["repeat"])
            if "default" in parameter and parameter.get("kind") != "switch":
                said.append(f"({words['default']} {parameter['default']})")
            rows.append(_row(f"{flag_of(name)} {_kind(parameter)}".rstrip(), " ".join(one for one in said if one)))
        return rows


def translate(error: UsageError, locale: str) -> tuple[str, str]:
    """What is wrong with a command line, and the hint, in a language other than the one it was raised in."""
    said, between = _pages_in(locale).MISTAKES, _pages_in(locale).BETWEEN
    parts = {name: one if isinstance(one, str) else between.join(one) for name, one in error.parts.items()}
    key, hint = error.keys
    return said[key].format(**parts), said[hint].format(**parts) if hint else ""


def _pages_in(locale: str) -> "ModuleType":
    """One language is loaded, and only for help."""
    if locale == "zh":
        from daemon.cli import pages_zh  # noqa: PLC0415

        return pages_zh
    from daemon.cli import pages_en  # noqa: PLC0415

    return pages_en


def _needed(parameter: "Parameter") -> bool:
    return bool(parameter.get("required") or parameter.get("needed"))


def _usage(parameters: "dict[str, Parameter]") -> str:
    needed = [f" {flag_of(name)} {_kind(one)}" for name, one in parameters.items() if _needed(one)]
    return "".join(needed) + (" [OPTIONS]" if len(needed) < len(parameters) else "")


def _kind(parameter: "Parameter") -> str:
    kind = parameter.get("kind")
    choices = parameter.get("choices")
    if kind == "switch":
        return ""
    if choices:
        typed = "|".join(choices)
        return typed if len(typed) <= CHOICES_CHARS_MAX else "NAME"
    return _TYPED.get(kind or "", "TEXT")


def _row(left: str, right: str) -> str:
    """Two columns; the right one is wrapped under itself."""
    margin = " " * INDENT
    lines = _wrapped(right, WIDTH - INDENT, "")
    head = f"  {left}"
    first = f"{head:<{INDENT}}{lines[0]}" if len(head) < INDENT else f"{head}\n{margin}{lines[0]}"
    return "\n".join([first, *(margin + one for one in lines[1:])]).rstrip()


def _wrapped(text: str, width: int, margin: str) -> list[str]:
    """Lines of at most so many columns; Chinese breaks between any two characters, other text at blanks."""
    lines, line, room = [], "", width - len(margin)
    for word in _words_of(text):
        if line.strip() and _columns(line) + _columns(word.rstrip()) > room:
            lines.append(margin + line.rstrip())
            line = ""
        line += word if line else word.lstrip()
    return [*lines, margin + line.rstrip()]


def _words_of(text: str) -> list[str]:
    words = [""]
    for char in text:
        words[-1] += char
        if char in _CLOSING and not words[-1][:-1] and len(words) > 1:
            # It ends what stands before it, and begins no line.
            words[-2:] = [words[-2] + char, ""]
        elif char == " " or ord(char) in _WIDE:
            words.append("")
    return words


def _columns(text: str) -> int:
    return sum(2 if ord(char) in _WIDE else 1 for char in text)
