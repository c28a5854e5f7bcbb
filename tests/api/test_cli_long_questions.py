"""A question that is longer than a request line may be is refused where it is asked, by the parameter's name."""

import json
import os

import pytest

from daemon.cli.main import run
from tests.api.cli_double import Double, answer


@pytest.fixture
def double(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("FRONTSTAGE_") or name in {"LANG", "LC_ALL", "LC_MESSAGES"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("FRONTSTAGE_HOME", str(tmp_path))
    double = Double(str(tmp_path / "daemon.sock"))
    yield double
    double.close()


@pytest.mark.parametrize("text", ["x" * 9_000, "字" * 1_000])
def test_a_question_that_no_server_would_read_is_refused_by_name(double, capfd, text):
    assert run(["search", "--query", text, "--json"]) == 2
    refused = json.loads(capfd.readouterr().out)
    assert (refused["code"], refused["details"]["field"]) == ("malformed_params", "query")
    assert run(["search", "--query", text]) == 2
    assert capfd.readouterr().err.strip() == f"frontstage: --query is too long: it has {len(text)} characters"
    assert double.asked == []


def test_a_question_that_a_server_reads_is_left_to_it(double):
    double.script = [answer(b"x")]
    assert run(["search", "--query", "x" * 7_900]) == 0
    assert double.asked[0].target.endswith("x" * 7_900)
