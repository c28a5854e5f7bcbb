"""`frontstage completion`: scripts that know every command and flag, so that a shell need not ask us at each key."""

from daemon.cli.catalogue import ACTIONS
from daemon.cli.local import together
from daemon.cli.output import STDOUT, write
from daemon.cli.parse import Command, common_of, default_verb, flag_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Nouns, Parameter, Verb


def _nouns() -> "Nouns":
    return together(ACTIONS)


def _described(verb: "Verb") -> "dict[str, Parameter]":
    """All that the command takes, and nothing that it does not."""
    return {**verb["parameters"], **common_of(verb)}


def _flags(verb: "Verb") -> str:
    return " ".join(map(flag_of, _described(verb)))


def _switches() -> str:
    """Flags after which another flag may stand, with the bare words around them: all else waits for its value."""
    described = [_described(verb) for verbs in _nouns().values() for verb in verbs.values()]
    names = {name for one in described for name, parameter in one.items() if parameter.get("kind") == "switch"}
    valued = {name for one in described for name, parameter in one.items() if parameter.get("kind") != "switch"}
    assert not names & valued, "a flag is a switch everywhere or nowhere, so that completion can tell"
    return " ".join(sorted(map(flag_of, names)))


def _choices(verb: "Verb") -> dict[str, tuple[str, ...]]:
    return {flag_of(name): one["choices"] for name, one in _described(verb).items() if "choices" in one}


def _words(noun: str, verbs: "dict[str, Verb]") -> list[tuple[str, str]]:
    """What stands before the flags, as a pattern, and the flags that may follow."""
    words = [(f"{noun} {name}".rstrip(), _flags(verb)) for name, verb in verbs.items()]
    # What a noun does when nothing else is said may be left out.
    usual = default_verb(noun, verbs)
    return words if usual is None else [*words, (noun, _flags(verbs[usual]))]


def _choices_of(noun: str, verbs: "dict[str, Verb]") -> list[tuple[str, dict[str, tuple[str, ...]]]]:
    """What stands before the flags, and what may be chosen for each flag that offers a choice."""
    found = [(f"{noun} {name}".rstrip(), _choices(verb)) for name, verb in verbs.items()]
    usual = default_verb(noun, verbs)
    return found if usual is None else [*found, (noun, _choices(verbs[usual]))]


def bash(_command: Command) -> int:
    """A script for bash."""
    cases, verbs_of, choices = [], [], []
    for noun, verbs in _nouns().items():
        names = " ".join(name for name in verbs if name)
        if names:
            verbs_of.append(f'        {noun}) COMPREPLY=($(compgen -W "{names}" -- "$word")) ;;')
        for words, flags in _words(noun, verbs):
            cases.append(f'        "{words}") flags="{flags}" ;;')
        for words, chosen in _choices_of(noun, verbs):
            for flag, values in chosen.items():
                choices.append(
                    f'        "{words} {flag}") COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$word")); return ;;'
                )
    script = f"""# bash completion for frontstage
_frontstage() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" last="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command="${{COMP_WORDS[1]}}" verb="${{COMP_WORDS[2]}}" flags=""
    COMPREPLY=()
    local position=$COMP_CWORD
    if [[ "$command" == help && $position -gt 1 ]]; then
        command="${{COMP_WORDS[2]}}" position=$((position - 1))
        [[ $position -gt 2 ]] && return
    fi
    [[ "$verb" == -* || $position -eq 2 ]] && verb=""
    local words="$command${{verb:+ $verb}}"
    if [[ $position -eq 1 ]]; then
        COMPREPLY=($(compgen -W "{" ".join(_nouns())} help" -- "$word")); return
    fi
    if [[ $position -eq 2 && "$word" != -* ]]; then
        case "$command" in
{chr(10).join(verbs_of)}
        esac
        return
    fi
    case "$words $last" in
{chr(10).join(choices)}
    esac
    [[ "$last" == "=" || "$last" == --* && "$last" != *=* && " {_switches()} " != *" $last "* ]] && return
    case "$words" in
{chr(10).join(cases)}
    esac
    [[ "$word" == -* || -z "$word" ]] && COMPREPLY=($(compgen -W "$flags" -- "$word"))
}}
complete -o default -F _frontstage frontstage
"""
    return _print(script)


