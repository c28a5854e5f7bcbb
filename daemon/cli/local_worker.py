"""What `frontstage worker` takes; it needs a daemon, and is a program of its own beside it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Verb

WORKER: "dict[str, Verb]" = {
    "run": {
        "summary": "Do an agent's work: take a todo or a request, run a program on it, write back what came of it.",
        "example": "worker run --agent scout --exec ./check-links --goal-id docs --once",
        "run": "daemon.local.worker:run",
        "takes": {"json": "", "format": "", "socket": "", "home": ""},
        "about": "The program gets one JSON document on standard input and writes one into the file that\n"
        "FRONTSTAGE_RESULT names. While it runs its lease is renewed; when the lease is lost it is ended and nothing\n"
        "is written back. One signal: the turn is finished and no other begun. Two: the program is ended, that is\n"
        "reported, and the work is given back. What the program prints goes into a private file in the home.\n"
        "Exit code 0: told to stop, or with --once a turn that came to something, or nothing to do; 1: the turn came\n"
        "to nothing, or another worker has this agent; 7: the daemon does not answer.",
        "parameters": {
            "agent": {"help": "The agent whose work it is; the credential must be its own.", "required": True},
            "exec": {"help": "The program with its words, as one text; no shell reads it.", "required": True},
            "goal_id": {"help": "Only this goal; every goal of the agent when absent."},
            "repository": {"help": "A git repository; todos with write scopes get a worktree of it.", "kind": "folder"},
            "base": {"help": "The commit that worktrees begin at.", "default": "HEAD"},
            "store": {
                "help": "The folder in which evidence is kept; artifacts in the home when absent.",
                "kind": "folder",
            },
            "validators": {
                "help": "The TOML file that says what each validator runs, as for artifact check.",
                "kind": "file",
            },
            "timeout_seconds": {
                "help": "How long the program may take.",
                "kind": "integer",
                "default": "1800",
            },
            "lease_seconds": {"help": "How long a lease lasts without renewal.", "kind": "integer", "default": "300"},
            "once": {"help": "End after one turn, or when there is nothing to do.", "kind": "switch"},
        },
    },
    "status": {
        "summary": "Say how near an agent's worker is to work, and what stands in its way.",
        "example": "worker status --agent scout",
        "run": "daemon.local.worker_status",
        "takes": {"json": "", "format": "", "socket": "", "home": ""},
        "about": "One line each for registered, addressable, bound, launchable, executing and blocked, as the ledger\n"
        "knows them, and one for the worker on this machine. Exit code 1: no worker runs here.",
        "parameters": {
            "agent": {"help": "The agent.", "required": True},
            "goal_id": {"help": "In this goal alone."},
        },
    },
}
