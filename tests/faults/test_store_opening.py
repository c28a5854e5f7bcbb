"""What is opened, what is refused with a reason, and what is never touched."""

import stat

import apsw
import pytest

from ledger.ports import Erasure, Group, StoreUnusable
from ledger.store import statements
from ledger.store.migrate import APPLICATION_ID, Migration, bring_up_to_date, identify, migrations
from ledger.store.sqlite import Tuning, _open, open_existing_sqlite, open_sqlite, open_sqlite_reader
from ledger.store.sqlite_guard import require_safe_library
from ledger.testing import event_rows

VERSIONS = {
    "3.6.23": False,
    "3.7.0": False,
    "3.40.1": False,
    "3.44.5": False,
    "3.44.6": True,
    "3.44.9": True,
    "3.45.0": False,
    "3.50.6": False,
    "3.50.7": True,
    "3.51.0": False,
    "3.51.2": False,
    "3.51.3": True,
    "3.52.0": True,
    "3.54.1": True,
    "4.0.0": True,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.sqlite3"


@pytest.mark.parametrize(("version", "safe"), VERSIONS.items())
def test_a_library_that_can_corrupt_the_log_is_refused_with_what_to_install(version, safe):
    if safe:
        require_safe_library(version)
    else:
        with pytest.raises(StoreUnusable, match=r"install apsw 3\.51\.3\.0 or later"):
            require_safe_library(version)


def test_an_unsafe_library_makes_no_file(path):
    with pytest.raises(StoreUnusable, match=r"SQLite 3\.40\.1"):
        _open(path, Tuning(library_version="3.40.1"))
    assert not path.exists()


def files_of(path):
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}


def test_the_files_are_their_owners_alone_whatever_the_umask_was(path, monkeypatch):
    store = open_sqlite(path)
    store.append(store.open_term("life-1"), Group(events=event_rows(1)))
    expected = {"ledger.sqlite3": 0o600, "ledger.sqlite3-wal": 0o600, "ledger.sqlite3-shm": 0o600}
    assert files_of(path) == expected
    store.close()
    path.chmod(0o644)
    again = open_sqlite(path)
    again.append(again.open_term("life-1"), Group())
    assert files_of(path) == expected
    again.close()


def test_the_ledger_is_kept_durably_and_marked_as_ours(path):
    store = open_sqlite(path)
    asked = {name: store._connection.pragma(name) for name in ("journal_mode", "synchronous", "wal_autocheckpoint")}
    assert asked == {"journal_mode": "wal", "synchronous": 2, "wal_autocheckpoint": 0}
    assert store._connection.pragma("application_id") == APPLICATION_ID
    assert store._connection.pragma("user_version") == len(migrations())
    store.close()


def test_a_folder_that_is_not_there_is_named_without_a_database(path):
    with pytest.raises(StoreUnusable, match="cannot be created"):
        open_sqlite(path.parent / "missing" / "ledger.sqlite3")
    path.mkdir()
    with pytest.raises(StoreUnusable, match="is not a file"):
        open_sqlite(path)


