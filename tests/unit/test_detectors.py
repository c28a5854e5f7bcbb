"""What text gives away is found by its shape, however spelled, in linear time; ordinary text gives nothing away."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.as_read import as_read
from ledger.detectors import credential_in, reason_of
from tests.support.ordinary_prose import ALL

ZERO_WIDTH_JOINER, RIGHT_TO_LEFT, SOFT_HYPHEN = "\u200d", "\u200f", "\u00ad"
TOKEN = "ghp_" + "a1B2c3D4" * 5
FIELDS = 64
CHARS = 10_000

CREDENTIALS = (
    f"push with {TOKEN}",
    "github_pat_11ABCDEFG0abcdefghij_klmnop",
    "glpat-a1b2c3d4e5f6g7h8i9j0",
    "xoxb-123456789012-abcdefghij",
    "Authorization: Bearer abcdef0123456789abcdef",
    "authorization=Basic dXNlcjpwYXNzd29yZA==",
    "use sk-live-0123456789abcdef0123",
    "sk-proj-abc_DEF-12ghijklmnopqrs",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn",
    "password=hunter2",
    "password: hunter2",
    "the password: swordfish\nand more",
    'Password : "swordfish1"',
    '{"password": "hunter2"}',
    "密码：hunter2",
    "密码=hunter2longer",
    "密钥 = hunter2longer",
    "password := hunter2x",
    "password => hunter2x",
    "login --password hunter2x",
    "sk_live_" + "a1B2c3D4" * 3,
    "npm_" + "a1B2c3D4" * 4,
    "pypi-" + "a1B2c3D4" * 5,
    "AIza" + "a1B2c3D4" * 5,
    "口令: Tr0ub4dor&3",
    "api_key = 1",
    "apiKey: abcd1234efgh",
    "DB_PASSWORD=foobar",
    "GITHUB_TOKEN=abc12345678",
    "token=0123456789abcdef",
    "client_secret='s3cr3t-value'",
    "https://user:pass@git.example.com/x.git",
    "postgres://app:pw123@db.example.com/x",
    "https://open.feishu.cn/open-apis/bot/v2/hook/0a1b2c3d-4e5f",
    "fs_" + "aB3-" * 10 + "xyz",
    "hf_" + "AbCd1234" * 4,
    "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",
    "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8==",
    "SharedAccessKey=a1B2c3D4e5F6g7H8i9J0a1B2",
    "Encrypt Key: a1B2c3D4e5F6g7H8",
    "Verification Token: a1B2c3D4e5F6g7H8i9J0",
    "App Secret: a1B2c3D4e5F6g7H8i9J0",
    "my password is hunter2",
    "The passphrase is Tr0ub4dor&3.",
    "密码是hunter2",
    "口令是 Tr0ub4dor&3",
)
PLACES = (
    ("-----BEGIN CERTIFICATE-----", "key_material"),
    ("see https://acme.feishu.cn/docx/AbC", "private_url"),
    ("acme.larksuite.com/wiki/AbC", "private_url"),
    ("see http://localhost:8080/x", "private_url"),
    ("see http://10.0.0.7/x", "private_url"),
    ("wss://172.16.3.4/feed", "private_url"),
    ("see https://wiki.corp/page", "private_url"),
    ("https://jira.internal.example.com/browse/X-1", "private_url"),
    ("http://[::1]:8080/x", "private_url"),
    ("http://[0:0:0:0:0:0:0:1]/x", "private_url"),
    ("http://jenkins/job/1", "private_url"),
    ("redis://localhost:6379/0", "private_url"),
    ("read /home/ann/notes.md", "absolute_path"),
    ("路径：/home/ann/x", "absolute_path"),
    ("位于/home/ann/x", "absolute_path"),
    ("(/Users/ann/x)", "absolute_path"),
    ("host:/var/log/x", "absolute_path"),
    ("read /etc/passwd", "absolute_path"),
    ("#!/usr/bin/env python3", "absolute_path"),
    ("/data/team/train.csv", "absolute_path"),
    ("/run/secrets/x", "absolute_path"),
    (r"read C:\Users\ann\x", "absolute_path"),
    ("c:/Users/ann", "absolute_path"),
    (r"\\server\share\x", "absolute_path"),
    ("open file:///x", "absolute_path"),
)
SPELLINGS = (
    f"s{ZERO_WIDTH_JOINER}k-0123456789abcdef0123",
    "ｓｋ－0123456789abcdef0123",
    f"p{RIGHT_TO_LEFT}assword=hunter2",
    f"pass{SOFT_HYPHEN}word＝hunter2",
    "ｐａｓｓｗｏｒｄ：hunter2",
    f"gh{ZERO_WIDTH_JOINER}p_" + "a1B2c3D4" * 5,
    "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝=hunter2",
    "s\u0301k-0123456789abcdef0123",
)
HOSTILE = (
    "sk-", "eyJ", "eyJaaaaaaaa.", "-eyJ", "bearer ", "bearer" + " " * 50, "password=", "password: ", 'password:  "',
    "://", "://a.", "://a:", "://a@", "https://a", "/home", "/home/", "\\\\a", "\\\\", "a:\\", "ghp_", "akia",
    "-----begin ", "authorization: basic ", "token=", "secret:", "x.feishu.cn", "a.", "@a.", "1@a", "+86 138", "138",
    "0571-", "(555) 555-", "\u0301", "\u200d", "s\u200d", "/", ":", "=", "[", "AKIA0", "_KEY=", "ghp_\n", "\n",
    "pass\nword",
    "%2", "%25", "~a", "~/", "$home", "10.", "172.16.", "fd12:", "::", "a.local", "a-.lan", "a@b", "//a", "\\\\", "0x",
    "a.internal.", "-----begin \n",
)  # fmt: skip


@pytest.mark.parametrize("text", CREDENTIALS, ids=range(len(CREDENTIALS)))
def test_a_credential_is_known(text):
    assert reason_of(text) == "credential"
    assert credential_in(text)


@pytest.mark.parametrize(("text", "reason"), PLACES)
def test_a_private_place_is_known_and_is_no_credential(text, reason):
    assert reason_of(text) == reason
    assert not credential_in(text)


@pytest.mark.parametrize("text", SPELLINGS)
def test_what_reads_the_same_is_the_same(text):
    assert not text.isascii()
    assert reason_of(text) == "credential"


@pytest.mark.parametrize("text", ALL)
def test_ordinary_text_gives_nothing_away(text):
    assert reason_of(text) is None


@pytest.mark.parametrize("text", ALL)
def test_ordinary_text_reaches_nobody_either(text):
    assert reason_of(text, confidential=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "write to ann.li+docs@mail.example.com",
        "call +49 30 901820 or 13800138000",
        "电话：138 0013 8000",
        "0571-87654321",
        "(555) 010-4477 ext",
        "ＡＮＮ＠example.com",
    ],
)
def test_a_way_to_reach_a_person_counts_where_the_goal_is_private(text):
    assert reason_of(text) is None
    assert reason_of(text, confidential=True) == "contact"


@given(st.lists(st.sampled_from(ALL), min_size=1, max_size=4), st.sampled_from(("\n", " ", "; ", "。")))
def test_ordinary_texts_together_are_ordinary(texts, between):
    assert reason_of(between.join(texts)) is None


@given(st.sampled_from(CREDENTIALS), st.sampled_from(ALL))
def test_a_credential_is_known_in_the_midst_of_ordinary_text(secret, prose):
    assert reason_of(f"{prose}\n{secret}\n{prose}") == "credential"


UNSEEN = (
    "\u200b",
    "\u200c",
    "\u200d",
    "\u200e",
    "\u202e",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\ufe0f",
    "\u034f",
    "\U000e0061",
)


@given(st.sampled_from((*CREDENTIALS, *(text for text, _ in PLACES))), st.data())
def test_what_nobody_sees_hides_nothing(text, data):
    for _ in range(3):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(UNSEEN)) + text[at:]
    assert reason_of(text) is not None


@pytest.mark.parametrize("text", [*CREDENTIALS, *(text for text, _ in PLACES)])
def test_wide_letters_hide_nothing(text):
    wide = "".join(
        "\u3000" if char == " " else chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text
    )
    assert not wide.isascii()
    assert reason_of(wide) == reason_of(text)


def test_reading_a_text_changes_nothing_of_an_ordinary_one():
    assert all(as_read(text) == text for text in ALL if text.isascii())
    assert as_read("检查每个链接") == "检查每个链接"


def _seconds(texts):
    begin = time.process_time()
    for text in texts:
        reason_of(text, confidential=True)
    return time.process_time() - begin


def _filled(piece, chars, number):
    """A text of this length that no earlier one was equal to."""
    return f"{number} {piece * (chars // len(piece) + 1)}"[:chars]


def test_no_text_takes_more_than_linear_time():
    """64 hostile fields of 10,000 characters against as many of prose, and against half their length, in one run."""
    prose = " ".join(ALL)
    _seconds([_filled(prose, CHARS, 0)])
    plain = _seconds([_filled(prose.replace("://", " "), CHARS, number) for number in range(1, FIELDS + 1)])
    worst = 0.0
    for start in range(0, len(HOSTILE), 8):
        pieces = (HOSTILE[start : start + 8] * FIELDS)[:FIELDS]
        hostile = _seconds([_filled(piece, CHARS, number) for number, piece in enumerate(pieces, start=1_000 + start)])
        worst = max(worst, hostile / plain)
    assert worst < 25, f"hostile texts take {worst:.1f} times as long as prose"
    for piece in HOSTILE:
        short = min(_seconds([_filled(piece, CHARS, number)]) for number in range(5_000, 5_003))
        long = min(_seconds([_filled(piece, CHARS * 8, number)]) for number in range(6_000, 6_003))
        # Linear is 8 times, quadratic 64.
        assert long < max(short, 0.000_5) * 24, f"{piece!r}: eight times the text, {long / short:.1f} times as long"
