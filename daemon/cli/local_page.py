"""The local page's command, and the overview that stays on the terminal; the shape is that of `daemon.cli.local`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Nouns

PAGE: "Nouns" = {
    "open": {
        "": {
            "summary": "Open the local page in the browser: every goal, who has it, and what waits for whom.",
            "example": "open --goal-id docs",
            "run": "daemon.local.open",
            "takes": {"json": "", "format": "", "socket": "", "home": "", "locale": ""},
            "about": "The running daemon serves the page on this machine alone, and nothing on it can write. The\n"
            "address is a secret, for whoever knows it can read: it is printed here and nowhere else, kept in the\n"
            "home (page.key, mode 0600), and stays the same until it is closed. Where there is no browser, and over\n"
            "SSH, it is only printed, with what to run on your own machine. With --json or --print no browser is\n"
            "started. It needs a running daemon: exit code 7 where there is none.",
            "parameters": {
                "goal_id": {"help": "Open at this goal."},
                "history": {"help": "Open at the history.", "kind": "switch"},
                "agents": {"help": "Open at the agents.", "kind": "switch"},
                "compose": {"help": "Open where command lines are composed.", "kind": "switch"},
                "lang": {"help": "The page's language; the browser's when absent.", "choices": ("en", "zh")},
                "print": {"help": "Print the address and start no browser.", "kind": "switch"},
                "close": {"help": "Close the page: its address is worthless from then on.", "kind": "switch"},
            },
        },
    },
    "watch": {
        "": {
            "summary": "Keep the overview on the terminal, as it changes: the same as status --watch.",
            "example": "watch",
            "run": "daemon.local.watch",
            "takes": {"socket": "", "home": "", "locale": ""},
            "about": "Every goal with its state, who has it until when, its next step, the gates that wait and what\n"
            "was spent; what waits for whom; and which agents could work. It follows the running daemon, says when\n"
            "that is away, and goes on when it is back. Ctrl-C ends it, with exit code 130, and leaves the terminal\n"
            "as it was. Where standard output is no terminal, the overview is printed once, with exit code 0. With\n"
            "NO_COLOR set there are no colours. It needs a running daemon: exit code 7 where there is none.",
            "parameters": {},
        },
    },
}
