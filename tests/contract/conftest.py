"""The stores that claim to be one: a test that asks for `store` or `opener` is run on each of them."""

import pytest

from ledger.ports import Store
from ledger.store.memory import MemoryStore, Records
from ledger.store.sqlite import open_sqlite
from tests.contract.stores import LIFE


@pytest.fixture(params=["memory", "sqlite"])
def opener(request, tmp_path):
    """Opens one and the same ledger, as often as it is called."""
    opened = []
    records = Records()

    def open_again() -> Store:
        store = MemoryStore(records) if request.param == "memory" else open_sqlite(tmp_path / "ledger.sqlite3")
        opened.append(store)
        return store

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(opener):
    return opener()


@pytest.fixture
def term(store):
    return store.open_term(LIFE)