def _zsh_words() -> tuple[list[str], list[str], list[str], list[str]]:
    """The lines for zsh: nouns, the verbs of each, the flags of each command, and what may be chosen for a flag."""
    nouns: list[str] = []
    verbs_of: list[str] = []
    flags_of: list[str] = []
    choices: list[str] = []
    for noun, verbs in _nouns().items():
        first = next(iter(verbs.values()))["summary"] if len(verbs) == 1 else ", ".join(verbs)
        nouns.append(f"        {_quoted(f'{noun}:{first}')}")
        named = [f"{name}:{verb['summary']}" for name, verb in verbs.items() if name]
        if named:
            verbs_of.append(f"        {noun}) list=({' '.join(map(_quoted, named))}); _describe verb list ;;")
        flags_of += [f"        {_quoted(words)}) list=({flags}) ;;" for words, flags in _words(noun, verbs)]
        for words, chosen in _choices_of(noun, verbs):
            choices += [
                f"        {_quoted(f'{words} {flag}')}) compadd -- {' '.join(values)}; return ;;"
                for flag, values in chosen.items()
            ]
    return nouns, verbs_of, flags_of, choices


def zsh(_command: Command) -> int:
    """A script for zsh."""
    nouns, verbs_of, flags_of, choices = map("\n".join, _zsh_words())
    script = f"""#compdef frontstage
_frontstage() {{
    local -a list
    local position=$CURRENT
    if [[ "$words[2]" == help ]] && (( CURRENT > 2 )); then
        (( CURRENT > 4 )) && return
        position=$((CURRENT - 1))
        words=("$words[1]" "${{(@)words[3,-1]}}")
    fi
    local words_typed="$words[2]"
    [[ -n "$words[3]" && "$words[3]" != -* && CURRENT -gt 3 ]] && words_typed="$words_typed $words[3]"
    if (( position == 2 )); then
        list=(
{nouns}
        'help:Show the manual of a command.'
        )
        _describe command list
        return
    fi
    if (( position == 3 )) && [[ "$PREFIX" != -* ]]; then
        case "$words[2]" in
{verbs_of}
        esac
        return
    fi
    case "$words_typed $words[CURRENT-1]" in
{choices}
    esac
    if [[ "$words[CURRENT-1]" == --* && "$words[CURRENT-1]" != *=* ]] \\
        && [[ " {_switches()} " != *" $words[CURRENT-1] "* ]]; then
        _files
        return
    fi
    case "$words_typed" in
{flags_of}
    esac
    compadd -- $list
    [[ "$PREFIX" == -* ]] || _files
}}
compdef _frontstage frontstage
"""
    return _print(script)


def fish(_command: Command) -> int:
    """A script for fish."""
    lines = ["# fish completion for frontstage", "complete -c frontstage -f"]
    nouns = _nouns()
    begun = "__fish_seen_subcommand_from"
    named = " ".join(nouns)
    lines.append("complete -c frontstage -n '__fish_use_subcommand' -a help -d 'Show the manual of a command.'")
    lines.append(f"complete -c frontstage -n '{begun} help; and not {begun} {named}' -a '{named}'")
    for noun, verbs in nouns.items():
        said = _quoted(next(iter(verbs.values()))["summary"])
        lines.append(f"complete -c frontstage -n '__fish_use_subcommand' -a {_quoted(noun)} -d {said}")
        names = " ".join(name for name in verbs if name)
        for name, verb in verbs.items():
            when = f"{begun} {noun}"
            if name:
                first = f"{when}; and not {begun} {names}"
                lines.append(f"complete -c frontstage -n '{first}' -a {name} -d {_quoted(verb['summary'])}")
                others = " ".join(other for other in verbs if other != name)
                if name != default_verb(noun, verbs):
                    when += f"; and {begun} {name}"
                elif others:
                    when += f"; and not {begun} {others}"
            for field, parameter in _described(verb).items():
                # What names a file is completed as one.
                takes = {"switch": "", "file": " -r", "folder": " -r"}.get(parameter.get("kind", ""), " -x")
                if "choices" in parameter:
                    takes += f" -a {_quoted(' '.join(parameter['choices']))}"
                long = flag_of(field)[2:]
                lines.append(f"complete -c frontstage -n '{when}' -l {long}{takes} -d {_quoted(parameter['help'])}")
    return _print("\n".join(lines) + "\n")


def _quoted(text: str) -> str:
    """A text as one word of any of the shells."""
    return "'" + text.replace("'", "'\\''") + "'"


def _print(script: str) -> int:
    write(STDOUT, script.encode())
    return 0
