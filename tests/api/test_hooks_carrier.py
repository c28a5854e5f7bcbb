"""The carrier, as a process: whatever a hook does, one short answer comes back, in time."""

import asyncio
import hashlib
import hmac
import json
import stat
import sys
import time
from contextlib import suppress

import psutil
import pytest

from daemon.carrier import orders
from daemon.hooks import porter
from daemon.hooks.porter import Order, Outcome, Porter
from tests.support.tls import certificate, dripping, endless, hung_up, receiver

SECRET = "a-secret-of-the-test-0123456789"
BODY = '{"schema_version":"frontstage_hook_delivery_v0","seq":7}'


@pytest.fixture
async def carrier():
    running = Porter(grace_s=3.0)
    yield running
    await running.end()


def order(folder, **given):
    return Order(
        **{
            "body": BODY,
            "folder": str(folder / "build"),
            "hook": "build",
            "delivery_id": "dlv_1",
            "seq": 7,
            "timeout_s": 20.0,
            **given,
        }
    )


def program(text):
    return (sys.executable, "-c", text)


async def test_a_command_gets_the_event_and_little_else(carrier, tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_0123456789abcdef0123")
    monkeypatch.setenv("FRONTSTAGE_SOCKET", "/somewhere/daemon.sock")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    monkeypatch.setenv("TEAM", "docs")
    monkeypatch.setenv("OTHER", "none")
    text = "import json,os,sys; print(json.dumps([sys.stdin.read(), dict(os.environ), os.getcwd()]))"
    outcome = await carrier.carry(order(tmp_path, command=program(text), variables=("TEAM", "ABSENT")))
    assert outcome == Outcome()
    output = tmp_path / "build" / "output.txt"
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert stat.S_IMODE(output.parent.stat().st_mode) == 0o700
    given, variables, folder = json.loads(output.read_text())
    assert given == BODY + "\n"
    assert folder == str(tmp_path / "build")
    assert variables["FRONTSTAGE_DELIVERY_ID"] == "dlv_1"
    assert variables["TEAM"] == "docs"
    assert variables["HOME"] == str(tmp_path / "build")
    ours = {name for name in variables if name.startswith("FRONTSTAGE")}
    assert ours == {"FRONTSTAGE_HOOK", "FRONTSTAGE_DELIVERY_ID", "FRONTSTAGE_SEQ"}
    assert not {"AWS_SECRET_ACCESS_KEY", "OTHER", "PYTHONPATH"} & variables.keys()


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("raise SystemExit(0)", Outcome()),
        ("raise SystemExit(1)", Outcome("exit_code", 1)),
        ("raise SystemExit(127)", Outcome("exit_code", 127)),
        ("import os,signal; os.kill(os.getpid(), signal.SIGSEGV)", Outcome("signal", 11)),
        ("import time; time.sleep(60)", Outcome("timeout")),
        ("while True: print('x' * 65536)", Outcome("timeout")),
        ("import os; os.close(1); os.close(2); import time; time.sleep(60)", Outcome("timeout")),
        ("import sys; sys.stdin.close()", Outcome()),
    ],
    ids=["done", "failed", "127", "crashed", "hangs", "floods", "closes and hangs", "reads nothing"],
)
async def test_however_a_command_ends(carrier, tmp_path, text, outcome):
    asked = order(tmp_path, command=program(text), timeout_s=1.5 if outcome.reason == "timeout" else 20.0)
    assert await carrier.carry(asked) == outcome
    assert (tmp_path / "build" / "output.txt").stat().st_size <= 1_200_000
    # Whatever that was, the next delivery is carried.
    assert await carrier.carry(order(tmp_path, command=program("pass"))) == Outcome()


async def test_a_program_that_cannot_be_run_is_told(carrier, tmp_path):
    assert await carrier.carry(order(tmp_path, command=("/no/such/program",))) == Outcome("not_found")
    plain = tmp_path / "plain"
    plain.write_text("no program")
    assert await carrier.carry(order(tmp_path, command=(str(plain),))) == Outcome("not_run")


async def test_no_shell_reads_the_words(carrier, tmp_path):
    told = ("; touch stolen", "$(touch stolen)")
    text = "import sys; print(sys.argv[1:])"
    assert await carrier.carry(order(tmp_path, command=(*program(text), *told))) == Outcome()
    assert (tmp_path / "build" / "output.txt").read_text().strip() == str(list(told))
    assert not (tmp_path / "build" / "stolen").exists()


async def test_what_a_command_started_ends_with_it(carrier, tmp_path):
    text = (
        "import subprocess,sys; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
        "print(child.pid, flush=True)"
    )
    assert await carrier.carry(order(tmp_path, command=program(text))) == Outcome()
    pid = int((tmp_path / "build" / "output.txt").read_text())
    await gone(pid)


async def gone(pid):
    async with asyncio.timeout(20):
        while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_what_runs_ends_with_who_would_have_heard_of_it(carrier, tmp_path):
    text = f"import os,time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    task = asyncio.ensure_future(carrier.carry(order(tmp_path, command=program(text), timeout_s=60)))
    async with asyncio.timeout(20):
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await carrier.end()
    await gone(int((tmp_path / "pid").read_text()))


async def test_told_to_end_again_and_again_it_ends_what_runs_all_the_same(carrier, tmp_path):
    text = f"import os,time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    task = asyncio.ensure_future(carrier.carry(order(tmp_path, command=program(text), timeout_s=60)))
    async with asyncio.timeout(20):
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    process = psutil.Process(carrier._running.process.pid)
    with suppress(psutil.NoSuchProcess):
        for _ in range(2_000):
            process.terminate()
    with suppress(asyncio.CancelledError):
        await task
    await gone(int((tmp_path / "pid").read_text()))


