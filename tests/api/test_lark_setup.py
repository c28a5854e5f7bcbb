"""`lark setup`: what it writes, when it writes nothing, and that a secret is in its own file and nowhere else."""

import asyncio
import fcntl
import json
import os
import stat
import struct
import subprocess
import sys
import termios
import tomllib

import httpx
import pytest
import respx

from bot.config import ConfigError, app_secret, load
from bot.lark_config_file import has_lark, with_lark, write_private
from bot.lark_needs import DOMAINS, NEEDS
from bot.lark_registration import FAILURES_MAX, REGISTRATION_PATH, RegistrationEnded, register
from bot.simulator.faults import Fault
from bot.simulator.server import Simulator
from tests.tidy.sources import ROOT

OTHERS = '# mine\n[daemon]\nlog_level = "DEBUG"  # as long as I look\n'


@pytest.fixture
async def platform():
    simulator = Simulator(seed="setup")
    await simulator.start()
    simulator.app = next(iter(simulator.world.apps.values()))
    yield simulator
    await simulator.stop()


class Home:
    """A folder, and the program run in it as the command line runs it, without a terminal."""

    def __init__(self, path, base_url):
        self.path, self.base_url = path, base_url

    async def run(self, *words, stdin="", locale="en"):
        argv = [sys.executable, "-m", "bot.lark_setup", "--home", str(self.path), "--locale", locale, *words]
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.out, self.err = (part.decode() for part in await process.communicate(stdin.encode()))
        return process.returncode

    def text(self):
        path = self.path / "config.toml"
        return path.read_text() if path.exists() else None

    def names(self):
        return sorted(path.name for path in self.path.iterdir())


@pytest.fixture
def home(tmp_path, platform):
    return Home(tmp_path, platform.base_url)


def asked(platform, home, *more):
    return ("--domain", home.base_url, "--app-id", platform.app.app_id, "--secret-file", "-", *more)


async def test_a_home_without_settings_gets_a_section_that_works(platform, home):
    secret = platform.app.app_secret
    assert await home.run(*asked(platform, home), stdin=secret + "\n") == 0, home.err
    assert home.names() == ["config.toml", "lark.secret"]
    config = load(home.path)
    assert (config.lark.app_id, config.lark.domain) == (platform.app.app_id, home.base_url)
    assert app_secret(home.path, config.lark) == secret
    assert stat.S_IMODE((home.path / "lark.secret").stat().st_mode) == 0o600
    assert secret not in home.out + home.err + home.text()
    assert "accepts the credentials" in home.out
    assert all(need.name in home.out for need in NEEDS)


async def test_everything_else_in_the_settings_stays_as_it_was(platform, home):
    (home.path / "config.toml").write_text(OTHERS)
    assert await home.run(*asked(platform, home), stdin=platform.app.app_secret) == 0
    assert home.text().startswith(OTHERS)
    assert load(home.path).lark.app_id == platform.app.app_id


async def test_a_section_that_is_there_is_replaced_only_when_asked(platform, home):
    before = f'{OTHERS}[lark]\napp_id = "cli_old"\napp_secret = "old-secret"\n\n[bot]\nlog_level = "ERROR"\n'
    (home.path / "config.toml").write_text(before)
    assert await home.run(*asked(platform, home), stdin=platform.app.app_secret) == 2
    assert (home.text(), home.names()) == (before, ["config.toml"])
    assert await home.run(*asked(platform, home, "--replace"), stdin=platform.app.app_secret) == 0
    told = tomllib.loads(home.text())
    assert (told["daemon"], told["bot"]) == ({"log_level": "DEBUG"}, {"log_level": "ERROR"})
    assert told["lark"]["app_id"] == platform.app.app_id
    assert "old-secret" not in home.text()


@pytest.mark.parametrize(
    ("code", "words"), [(10003, "does not know this app id"), (10014, "does not accept the app's secret")]
)
async def test_what_the_platform_refuses_is_not_written(platform, home, code, words):
    platform.faults.plan(Fault(api="token", kind="code", code=code, status=200))
    assert await home.run(*asked(platform, home), stdin="wrong-secret") == 1
    assert words in home.err
    assert "wrong-secret" not in home.out + home.err
    assert home.names() == []


