"""A hook that is a command: the event on its standard input, its end as the answer.

It is run as a validator is: no shell, a group of processes of its own, a private home, few variables, bounded output in
a private file. What it printed last is kept there for its owner, and nowhere else.
"""

import os
import tempfile
from pathlib import Path

from daemon.carrier.orders import DELIVERED, Order, Outcome
from daemon.local.running import EXIT_NOT_FOUND, EXIT_NOT_RUN, Ended, environment, run

OUTPUT = "output.txt"


def run_command(order: Order) -> Outcome:
    """Run it to its end or its time."""
    folder = Path(order.folder)
    output = folder / OUTPUT
    told = {
        "FRONTSTAGE_HOOK": order.hook,
        "FRONTSTAGE_DELIVERY_ID": order.delivery_id,
        "FRONTSTAGE_SEQ": str(order.seq),
    }
    passed_on = {name: os.environ[name] for name in order.variables if name in os.environ}
    try:
        output.unlink(missing_ok=True)
        with tempfile.TemporaryFile(dir=folder) as given:
            given.write(order.body.encode() + b"\n")
            given.seek(0)
            ended = run(
                order.command,
                cwd=folder,
                variables=environment(folder, {**passed_on, **told}),
                seconds=order.timeout_s,
                output=output,
                given=given,
            )
    except OSError:
        return Outcome("output_not_kept")
    return _outcome(ended)


def _outcome(ended: Ended) -> Outcome:
    if ended.passed:
        return DELIVERED
    if ended.exit_code is None:
        return Outcome("timeout")
    if ended.exit_code < 0:
        return Outcome("signal", -ended.exit_code)
    if ended.remark and ended.exit_code in {EXIT_NOT_FOUND, EXIT_NOT_RUN}:
        return Outcome("not_found" if ended.exit_code == EXIT_NOT_FOUND else "not_run")
    return Outcome("exit_code", ended.exit_code)
