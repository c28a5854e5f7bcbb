"""The manual: what `--help` prints, made from the catalogue alone."""

from daemon.cli.catalogue import ACTIONS
from daemon.cli.local import LOCAL
from daemon.cli.output import STDOUT, tell, write
from daemon.cli.parse import GLOBAL_PARAMETERS, Command, flag_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Parameter, Verb

WIDTH = 100
INDENT = 30
EXIT_CODES = """EXIT CODES
  0 done or answered      3 not found             6 waiting for somebody
  1 refused by a rule     4 stale: look again     7 daemon unreachable or busy
  2 wrong usage           5 not permitted         8 a fault of ours"""
_GROUPS = (
    ("Begin", ("init", "up", "demo", "doctor")),
    ("Goals, for people", ("status", "goal", "member")),
    ("Work, for agents", ("quota", "todo", "task-lease", "artifact")),
    ("Operation", ("daemon", "bot", "stop", "ledger", "token", "button-key", "version", "schema", "completion")),
)


def show(command: Command) -> int:
    """Print the manual of what was asked about; exit code 2 if nothing was asked but a command left unfinished."""
    nouns = {**ACTIONS, **LOCAL}
    if not command.noun:
        text = overview()
    elif command.verb is None:
        text = of_noun(command.noun, nouns[command.noun])
    else:
        text = of_verb(command.noun, command.verb_name, command.verb)
    if command.options.help:
        write(STDOUT, text.encode())
        return 0
    tell(text)
    return 2


def overview() -> str:
    """The first page."""
    nouns = {**ACTIONS, **LOCAL}
    lines = [
        "frontstage - a ledger of goals that people approve and agents work on",
        "",
        "USAGE",
        "  frontstage COMMAND [VERB] [--flag VALUE ...]",
        "  frontstage help COMMAND [VERB]",
    ]
    named = {noun for _, group in _GROUPS for noun in group}
    others = tuple(noun for noun in nouns if noun not in named)
    for title, group in (*_GROUPS, ("More", others)):
        if group:
            lines += ["", title.upper()]
            lines += [_row(noun, _noun_summary(nouns[noun])) for noun in group if noun in nouns]
    lines += ["", "EVERY COMMAND TAKES", *_flags(GLOBAL_PARAMETERS), "", EXIT_CODES, "", "EXAMPLE"]
    lines += [
        "  frontstage init --name 'Docs team' --owner ann --owner-name Ann",
        "  frontstage up &",
        "  frontstage status",
    ]
    return "\n".join(lines) + "\n"


def _noun_summary(verbs: "dict[str, Verb]") -> str:
    if len(verbs) == 1:
        return next(iter(verbs.values()))["summary"]
    return ", ".join(verbs)


def of_noun(noun: str, verbs: "dict[str, Verb]") -> str:
    """What can be done with one noun."""
    lines = [f"frontstage {noun}", "", "USAGE", f"  frontstage {noun} VERB [--flag VALUE ...]", "", "VERBS"]
    lines += [_row(name, verb["summary"]) for name, verb in verbs.items()]
    lines += ["", "EXAMPLE", f"  frontstage {next(iter(verbs.values()))['example']}"]
    lines += ["", f"See also: frontstage {noun} VERB --help"]
    return "\n".join(lines) + "\n"


def of_verb(noun: str, name: str, verb: "Verb") -> str:
    """The manual page of one command."""
    title = f"frontstage {noun} {name}".rstrip()
    lines = [f"{title} - {verb['summary']}", "", "USAGE", f"  {title}{_usage(verb['parameters'])}"]
    if verb.get("about"):
        lines += ["", *(f"  {part}" for part in verb["about"].split("\n"))]
    required = {field: parameter for field, parameter in verb["parameters"].items() if parameter.get("required")}
    optional = {field: parameter for field, parameter in verb["parameters"].items() if not parameter.get("required")}
    if required:
        lines += ["", "NEEDED", *_flags(required)]
    if optional:
        lines += ["", "OPTIONS", *_flags(optional)]
    lines += ["", "EVERY COMMAND TAKES", *_flags(_common(verb)), "", "EXAMPLE", f"  frontstage {verb['example']}"]
    if "run" not in verb:
        lines += [
            "",
            "OVER HTTP",
            f"  {'POST' if verb.get('writes') else 'GET'} /v1/actions/{noun}.{name}",
            "",
            EXIT_CODES,
        ]
    return "\n".join(lines) + "\n"


def _common(verb: "Verb") -> "dict[str, Parameter]":
    kept = dict(GLOBAL_PARAMETERS)
    if not verb.get("writes"):
        del kept["request_key"]
    if verb.get("writes") or "run" in verb:
        del kept["at"]
    if "run" in verb:
        for name in ("locale", "socket", "format"):
            del kept[name]
    return kept


def _usage(parameters: "dict[str, Parameter]") -> str:
    needed = [f" {flag_of(name)} {_kind(one)}" for name, one in parameters.items() if one.get("required")]
    return "".join(needed) + (" [OPTIONS]" if len(needed) < len(parameters) else "")


def _kind(parameter: "Parameter") -> str:
    kind = parameter.get("kind")
    choices = parameter.get("choices")
    if kind == "switch":
        return ""
    if choices:
        return "|".join(choices)
    return "N" if kind == "integer" else "TEXT"


def _flags(parameters: "dict[str, Parameter]") -> list[str]:
    rows = []
    for name, parameter in parameters.items():
        typed = f"{flag_of(name)} {_kind(parameter)}".rstrip()
        said = parameter["help"]
        if parameter.get("repeat") and "repeat" not in said:
            said += " Repeat for several."
        if "default" in parameter:
            said += f" (default {parameter['default']})"
        rows.append(_row(typed, said))
    return rows


def _row(left: str, right: str) -> str:
    """Two columns; the right one is wrapped under itself."""
    margin = " " * INDENT
    lines: list[str] = []
    line = ""
    for word in right.split():
        if line and len(line) + 1 + len(word) > WIDTH - INDENT:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    lines.append(line)
    head = f"  {left}"
    first = f"{head:<{INDENT}}{lines[0]}" if len(head) < INDENT else f"{head}\n{margin}{lines[0]}"
    return "\n".join([first, *(margin + one for one in lines[1:])]).rstrip()
