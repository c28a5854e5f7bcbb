"""`frontstage open` and the door behind it: who is told where the page is, how long that holds, and what is refused."""

import asyncio
import json
import socket
import stat
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon import doctor
from daemon.cli.local import LOCAL
from daemon.cli.main import run
from daemon.local import open as opening
from daemon.web import place
from tests.support.daemons import DaemonProcess, fresh_home
from tests.support.homes import OPERATOR, activate, sha256
from tests.support.served import served

EXAMPLE = LOCAL["open"][""]["example"].split()
VERAS = "fs_" + sha256("of a viewer")
SCOPED = "fs_" + sha256("good for todos alone")


def seed(scribe):
    activate(scribe)
    scribe.do(OPERATOR, "member.add", member_id="vera", kind="person", display_name="Vera", role=("viewer",))
    scribe.do(OPERATOR, "token.issue", member_id="vera", secret_digest=sha256(VERAS))
    scribe.do(OPERATOR, "token.issue", member_id="ann", secret_digest=sha256(SCOPED), allowed_action=("todo",))


@pytest.fixture(scope="module")
def home():
    with fresh_home(seed) as made:
        yield made


@pytest.fixture
def frontstage(home, capfd, monkeypatch):
    """One command line in this home, as its owner: exit code, standard output, standard error."""
    for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FRONTSTAGE_HOME", home.home.path)
    monkeypatch.setenv("FRONTSTAGE_TOKEN", home.tokens["ann"])
    monkeypatch.setenv("FRONTSTAGE_LOCALE", "en")

    def ran(*words):
        code = run(list(words))
        said = capfd.readouterr()
        return code, said.out, said.err

    return ran