@pytest.mark.parametrize("opening", [open_sqlite, open_sqlite_reader])
def test_a_file_that_is_no_database_is_refused_and_kept(path, opening):
    content = b"Dear diary, this is not a database at all. " * 100
    path.write_bytes(content)
    with pytest.raises(StoreUnusable, match="is not a database"):
        opening(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("opening", [open_sqlite, open_sqlite_reader])
@pytest.mark.parametrize(
    "sql",
    ["CREATE TABLE diary (text)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"],
    ids=["tables", "application", "version"],
)
def test_another_programs_database_is_refused_and_kept(path, opening, sql):
    other = apsw.Connection(str(path))
    other.execute(sql)
    other.close()
    content = path.read_bytes()
    with pytest.raises(StoreUnusable, match="not a Frontstage ledger"):
        opening(path)
    assert path.read_bytes() == content


def test_a_reader_neither_makes_nor_completes_a_ledger(path):
    with pytest.raises(StoreUnusable):
        open_sqlite_reader(path)
    assert not path.exists()
    path.write_bytes(b"")
    with pytest.raises(StoreUnusable, match="open it for writing once"):
        open_sqlite_reader(path)
    assert path.read_bytes() == b""


def from_the_future(path, oldest_compatible: int) -> None:
    store = open_sqlite(path)
    store.append(store.open_term("life-1"), Group(events=event_rows(2)))
    store.close()
    newer = apsw.Connection(str(path))
    newer.execute("ALTER TABLE event ADD COLUMN mood TEXT")
    newer.execute("UPDATE meta SET oldest_compatible_version = ?", (oldest_compatible,))
    newer.pragma("user_version", 99)
    newer.close()


@pytest.mark.parametrize("opening", [open_sqlite, open_sqlite_reader])
def test_a_newer_schema_that_this_program_would_break_is_refused_and_named(path, opening):
    from_the_future(path, oldest_compatible=98)
    with pytest.raises(StoreUnusable, match=r"needs a program that knows schema 98.*install a newer frontstage"):
        opening(path)


def test_a_newer_schema_that_still_suits_this_program_is_used_and_not_lowered(path):
    from_the_future(path, oldest_compatible=1)
    store = open_sqlite(path)
    assert [row.seq for row in store.events(0)] == [1, 2]
    store.append(store.open_term("life-1"), Group(events=event_rows(1, after=store.head())))
    assert store.head().seq == 3
    assert store._connection.pragma("user_version") == 99
    store.close()


def schema_of(connection) -> list[tuple]:
    """Every object, with spacing and comments taken out of its text."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    return [(*row[:3], " ".join((row[3] or "").split())) for row in rows]


def test_a_migrated_schema_equals_a_fresh_one():
    fresh, migrated = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    bring_up_to_date(fresh, migrations(), statements.script("schema.sql"))
    for step in migrations():
        migrated.execute(step.sql)
    assert schema_of(fresh) == schema_of(migrated)
    assert len(schema_of(fresh)) > 10
    assert fresh.execute("SELECT * FROM meta").fetchall() == migrated.execute("SELECT * FROM meta").fetchall()


NEXT = len(migrations()) + 1
LATER = NEXT + 1
FUTURE = [
    *migrations(),
    Migration(NEXT, "ALTER TABLE event ADD COLUMN mood TEXT; UPDATE meta SET oldest_compatible_version = 1;"),
    Migration(LATER, f"CREATE TABLE mood (name TEXT) STRICT; UPDATE meta SET oldest_compatible_version = {LATER};"),
]


def test_an_older_ledger_is_brought_up_step_by_step_and_keeps_its_events(path):
    store = open_sqlite(path)
    store.append(store.open_term("life-1"), Group(events=event_rows(2)))
    store.close()
    connection = apsw.Connection(str(path))
    bring_up_to_date(connection, FUTURE, "not used for a ledger that exists")
    assert identify(connection, LATER) == LATER
    assert connection.execute("SELECT count(*) FROM event WHERE mood IS NULL").get == 2
    bring_up_to_date(connection, FUTURE, "not used either")
    connection.close()
    with pytest.raises(StoreUnusable, match=f"schema {LATER}"):
        open_sqlite(path)


def test_a_migration_that_fails_leaves_the_version_it_started_from(path):
    open_sqlite(path).close()
    connection = apsw.Connection(str(path))
    before = schema_of(connection)
    broken = [*migrations(), Migration(NEXT, "CREATE TABLE mood (name TEXT) STRICT; INSERT INTO nowhere VALUES (1);")]
    with pytest.raises(apsw.SQLError):
        bring_up_to_date(connection, broken, "")
    assert schema_of(connection) == before
    assert identify(connection, NEXT) == NEXT - 1
    connection.close()


INVARIANTS = {
    "an event is changed": "UPDATE event SET body = x'00' WHERE seq = 1",
    "an event is moved": "UPDATE event SET seq = 9 WHERE seq = 2",
    "an event is deleted": "DELETE FROM event WHERE seq = 2",
    "words are replaced": "UPDATE event SET words = x'00', salt = x'00' WHERE seq = 1",
    "words go without their salt": "UPDATE event SET words = NULL WHERE seq = 1",
    "a second ledger in one file": "INSERT INTO meta SELECT 2, 1, 'x', 1, 0, zeroblob(32)",
    "an epoch without a life": "UPDATE meta SET incarnation = NULL",
    "a receipt that ends before it starts": "INSERT INTO receipt VALUES (x'01', x'02', 'a', 2, 1)",
    "a text where bytes belong": "INSERT INTO receipt VALUES ('1', x'02', 'a', 1, 1)",
}


@pytest.mark.parametrize("sql", INVARIANTS.values(), ids=INVARIANTS)
def test_the_database_itself_keeps_the_invariants(path, sql):
    store = open_sqlite(path)
    store.append(store.open_term("life-1"), Group(events=event_rows(2, text="x")))
    with pytest.raises(apsw.ConstraintError):
        store._connection.execute(sql)
    store.close()


def test_words_can_be_erased_and_nothing_else(path):
    store = open_sqlite(path)
    rows = event_rows(2, text="x")
    store.append(store.open_term("life-1"), Group(events=rows))
    store._connection.execute("UPDATE event SET words = NULL, salt = NULL WHERE seq = 1")
    assert list(store.events(0)) == [rows[0]._replace(words=None, salt=None), rows[1]]
    store.close()


@pytest.mark.parametrize(
    ("name", "values", "index"),
    [
        ("goal_events", ("goal-1", 5, 10), "USING COVERING INDEX|USING INDEX event_by_goal"),
        ("events", (5, 10), "USING INTEGER PRIMARY KEY"),
        ("head", (), "SCAN event"),
        ("receipt", (b"k",), "USING PRIMARY KEY"),
        ("refusals", (1, 5), "USING INTEGER PRIMARY KEY"),
    ],
)
def test_every_frequent_read_finds_its_rows_by_an_index_and_sorts_nothing(path, name, values, index):
    store = open_sqlite(path)
    sql = statements.named("read.sql")[name]
    plan = " | ".join(row[3] for row in store._connection.execute(f"EXPLAIN QUERY PLAN {sql}", values))
    assert any(part in plan for part in index.split("|")), plan
    assert "TEMP B-TREE" not in plan
    store.close()


def test_a_reader_in_the_way_of_erasing_only_puts_off_that_the_log_is_cut(path):
    store = open_sqlite(path)
    term = store.open_term("life-1")
    store.append(term, Group(events=event_rows(1, text="private words")))
    other = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM event").fetchall()
    store.append(term, Group(erasures=[Erasure(1, seqs=(1,))]))
    log = path.with_name(f"{path.name}-wal")
    assert b"private words" in log.read_bytes()
    store.checkpoint()
    assert b"private words" in log.read_bytes()
    other.execute("COMMIT")
    store.checkpoint()
    assert log.stat().st_size == 0
    assert b"private words" not in path.read_bytes()
    other.close()
    store.close()


@pytest.mark.parametrize("content", [b"", b"Dear diary, this is not a database at all. " * 100], ids=["empty", "other"])
def test_a_file_that_is_no_ledger_is_not_made_one_by_who_serves_it(path, content):
    path.write_bytes(content)
    path.chmod(0o644)
    with pytest.raises(StoreUnusable, match="is empty and no ledger" if not content else "is not a database"):
        open_existing_sqlite(path)
    assert path.read_bytes() == content
    assert files_of(path).keys() == {"ledger.sqlite3"}


def test_a_database_without_a_schema_is_not_made_a_ledger_by_who_serves_it(path):
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE gone (text)")
    other.execute("DROP TABLE gone")
    other.close()
    content = path.read_bytes()
    assert content
    with pytest.raises(StoreUnusable, match="is empty and no ledger"):
        open_existing_sqlite(path)
    assert path.read_bytes() == content


def test_a_ledger_that_is_not_there_is_not_made_by_who_serves_it(path):
    with pytest.raises(StoreUnusable):
        open_existing_sqlite(path)
    assert not path.exists()


def test_who_serves_a_ledger_goes_on_where_it_was(path):
    store = open_sqlite(path)
    store.append(store.open_term("life-1"), Group(events=event_rows(2)))
    store.close()
    path.chmod(0o644)
    again = open_existing_sqlite(path)
    assert again.head().seq == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again.close()


def test_a_log_whose_ledger_was_emptied_is_kept(path):
    path.write_bytes(b"")
    log = path.with_name("ledger.sqlite3-wal")
    log.write_bytes(b"what was acknowledged last")
    with pytest.raises(StoreUnusable, match="is empty and no ledger"):
        open_existing_sqlite(path)
    assert log.read_bytes() == b"what was acknowledged last"