async def test_a_hook_that_kills_its_carrier_is_told_and_costs_one_delivery(carrier, tmp_path):
    text = "import os,signal; os.kill(os.getppid(), signal.SIGKILL)"
    assert await carrier.carry(order(tmp_path, command=program(text))) == porter.LOST
    assert await carrier.carry(order(tmp_path, command=program("pass"))) == Outcome()


async def test_a_carrier_that_is_stuck_is_ended(tmp_path):
    carrier = Porter(grace_s=0.3)
    text = "import os,signal,time; os.kill(os.getppid(), signal.SIGSTOP); time.sleep(0.1)"
    began = time.monotonic()
    assert await carrier.carry(order(tmp_path, command=program(text), timeout_s=2.0)) == porter.LOST
    assert time.monotonic() - began < 15
    assert await carrier.carry(order(tmp_path, command=program("pass"), timeout_s=20.0)) == Outcome()
    await carrier.end()


@pytest.fixture
def address(tmp_path):
    with receiver(tmp_path) as server:
        yield server


def posted(tmp_path, address, **given):
    secret = tmp_path / "chat.secret"
    if not secret.exists():
        secret.write_text(SECRET + "\n")
        secret.chmod(0o600)
    usual = {"url": address.url, "secret_file": str(secret), "ca_file": str(address.cert)}
    return order(tmp_path, **{**usual, **given})


async def test_a_delivery_over_tls_is_signed(carrier, tmp_path, address):
    bearer = tmp_path / "bearer"
    bearer.write_text("Bearer 0123456789abcdef\n")
    bearer.chmod(0o600)
    asked = posted(tmp_path, address, headers={"X-Team": "docs"}, authorization_file=str(bearer))
    assert await carrier.carry(asked) == Outcome()
    ((path, headers, body),) = address.requests
    assert (path, body.decode(), headers["X-Team"]) == ("/in?team=docs", BODY, "docs")
    assert headers["Authorization"] == "Bearer 0123456789abcdef"
    assert (headers["Frontstage-Hook"], headers["Frontstage-Delivery"]) == ("build", "dlv_1")
    at, given = (part.split("=", 1)[1] for part in headers["Frontstage-Signature"].split(","))
    assert abs(int(at) - time.time_ns() // 10**9) < 60
    assert given == hmac.new(SECRET.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (200, Outcome()),
        (204, Outcome()),
        (301, Outcome("redirected", 301)),
        (307, Outcome("redirected", 307)),
        (404, Outcome("http_status", 404)),
        (500, Outcome("http_status", 500)),
        (dripping, Outcome("timeout")),
        (lambda handler: time.sleep(5), Outcome("timeout")),
        (hung_up, Outcome("unreachable")),
        (lambda handler: handler.wfile.write(b"no http at all\r\n\r\n"), Outcome("unreachable")),
        (endless, Outcome()),
    ],
)
async def test_however_an_address_answers(carrier, tmp_path, address, answer, outcome):
    address.answer = answer
    address.location = address.url
    asked = posted(tmp_path, address, timeout_s=1.5 if outcome.reason == "timeout" else 20.0)
    began = time.monotonic()
    assert await carrier.carry(asked) == outcome
    assert time.monotonic() - began < 15
    assert len(address.requests) == 1


async def test_a_certificate_that_nobody_vouches_for_is_refused(carrier, tmp_path, address):
    assert await carrier.carry(posted(tmp_path, address, ca_file="")) == Outcome("tls_refused")
    (tmp_path / "others").mkdir()
    other, _ = certificate(tmp_path / "others")
    assert await carrier.carry(posted(tmp_path, address, ca_file=str(other))) == Outcome("tls_refused")
    assert await carrier.carry(posted(tmp_path, address, ca_file=str(tmp_path / "none"))) == Outcome("tls_refused")
    by_number = address.url.replace("localhost", "127.0.0.1")
    assert await carrier.carry(posted(tmp_path, address, url=by_number)) == Outcome("tls_refused")
    assert address.requests == []


async def test_a_secret_that_is_no_secret_signs_nothing(carrier, tmp_path, address):
    open_to_all, short = tmp_path / "open", tmp_path / "short"
    open_to_all.write_text(SECRET)
    open_to_all.chmod(0o644)
    short.write_text("short")
    short.chmod(0o600)
    for path in (open_to_all, short, tmp_path / "none"):
        assert await carrier.carry(posted(tmp_path, address, secret_file=str(path))) == Outcome("secret_unusable")
    assert address.requests == []


async def test_nobody_at_the_address(carrier, tmp_path, address):
    asked = posted(tmp_path, address, url="https://localhost:1/")
    assert await carrier.carry(asked) == Outcome("unreachable")


async def test_a_proxy_of_the_environment_is_not_asked(tmp_path, address, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    carrier = Porter()
    assert await carrier.carry(posted(tmp_path, address)) == Outcome()
    await carrier.end()


async def test_a_folder_that_cannot_be_made_is_told(carrier, tmp_path):
    (tmp_path / "build").write_text("a file")
    assert await carrier.carry(order(tmp_path, command=program("pass"))) == Outcome("output_not_kept")


def test_both_sides_name_the_same_fields():
    assert Order.__struct_fields__ == orders.Order._fields
    assert Outcome.__struct_fields__ == orders.Outcome._fields
