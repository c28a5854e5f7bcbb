"""The API's description against a real daemon, by schemathesis: `python -m tests.openapi_run --help`.

Requests are made of the description, good ones and bad ones, and every answer is held against it: its status, its type,
its headers, its shape; bad data must be refused, good data must not be called bad, what needs a header must ask for it,
and another method must be told which ones there are. The daemon is a process of its own on a new ledger and is reached
over its socket, through a port of the loopback because the tool knows no sockets of that kind.
"""

import argparse
import copy
import json
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from daemon.api.openapi import openapi_document
from tests.support.daemons import DaemonProcess, daemon_on_fresh_home, fresh_home
from tests.support.homes import activate
from tests.support.loopback import on_loopback

SETTINGS = """
[checks.positive_data_acceptance]
# A rule of the ledger may say no to what is well formed: that is what these statuses are for.
expected-statuses = ["2xx", "401", "403", "404", "409", "422", "423"]

[[operations]]
# A query has no way to say that one parameter needs another, or keeps it out; these say it in words.
include-operation-id = ["attention.show", "history.explain", "history.list"]
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "422", "423"]

[[operations]]
# Whether a gate must say what it holds up follows from how many agents work there; time zones are the machine's list.
include-operation-id = ["gate.open", "channel.set-digest", "member.set-quiet-hours"]
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "422", "423"]
"""
ENDLESS = "feed"
"""The one operation whose answer has no end: a tool that waits for it would wait for ever. Its refusals, its events and
its resumption have tests of their own (tests/api/test_daemon_feed.py)."""


def run(*words, who="ann", phases="examples,coverage", examples=1, seed=7, timeout_s=600, change=None, stranger=False):
    """One run; its exit code and what it printed. With `stranger` nobody is the daemon's user: all must be proved."""
    document = copy.deepcopy(openapi_document())
    if stranger:
        document["security"] = [{"member": []}]
    if change is not None:
        document = change(document)
    with (
        tempfile.TemporaryDirectory() as folder,
        (_of_another_user if stranger else daemon_on_fresh_home)(activate) as daemon,
    ):
        described, settings = Path(folder) / "openapi.json", Path(folder) / "schemathesis.toml"
        described.write_text(json.dumps(document), encoding="utf-8")
        settings.write_text(SETTINGS, encoding="utf-8")
        with on_loopback(daemon.made.home.socket) as url:
            done = subprocess.run(
                [
                    sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()",
                    "--config-file", str(settings),
                    "run", str(described), "--url", url, "--checks", "all", "--phases", phases,
                    "--max-examples", str(examples), "--seed", str(seed), "--generation-deterministic",
                    "--exclude-operation-id", ENDLESS, "--continue-on-failure", "--no-color",
                    "--request-timeout", "20",
                    *([] if who is None else ["--header", f"Authorization: Bearer {daemon.made.tokens[who]}"]),
                    *words,
                ],
                cwd=folder, capture_output=True, text=True, timeout=timeout_s, check=False,
            )  # fmt: skip
        alive = daemon.process.poll() is None
    return done.returncode if alive else -1, done.stdout + done.stderr


@contextmanager
def _of_another_user(seed):
    """A daemon that takes itself for another user's, so that being its user proves nobody."""
    with fresh_home(seed) as made, DaemonProcess(made, module="tests.support.another_user") as daemon:
        yield daemon


def main():
    """A run by hand, longer than the one of the suite; other words go to the tool as they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--who", default="ann", help="ann, builder, …; nobody is whoever runs this")
    parser.add_argument("--stranger", action="store_true", help="at a daemon of another user, where all must be proved")
    parser.add_argument("--phases", default="examples,coverage,fuzzing")
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    options, words = parser.parse_known_args()
    who = None if options.who == "nobody" else options.who
    code, printed = run(
        *words,
        who=who,
        phases=options.phases,
        examples=options.examples,
        seed=options.seed,
        timeout_s=36_000,
        stranger=options.stranger,
    )
    sys.stdout.write(printed)
    return code


if __name__ == "__main__":
    sys.exit(main())
