"""Signature and encryption of a webhook, with the vendor's own SDK as the other side."""

import base64
import hashlib

import pytest
from Crypto.Cipher import AES
from Crypto.Util.Padding import pad
from hypothesis import given
from hypothesis import strategies as st

from bot.lark_seal import WINDOW_MS, SealedError, UnprovenError, is_signed, opened, prove, same_text

KEY, BODY, AT_S = "an encrypt key", b'{"encrypt":"x"}', 1_700_000_000
NOW_MS = AT_S * 1_000


def signed(body=BODY, *, timestamp=str(AT_S), nonce="n-1", key=KEY):
    digest = hashlib.sha256(f"{timestamp}{nonce}{key}".encode() + body).hexdigest()
    return {"X-Lark-Request-Timestamp": timestamp, "X-Lark-Request-Nonce": nonce, "X-Lark-Signature": digest}


def why(headers, body=BODY, now_ms=NOW_MS):
    with pytest.raises(UnprovenError) as raised:
        prove(headers, body, encrypt_key=KEY, now_ms=now_ms)
    return raised.value.why


@pytest.mark.parametrize("spelt", [str.lower, str.upper, str.title, str])
def test_headers_are_found_however_they_are_spelt(spelt):
    headers = {spelt(name): value for name, value in signed().items()}
    assert is_signed(headers)
    assert prove(headers, BODY, encrypt_key=KEY, now_ms=NOW_MS).nonce == "n-1"


@pytest.mark.parametrize("off_ms", [-WINDOW_MS, -1, 0, 1, WINDOW_MS])
def test_a_request_of_the_last_and_the_next_five_minutes_is_one_of_now(off_ms):
    assert prove(signed(), BODY, encrypt_key=KEY, now_ms=NOW_MS + off_ms)


@pytest.mark.parametrize("off_ms", [-WINDOW_MS - 1, WINDOW_MS + 1, 50 * 365 * 86_400_000])
def test_an_older_or_newer_one_is_not_though_its_signature_is_right(off_ms):
    assert why(signed(), now_ms=NOW_MS + off_ms) == "stale"


@pytest.mark.parametrize("timestamp", ["-1", "1.7e9", "٣٤٥", "9" * 13, " 1700000000", "nan"])
def test_a_timestamp_that_is_no_number_is_refused_though_it_is_signed(timestamp):
    assert why(signed(timestamp=timestamp)) == "stale"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"X-Lark-Signature": ""}, "unsigned"),
        ({"X-Lark-Request-Nonce": ""}, "unsigned"),
        ({"X-Lark-Request-Timestamp": ""}, "unsigned"),
        ({"X-Lark-Request-Nonce": "n" * 129}, "unsigned"),
        ({"X-Lark-Signature": "0" * 64}, "forged"),
        ({"X-Lark-Signature": "ö" * 64}, "forged"),
        ({"X-Lark-Request-Nonce": "n-2"}, "forged"),
        ({"X-Lark-Request-Timestamp": str(AT_S + 1)}, "forged"),
    ],
)
def test_each_part_of_the_proof_counts(change, expected):
    assert why({**signed(), **change}) == expected


def test_the_body_counts_to_the_byte_and_the_key_does():
    assert why(signed(), BODY + b" ") == "forged"
    assert why(signed(key="another")) == "forged"


@pytest.mark.parametrize("header", ["X-Lark-Request-Nonce", "X-Lark-Request-Timestamp", "X-Lark-Signature"])
def test_a_header_that_is_no_text_is_a_forgery_and_no_mistake_of_ours(header):
    # A byte that is no UTF-8, as the server hands it on.
    assert why({**signed(), header: "n\udcff"}) == "forged"


def test_the_old_callbacks_signature_proves_nothing():
    old = hashlib.sha1(f"{AT_S}n-1{KEY}".encode() + BODY).hexdigest()
    assert why({**signed(), "X-Lark-Signature": old}) == "forged"


def test_the_same_request_is_told_from_another_under_its_nonce():
    one = prove(signed(), BODY, encrypt_key=KEY, now_ms=NOW_MS)
    again = prove(signed(), BODY, encrypt_key=KEY, now_ms=NOW_MS + 5)
    other = prove(signed(b"{}"), b"{}", encrypt_key=KEY, now_ms=NOW_MS)
    assert one == again
    assert (one.nonce, one.digest) != (other.nonce, other.digest)
    assert one.nonce == other.nonce


def sealed(content, key=KEY, iv=b"i" * 16):
    cipher = AES.new(hashlib.sha256(key.encode()).digest(), AES.MODE_CBC, iv=iv)
    return base64.b64encode(iv + cipher.encrypt(pad(content, 16))).decode()


@given(st.binary(max_size=200))
def test_what_was_sealed_is_opened(content):
    assert opened(sealed(content), encrypt_key=KEY) == content


@pytest.mark.parametrize(
    "encrypted", ["", "not base64!", "AAAA", base64.b64encode(b"x" * 16).decode(), base64.b64encode(b"x" * 33).decode()]
)
def test_what_is_not_sealed_is_refused(encrypted):
    with pytest.raises(SealedError):
        opened(encrypted, encrypt_key=KEY)


@pytest.mark.slow
def test_the_vendors_sdk_opens_and_signs_the_same():
    from lark_oapi.core.utils import AESCipher  # noqa: PLC0415 - two seconds, for this test alone

    content = '{"challenge": "ä 文"}'
    assert (
        AESCipher(KEY).decrypt_str(sealed(content.encode()))
        == opened(sealed(content.encode()), encrypt_key=KEY).decode()
    )
    # The example of the platform's documentation.
    assert opened("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=", encrypt_key="test key") == b"hello world"


def test_secrets_are_compared_whole():
    assert same_text("a", "a")
    assert not same_text("a", "ab")
    assert not same_text("", "a")
    assert not same_text("\ud800", "a")
