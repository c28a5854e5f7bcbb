"""Commands that need no daemon: what they take, and the module that does each.

The modules are named as text and loaded when they are run: they may know everything, this package only the wire.
"""

from daemon.cli.local_agents import AGENT
from daemon.cli.local_demo import DEMO
from daemon.cli.local_page import PAGE
from daemon.cli.local_team import TEAM
from daemon.cli.local_worker import WORKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Nouns

_JSON = {"json": "", "format": ""}
_SOCKET = {"socket": "", "home": ""}
_ASKING = {**_JSON, **_SOCKET}
LOCAL: "Nouns" = {
    "agent": AGENT,
    "artifact": {
        "check": {
            "summary": "Run the validators that a todo asks for on this machine, and record how each ended.",
            "example": "artifact check --goal-id docs --artifact-id art_000014 --validators checks.toml --cwd .",
            "run": "daemon.local.check",
            "takes": _ASKING,
            "about": "The ledger keeps the names of validators. What a name means is said in a TOML file of yours:\n"
            '  [links]\n  argv = ["python3", "check_links.py"]    # no shell reads it\n'
            "  timeout_seconds = 60                     # 300 when absent\n"
            '  env = ["LINKS_CACHE"]                    # variables to pass on; a few harmless ones are anyhow\n'
            "All are run, one after the other, in --cwd, without credentials, each for a bounded time, and what they\n"
            "print goes into private files. Recorded is how each ended, and the digest of its words: a program that\n"
            "is not there with exit code 127, one that may not be run with 126, a signal as a negative number. Exit\n"
            "code 0: all passed; 1: one did not. With --file the evidence itself is compared with its digest first,\n"
            "and validators find it as ARTIFACT_FILE.",
            "parameters": {
                "goal_id": {"help": "The goal.", "required": True},
                "artifact_id": {"help": "The artifact.", "required": True},
                "validators": {
                    "help": "The TOML file that says what each name runs.",
                    "required": True,
                    "kind": "file",
                },
                "cwd": {"help": "The folder in which they are run.", "required": True, "kind": "folder"},
                "file": {"help": "The evidence; it must be what was handed in.", "kind": "file"},
                "validator": {"help": "Only these; those of the todo when absent.", "repeat": True},
            },
        },
    },
    "init": {
        "": {
            "summary": "Make a new home with an empty ledger and its first owner.",
            "example": "init --name 'Docs team' --owner ann --owner-name Ann",
            "run": "daemon.local.init",
            "takes": {**_JSON, "home": ""},
            "about": "The home is a private folder (mode 0700). The owner's and the bot's credentials are kept in it\n"
            "(mode 0600); nothing of an existing home is ever changed.",
            "parameters": {
                "name": {"help": "What the workspace is called.", "default": "Workspace"},
                "owner": {"help": "Member id of the first owner.", "default": "owner"},
                "owner_name": {"help": "What the first owner is called.", "default": "Owner"},
            },
        },
    },
    "daemon": {
        "": {
            "summary": "Run the daemon in the foreground; the one writer of its ledger.",
            "example": "daemon --home ~/.frontstage",
            "run": "daemon.local.processes:run_daemon",
            "takes": _SOCKET,
            "about": "It logs one JSON object a line to standard error and stops cleanly on SIGTERM or Ctrl-C.",
            "parameters": {},
        },
    },
    "bot": {
        "": {
            "summary": "Run the Lark bot in the foreground; it needs a running daemon.",
            "example": "bot",
            "run": "daemon.local.processes:run_bot",
            "takes": _SOCKET,
            "parameters": {},
        },
    },
    "up": {
        "": {
            "summary": "Run daemon and bot together and start again whichever fails.",
            "example": "up",
            "run": "daemon.local.up",
            "takes": _SOCKET,
            "about": "Without a [lark] section in config.toml only the daemon runs.",
            "parameters": {"no_bot": {"help": "Run the daemon alone.", "kind": "switch"}},
        },
    },
    "stop": {
        "": {
            "summary": "Stop the daemon of this home and wait until it is gone.",
            "example": "stop",
            "run": "daemon.local.stop",
            "takes": _SOCKET,
            "parameters": {
                "timeout_seconds": {"help": "How long to wait.", "kind": "integer", "default": "30"},
            },
        },
    },
    "doctor": {
        "": {
            "summary": "Look for what is wrong with this installation, and say how to mend it.",
            "example": "doctor",
            "run": "daemon.doctor",
            "takes": {**_JSON, **_SOCKET},
            "about": "Exit code 0 when nothing failed, 1 otherwise. Nothing is changed.",
            "parameters": {},
        },
    },
    "lark": {
        "setup": {
            "summary": "Connect a Feishu or Lark app step by step, and print what is to be done in its console.",
            "example": "lark setup --checklist",
            "run": "daemon.lark:setup",
            "takes": {"home": "", "locale": ""},
            "about": "Asks for the app's id and secret (not shown), or has an app made by QR code with --register;\n"
            "asks the platform whether it takes them; writes lark.secret (mode 0600) and the [lark] section of\n"
            "config.toml; and prints the permissions, events and callbacks that the code needs. Nothing else in\n"
            "config.toml is changed, and nothing is written before all of this held. Exit code 1: the platform or\n"
            "the file refused; 2: something is missing on the command line.",
            "parameters": {
                "domain": {"help": "feishu, lark, or an origin such as http://127.0.0.1:8080.", "default": "feishu"},
                "app_id": {"help": "The app that is there; asked for when absent."},
                "secret_file": {
                    "help": "A private file with its secret, or - for standard input; asked for when absent.",
                    "kind": "file",
                },
                "register": {"help": "Have a new app made by QR code.", "kind": "switch"},
                "transport": {
                    "help": "ws: the machine needs no public address; webhook: the platform sends to one.",
                    "choices": ("ws", "webhook"),
                    "default": "ws",
                },
                "listen": {"help": "By webhook: where to listen, as HOST:PORT."},
                "path": {"help": "By webhook: the path of the address; /lark when absent."},
                "encrypt_key_file": {"help": "By webhook: a private file with the Encrypt Key.", "kind": "file"},
                "verification_token_file": {
                    "help": "By webhook: a private file with the Verification Token.",
                    "kind": "file",
                },
                "replace": {"help": "Replace the [lark] section that is there.", "kind": "switch"},
                "offline": {"help": "Write without asking the platform.", "kind": "switch"},
                "checklist": {"help": "Only print what is to be done in the console.", "kind": "switch"},
            },
        },
        "doctor": {
            "summary": "Look at everything between Lark and the bot: what works, what does not, what nobody can know.",
            "example": "lark doctor",
            "run": "daemon.lark:doctor",
            "takes": {**_JSON, **_SOCKET, "locale": ""},
            "about": "Asks the platform as the app and the daemon for what the bot last said: credentials, domain,\n"
            "permissions, subscriptions, chats, clock, and whether a press has ever arrived. What cannot be asked is\n"
            "`unknown` and never shown as good. Exit code 0: nothing failed; 1: something did. Nothing is changed.",
            "parameters": {},
        },
    },
    "hook": {
        "list": {
            "summary": "Show how far each after-commit hook has come, and what is in its way.",
            "example": "hook list",
            "run": "daemon.local.hooks:list_hooks",
            "takes": _ASKING,
            "about": "A hook is a [[hooks]] table of config.toml: a program, or an address over TLS, that is told of\n"
            "what was committed, at least once and in order. Where no daemon runs, the ledger's file says where each\n"
            "stands.",
            "parameters": {"kinds": {"help": "List the kinds of events that a hook can ask for.", "kind": "switch"}},
        },
        "retry": {
            "summary": "Have a hook that failed, or that is parked, try again at once.",
            "example": "hook retry build",
            "run": "daemon.local.hooks:retry_hook",
            "takes": _ASKING,
            "about": "It has all its attempts before it again. With --skip, the event that it is parked before is\n"
            "given up: it is never delivered to this hook.",
            "parameters": {
                "name": {"help": "The hook, as config.toml names it.", "required": True},
                "skip": {"help": "Give up the event that it is parked before.", "kind": "switch"},
            },
        },
    },
    "ledger": {
        "verify": {
            "summary": "Compute every hash of the ledger again and say whether its history holds.",
            "example": "ledger verify",
            "run": "daemon.local.ledger:verify_ledger",
            "takes": {**_JSON, "home": ""},
            "about": "Reads the file itself, also beside a running daemon. Exit code 1 names the first row that does\n"
            "not hold. A head noted earlier (on a digest card, with a backup) proves that nothing before it changed.",
            "parameters": {
                "expect_head": {"help": "A head that must be part of this history, as SEQ:HASH."},
            },
        },
        "export": {
            "summary": "Write the whole ledger as JSON lines, complete enough to verify it elsewhere.",
            "example": "ledger export --output ledger.jsonl",
            "run": "daemon.local.ledger:export_ledger",
            "takes": {"home": ""},
            "about": "Each event with its body, words, salt and hash, then receipts and refusals, then an end line\n"
            "with counts, heads and a digest of all lines before it. The file is made private (0600) and never\n"
            "replaces another. Its sha256 is told; noted elsewhere, it proves the file to `ledger import --digest`.",
            "parameters": {"output": {"help": "The file to make; standard output when absent.", "kind": "file"}},
        },
        "import": {
            "summary": "Make a ledger of what an export wrote, with the same history and the same head.",
            "example": "ledger import --input ledger.jsonl --home ~/.frontstage-copy",
            "run": "daemon.local.ledger_import",
            "takes": {**_JSON, "home": ""},
            "about": "Into a home that has no ledger. Every hash is computed again; a file that is damaged, cut short\n"
            "or out of order leaves nothing behind. Credentials are not in an export: the user\n"
            "whose home it is acts as the operator and issues new ones with `frontstage token issue`.",
            "parameters": {
                "input": {"help": "The file that `ledger export` wrote.", "required": True, "kind": "file"},
                "digest": {"help": "The sha256 that the file must have, as `ledger export` told it."},
            },
        },
        "tail": {
            "summary": "Show the last events, and with --follow those to come.",
            "example": "ledger tail --follow",
            "run": "daemon.local.ledger:tail_ledger",
            "takes": {**_JSON, "home": ""},
            "parameters": {
                "after": {"help": "Begin after this seq; the last 20 events when absent.", "kind": "integer"},
                "follow": {"help": "Go on as events are recorded.", "kind": "switch"},
            },
        },
    },
    "batch": {
        "": {
            "summary": "Do many things: one action a line, each with an answer and a receipt of its own.",
            "example": "batch --input work.jsonl --request-key import-7",
            "run": "daemon.local.batch",
            "takes": {**_ASKING, "request_key": ""},
            "writes": True,
            "about": "A line is a JSON object with `action` and, where needed, `params` and `request_key`:\n"
            '  {"action": "todo.add", "params": {"goal_id": "docs", "text": "Check the links"}}\n'
            "Each is answered by one line of JSON that names its `line` and its `exit_code`; blank lines are passed\n"
            "over. A line that is none, or that is refused, keeps no other from being asked. The exit code is the\n"
            "worst of all. With --request-key K the line N is asked under the key K/N unless it has its own, so that\n"
            "the same input can be given again: what was done is answered and not done twice.",
            "parameters": {
                "input": {"help": "The file, or - for standard input, as when absent."},
                "stop_on_refusal": {"help": "Ask nothing after the first line that is refused.", "kind": "switch"},
            },
        },
    },
    "mcp": {
        "": {
            "summary": "Serve the ledger to an agent that speaks MCP, over standard input and output.",
            "example": "mcp",
            "run": "daemon.agents.mcp_server",
            "takes": {**_SOCKET, "locale": ""},
            "about": "The agent acts in the name of its own token (FRONTSTAGE_TOKEN or FRONTSTAGE_TOKEN_FILE), never\n"
            "of the owner's. Nothing but the protocol is on standard output. It ends when standard input does.",
            "parameters": {
                "full": {"help": "Offer a tool for every action that an agent may call, not twelve.", "kind": "switch"},
            },
        },
    },
    "worker": WORKER,
    "schema": {
        "": {
            "summary": "Print the JSON Schema of an action's parameters, or list the actions.",
            "example": "schema --action todo.claim",
            "run": "daemon.local.schema",
            "takes": _JSON,
            "about": "Needs no daemon. Shorter: schema todo.claim, or schema todo claim.",
            "parameters": {"action": {"help": "The action; all are listed when absent."}},
        },
    },
    "version": {
        "": {
            "summary": "Print the version.",
            "example": "version",
            "run": "daemon.cli.version",
            "takes": _JSON,
            "parameters": {},
        },
    },
    "completion": {
        shell: {
            "summary": f"Print a completion script for {shell}.",
            "example": f"completion {shell}",
            "run": f"daemon.cli.completion:{shell}",
            "takes": {},
            "about": how,
            "parameters": {},
        }
        for shell, how in (
            ("bash", "In ~/.bashrc: source <(frontstage completion bash)"),
            ("zsh", "In ~/.zshrc, after compinit: source <(frontstage completion zsh)"),
            ("fish", "frontstage completion fish > ~/.config/fish/completions/frontstage.fish"),
        )
    },
}


LOCAL.update(DEMO)
LOCAL.update(TEAM)
LOCAL.update(PAGE)


def together(actions: "Nouns") -> "Nouns":
    """All commands; a noun that has verbs of both kinds has them together."""
    found = dict(actions)
    for noun, verbs in LOCAL.items():
        found[noun] = {**actions.get(noun, {}), **verbs}
    return found
