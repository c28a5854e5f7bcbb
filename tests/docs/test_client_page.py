"""The Python that documents show is run, one block after the other, against a real daemon."""

import hashlib
import hmac
import re
import subprocess
import sys
import time

import pytest

from daemon import client
from tests.support.daemons import daemon_on_fresh_home
from tests.support.homes import activate
from tests.tidy.sources import ROOT

BLOCK = re.compile(r"^```python run\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = [
    "True",
    "False 404 goal_not_found",
    "True True",
    "True [0, 0, 0]",
    "True todo.added docs",
    "todo.added",
]


@pytest.mark.slow
def test_every_snippet_of_the_client_s_page_works(monkeypatch):
    blocks = BLOCK.findall((ROOT / "docs" / "client.md").read_text(encoding="utf-8"))
    assert len(blocks) == 7
    with daemon_on_fresh_home(activate) as daemon:
        monkeypatch.setenv("FRONTSTAGE_SOCKET", daemon.made.home.socket)
        monkeypatch.setenv("FRONTSTAGE_TOKEN", daemon.made.tokens["ann"])
        program = "".join(f"{block}\n" for block in blocks)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    first, listed, *rest = done.stdout.splitlines()
    assert first.startswith("True ")
    assert "todo_000" in listed
    assert rest == PRINTED


def test_the_receiver_of_a_hook_knows_ours_from_others():
    page = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names = {}
    exec(block, names)
    body, at = b"{}", int(time.time_ns() // 10**9)
    good = hmac.new(b"secret", f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    assert names["is_ours"](b"secret", f"t={at},v1={good}", body)
    assert not names["is_ours"](b"other", f"t={at},v1={good}", body)
    assert not names["is_ours"](b"secret", f"t={at - 1000},v1={good}", body)
    assert not names["is_ours"](b"secret", f"t={at},v1={good}", b"{ }")


def test_what_the_client_promises_is_named():
    page = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
    for name in client.__all__:
        assert name in {"Document", "Params"} or f"`{name}" in page, name
