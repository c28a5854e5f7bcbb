"""The page from outside: what other machines, other sites and broken programs get to see of it, which is nothing."""

import contextlib
import re
import stat
import time
from pathlib import Path

import pytest

from daemon.web.live import FOLLOWERS_MAX
from daemon.web.pages import PAGES
from daemon.web.server import CONNECTIONS_MAX, SAFE
from tests.support.daemons import daemon_on_fresh_home
from tests.web.looking import Looked
from tests.web.raw import connected, got, head_of, heard, said
from tests.web.scene import page_of
from tests.web.story import BUSY

PLACES = (
    "", f"goals/{BUSY}", "history", "agents", "agents/builder", "compose", "live", "static/page.css", "static/page.js",
    "static/icon.svg", "nowhere",
)  # fmt: skip
METHODS = ("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "MKCOL", "QUERY", "REPORT")
POLICY = {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'",
          "connect-src": "'self'", "form-action": "'self'", "base-uri": "'none'",
          "frame-ancestors": "'none'"}  # fmt: skip


def is_safe(answer):
    """Whether an answer forbids the browser everything that the page does not need, and leaves nothing behind."""
    short = {name: value for name, value in SAFE.items() if answer.headers.get(name.lower()) != value}
    short.pop("Cache-Control", None)
    assert short == {}
    assert "set-cookie" not in answer.headers
    assert not any(name.startswith("access-control-") for name in answer.headers)
    return answer


def test_every_page_is_among_the_places_that_are_tried():
    assert all(any(page.path.fullmatch(place) for place in PLACES) for page in PAGES)


def test_the_policy_leaves_nothing_but_the_pages_own_files(looked):
    answer = is_safe(got(looked))
    said_so = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert said_so == POLICY
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    # What a policy of `self` forbids is not there in the first place.
    source = answer.text
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", source)
    assert "http://" not in source.replace("http://www.w3.org/", "")
    assert "https://" not in source


@pytest.mark.parametrize("place", PLACES)
def test_nothing_but_a_read_is_answered_anywhere(looked, place):
    """The page can be asked, and can be told nothing: every other method is refused before anybody reads the rest."""
    for method in METHODS:
        for lines in ((), ("Content-Length: 2", "Content-Type: application/json")):
            with connected(looked.port) as connection:
                connection.sendall(head_of(method, f"/{looked.key}/{place}", f"127.0.0.1:{looked.port}", *lines))
                if lines:
                    connection.sendall(b"{}")
                answer = is_safe(heard(connection)) if method != "HEAD" else is_safe(head_only(connection))
            assert (answer.status, answer.headers["allow"]) == (405, "GET"), method
    assert is_safe(got(looked, place)).status == (404 if place == "nowhere" else 200)


def head_only(connection):
    """An answer to HEAD says a length and sends nothing."""
    whole = b""
    while b"\r\n\r\n" not in whole:
        whole += connection.recv(65_536)
    top, _, body = whole.partition(b"\r\n\r\n")
    assert body == b""
    first, *lines = top.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return type("Head", (), {"status": int(first.split()[1]), "headers": {k.lower(): v for k, v in headers.items()}})


def test_a_read_that_brings_a_body_changes_nothing_and_is_answered(looked):
    before = looked.client().read("status.show").seq
    body = b'{"action": "goal.stop", "goal_id": "handbook"}'
    with connected(looked.port) as connection:
        target, host = f"/{looked.key}/goals/{BUSY}?action=goal.stop&_method=POST", f"127.0.0.1:{looked.port}"
        lines = (f"Content-Length: {len(body)}", "X-HTTP-Method-Override: POST", "Idempotency-Key: k1")
        connection.sendall(head_of("GET", target, host, *lines) + body)
        assert is_safe(heard(connection)).status == 200
    assert looked.client().read("status.show").seq == before


@pytest.mark.parametrize(
    "name", ["evil.example", "[::1]", "127.0.0.2", "localhost.evil.example", "127.0.0.1.nip.example"]
)
def test_a_name_that_was_pointed_here_afterwards_gets_nothing(looked, name):
    """DNS rebinding: the browser believes it talks to that name, and says so, key or no key."""
    for target in ("/", f"/{looked.key}/", f"/{looked.key}/static/page.js", f"/{looked.key}/live"):
        answer = is_safe(said(looked.port, head_of("GET", target, f"{name}:{looked.port}")))
        assert answer.status == 421
        assert b"Handbook" not in answer.body


def test_a_host_that_is_missing_doubled_elsewhere_or_in_the_target_gets_nothing(looked):
    host, place = f"127.0.0.1:{looked.port}", f"/{looked.key}/"
    asked = {
        "no host": head_of("GET", place, None),
        "two hosts": head_of("GET", place, host, f"Host: {host}"),
        "another behind ours": head_of("GET", place, host, "Host: evil.example"),
        "another port": head_of("GET", place, f"127.0.0.1:{looked.port + 1}"),
        "no port": head_of("GET", place, "127.0.0.1"),
        "a target with a host": head_of("GET", f"http://evil.example{place}", host),
        "a target with our host": head_of("GET", f"http://{host}{place}", host),
        "a tunnel": head_of("CONNECT", host, host),
    }
    for name, data in asked.items():
        answer = is_safe(said(looked.port, data))
        assert answer.status in {400, 421}, name
        assert b"Handbook" not in answer.body, name
    assert is_safe(said(looked.port, b"GET " + place.encode() + b" HTTP/1.0\r\n\r\n")).status == 421


@pytest.mark.parametrize(
    "line", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: http://evil.example", "Origin: null"]
)
def test_what_another_site_has_the_browser_ask_gets_nothing(looked, line):
    for place in ("", "live", "static/page.css", f"goals/{BUSY}"):
        answer = is_safe(got(looked, place, line))
        assert answer.status == 403
        assert b"Handbook" not in answer.body


@pytest.mark.parametrize(
    "target", ["/", "//", "/{wrong}/", "/%{first}{rest}/", "/{key}%2Fgoals", "/x/../{key}/", "/" + "k" * 7_000]
)
def test_without_the_key_nothing_is_told_from_nothing(looked, target):
    key = looked.key
    filled = target.format(wrong=key[::-1], first=f"{ord(key[0]):02x}", rest=key[1:], key=key)
    answer = is_safe(said(looked.port, head_of("GET", filled, f"127.0.0.1:{looked.port}")))
    nowhere = said(looked.port, head_of("GET", "/elsewhere", f"127.0.0.1:{looked.port}"))
    assert (answer.status, answer.body) == (404, nowhere.body)


STRANGE = (
    "goals/%00", "goals/..%2f..%2fetc", "goals/%ff%fe", "goals/" + "a" * 64, "goals/" + "a" * 5_000,
    "goals/UPPER", "goals/%2e%2e",
    "goals/<script>", "goals/%3Cscript%3E", "goals//", "goals", "../", "..%2f", "agents/%00", "agents/%E2%80%AE",
    "agents/" + "b" * 80,
    "agents/operator", "agents/nobody", "static/", "static/../guard.py", "static/%2e%2e%2fguard.py", "static/%00",
    "live/x",
    "?at=0", "?at=99999999999999", "?at=-1", "?at=1e3", "?at=%D9%A3", "?at=" + "1" * 17, "?lang=xx", "?theme=blue",
    "?at=3&at=4",
    "?" + "&".join(f"n{one}=1" for one in range(25)), "?q=" + "x" * 501, "?q=%ff%00", "?%ff=%fe", "?=&==&",
    "history?after=%00&q=%ud800",
    "history?limit=999999999", "history?after=-5", "history?kind=nothing", "history?from_seq=x",
    "history?q=%22%3E%3Csvg%3E",
    f"goals/{BUSY}?after=%00", f"goals/{BUSY}?revision=-1", f"goals/{BUSY}?at=1", "compose?action=nothing",
    "compose?action=%00",
    "compose?action=goal.accept&basis=%3Cscript%3E", "agents?after=%00", "agents/builder?at=1", "%E2%80%AE", "%00",
)  # fmt: skip


@pytest.mark.parametrize("path", STRANGE)
def test_a_strange_address_is_refused_or_shown_and_is_never_a_failure(looked, path):
    answer = is_safe(got(looked, path))
    assert answer.status in {200, 400, 404, 409, 410, 422}, (path, answer.status, answer.text[:300])
    assert "<script>" not in answer.text.replace("</script>", "")
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n", b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\n Folded: x\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET / HTTP/1.1\r\nHo\x00st: x\r\n\r\n", b"get / HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_no_request_is_answered_as_safely_and_told_to_nobody(looked, data):
    seen = len(looked.daemon.log)
    answer = is_safe(said(looked.port, data))
    assert answer.status in {400, 421, 405}
    assert answer.headers["content-type"].startswith("text/plain")
    assert looked.daemon.log[seen:] == []


def test_the_key_is_in_no_line_of_the_log(looked):
    place = f"/{looked.key}/"
    said(looked.port, b"GET " + place.encode() + b"\xff HTTP/1.1\r\nHost: a b\r\nBad\x01: x\r\n\r\n")
    got(looked, "goals/%00")
    assert not any(looked.key in line for line in looked.daemon.log)


def test_it_listens_on_this_machine_alone_and_the_key_is_its_owners(looked):
    port = f"{looked.port:04X}"
    table = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    rows = [line.split() for line in table]
    listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{port}")]
    assert listening == [f"0100007F:{port}"]
    six = Path("/proc/net/tcp6")
    if six.exists():
        rows = [line.split() for line in six.read_text(encoding="ascii").splitlines()[1:]]
        assert [row for row in rows if row[3] == "0A" and row[1].endswith(f":{port}")] == []
    kept = Path(looked.daemon.made.home.page)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert kept.read_text(encoding="ascii").split() == [looked.key, str(looked.port)]


def test_only_an_owner_or_the_operator_is_told_where_the_page_is(looked):
    for who in ("bo", "cara", "builder"):
        assert looked.client(who).post("/v1/page", {}).code == "not_permitted"
        assert looked.client(who).post("/v1/page/close", {}).code == "not_permitted"
    assert looked.daemon.client("ann").get("/healthz").ok
    assert looked.key not in str(looked.daemon.client("ann").get("/healthz").body)
    assert looked.client().post("/v1/page", {}).or_raise().body["url"] == looked.url


def test_connections_beyond_the_bound_are_turned_away_and_the_others_are_served(looked):
    request = head_of("GET", f"/{looked.key}/compose", f"127.0.0.1:{looked.port}")
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(connected(looked.port)) for _ in range(200)]
        answers = []
        for connection in held:
            with contextlib.suppress(ConnectionError):
                connection.sendall(request)
        for connection in held:
            with contextlib.suppress(ConnectionError):  # turned away before it was heard
                answers.append(is_safe(heard(connection)).status)
        assert answers.count(200) == CONNECTIONS_MAX
        assert set(answers) <= {200, 503}
    assert looked.client().get("/healthz").ok
    until_answered(looked)


def until_answered(looked):
    """The daemon notices by and by that the others have hung up."""
    end = time.monotonic() + 60
    while got(looked, "compose").status != 200:
        assert time.monotonic() < end, "nobody gets in any more"


def test_readers_who_follow_are_bounded_and_none_keeps_the_daemon_from_ending():
    with daemon_on_fresh_home() as daemon, contextlib.ExitStack() as stack:
        looked = Looked(daemon, page_of(daemon))
        statuses = []
        for _ in range(FOLLOWERS_MAX + 3):
            connection = stack.enter_context(connected(looked.port))
            connection.sendall(head_of("GET", f"/{looked.key}/live", f"127.0.0.1:{looked.port}"))
            statuses.append(is_safe(heard(connection)).status)
        assert statuses == [200] * FOLLOWERS_MAX + [503] * 3
        assert got(looked).status == 200
        began = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - began < 30
