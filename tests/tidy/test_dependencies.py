"""Every dependency is pinned, explained and licensed: pyproject, constraints and docs/dependencies.md agree."""

import re
import sys
import tomllib
from importlib.metadata import requires, version

from packaging.requirements import Requirement

from tests.tidy.sources import PACKAGES, ROOT, imported, product_modules

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DIRECT = (
    *PROJECT["project"]["dependencies"],
    *(line for extra in PROJECT["project"]["optional-dependencies"].values() for line in extra),
)
DEVELOPMENT = PROJECT["dependency-groups"]["dev"]


def named(text):
    """A distribution's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", text).lower()


def module_of(line):
    """What a distribution is imported as."""
    name = named(Requirement(line).name)
    return {"markdown-it-py": "markdown_it", "pycryptodome": "Crypto"}.get(name, name.replace("-", "_"))


def pins():
    lines = [line.strip() for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()]
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {named(requirement.name): requirement.specifier for requirement in requirements}


def closure(lines, seen=None, extras=("",)):
    """The names of everything that the requirements bring along on this machine."""
    seen = set() if seen is None else seen
    for line in lines:
        requirement = Requirement(line)
        applies = requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras)
        if applies and (named(requirement.name), *requirement.extras) not in seen:
            seen.add((named(requirement.name), *requirement.extras))
            closure(requires(requirement.name) or [], seen, tuple(requirement.extras) or ("",))
    return seen


def test_everything_that_gets_installed_is_pinned_exactly():
    needed = {name for name, *_ in closure([*DIRECT, *DEVELOPMENT])}
    loose = [name for name in needed if not str(pins().get(name, "")).startswith("==")]
    assert loose == []


def test_nothing_is_pinned_that_nobody_needs():
    needed = {name for name, *_ in closure([*DIRECT, *DEVELOPMENT])}
    assert set(pins()) - needed == {"python-daemon"}


def test_the_pins_are_what_these_tests_ran_with():
    assert {name: version(name) for name in pins() if name != "python-daemon"} == {
        name: str(pin).removeprefix("==") for name, pin in pins().items() if name != "python-daemon"
    }


def test_a_distribution_with_our_package_name_cannot_be_installed_beside_us():
    assert not pins()["python-daemon"].contains("3.1.2")


def test_the_product_uses_what_it_asks_people_to_install():
    used = {name.split(".")[0] for path in product_modules() for name in imported(path)}
    assert [line for line in DIRECT if module_of(line) not in used] == []


def test_the_product_imports_nothing_that_only_developers_have():
    used = {name.split(".")[0] for path in product_modules() for name in imported(path)}
    known = {*sys.stdlib_module_names, *PACKAGES, *map(module_of, DIRECT)}
    # Pydantic's own other half, for the generator of the command line's table.
    assert used - known == {"pydantic_core"}


def test_every_direct_dependency_is_explained():
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([a-z0-9-]+)`", text, re.MULTILINE))
    assert explained == {named(Requirement(line).name) for line in (*DIRECT, *DEVELOPMENT)}


def test_the_explained_versions_are_the_pinned_ones():
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([a-z0-9-]+)` \| ([^ |]+) \|", text, re.MULTILINE))
    assert told == {name: str(pins()[name]).removeprefix("==") for name in told}
