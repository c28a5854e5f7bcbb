"""A PostgreSQL of one's own in a temporary folder, for as long as a bench runs, and nothing where there is none.

It answers on a Unix socket alone and is as durable as a ledger: every commit is synced before it is told. PostgreSQL
refuses to run for root, so root lends the folder to another user and runs it as that one.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on", "listen_addresses=")
USERS = ("postgres", "nobody")
READY_S_MAX = 60
POLL_S = 0.05
_DATABASE = "postgres"
_NEEDED = ("initdb", "postgres", "psql", "pgbench")


class Postgres:
    """A cluster that runs."""

    def __init__(self, programs: dict[str, str], folder: Path, user: str | None) -> None:
        self._programs = programs
        self._folder = folder
        self._user = user

    def version(self) -> str:
        """What it calls itself."""
        return self.ask("SHOW server_version").split()[0]

    def ask(self, statements: str) -> str:
        """Run statements; what they print. Raises CalledProcessError."""
        return self._run("psql", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", statements)

    def bench(self, script: str, clients: int, seconds: int) -> str:
        """Have clients repeat a script; what `pgbench` prints about it."""
        file = self._folder / "script.sql"
        file.write_text(script, encoding="utf-8")
        file.chmod(0o644)
        settings = ("-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, os.cpu_count() or 1)))
        return self._run("pgbench", *settings, "-T", str(seconds), "-f", str(file), _DATABASE)

    def _run(self, program: str, *argv: str) -> str:
        where = ("-h", str(self._folder), "-U", "bench")
        database = ("-d", _DATABASE) if program == "psql" else ()
        return run_as(self._user, self._folder, self._programs[program], *where, *database, *argv)


def run_as(user: str | None, folder: Path, *argv: str) -> str:
    """Run a program to its end; what it prints. Raises CalledProcessError with what it said."""
    done = subprocess.run(argv, user=user, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{Path(argv[0]).name} failed: {done.stderr[-1_000:]}")
    return done.stdout


def programs() -> dict[str, str] | None:
    """Where the programs are: on the path, or where `pg_config` says; None where one is missing."""
    path = os.environ.get("PATH", os.defpath)
    if (config := shutil.which("pg_config")) is not None:
        said = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        path = os.pathsep.join((path, said.stdout.strip()))
    found = {name: shutil.which(name, path=path) for name in _NEEDED}
    return None if None in found.values() else {name: str(place) for name, place in found.items()}


@contextmanager
def postgres() -> Iterator[Postgres | None]:
    """One that is ready, or None where none is at hand."""
    found, user = programs(), _user()
    if found is None or (user is None and os.geteuid() == 0):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="postgres-", dir=os.environ.get("FRONTSTAGE_BENCH_DIR")) as name:
        folder = Path(name)
        if user is not None:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        data = folder / "data"
        run_as(user, folder, found["initdb"], "-D", str(data), "-A", "trust", "-U", "bench", "-E", "UTF8", "--no-sync")
        settings = [part for setting in DURABLE for part in ("-c", setting)]
        argv = [found["postgres"], "-D", str(data), "-k", str(folder), *settings]
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(argv, user=user, cwd=folder, stdout=log, stderr=log)
        try:
            cluster = Postgres(found, folder, user)
            _wait_until_ready(cluster, process)
            yield cluster
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _user() -> str | None:
    """Whom to run it as: oneself, unless one is root."""
    if os.geteuid():
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in USERS if name in known), None)


def _wait_until_ready(cluster: Postgres, process: subprocess.Popen[bytes]) -> None:
    give_up_at_s = time.monotonic() + READY_S_MAX
    while True:
        try:
            cluster.ask("SELECT 1")
        except RuntimeError:
            if process.poll() is not None or time.monotonic() > give_up_at_s:
                raise
            time.sleep(POLL_S)
        else:
            return
