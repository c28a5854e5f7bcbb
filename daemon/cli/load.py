"""Running a local command: its module is named as text, `module` or `module:function`, and loaded here."""

from importlib import import_module

from daemon.cli.output import EXIT_FAULT, tell
from daemon.cli.parse import Command

EXTRA = "lark"
EXTRA_OF = {"mcp": "mcp", "anyio": "mcp"}
"""Which extra brings a package, where it is not the usual one."""


def run_local(target: str, command: Command) -> int:
    """Run it; a missing optional dependency is said plainly."""
    module_name, _, function_name = target.partition(":")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name in {"daemon", "ledger", "bot", "cards"}:
            raise
        extra = EXTRA_OF.get(name, EXTRA)
        tell(f"frontstage: this needs the package {name}, which is not installed\n  pip install 'frontstage[{extra}]'")
        return EXIT_FAULT
    function = getattr(module, function_name or "main")
    result = function(command)
    assert isinstance(result, int)
    return result
