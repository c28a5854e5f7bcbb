"""`frontstage lark setup` and `frontstage lark doctor`: this process becomes the bot's own program for it.

Only the bot may know the platform, and only this side may look at the ledger's machine: so what `doctor` says of
library and lock is found out here and handed over, and all of it is one answer.
"""

import json

from daemon.cli.call import chosen_locale
from daemon.cli.output import EXIT_USAGE, tell
from daemon.cli.parse import Command, flag_of
from daemon.doctor import Finding, machine
from daemon.local.homes import home_of, initialised_home_of
from daemon.local.processes import become, missing_for_bot, program

SETUP_MODULE = "bot.lark_setup"
DOCTOR_MODULE = "bot.lark_doctor"


def setup(command: Command) -> int:
    """Become the setup."""
    words: list[str] = []
    for name, value in command.values.items():
        if value is not False:
            words += [flag_of(name)] if value is True else [f"{flag_of(name)}={value}"]
    return _become(SETUP_MODULE, command, words)


def doctor(command: Command) -> int:
    """Look at the ledger's machine, and become the doctor of the rest."""
    beside = json.dumps([_row(finding) for finding in machine(initialised_home_of(command))])
    return _become(DOCTOR_MODULE, command, ["--beside", beside, *(["--json"] if command.options.json else [])])


def _row(finding: Finding) -> dict[str, str]:
    return {"subject": finding.subject, "state": finding.level, "said": finding.said, "next": finding.remedy}


def _become(module: str, command: Command, words: list[str]) -> int:
    missing = missing_for_bot()
    if missing:
        tell(missing)
        return EXIT_USAGE
    locale = command.options.locale or chosen_locale()
    # What is to be done in the console can be read before there is a ledger.
    home = home_of(command) if command.values.get("checklist") else initialised_home_of(command)
    return become([*program(module, home), "--locale", locale, *words])