async def test_a_platform_that_is_away_stops_nobody_and_is_told(platform, home):
    platform.faults.plan(Fault(api="token", kind="html", status=502, count=9))
    assert await home.run(*asked(platform, home), stdin="a-secret") == 0
    assert "is not known" in home.out
    assert await home.run(*asked(platform, home, "--replace", "--offline"), stdin="another") == 0
    assert app_secret(home.path, load(home.path).lark) == "another"


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["--secret-file", "-"], "s", "the app must be named"),
        (["--app-id", "cli 1", "--secret-file", "-"], "s", "This is no app id"),
        (["--app-id", 'cli_"', "--secret-file", "-"], "s", "This is no app id"),
        (["--app-id", "cli_1"], "", "the secret comes from a private file"),
        (["--app-id", "cli_1", "--secret-file", "-"], "\n", "The secret is empty"),
        (["--app-id", "cli_1", "--secret-file", "-"], "a\tb", "not one line of text"),
        (["--app-id", "cli_1", "--secret-file", "nowhere"], "", "cannot be read"),
        (["--app-id", "cli_1", "--secret-file", "-", "--offline", "--transport", "webhook"], "s", "--listen"),
    ],
)
async def test_what_is_missing_or_wrong_is_named_and_nothing_is_written(home, words, stdin, said):
    assert await home.run(*words, stdin=stdin) == 2
    assert said in home.err
    assert home.names() == []


async def test_a_secret_that_others_can_read_is_not_taken(home, tmp_path):
    other = tmp_path / "given"
    other.write_text("s")
    other.chmod(0o644)
    assert await home.run("--app-id", "cli_1", "--secret-file", str(other)) == 2
    assert "chmod 600 given" in home.err


async def test_the_webhooks_settings_are_written_and_can_be_read(platform, home):
    for name in ("lark.encrypt", "lark.token"):
        write_private(home.path / name, name)
    more = ("--transport=webhook", "--listen=127.0.0.1:8787", "--encrypt-key-file=lark.encrypt")
    words = asked(platform, home, *more, "--verification-token-file=lark.token")
    assert await home.run(*words, stdin=platform.app.app_secret, locale="zh") == 0, home.err
    assert load(home.path).lark.transport == "webhook"
    assert "Encrypt Key" in home.out
    assert "密钥" in home.out


HOOK = ("--transport=webhook", "--listen=127.0.0.1:8787", "--encrypt-key-file=e", "--verification-token-file=t")


@pytest.mark.parametrize(
    ("words", "modes", "said"),
    [
        (HOOK, {"e": 0o600}, "t cannot be read"),
        (HOOK, {"e": 0o644, "t": 0o600}, "chmod 600 e"),
        ((*HOOK, "--listen=nowhere"), {"e": 0o600, "t": 0o600}, "lark.listen"),
        (("--transport=webhook",), {}, "--listen"),
    ],
)
async def test_what_would_not_start_is_told_before_an_app_is_made_whose_secret_would_be_lost(home, words, modes, said):
    for name, mode in modes.items():
        (home.path / name).write_text("s")
        (home.path / name).chmod(mode)
    assert await home.run("--register", "--domain", home.base_url, *words) != 0
    assert said in home.err
    assert home.names() == sorted(modes)
    async with httpx.AsyncClient() as http:
        assert (await http.get(f"{home.base_url}/_control/registrations")).json()["registrations"] == []


async def test_a_domain_that_is_none_is_refused_before_anything_is_written(platform, home):
    words = ("--domain", "http://open.feishu.cn", "--app-id", "cli_1", "--secret-file", "-", "--offline")
    assert await home.run(*words, stdin="s") == 1
    assert "bare origin" in home.err
    assert home.names() == []


