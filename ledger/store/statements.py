"""SQL as package data: each statement has a name and lives in a `.sql` file, read once.

Statements stand in files so that they can be read, searched and run by hand as SQL; the code only names them.
"""

from importlib import resources

_NAME_MARK = "-- name:"


def script(file_name: str) -> str:
    """The text of one file under `sql/`."""
    return resources.files("ledger.store").joinpath("sql", file_name).read_text(encoding="utf-8")


def named(file_name: str) -> dict[str, str]:
    """The statements of one file by name; a name used twice or without a statement is a bug."""
    found: dict[str, str] = {}
    for part in script(file_name).split(_NAME_MARK)[1:]:
        name, _, body = part.partition("\n")
        statement = body.strip()
        assert statement, f"{file_name}: {name.strip()} has no statement"
        assert name.strip() not in found, f"{file_name}: {name.strip()} is named twice"
        found[name.strip()] = statement
    return found


def migration_files() -> list[str]:
    """The numbered migrations in order, as names for `script`."""
    folder = resources.files("ledger.store").joinpath("sql", "migrations")
    return sorted(f"migrations/{entry.name}" for entry in folder.iterdir() if entry.name.endswith(".sql"))
