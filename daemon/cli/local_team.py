"""Local commands that run an agent of a team in the foreground; the shape is that of `daemon.cli.local`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daemon.cli.shapes import Nouns

TEAM: "Nouns" = {
    "steward": {
        "run": {
            "summary": "Run the built-in steward: it asks, plans, has work reviewed, watches it and delivers.",
            "example": "steward run --agent guide --once",
            "run": "daemon.local.steward",
            "takes": {"socket": "", "home": "", "locale": ""},
            "about": "It acts by its own token (FRONTSTAGE_TOKEN or FRONTSTAGE_TOKEN_FILE), by the same actions as\n"
            "any agent, and has no right beyond them: what an owner must decide it asks for and never does. It keeps\n"
            "nothing; started anew it does nothing a second time. A planner is a program of yours that reads a\n"
            "JSON packet on standard input and prints lanes as JSON; what is wrong with them is said, and the\n"
            "built-in template plans instead. It writes one line for each thing it did to standard error. Exit\n"
            "code 1: something was refused, where it was to end by itself.",
            "parameters": {
                "agent": {"help": "Whose steward it is: the member whose token it has.", "required": True},
                "goal_id": {"help": "Only this goal; every goal that it has when absent."},
                "planner": {"help": "A program that plans, with its arguments; no shell reads it."},
                "once": {"help": "End when there is nothing left to do.", "kind": "switch"},
            },
        },
    },
}
