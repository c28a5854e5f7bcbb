"""What the commands of Lark say where its packages, or the ledger, are not there yet."""

import pytest

from daemon import lark
from daemon.cli.parse import Command, Options, UsageError
from daemon.local import processes


@pytest.fixture
def asked(tmp_path):
    def ask(**values):
        command = Command("lark", "setup", None, Options())
        command.options.home = str(tmp_path)
        command.values = values
        return command

    return ask


@pytest.mark.parametrize("run", [processes.run_bot, lark.setup])
def test_missing_packages_are_installed_from_the_checkout(asked, monkeypatch, capfd, run):
    monkeypatch.setattr(processes, "find_spec", lambda _name: None)
    assert run(asked()) == 2
    assert "pipx install --force '.[lark]'" in capfd.readouterr().err


def test_the_checklist_needs_no_ledger(asked, monkeypatch):
    became = []
    monkeypatch.setattr(lark, "become", lambda argv: became.append(argv) or 0)
    assert lark.setup(asked(checklist=True)) == 0
    assert became[0][-1] == "--checklist"
    with pytest.raises(UsageError):
        lark.setup(asked(checklist=False))
