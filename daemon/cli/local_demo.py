"""The demo's commands: one agent's work on one goal, and the journeys of a team.

A journey is a verb of `demo`; all of them take the same flags.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Nouns, Verb

_HOME = "Keep the demo's ledger in this empty folder; a fresh one, gone at the end, when absent."


def _journey(name: str, summary: str, about: str) -> "Verb":
    return {
        "summary": summary,
        "example": f"demo {name} --script --seed 7",
        "run": "bot.demo",
        "about": f"{about}\n"
        "On a terminal each step of the owner waits for a person in the chat page, or for Enter, and then a\n"
        "program does it. Without a terminal, and with --script, it goes on alone. What is reported is derived\n"
        "from the ledger and from measurements. Exit code 0: everything that was expected was shown.",
        "takes": {"home": _HOME},
        "parameters": {
            "script": {"help": "Let a program play the owner, report, and end.", "kind": "switch"},
            "seed": {"help": "Draws what it is about; the same seed is the same draw.", "kind": "integer"},
            "cycles": {
                "help": "How many rounds, each a goal of its own. Fewer than two leave an expectation untested, and so "
                "end with exit code 1.",
                "kind": "integer",
                "default": "2",
            },
            "without": {
                "help": "Leave one safeguard out, to see the journey fail.",
                "choices": ("validator", "fence", "review"),
            },
            "seat": {"help": "Another program in a seat, as AGENT=COMMAND.", "repeat": True},
            "report": {"help": "Write the report as JSON to this file as well.", "kind": "file"},
            "port": {"help": "Port of the chat page; a free one when absent.", "kind": "integer"},
        },
    }


DEMO: "Nouns" = {
    "demo": {
        "": {
            "summary": "Show the whole product on this machine, against a simulated Lark; needs no account.",
            "example": "demo --script",
            "run": "bot.demo",
            "about": "On a terminal the chat page stays until Ctrl-C, and Enter lets a program play the owner.\n"
            "Without a terminal the program plays at once and the demo ends. Exit code 0: the ledger verifies.\n"
            "A team at work: demo engineering, demo research.",
            "takes": {"home": _HOME},
            "parameters": {
                "script": {"help": "Let a program play the owner, verify the ledger, and end.", "kind": "switch"},
                "docs": {
                    "help": "Folder of Markdown files that the agent checks; a small sample when absent.",
                    "kind": "folder",
                },
                "port": {"help": "Port of the chat page; a free one when absent.", "kind": "integer"},
                "without_callbacks": {"help": "Cut the card callbacks, to see the script fail.", "kind": "switch"},
            },
        },
        "engineering": _journey(
            "engineering",
            "Watch a team find, mend, review and note a defect in a small repository.",
            "A steward and four agents, two goals: one of them is killed under its lease, one is frozen and comes\n"
            "back late, the owner corrects the direction, and one result is measured to be wrong and made anew.",
        ),
        "research": _journey(
            "research",
            "Watch a team measure two competing explanations on a real data set, and say which stands, if any.",
            "A steward and five agents, two goals on two samples: one of them is killed under its lease, one is\n"
            "frozen and comes back late, the owner corrects the direction, and a measurement that is not as exact\n"
            "as was registered is rejected and made anew. No effect is an answer. The data set is the source of\n"
            "Python's standard library.",
        ),
    },
}
"""In the same shape as the catalogue of what the daemon does."""
