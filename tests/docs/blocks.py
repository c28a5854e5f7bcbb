"""Fenced `console` blocks of a document: commands after `$ `, each with the output that the document promises.

A block whose fence says `console run` is run. In promised output `…` stands for anything in its line, a line that is
only `…` for any number of lines, and a last line `(exit code N)` for a command that is meant to be refused.
"""

import re
from dataclasses import dataclass, field

FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"\(exit code (\d+)\)")


@dataclass
class Command:
    text: str
    runs: bool
    promised: list[str] = field(default_factory=list)

    @property
    def exit_code(self):
        found = EXIT.fullmatch(self.promised[-1]) if self.promised else None
        return int(found[1]) if found else 0

    def keeps(self, output):
        """Whether the output is what the document says; a document that shows nothing promises nothing."""
        lines = [line for line in self.promised if not EXIT.fullmatch(line)]
        if not lines:
            return True
        pattern = "".join(r"(?:.*\n)*?" if line == "…" else _line(line) for line in lines)
        return re.fullmatch(pattern, output.rstrip("\n") + "\n") is not None


def _line(line):
    return ".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ ]*\n"


def commands(document):
    """Every command of every console block, in order."""
    found = []
    for fence in FENCE.finditer(document):
        language, _, rest = fence["info"].strip().partition(" ")
        if language != "console":
            continue
        assert rest in {"", "run"}, f"a console block is `console` or `console run`, not {fence['info']!r}"
        for line in fence["body"].splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:], runs=rest == "run"))
            else:
                assert found, "output before any command"
                found[-1].promised.append(line)
    return found
