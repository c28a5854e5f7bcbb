"""Which requests the page turns away, as a table: everything that a reader on this machine would not send."""

import pytest

from daemon.web.guard import HEARD, STATUS, Turned, turned

PORT, KEY = 8123, "0123456789abcdef0123456789abcdef"
HOST = f"127.0.0.1:{PORT}"
PAGE = f"/{KEY}/goals/docs?lang=zh"


def verdict(method="GET", target=PAGE, *, port=PORT, key=KEY, hosts=(HOST,), origins=(), sites=()):
    heard = dict(zip(HEARD, (hosts, origins, sites), strict=True))
    return turned(method, target, heard, port=port, key=key)


@pytest.mark.parametrize(
    "hosts",
    [
        (), ("",), ("evil.example",), (f"evil.example:{PORT}",), ("127.0.0.1",), (f"127.0.0.1:{PORT + 1}",),
        (HOST, HOST), (HOST, "evil.example"), (f"[::1]:{PORT}",), (f"0.0.0.0:{PORT}",), (f"127.0.0.2:{PORT}",),
        (f"127.1:{PORT}",),
        (f"2130706433:{PORT}",), (f"localhost.:{PORT}",), (f"localhost.evil.example:{PORT}",), (f" {HOST}",),
        (f"x@{HOST}",), (f"127.0.0.1:0{PORT}",), (f"{HOST}/",), (f"{HOST},evil.example",), (f"１２７.0.0.1:{PORT}",),
    ],
)  # fmt: skip
def test_a_request_for_another_name_is_turned_away_first(hosts):
    """A name that was pointed at this machine afterwards still says what it is; the rest of the request is not read."""
    assert verdict(hosts=hosts) is Turned.FOREIGN_HOST
    assert verdict("POST", "/wrong", hosts=hosts, sites=("cross-site",)) is Turned.FOREIGN_HOST


@pytest.mark.parametrize(
    "target", ["http://evil.example/", f"http://{HOST}{PAGE}", f"HTTP://x{PAGE}", "evil.example:443", ""]
)
def test_a_target_that_names_a_host_of_its_own_is_turned_away(target):
    assert verdict(target=target) is Turned.FOREIGN_HOST


@pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}", f"LocalHost:{PORT}"])
@pytest.mark.parametrize("origins", [(), (f"http://{HOST}",), (f"http://localhost:{PORT}",)])
@pytest.mark.parametrize("sites", [(), ("none",), ("same-origin",)])
def test_what_a_reader_of_this_page_sends_is_answered(host, origins, sites):
    assert verdict(hosts=(host,), origins=origins, sites=sites) is None


@pytest.mark.parametrize(
    ("origins", "sites"),
    [
        ((), ("cross-site",)), ((), ("same-site",)), ((), ("",)), ((), ("None",)), ((), ("none", "cross-site")),
        ((), ("cross-site", "none")), (("null",), ()), (("http://evil.example",), ()), ((f"https://{HOST}",), ()),
        ((f"http://127.0.0.1:{PORT + 1}",), ()), (("",), ()), ((f"http://{HOST}", "http://evil.example"), ()),
        (("http://evil.example", f"http://{HOST}"), ("same-origin",)), ((f"http://{HOST}.evil.example",), ()),
    ],
)  # fmt: skip
def test_what_another_site_has_a_browser_send_is_turned_away(origins, sites):
    assert verdict(origins=origins, sites=sites) is Turned.FOREIGN_SITE
    assert verdict("POST", "/wrong", origins=origins, sites=sites) is Turned.FOREIGN_SITE


@pytest.mark.parametrize(
    "method",
    ["HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "get", "GET ", "QUERY", ""],
)
@pytest.mark.parametrize("target", [PAGE, "/", f"/{KEY}/live", "*"])
def test_nothing_but_a_read_is_answered_whatever_it_is_for(method, target):
    assert verdict(method, target) is Turned.NOT_A_READ


@pytest.mark.parametrize(
    "target",
    [
        "/", "//", "*", f"/{KEY[:-1]}/", f"/{KEY}0/", f"//{KEY}/", f"/{KEY.upper()}/", f"/{KEY[:-1]}%66/",
        f"/%30{KEY[1:]}/", f"/x/../{KEY}/", f"/./{KEY}/", f"/{KEY}\x00/", f"/{KEY}%2Flive", f"/{KEY}%00/",
        "/" + "0" * 8_000,
        "/\udcff\udcfe/", "/ü/", f"/?{KEY}/", f"/#/{KEY}/", f"/{KEY};x/",
    ],
)  # fmt: skip
def test_an_address_without_the_key_is_nowhere(target):
    assert verdict(target=target) is Turned.WRONG_KEY


@pytest.mark.parametrize(
    "target", [f"/{KEY}", f"/{KEY}/", f"/{KEY}?x", f"/{KEY}/../x", f"/{KEY}//x", f"/{KEY}/%2e%2e/"]
)
def test_an_address_with_the_key_is_answered_somehow(target):
    assert verdict(target=target) is None


def test_each_reason_has_a_status_of_its_own():
    assert STATUS == {
        Turned.FOREIGN_HOST: 421, Turned.FOREIGN_SITE: 403, Turned.NOT_A_READ: 405, Turned.WRONG_KEY: 404,
    }  # fmt: skip
    assert list(STATUS) == list(Turned), "in order of precedence"
