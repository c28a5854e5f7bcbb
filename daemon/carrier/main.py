"""The carrier of one hook: `python -m daemon.carrier.main`, begun by the daemon and by nobody else.

It reads one order a line from standard input and answers each with one line on standard output: delivered, or one of a
few reasons with a number. It knows neither the ledger nor the daemon's socket. When its input ends, the daemon is gone
or wants it gone: whatever runs is ended at once, so that no delivery outlives who would have heard of it.
"""

import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

from daemon.carrier.addresses import post
from daemon.carrier.commands import run_command
from daemon.carrier.orders import Order, Outcome

_END = None


def main() -> int:
    """Carry until the input ends."""
    signal.signal(signal.SIGTERM, _stop)
    orders: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    # What a command prints never reaches the answers: it gets a pipe of its own.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    while (line := orders.get()) is not _END:
        order = Order(**json.loads(line))
        outcome = carried(order)
        try:
            answers.write(json.dumps(list(outcome)) + "\n")
            answers.flush()
        except OSError:
            return 0
    return 0


def carried(order: Order) -> Outcome:
    """What came of one delivery."""
    try:
        Path(order.folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return Outcome("output_not_kept")
    return run_command(order) if order.command else post(order)


def _read(orders: "queue.SimpleQueue[str | None]") -> None:
    """Take orders; at the end of the input stop the work that is under way, from outside of it."""
    for line in sys.stdin:
        orders.put(line)
    orders.put(_END)
    os.kill(os.getpid(), signal.SIGTERM)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    """Unwinds whatever is under way, which ends the group of a command on the way out.

    Once only: the end of the input and the daemon both say so, and a second word would cut the unwinding short.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)


if __name__ == "__main__":
    sys.exit(main())
