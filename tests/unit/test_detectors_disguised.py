"""A private place by any name and a credential that was cut or dressed up are known; the public is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.detectors import credential_in, reason_of
from ledger.key_families import key_reason
from tests.support.ordinary_prose import ALL

SLASH = "/"
TOKEN = "ghp_" + "a1B2c3D4" * 5
PATHS = (
    f"read {SLASH}root{SLASH}notes.md",
    f"read {SLASH}root{SLASH}x",
    "copy ~/notes.md",
    "copy ~ann/notes.md",
    "（见 ~/笔记/一.md）",
    "cp $HOME/x .",
    "cp ${HOME}/x .",
    'cp "$HOME"/x .',
    "cp ${HOME:-/x}/y .",
    "$env:USERPROFILE\\x",
    "%USERPROFILE%\\Desktop",
    "%APPDATA%/x",
    "mount //srv/share/x",
    "mount '//srv/share'",
    "see \\\\srv\\share",
    "路径\\\\srv\\share",
    "path=\\\\srv\\share",
    '{"path": "\\\\\\\\srv\\\\share"}',
    "open file:%2F%2F%2Fhome%2Fann",
    "open file:%2f%2fx",
    "open file%3A%2F%2F%2Fx",
    "next=%2Fhome%2Fann%2Fx",
    "next=%252Fhome%252Fann%252Fx",
    "see ／ｈｏｍｅ／ann／x",
    "see ⁄home⁄ann",
)
HOSTS = (
    "http://localhost./x",
    "http://localhost.:8080",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://0/",
    "http://127.1/",
    "http://10.1/",
    "http://100.64.1.2/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::]:80/",
    "http://１０．０．０．１/",
    "http://10。0。0。1/",
    "http://wiki。corp/x",
    "at 0177.0.0.1",
    "ask 10.1.2.3 about it",
    "ask 10.1.2.3:8080 about it",
    "in 10.0.0.0/8",
    "root@10.1.2.3",
    "host=192.168.1.20",
    "服务器10.1.2.3，",
    "172.20.3.4.",
    "169.254.169.254",
    "fe80::1%eth0",
    "fd12:3456:789a::1",
    "[fd12:3456:789a::1]:22",
    "fd00:1:2:3:4:5:6:7",
    "ask wiki.corp",
    "ask wiki.corp/page",
    "ask wiki.corp.",
    "build01.lan:8080",
    "db.prod.internal",
    "db.internal:5432",
    "nas.local",
    "wiki.local/page",
    "printer.home.arpa",
    "git@wiki.corp:org/repo.git",
    "git@gitsrv:org/repo.git",
    "git@10.1.2.3:org/repo.git",
    "ssh://git@gitlab.internal/org/repo",
)
DRESSED = (
    "push with ghp_a1B2c3D4a1B2\nc3D4a1B2c3D4a1B2c3D4",
    "push with ghp_a1B2c3D4a1B2\r\n    c3D4a1B2c3D4a1B2c3D4",
    "push with gh\np_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4",
    "AKIAIOSF\nODNN7EXAMPLE",
    "eyJhbGciOiJI\nUzI1NiJ9.eyJzdWIiOiIx\nMjM0NTY3ODkwIn0.abc",
    "pass\nword=hunter2",
    "api_\nkey: abcd1234efgh",
    "-----BEGIN RSA PRI\nVATE KEY-----",
    "pass\0word=hunter2",
    "g\0h\0p\0_" + "a1B2c3D4" * 5,
    "gh\x1bp_" + "a1B2c3D4" * 5,
    "pa\u0455\u0455word=hunter2",
    "p\u0430ssword=hunter2",
    "p\u03b1ssw\u03bfrd=hunter2",
    "gh\u0440_" + "a1B2c3D4" * 5,
    "\u0455k-0123456789abcdef0123",
    "\u0410\u041aIAIOSFODNN7EXAMPLE",
    "p\u00e1ssword=hunter2",
    "pas\u017fword=hunter2",
    "pw\u0501=x",
    "password%3Dhunter2",
    "%67hp_" + "a1B2c3D4" * 5,
)
PUBLIC = (
    "https://example.com/x",
    "https://corp.example.com/x",
    "https://www.localhost-guide.org/x",
    "http://8.8.8.8/x",
    "https://[2001:db8::1]/x",
    "ask 8.8.8.8 or 11.2.3.4",
    "ask 172.32.0.1 or 192.169.1.1",
    "clone git@github.com:org/repo.git",
    "wiki.example.com and wiki.corporate",
    "https://people.example.edu/~ann/page",
    "see //cdn.example.com/lib.js",
    "https://example.com/?q=a%20b%2Fc",
)


@pytest.mark.parametrize("text", PATHS)
def test_a_path_is_known_by_any_of_its_names(text):
    assert reason_of(text) == "absolute_path"
    assert not credential_in(text)


@pytest.mark.parametrize("text", HOSTS)
def test_a_host_that_only_some_can_reach_is_known_by_any_of_its_names(text):
    assert reason_of(text) == "private_url"
    assert not credential_in(text)


@pytest.mark.parametrize("text", DRESSED)
def test_a_credential_that_was_cut_or_dressed_up_is_known(text):
    assert reason_of(text) == "credential"
    assert credential_in(text)


@pytest.mark.parametrize("text", PUBLIC)
def test_what_everybody_can_reach_is_left_alone(text):
    assert reason_of(text) is None


@given(st.lists(st.sampled_from(ALL), min_size=2, max_size=6))
def test_ordinary_lines_are_ordinary_where_they_meet(texts):
    assert reason_of("\n".join(texts)) is None
    assert not credential_in("\n    ".join(" ".join(texts).split()))


@given(st.integers(4, len(TOKEN) - 4), st.sampled_from(("\n", "\r\n", "\n  ", "\0", "\u200b")))
def test_wherever_a_credential_is_cut_it_is_known(at, cut):
    assert credential_in(TOKEN[:at] + cut + TOKEN[at:])


def test_the_name_of_a_field_is_read_and_not_spelled():
    assert key_reason("ａｐｉ＿ｋｅｙ") == "credential"
    assert key_reason("t\u043eken") == "credential"
