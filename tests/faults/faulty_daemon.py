"""A daemon whose store fails on command: everything is real but the moment at which the disk gives up.

python -m tests.faults.faulty_daemon --home DIR --fault KIND --stored 0|1 --after N --times M
"""

import argparse
import sys

from daemon import app
from ledger.ports import StoreFault, StoreFull
from ledger.store.sqlite import open_existing_sqlite
from ledger.testing import FailingStore, Failure

KINDS = {"full": StoreFull("no room"), "fault": StoreFault("the disk gave up")}


def main() -> int:
    """Serve, and fail as told after some appends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", required=True)
    parser.add_argument("--fault", choices=KINDS, required=True)
    parser.add_argument("--stored", type=int, default=0)
    parser.add_argument("--after", type=int, default=0)
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()

    def opened(path):
        store = FailingStore(open_existing_sqlite(path))
        failure = Failure(KINDS[options.fault], stored=bool(options.stored))
        store.fail(*[None] * options.after, *[failure] * options.times)
        return store

    app.open_existing_sqlite = opened
    return app.main(["--home", options.home])


if __name__ == "__main__":
    sys.exit(main())
