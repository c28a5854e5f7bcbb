"""What a stranger installs: a wheel in an empty environment, outside the checkout, without the extras.

The four package names are short, so another distribution may own one of them; then ours would be a mixture.
"""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.tidy.sources import PACKAGES, ROOT

pytestmark = pytest.mark.slow
LEFT_OUT = ("__pycache__", ".pyc", "tests/", ".venv")


def run(*command, cwd, **environment):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "FRONTSTAGE_", "VIRTUAL_ENV"))
    }
    done = subprocess.run(command, cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist of this tree, and the wheel that is built from that sdist alone."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT), cwd=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """An environment with the wheel and its plain dependencies, far from the checkout."""
    return environment(tmp_path_factory.mktemp("installed"), str(built[1]))


def environment(folder, what):
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / "bin" / "python")
    run(python, "-m", "pip", "install", "-q", "--constraint", str(ROOT / "constraints.txt"), what, cwd=folder)
    return folder


def test_the_wheel_holds_every_file_of_the_packages_and_no_other(built):
    tree = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(built[1]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == tree
    for suffix in (".mo", ".po", ".sql", ".html", ".js", ".css"):
        assert any(name.endswith(suffix) for name in names), suffix


def test_every_package_says_that_it_is_typed(built):
    with zipfile.ZipFile(built[1]) as wheel:
        assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


def test_the_sdist_holds_what_is_needed_to_work_on_it_and_no_leftovers(built):
    with tarfile.open(built[0]) as sdist:
        names = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    assert {"LICENSE", "Makefile", "README.md", "constraints.txt", "pyproject.toml", "tests/conftest.py"} <= names
    assert [name for name in names if any(part in name for part in (*LEFT_OUT[:2], LEFT_OUT[3]))] == []


def test_the_command_works_without_the_extras(installed):
    frontstage, home = str(installed / "venv" / "bin" / "frontstage"), str(installed / "home")
    assert "goal" in run(frontstage, "--help", cwd=installed)
    run(
        frontstage,
        "init",
        "--name",
        "Elsewhere",
        "--owner",
        "ann",
        "--owner-name",
        "Ann",
        cwd=installed,
        FRONTSTAGE_HOME=home,
    )
    assert "ann" in run(frontstage, "member", "list", cwd=installed, FRONTSTAGE_HOME=home)
    assert run(frontstage, "ledger", "verify", cwd=installed, FRONTSTAGE_HOME=home)


def test_the_daemon_loads_without_the_lark_sdk(installed):
    script = "import daemon.app, sys; assert not {'lark_oapi', 'httpx'} & set(sys.modules); import lark_oapi"
    command = [str(installed / "venv" / "bin" / "python"), "-c", script]
    done = subprocess.run(command, cwd=installed, capture_output=True, text=True, check=False)
    assert "No module named 'lark_oapi'" in done.stderr


def test_the_whole_demo_runs_from_the_wheel_with_its_extra(built, tmp_path):
    folder = environment(tmp_path, f"{built[1]}[lark]")
    said = run(str(folder / "venv" / "bin" / "frontstage"), "demo", "--script", cwd=folder, TMPDIR="/tmp")
    assert "every hash holds" in said


def test_the_four_packages_come_from_one_place(installed):
    script = f"import {', '.join(PACKAGES)}; print(*(p.__path__[0] for p in ({', '.join(PACKAGES)})), sep='\\n')"
    places = run(str(installed / "venv" / "bin" / "python"), "-c", script, cwd=installed).split()
    assert {Path(place).parent for place in places} == {next((installed / "venv" / "lib").iterdir()) / "site-packages"}
    assert [Path(place).name for place in places] == list(PACKAGES)


def test_no_other_distribution_has_files_under_our_names():
    ours = ("frontstage",)
    foreign = {
        distribution.metadata["Name"]
        for distribution in distributions()
        if distribution.metadata["Name"] not in ours
        and any(file.parts[:1] in [(package,) for package in PACKAGES] for file in distribution.files or ())
    }
    assert foreign == set()
