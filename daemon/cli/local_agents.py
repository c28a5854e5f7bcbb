"""The local commands of connected agents: what they take, and the module that does each."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Verb

_SOCKET = {"socket": "", "home": ""}
_ASKING = {"json": "", "format": "", **_SOCKET}
AGENT: "dict[str, Verb]" = {
    "connect": {
        "summary": "Connect an agent: its membership, its credential, and its runtime's configuration.",
        "example": "agent connect claude-code --agent-id builder --goal-id docs --write .",
        "run": "daemon.agents.connect",
        "takes": _ASKING,
        "about": "The member is added if it is new, and never changed. Its credential goes into a private file of\n"
        "the home and is printed only with --show-token. With --write the runtime's files in that folder get our\n"
        "part (.mcp.json and .claude/settings.json; .codex/config.toml and .codex/hooks.json; or\n"
        "frontstage.agent.json), and all else in them stays; without it they are printed. A file that is not what\n"
        "its runtime reads is refused before anything is made. The same command again changes nothing. What is\n"
        "connected is untested until `frontstage agent qualify` was run. --remove takes all of it back, but for\n"
        "the member.",
        "parameters": {
            "runtime": {
                "help": "What runs the agent.",
                "required": True,
                "choices": ("claude-code", "codex", "generic"),
            },
            "agent_id": {"help": "The agent.", "required": True},
            "goal_id": {"help": "Goals that the credential is good for; all when absent.", "repeat": True},
            "display_name": {"help": "What a new member is called; its id when absent."},
            "capability": {"help": "What a new member is able to do.", "repeat": True},
            "ttl_days": {"help": "Life of a new credential, in days.", "kind": "integer", "default": "90"},
            "new_token": {"help": "Replace a credential that is still good.", "kind": "switch"},
            "show_token": {"help": "Print the credential as well.", "kind": "switch"},
            "env": {"help": "Variables of this environment that the tools' program needs too.", "repeat": True},
            "write": {"help": "The project's folder, into whose files our part goes.", "kind": "folder"},
            "print": {"help": "Print the files even where they are written.", "kind": "switch"},
            "remove": {"help": "Take the connection back.", "kind": "switch"},
        },
    },
    "qualify": {
        "summary": "Run a bounded real turn through an agent's binding, and record what it proved.",
        "example": "agent qualify builder",
        "run": "daemon.agents.qualify",
        "takes": _ASKING,
        "about": "What is configured is run as it is written: the tools' program starts, shakes hands and lists\n"
        "its tools, the packet is read, the agent writes back a challenge that only this command knows, and each\n"
        "of the three hooks runs once. Then the runtime's program (claude, codex, or that of --exec), where it is\n"
        "there, runs with a bounded prompt and has to write back a challenge of its own. What was not run is\n"
        "listed as not proven, and without the runtime's program a binding stays untested. No goal is changed and\n"
        "no slot is spent. A program of --exec finds how to connect in its environment and the challenge in\n"
        "FRONTSTAGE_CHALLENGE; it writes it back with `frontstage agent probe`. Exit code 0: qualified; 1: not,\n"
        "and why not.",
        "parameters": {
            "agent_id": {"help": "The agent.", "required": True},
            "exec": {"help": "A program to run in place of the runtime's; no shell reads it."},
            "no_runtime": {"help": "Do not run the runtime's program, because it costs money.", "kind": "switch"},
            "timeout_seconds": {
                "help": "How long a turn of the runtime may take.",
                "kind": "integer",
                "default": "180",
            },
        },
    },
    "hook": {
        "summary": "What an agent's runtime runs when a turn begins, when a tool was used, and when a turn ends.",
        "example": "agent hook turn-start --agent-id builder --goal-id docs --token-file builder.token",
        "run": "daemon.agents.hook",
        "takes": _SOCKET,
        "about": "turn-start tells the agent what is its to do: the verdict, requests, answers, decisions, its\n"
        "leases. tool-use renews a lease of which half is over, and says when one was lost. turn-end reports a\n"
        "turn that ended with work in hand and without a word of the agent's own; it never reports a delivery.\n"
        "Whatever goes wrong, the exit code is 0 and the reason is one line on standard error.",
        "parameters": {
            "event": {
                "help": "Which edge of a turn.",
                "required": True,
                "choices": ("turn-start", "tool-use", "turn-end"),
            },
            "agent_id": {"help": "The agent.", "required": True},
            "goal_id": {"help": "The goals it works on; those under way when absent.", "repeat": True},
            "runtime": {
                "help": "In whose form it answers.",
                "choices": ("claude-code", "codex", "generic"),
                "default": "generic",
            },
            "rehearse": {
                "help": "Ask as usual and write back FRONTSTAGE_CHALLENGE, if set; renew, report and keep nothing.",
                "kind": "switch",
            },
            "token_file": {"help": "The agent's credential; FRONTSTAGE_TOKEN_FILE when absent.", "kind": "file"},
            "every_seconds": {
                "help": "How long tool-use leaves the daemon alone after it was asked.",
                "kind": "integer",
                "default": "30",
            },
        },
    },
}
