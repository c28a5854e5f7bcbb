"""House rules that no linter knows: sizes, docstrings, where imports come from, words that stay out."""

import ast
import re

import pytest

from tests.tidy.sources import (
    PACKAGES,
    ROOT,
    documents,
    imported,
    modules_of_tests,
    product_modules,
    shown,
    text_files,
    tree,
)

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 50
GENERATED = frozenset({"daemon/cli/catalogue.py", "daemon/cli/pages_en.py", "daemon/cli/pages_zh.py"})
"""Written by a program and read by none but the interpreter: it is as long as the table of actions."""
LINES_MAX_BY_MODULE: dict[str, int] = {}
"""Modules that are longer than the rule, and how long: this may shrink, never grow."""

UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE_PATHS = re.compile(r"(?<![\w.:}/-])/(?:root|work|workspace|builds|github)/[\w.-]")
"""Folders of somebody's own machine; the privacy tests invent theirs under /home and /Users."""

EMPTY_WORDS = re.compile(
    r"\b(blazing|cutting[- ]edge|effortless(?:ly)?|leverag\w+|next[- ]gen\w*|powerful|revolutionary|robust(?:ly)?|"
    r"seamless(?:ly)?|simply|state[- ]of[- ]the[- ]art|utili[sz]e\w*|world[- ]class)\b",
    re.IGNORECASE,
)


def test_every_module_is_short_enough_to_read_in_one_sitting():
    written = [path for path in product_modules() + modules_of_tests() if shown(path) not in GENERATED]
    allowed = {path: LINES_MAX_BY_MODULE.get(shown(path), MODULE_LINES_MAX) for path in written}
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in allowed}
    assert {shown(path): count for path, count in lengths.items() if count > allowed[path]} == {}


def test_every_function_fits_on_a_screen():
    long = {
        f"{shown(path)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in product_modules() + modules_of_tests()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno >= FUNCTION_LINES_MAX
    }
    assert long == {}


@pytest.mark.parametrize("path", product_modules(), ids=shown)
def test_a_module_says_what_it_is(path):
    text = ast.get_docstring(tree(path))
    assert text, "a module begins with a sentence about what it is"
    assert text.splitlines()[0].endswith((".", ":")), "its first line is a whole sentence"


def test_a_package_file_holds_its_docstring_and_nothing_else():
    packages = [path for path in product_modules() if path.name == "__init__.py"]
    assert len(packages) >= 4
    assert [shown(path) for path in packages if len(tree(path).body) != 1] == []


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for path in product_modules()}
    assert [shown(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_imports_name_the_whole_path():
    relative = [
        f"{shown(path)}:{node.lineno}"
        for path in product_modules() + modules_of_tests()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_no_test_folder_is_named_like_a_package_of_another():
    names = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert names & {"bot", "cards", "daemon", "ledger"} == set()


@pytest.mark.parametrize(
    ("what", "pattern"), [("an unfinished mark", UNFINISHED), ("a machine's own path", MACHINE_PATHS)]
)
def test_no_file_holds(what, pattern):
    found = [
        f"{shown(path)}:{number}: {line.strip()[:80]}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == [], what


def test_documents_say_things_instead_of_praising_them():
    found = [
        f"{shown(path)}: {match.group()}"
        for path in documents()
        for match in EMPTY_WORDS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def ours(path):
    return {name for name in imported(path) if name.split(".")[0] in PACKAGES}


def test_the_simulator_knows_nothing_of_what_it_tests():
    modules = [path for path in product_modules() if path.is_relative_to(ROOT / "bot" / "simulator")]
    assert len(modules) > 10
    foreign = {shown(path): {name for name in ours(path) if not name.startswith("bot.simulator")} for path in modules}
    assert {path: names for path, names in foreign.items() if names} == {}


def test_the_demo_s_owner_can_do_only_what_a_person_sees():
    assert ours(ROOT / "bot" / "demo_owner.py") == set()