async def test_an_app_is_made_by_qr_code(platform, home):
    async def approve():
        async with httpx.AsyncClient() as http:
            while True:
                asked = (await http.get(f"{home.base_url}/_control/registrations")).json()["registrations"]
                if asked:
                    break
                await asyncio.sleep(0.05)
            return (await http.post(f"{home.base_url}/_control/registrations", json={"approve": True})).json()

    async with asyncio.TaskGroup() as group:
        running = group.create_task(home.run("--register", "--domain", home.base_url))
        approving = group.create_task(approve())
    assert running.result() == 0, home.err
    app_id = approving.result()["app_id"]
    config = load(home.path)
    assert config.lark.app_id == app_id
    assert app_secret(home.path, config.lark) == platform.world.apps[app_id].app_secret
    assert platform.world.apps[app_id].app_secret not in home.out + home.err
    assert "/page/launcher?user_code=" in home.out
    assert "addons=" in home.out


def at_a_terminal(home, *words, answers):
    """The program at a pseudo-terminal, answering each question when it is asked; exit code and all that was shown."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 80, 200, 0, 0))
    argv = [sys.executable, "-m", "bot.lark_setup", "--home", str(home), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        argv, cwd=ROOT, env=environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    ) as process:
        os.close(slave)
        shown, waiting = b"", list(answers)
        while True:
            try:
                part = os.read(master, 4_096)
            except OSError:
                break
            shown += part
            if waiting and waiting[0][0].encode() in shown:
                os.write(master, f"{waiting.pop(0)[1]}\n".encode())
        os.close(master)
        return process.wait(10), shown.decode(errors="replace")


def test_at_a_terminal_it_asks_shows_codes_and_never_the_secret(tmp_path):
    answers = (("App ID (cli_", "cli_typed"), ("App Secret (it is not shown):", "a-typed-secret"))
    code, shown = at_a_terminal(tmp_path, "--offline", "--domain", "lark", answers=answers)
    assert code == 0, shown
    config = load(tmp_path)
    assert (config.lark.app_id, config.lark.domain) == ("cli_typed", DOMAINS["lark"])
    assert app_secret(tmp_path, config.lark) == "a-typed-secret"
    assert "cli_typed" in shown, "what is no secret is shown as it is typed"
    assert "a-typed-secret" not in shown
    assert "https://open.larksuite.com/app" in shown
    assert "\u2580" in shown or "\u2588" in shown, "the address is a QR code too"


def test_a_setup_that_is_given_up_writes_nothing(tmp_path):
    code, shown = at_a_terminal(tmp_path, "--offline", answers=(("App ID (cli_", "cli_typed"), ("App Secret", "\x04")))
    assert code in (2, 130), shown
    assert list(tmp_path.iterdir()) == []


# The file


SECTION = {"app_id": "cli_1", "app_secret_file": "lark.secret", "domain": "https://open.feishu.cn"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        OTHERS,
        OTHERS.rstrip(),
        OTHERS + "\n\n",
        '[lark]\napp_id = "old"\n' + OTHERS,
        OTHERS + '  [ lark ] # here\napp_id = "old"\n',
        '[[hooks]]\nurl = "a"\n[lark]\nx = 1\n[[hooks]]\nurl = "b"\n',
    ],
)
def test_the_other_settings_mean_afterwards_what_they_meant(text):
    others = {name: part for name, part in tomllib.loads(text).items() if name != "lark"}
    written = with_lark(text, SECTION)
    assert tomllib.loads(written) == {**others, "lark": SECTION}
    assert has_lark(written)
    assert with_lark(written, SECTION) == written, "twice is once"


@pytest.mark.parametrize(
    "text",
    [
        'lark = {app_id = "old"}\n',
        "lark.app_id = 'old'\n",
        '[lark]\na = """\n[x]\n"""\n',
        'a = """\n[lark]\n"""\n[lark]\nb = 1\n',
        "[lark]\nb = 1\n[lark.more]\nc = 1\n",
    ],
)
def test_a_section_that_cannot_be_cut_out_for_certain_is_left_alone(text):
    with pytest.raises(ConfigError, match="only a person can change"):
        with_lark(text, SECTION)


def test_settings_that_are_none_are_not_quoted():
    with pytest.raises(ConfigError, match="not TOML") as raised:
        with_lark("app_secret = 'sec", {})
    assert "sec'" not in str(raised.value)


# The registration


class Site:
    """The accounts site as a script of answers to polls."""

    def __init__(self, *polls):
        self.polls, self.slept, self.shown = list(polls), [], []

    def answer(self, request):
        action = dict(httpx.QueryParams(request.content.decode()))["action"]
        if action == "init":
            return httpx.Response(200, json={"supported_auth_methods": ["client_secret"]})
        if action == "begin":
            page = "https://open.feishu.cn/page/launcher?user_code=A"
            return httpx.Response(
                200, json={"device_code": "d", "verification_uri_complete": page, "interval": 5, "expires_in": 60}
            )
        step = self.polls.pop(0) if len(self.polls) > 1 else self.polls[0]
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, httpx.Response) else httpx.Response(200, json=step)

    async def sleep(self, delay_s):
        self.slept.append(delay_s)

    async def play(self):
        with respx.mock(assert_all_called=False) as routes:
            self.feishu = routes.post("https://accounts.feishu.cn" + REGISTRATION_PATH).mock(side_effect=self.answer)
            self.lark = routes.post("https://accounts.larksuite.com" + REGISTRATION_PATH).mock(side_effect=self.answer)
            async with httpx.AsyncClient() as http:
                return await register(http, domain=DOMAINS["feishu"], show=self.shown.append, sleep=self.sleep)


PENDING, SLOWER = {"error": "authorization_pending"}, {"error": "slow_down"}
MADE = {"client_id": "cli_new", "client_secret": "the-secret", "user_info": {"tenant_brand": "feishu"}}


async def test_it_is_asked_for_until_it_is_approved_and_no_faster_than_told():
    site = Site(PENDING, SLOWER, PENDING, MADE)
    made = await site.play()
    assert (made.app_id, made.app_secret, made.domain) == ("cli_new", "the-secret", DOMAINS["feishu"])
    assert site.slept == [5, 10, 10]
    assert len(site.shown) == 1
    assert "the-secret" not in repr(made)


async def test_a_company_of_the_other_world_is_asked_for_there():
    site = Site({"user_info": {"tenant_brand": "lark"}, **PENDING}, MADE)
    assert (await site.play()).domain == DOMAINS["lark"]
    assert (site.feishu.call_count, site.lark.call_count) == (3, 1)


@pytest.mark.parametrize(
    ("polls", "why"),
    [
        ([{"error": "access_denied"}], "denied"),
        ([{"error": "expired_token"}], "expired"),
        ([PENDING], "expired"),
        ([{"error": "something new"}], "refused"),
        ([httpx.Response(502, text="<html>")], "unreachable"),
        ([httpx.Response(200, json=[])], "unreachable"),
        ([httpx.ConnectError("no")], "unreachable"),
    ],
)
async def test_each_other_end_is_told_apart_and_bounded(polls, why):
    site = Site(*polls)
    with pytest.raises(RegistrationEnded) as raised:
        await site.play()
    assert raised.value.why == why
    assert sum(site.slept) <= 60
    assert site.feishu.call_count <= 2 + max(12, FAILURES_MAX + 1)


async def test_a_site_that_cannot_do_it_says_so():
    with respx.mock() as routes:
        routes.post("https://accounts.feishu.cn" + REGISTRATION_PATH).respond(json={"supported_auth_methods": []})
        async with httpx.AsyncClient() as http:
            with pytest.raises(RegistrationEnded) as raised:
                await register(http, domain=DOMAINS["feishu"], show=print, sleep=asyncio.sleep)
    assert raised.value.why == "unsupported"


@pytest.mark.slow
async def test_the_vendors_sdk_registers_with_the_simulator(platform):
    from lark_oapi.scene.registration import aregister_app  # noqa: PLC0415 - two seconds, for this test alone

    async with httpx.AsyncClient() as http, asyncio.TaskGroup() as group:
        shown = asyncio.Event()
        base_url = platform.base_url
        asked = group.create_task(
            aregister_app(lambda _: shown.set(), domain=base_url, lark_domain=base_url, addons={"preset": False})
        )
        await asyncio.wait_for(shown.wait(), 10)
        made = (await http.post(f"{base_url}/_control/registrations", json={"approve": True})).json()
    assert asked.result()["client_id"] == made["app_id"]
    assert json.dumps(asked.result()["client_secret"]) == json.dumps(platform.world.apps[made["app_id"]].app_secret)
