"""What the documents name exists: files, folders, contracts, make targets, decisions."""

import re
import tomllib

import pytest

from tests.tidy.sources import PACKAGES, ROOT, documents, shown

NAMED = re.compile(rf"`((?:{'|'.join(PACKAGES)}|tests|docs|config)/[\w./*-]*)`")
TARGET = re.compile(r"make ([a-z][a-z-]*)")
CODE = re.compile(r"`[^`]*`|```.*?```", re.DOTALL)
ARCHITECTURE_LINES = range(250, 401)


@pytest.mark.parametrize("path", documents(), ids=shown)
def test_every_file_that_is_named_exists(path):
    names = {name.rstrip(".") for name in NAMED.findall(path.read_text(encoding="utf-8"))}
    assert [name for name in sorted(names) if not list(ROOT.glob(name.rstrip("/")))] == []


@pytest.mark.parametrize("path", documents(), ids=shown)
def test_every_make_target_that_is_named_exists(path):
    code = " ".join(CODE.findall(path.read_text(encoding="utf-8")))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(TARGET.findall(code)) - targets == set()


def test_every_contract_is_in_the_table_of_invariants_and_every_one_there_is_kept():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {contract["id"] for contract in project["tool"]["importlinter"]["contracts"]}
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert {name for name in contracts if f"`{name}`" not in text} == set()


def test_the_architecture_is_long_enough_to_help_and_short_enough_to_be_read():
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) in ARCHITECTURE_LINES


def test_every_decision_is_numbered_once_and_in_order():
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs" / "adr").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "adr").glob("*.md")), ids=shown)
def test_a_decision_says_what_was_chosen_and_what_follows(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# {int(path.name[:4])}. ")
    assert [part for part in ("**Status:**", "## Context", "## Decision", "## Consequences") if part not in text] == []


def test_every_decision_is_reachable_from_the_architecture():
    count = len(list((ROOT / "docs" / "adr").glob("*.md")))
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Decisions")[2]
    assert re.findall(r"(?:: |· )(\d+) ", section) == [str(number) for number in range(1, count + 1)]