def status_of(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def finding(home):
    return next((one.level, one.said) for one in doctor.examine(home.home) if one.subject == "page")


def test_where_the_page_is_depends_on_what_is_asked_and_on_where_one_sits(home, frontstage, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (home.path / "config.toml").write_text(f"[page]\nport = {port}\n")
        (home.path / "config.toml").chmod(0o600)
        daemon = DaemonProcess(home)
        code, out, error = frontstage(*EXAMPLE)
        assert (code, out) == (1, "")
        assert str(port) in error
        assert finding(home)[0] == "warn"
    with daemon:
        assert finding(home)[0] == "ok"
        code, out, error = frontstage(*EXAMPLE)
        assert code == 0
        base = out.strip().removesuffix("goals/docs")
        assert base.startswith(f"http://127.0.0.1:{port}/")
        assert "browser" in error
        assert status_of(out.strip()) == 200
        assert stat.S_IMODE((home.path / "page.key").stat().st_mode) == 0o600
        assert finding(home) == ("ok", f"the local page is open on port {port} of this machine")
        for words, expected in (
            (("--print",), base),
            (("--history", "--lang", "zh", "--print"), f"{base}history?lang=zh"),
            (("--agents", "--print"), f"{base}agents"),
            (("--compose", "--print"), f"{base}compose"),
        ):
            assert frontstage("open", *words) == (0, f"{expected}\n", "")
        document = json.loads(frontstage("open", "--json")[1])
        assert (document["url"], document["schema_version"], document["ok"]) == (base, "frontstage_page_v0", True)

        monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.9 2222")
        monkeypatch.setenv("LOGNAME", "ann")
        code, out, error = frontstage("open", "--locale", "zh")
        assert (code, out) == (0, f"{base}\n")
        assert f"ssh -N -L {port}:127.0.0.1:{port} -p 2222 ann@192.0.2.9" in error
        daemon.stop()


def test_an_address_lives_until_the_page_is_closed(home, frontstage):
    code, out, error = frontstage(*EXAMPLE)
    assert (code, out) == (7, "")
    assert "frontstage up" in error
    assert json.loads(frontstage("open", "--json")[1])["code"] == "daemon_unreachable"
    with DaemonProcess(home) as daemon:
        first = frontstage("open", "--print")[1].strip()
        daemon.stop()
        said = "".join(daemon.log)
    assert finding(home)[0] == "warn"
    with DaemonProcess(home) as daemon:
        assert status_of(first) == 200, "the address outlives a restart"
        assert frontstage("open", "--close")[0] == 0
        assert (status_of(first), (home.path / "page.key").exists()) == (0, False)
        fresh = frontstage("open", "--print")[1].strip()
        assert fresh != first
        assert (status_of(first), status_of(fresh)) in {(404, 200), (0, 200)}
        daemon.stop()
        said += "".join(daemon.log)
    assert "page open" in said
    assert [url for url in (first, fresh) if url.rstrip("/").rpartition("/")[2] in said] == []


def test_a_browser_is_started_where_somebody_would_see_it(monkeypatch):
    started = []
    monkeypatch.setattr(opening.webbrowser, "open", lambda url: started.append(url) or True)
    command = type("Asked", (), {"values": {}})()
    for set_here, expected in (
        ({}, []), ({"DISPLAY": ":0"}, ["u"]), ({"DISPLAY": ":0", "SSH_TTY": "/dev/pts/1"}, []),
        ({"SSH_TTY": "/dev/pts/1", "BROWSER": "helper"}, ["u"]),
    ):  # fmt: skip
        for name in (
            "SSH_CONNECTION",
            "SSH_CLIENT",
            "SSH_TTY",
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "BROWSER",
            "WSL_DISTRO_NAME",
        ):
            monkeypatch.delenv(name, raising=False)
        for name, value in set_here.items():
            monkeypatch.setenv(name, value)
        started.clear()
        opening._remark(command, "u", "en")
        assert started == expected


@pytest.mark.parametrize(
    "words", [("--history", "--agents"), ("--goal-id", "docs", "--compose"), ("--close", "--print"), ("--lang", "fr")]
)
def test_what_does_not_go_together_is_told(frontstage, words):
    code, out, error = frontstage("open", *words)
    assert (code, out) == (2, "")
    assert words[0] in error


async def test_the_door_is_the_owners(monkeypatch):
    async with served(seed) as daemon:
        tokens = daemon.made.tokens
        tokens |= {"vera": VERAS, "scoped": SCOPED, "unknown": "fs_" + sha256("nobody's")}
        for who, expected in (
            ("bob", "not_permitted"), ("vera", "not_permitted"), ("builder", "not_permitted"), ("bot", "not_permitted"),
            ("scoped", "token_scope_forbids"), ("unknown", "unauthenticated"),
        ):  # fmt: skip
            for path in ("/v1/page", "/v1/page/close"):
                answer = await daemon.ask("POST", path, who=who)
                assert (answer.code, "url" in answer.document) == (expected, False), who
        assert (await daemon.ask("GET", "/v1/page")).status == 405
        assert not place.is_kept(daemon.made.home)
        first = (await daemon.ask("POST", "/v1/page")).document["url"]
        assert (await daemon.ask("POST", "/v1/page", who=None)).document["url"] == first, "the operator gets the same"

        async def never(*_words, **_named):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(daemon.parts.page, "close", never)
        assert (await daemon.ask("POST", "/v1/page/close")).code == "page_not_kept"
        monkeypatch.undo()


async def test_a_page_that_is_kept_is_made_when_the_first_browser_comes():
    async with served(seed) as daemon:
        door = daemon.parts.page
        url = (await daemon.ask("POST", "/v1/page", who=None)).document["url"]
        await door.close()
        assert await asyncio.to_thread(status_of, url) == 0
        made = []
        door.open, open_as_ever = lambda: made.append(True) or open_as_ever(), door.open
        await door.resume()
        assert not made
        assert await asyncio.to_thread(status_of, url) == 200
        assert await asyncio.to_thread(status_of, url) == 200
        assert made == [True]
        await door.close()
        await door.resume()
        await door.close()
        assert await asyncio.to_thread(status_of, url) == 0, "nobody is waited for any longer"


@pytest.mark.parametrize("rubbish", ["", "x", "aa 1", f"{'a' * 32} 0", f"{'a' * 32} 70000", f"{'g' * 32} 80", "\0" * 9])
def test_a_key_file_with_anything_else_in_it_is_as_good_as_none(tmp_path, rubbish):
    home = place.Home(str(tmp_path))
    Path(home.page).write_text(rubbish)
    with listening(place.take(home)) as (key, port):
        assert Path(home.page).read_text() == f"{key} {port}\n"
        assert len(key) == 32


def test_a_port_that_somebody_else_has_meanwhile_makes_the_key_anew(tmp_path):
    home = place.Home(str(tmp_path))
    with listening(place.take(home)) as first, listening(place.take(home)) as again:
        assert again[1] != first[1]
        assert again[0] != first[0]
        with pytest.raises(place.PortTaken):
            place.take(home, port=first[1])
    with listening(place.take(home)) as same:
        assert same == again


def test_a_port_that_is_set_and_was_taken_has_another_key_when_it_is_free_again(tmp_path):
    home = place.Home(str(tmp_path))
    with listening(place.take(home)) as (key, port), pytest.raises(place.PortTaken):
        place.take(home, port=port)
    with listening(place.take(home, port=port)) as again:
        assert again[1] == port
        assert again[0] != key, "a browser may have told it to whoever listened there"


@contextmanager
def listening(taken):
    """The key and the port of a place, and the place for as long."""
    with taken.listener:
        yield taken.key, taken.port


def test_an_address_that_cannot_be_kept_is_not_listened_at(tmp_path):
    home = place.Home(str(tmp_path))
    Path(f"{home.page}.new").mkdir()
    with pytest.raises(OSError, match=r"page\.key\.new") as raised:
        place.take(home, port=(port := free_port()))
    assert not isinstance(raised.value, place.PortTaken)
    assert not place.is_taken(port)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
