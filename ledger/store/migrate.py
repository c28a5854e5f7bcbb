"""The schema and its way from version to version.

A new ledger gets `schema.sql`; an older one is brought there by the numbered migrations, which are never
edited, each in one transaction with the version it reaches. A test keeps both ways equal. A ledger written by
a newer program opens only if that program said that this one still understands it: the oldest compatible
version is kept in the database by the migration that decides it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import apsw

from ledger.ports import StoreUnusable
from ledger.store import statements

APPLICATION_ID = 0x46737467
"""Marks a database file as a Frontstage ledger ("Fstg")."""

_READ = statements.named("read.sql")
_FILE_NAME = re.compile(r"^migrations/(\d{4})_[a-z0-9_]+\.sql$")


class Migration(NamedTuple):
    """One step: the version it reaches and the statements that reach it."""

    version: int
    sql: str


def migrations() -> list[Migration]:
    """The numbered steps from an empty database, without a gap."""
    steps: list[Migration] = []
    for name in statements.migration_files():
        matched = _FILE_NAME.match(name)
        assert matched is not None, f"{name} is not named like a migration"
        steps.append(Migration(int(matched.group(1)), statements.script(name)))
    numbers = [step.version for step in steps]
    assert numbers == list(range(1, len(steps) + 1)), f"migrations are not numbered 1, 2, 3: {numbers}"
    return steps


def identify(connection: apsw.Connection, newest_version: int) -> int:
    """The schema version of this database, 0 if it is empty. Raises StoreUnusable if it is not ours to use."""
    application_id = _number(connection, "application_id")
    version = _number(connection, "user_version")
    if application_id == 0 and version == 0 and not _has_tables(connection):
        return 0
    if application_id != APPLICATION_ID:
        raise StoreUnusable("this database is not a Frontstage ledger")
    if version > newest_version:
        oldest = _oldest_compatible(connection)
        if oldest > newest_version:
            raise StoreUnusable(
                f"this ledger has schema {version} and needs a program that knows schema {oldest}; "
                f"this one knows {newest_version}: install a newer frontstage",
            )
    return version


def require_schema(connection: apsw.Connection, newest_version: int) -> None:
    """Refuse to read a database that this handle may not migrate. Raises StoreUnusable."""
    version = identify(connection, newest_version)
    if version < newest_version:
        raise StoreUnusable(f"this ledger has schema {version}, not {newest_version}: open it for writing once")


def bring_up_to_date(connection: apsw.Connection, steps: Sequence[Migration], fresh_sql: str) -> None:
    """Create the schema or migrate it, each step whole or not at all."""
    newest_version = len(steps)
    connection.transaction_mode = "IMMEDIATE"
    while identify(connection, newest_version) < newest_version:
        with connection:
            # Under the write lock the version is read again: another process may have done this step meanwhile.
            version = identify(connection, newest_version)
            if version == 0:
                connection.execute(fresh_sql)
                connection.pragma("application_id", APPLICATION_ID)
                connection.pragma("user_version", newest_version)
            elif version < newest_version:
                step = steps[version]
                connection.execute(step.sql)
                connection.pragma("user_version", step.version)


def _oldest_compatible(connection: apsw.Connection) -> int:
    value: object = connection.execute(_READ["oldest_compatible_version"]).get
    assert isinstance(value, int), "the schema keeps this an integer"
    return value


def _has_tables(connection: apsw.Connection) -> bool:
    return connection.execute(_READ["any_table"]).get is not None


def _number(connection: apsw.Connection, pragma: str) -> int:
    value: object = connection.pragma(pragma)
    assert isinstance(value, int), f"{pragma} is an integer by definition"
    return value
