"""An export becomes the same ledger again, and a file that is no whole export becomes nothing."""

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from daemon.cli.main import run
from ledger.store.sqlite import open_sqlite, open_sqlite_reader
from tests.api.cli_home import daemon_in, make_home


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith("FRONTSTAGE_"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A home with members and refusals, and its export."""
    folder = tmp_path_factory.mktemp("origin")
    home = make_home(folder / "home")
    with daemon_in(home) as daemon:
        for name, done in (("one", True), ("two", True), ("one", False)):
            assert daemon.owner.act("member.add", {"member_id": name, "kind": "agent", "display_name": name}).ok is done
    assert run(["ledger", "export", "--home", str(home), "--output", str(folder / "out.jsonl")]) == 0
    return home, (folder / "out.jsonl").read_bytes()


def take_in(data: bytes, folder: Path) -> int:
    (folder / "in.jsonl").write_bytes(data)
    return run(["ledger", "import", "--home", str(folder / "copy"), "--input", str(folder / "in.jsonl")])


def read(home: Path):
    store = open_sqlite_reader(home / "ledger.sqlite3")
    try:
        anchor = store.refusals_anchor()
        return (store.incarnation(), store.head(), store.refusals_head(), anchor, list(store.events(0)),
                list(store.receipts()), list(store.refusals(anchor.seq)))  # fmt: skip
    finally:
        store.close()


def test_an_export_imports_to_an_equal_head_and_the_copy_goes_on(origin, tmp_path, capfd):
    home, data = origin
    assert take_in(data, tmp_path) == 0
    assert "made " in capfd.readouterr().out
    assert read(tmp_path / "copy") == read(home)
    assert run(["ledger", "verify", "--home", str(tmp_path / "copy")]) == 0
    assert not list((tmp_path / "copy").glob("*.importing*"))
    copy = ["--home", str(tmp_path / "copy"), "--member-id", "three", "--kind", "agent", "--display-name", "Three"]
    assert run(["member", "add", *copy]) == 0
    assert run(["ledger", "export", "--home", str(tmp_path / "copy"), "--output", str(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes().startswith(data.split(b'{"record":"receipt"')[0])


def test_an_imported_ledger_has_no_token_and_its_import_says_how_to_issue_one(origin, tmp_path, capfd, monkeypatch):
    assert take_in(origin[1], tmp_path) == 0
    said = capfd.readouterr().out
    assert "nobody has a token for this home" in said
    assert "frontstage token issue --member-id MEMBER" in said
    copy = tmp_path / "copy"
    assert not list(copy.glob("*.token"))
    owner = origin[0].joinpath("owner.token").read_text().strip()
    assert owner not in copy.joinpath("ledger.sqlite3").read_bytes().decode("latin-1")
    assert run(["token", "issue", "--home", str(copy), "--member-id", "one", "--json"]) == 0
    secret = json.loads(capfd.readouterr().out)["secret"]
    monkeypatch.setenv("FRONTSTAGE_TOKEN", secret)
    assert run(["member", "list", "--home", str(copy)]) == 0


def test_pruned_refusals_and_erased_words_come_along(origin, tmp_path):
    home = tmp_path / "home"
    shutil.copytree(origin[0], home)
    store = open_sqlite(home / "ledger.sqlite3")
    term = store.open_term("x")
    store.prune_refusals(term, 1)
    store._connection.execute("UPDATE event SET words = NULL, salt = NULL WHERE seq = 2")
    store.close()
    assert run(["ledger", "export", "--home", str(home), "--output", str(tmp_path / "out.jsonl")]) == 0
    assert take_in((tmp_path / "out.jsonl").read_bytes(), tmp_path) == 0
    assert read(tmp_path / "copy") == read(home)


def test_a_ledger_that_is_there_is_never_replaced(origin, tmp_path, capfd):
    _, data = origin
    assert take_in(data, tmp_path) == 0
    before = (tmp_path / "copy" / "ledger.sqlite3").read_bytes()
    assert take_in(data, tmp_path) == 1
    assert "already" in capfd.readouterr().err
    assert (tmp_path / "copy" / "ledger.sqlite3").read_bytes() == before


def lines_of(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def at(lines: list[bytes], record: str) -> int:
    return next(index for index, line in enumerate(lines) if json.loads(line)["record"] == record)


def _swap(lines, record):
    index = at(lines, record)
    lines[index], lines[index + 1] = lines[index + 1], lines[index]


def _replace(lines, record, old, new):
    index = at(lines, record)
    assert old in lines[index]
    lines[index] = lines[index].replace(old, new, 1)


def _refusals_first(lines):
    """Everything is there and proves itself; only the order is another."""
    receipts, refusals = at(lines, "receipt"), at(lines, "refusal")
    lines[receipts:-1] = lines[refusals:-1] + lines[receipts:refusals]


def _drop_receipt(lines):
    """A receipt goes, and the end line counts as if there never had been one."""
    lines.pop(at(lines, "receipt"))
    count = json.loads(lines[-1])["receipts"]
    lines[-1] = lines[-1].replace(b'"receipts":%d' % count, b'"receipts":%d' % (count - 1))


def _receipt(lines, **changes):
    index = at(lines, "receipt")
    lines[index] = json.dumps(json.loads(lines[index]) | changes, separators=(",", ":")).encode() + b"\n"


def _end(lines, without=None, **changes):
    end = {name: value for name, value in json.loads(lines[-1]).items() if name != without}
    lines[-1] = json.dumps(end | changes, separators=(",", ":")).encode() + b"\n"


def _drop_refusals(lines):
    """As if nothing had ever been refused: the refusals' own chain holds."""
    first = at(lines, "refusal")
    del lines[first:-1]
    _end(lines, refusals=0, refusals_head=json.loads(lines[0])["refusals_after"])


def _erase_words(lines):
    """As if they had been erased: the chain holds."""
    index = at(lines, "event")
    lines[index] = json.dumps(json.loads(lines[index]) | {"words": None, "salt": None}).encode() + b"\n"


def _of_the_first_form(lines):
    lines[0] = lines[0].replace(b"_v2", b"_v1")
    _end(lines, "lines_digest")


DAMAGE = {
    "a receipt left out and counted out": _drop_receipt,
    "a receipt of an earlier event": lambda lines: _receipt(lines, first_seq=1, last_seq=1),
    "a receipt of one event more": lambda lines: _receipt(lines, first_seq=1),
    "a receipt under another key": lambda lines: _receipt(lines, key="0" * 44),
    "a receipt of an unknown action": lambda lines: _receipt(lines, action="goal.abolish"),
    "a receipt of a read": lambda lines: _receipt(lines, action="goal.list"),
    "a receipt of another action that could be asked": lambda lines: _receipt(lines, action="member.revoke"),
    "a receipt of other parameters": lambda lines: _receipt(lines, params_digest="0" * 32),
    "the refusals left out and counted out": _drop_refusals,
    "words gone with their salt": _erase_words,
    "no digest in the end line": lambda lines: _end(lines, "lines_digest"),
    "a receipt with a shorter digest": lambda lines: _receipt(lines, params_digest="00"),
    "no end line": lambda lines: lines.pop(),
    "cut within a line": lambda lines: lines.__setitem__(-1, lines[-1][:-9]),
    "no last line feed": lambda lines: lines.__setitem__(-1, lines[-1][:-1]),
    "no first line": lambda lines: lines.pop(0),
    "empty": lambda lines: lines.clear(),
    "an event left out": lambda lines: lines.pop(at(lines, "event") + 1),
    "the last event left out": lambda lines: lines.pop(at(lines, "receipt") - 1),
    "an event twice": lambda lines: lines.insert(at(lines, "event"), lines[at(lines, "event")]),
    "events swapped": lambda lines: _swap(lines, "event"),
    "a receipt left out": lambda lines: lines.pop(at(lines, "receipt")),
    "a receipt twice": lambda lines: lines.insert(at(lines, "receipt"), lines[at(lines, "receipt")]),
    "receipts swapped": lambda lines: _swap(lines, "receipt"),
    "a refusal left out": lambda lines: lines.pop(at(lines, "refusal")),
    "an event after the receipts": lambda lines: lines.insert(at(lines, "refusal"), lines[at(lines, "event")]),
    "the refusals before the receipts": _refusals_first,
    "a second beginning": lambda lines: lines.insert(2, lines[0]),
    "something after the end": lambda lines: lines.append(lines[-1]),
    "another fact": lambda lines: _replace(lines, "event", b'"incarnation":"', b'"incarnation":"0'),
    "another word": lambda lines: _replace(lines, "event", b'"name":"', b'"name":"x'),
    "another kind beside the body": lambda lines: _replace(lines, "event", b'"kind":"w', b'"kind":"v'),
    "a hash too short": lambda lines: _replace(lines, "event", b'"hash":"', b'"hash":"","was":"'),
    "a receipt of events to come": lambda lines: _replace(lines, "receipt", b'"last_seq":', b'"last_seq":9'),
    "another format": lambda lines: _replace(lines, "ledger", b"_v2", b"_v9"),
    "another ledger": lambda lines: _replace(lines, "ledger", b'"incarnation":"', b'"incarnation":"0'),
    "an unknown field": lambda lines: _replace(lines, "event", b'{"record"', b'{"more":1,"record"'),
    "not JSON": lambda lines: lines.insert(3, b"{\n"),
    "blank line": lambda lines: lines.insert(3, b"\n"),
    "binary": lambda lines: lines.insert(3, b"\xff\xfe\n"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_file_that_is_no_whole_export_leaves_nothing(origin, tmp_path, capfd, damage):
    lines = lines_of(origin[1])
    DAMAGE[damage](lines)
    assert take_in(b"".join(lines), tmp_path) == 1
    assert "nothing was changed" in capfd.readouterr().err
    assert {path.name for path in (tmp_path / "copy").glob("*")} <= {"daemon.lock"}


def test_an_export_of_the_first_form_imports_and_says_what_was_not_proved(origin, tmp_path, capfd):
    lines = lines_of(origin[1])
    _of_the_first_form(lines)
    assert take_in(b"".join(lines), tmp_path) == 0
    said = capfd.readouterr().out
    assert "not proved: which action each receipt was an answer to" in said
    assert "not proved: that no refusal was left out" in said
    assert read(tmp_path / "copy") == read(origin[0])


def test_what_the_chain_proves_of_an_export_of_the_first_form_is_still_demanded(origin, tmp_path):
    lines = lines_of(origin[1])
    _of_the_first_form(lines)
    _receipt(lines, first_seq=1, last_seq=1)
    assert take_in(b"".join(lines), tmp_path) == 1


def test_a_file_is_held_against_the_digest_that_its_export_told(origin, tmp_path, capfd):
    told = hashlib.sha256(origin[1]).hexdigest()
    home = origin[0]
    assert run(["ledger", "export", "--home", str(home), "--output", str(tmp_path / "out.jsonl")]) == 0
    assert f"sha256 {told}" in capfd.readouterr().err
    lines = lines_of(origin[1])
    _receipt(lines, params_digest="0" * 32)
    _end(lines, lines_digest=hashlib.sha256(b"".join(lines[:-1])).hexdigest())
    (tmp_path / "in.jsonl").write_bytes(b"".join(lines))
    asked = ["ledger", "import", "--home", str(tmp_path / "copy"), "--input", str(tmp_path / "in.jsonl")]
    assert run([*asked, "--digest", told]) == 1
    assert "nothing was changed" in capfd.readouterr().err
    assert run([*asked, "--digest", "abc"]) == 2
    (tmp_path / "in.jsonl").write_bytes(origin[1])
    assert run([*asked, "--digest", told, "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["digest"], said["not_proved"]) == (told, [])


def test_a_file_that_is_not_there_is_a_mistake(tmp_path, capfd):
    home = str(tmp_path / "copy")
    assert run(["ledger", "import", "--home", home, "--input", str(tmp_path / "none")]) == 2
    assert "none" in capfd.readouterr().err
    assert not Path(home).exists()
