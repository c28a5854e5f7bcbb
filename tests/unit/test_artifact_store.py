"""The artifact store: what is in it is what its name says, whole, private, and never by way of a link."""

import hashlib
import os
import stat

import pytest

from daemon.agents import store as module
from daemon.agents.store import ArtifactStore, StoreRefused

WORDS = b"41 links lead somewhere\n"
DIGEST = hashlib.sha256(WORDS).hexdigest()


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "artifacts")


def test_bytes_and_a_file_are_one_thing(store, tmp_path):
    (tmp_path / "links.txt").write_bytes(WORDS)
    assert store.put(WORDS) == store.put_file(tmp_path / "links.txt") == module.Kept(DIGEST, len(WORDS))
    assert store.path_of(DIGEST).read_bytes() == WORDS
    assert [path.name for path in store.folder.iterdir()] == [DIGEST]


def test_everything_is_private(store):
    store.put(WORDS)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(store.path_of(DIGEST).stat().st_mode) == 0o600


@pytest.mark.parametrize("sha256", [DIGEST, "", "../" + DIGEST[3:], DIGEST.upper(), "0" * 64], ids=str)
def test_what_is_not_there_is_not_found(store, sha256):
    store.put(b"another")
    assert store.path_of(sha256) is None


def test_a_copy_that_was_changed_is_none(store):
    store.put(WORDS)
    (store.folder / DIGEST).write_bytes(b"0 links")
    assert store.path_of(DIGEST) is None
    store.put(WORDS)
    assert store.path_of(DIGEST) is not None


def test_a_copy_is_not_read_through_a_link(store, tmp_path):
    (tmp_path / "links.txt").write_bytes(WORDS)
    store.folder.mkdir()
    (store.folder / DIGEST).symlink_to(tmp_path / "links.txt")
    assert store.path_of(DIGEST) is None


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.mkdir(), "no file"),
        (lambda path: path.symlink_to("/etc/passwd"), "cannot be read"),
        (os.mkfifo, "no file"),
        (lambda path: path.write_bytes(WORDS * 2), "and 30 are the most"),
    ],
    ids=["nothing", "folder", "link", "pipe", "too large"],
)
def test_what_is_no_file_of_its_own_is_refused_and_leaves_nothing(store, tmp_path, monkeypatch, make, why):
    monkeypatch.setattr(module, "ARTIFACT_BYTES_MAX", 30)
    make(tmp_path / "thing")
    with pytest.raises(StoreRefused, match=why):
        store.put_file(tmp_path / "thing")
    assert not store.folder.exists() or list(store.folder.iterdir()) == []


def test_bytes_beyond_the_limit_are_refused_and_leave_nothing(store, monkeypatch):
    monkeypatch.setattr(module, "ARTIFACT_BYTES_MAX", 30)
    with pytest.raises(StoreRefused, match="more than 30"):
        store.put(WORDS * 2)
    assert list(store.folder.iterdir()) == []
