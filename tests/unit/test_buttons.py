"""Button tokens: nothing but what this ledger minted is read, to the bit."""

import base64

import pytest

from daemon.buttons import TOKEN_CHARS_MAX, ButtonKeys, ForgedError, audience_of
from ledger.catalogue import ACTIONS

KEYS = ButtonKeys(b"k" * 32)
NOW_MS = 1_800_000_000_000
DAY_MS = 86_400_000
BASIS = "b1:" + "0123456789abcdef" * 2
CONFIRM = {"action": ACTIONS["goal.confirm"], "subject": "review:docs:1", "basis": BASIS}
AUDIENCE = audience_of("tenant", "oc_1")


def minted(key_id=1, keys=KEYS, **changes):
    asked = CONFIRM | {"audience": AUDIENCE, "expires_at_ms": NOW_MS + DAY_MS} | changes
    return keys.mint(key_id, **asked)


def read(token, now_ms=NOW_MS, keys=KEYS, known=None):
    return keys.verify(token, {1: None} if known is None else known, now_ms)


@pytest.mark.parametrize("basis", [None, BASIS])
@pytest.mark.parametrize(
    "subject", ["goal:docs", "review:docs:12", "form:om_" + "x" * 197, "acceptance:" + "g" * 64 + ":999999"]
)
@pytest.mark.parametrize("action", ["goal.confirm", "goal.pause", "goal.propose"])
def test_what_was_minted_is_read_back(action, subject, basis):
    token = minted(action=ACTIONS[action], subject=subject, basis=basis)
    button = read(token)
    assert (button.action.name, button.subject, button.basis) == (action, subject, basis)
    assert (button.audience, button.expires_at_ms, button.expired) == (AUDIENCE, NOW_MS + DAY_MS, False)
    assert len(token) <= TOKEN_CHARS_MAX


def test_a_token_of_an_ordinary_card_is_small():
    assert len(minted(subject="acceptance:goal-1234:12")) <= 120


def test_the_same_card_gets_the_same_token_and_every_difference_another_nonce():
    assert minted() == minted()
    others = [
        minted(subject="review:docs:2"),
        minted(basis="b1:" + "f" * 32),
        minted(basis=None),
        minted(action=ACTIONS["goal.decline"]),
        minted(audience=audience_of("tenant", "oc_2")),
        minted(audience=audience_of("tenan", "toc_1")),
    ]
    nonces = {read(token, known={1: None, 2: None}).nonce for token in [minted(), *others]}
    assert len(nonces) == len(others) + 1
    # When it ends says nothing about what it stands for: a card drawn again tomorrow is the same wish.
    assert read(minted(expires_at_ms=NOW_MS + 2 * DAY_MS)).nonce == read(minted()).nonce


def test_another_key_is_another_signature_and_the_same_request():
    old, new = minted(), minted(key_id=2)
    assert old != new
    assert read(old).nonce == read(new, known={1: None, 2: None}).nonce


def test_no_bit_of_a_token_can_be_another():
    raw = base64.urlsafe_b64decode(minted() + "==")
    for place in range(len(raw) * 8):
        forged = bytearray(raw)
        forged[place // 8] ^= 1 << place % 8
        with pytest.raises(ForgedError):
            read(base64.urlsafe_b64encode(bytes(forged)).decode().rstrip("="))


def test_no_piece_of_a_token_is_one_and_nothing_can_be_put_behind_it():
    token = minted()
    for length in range(len(token)):
        with pytest.raises(ForgedError):
            read(token[:length])
    for more in ("A", "AA", "AAAA", "A" * TOKEN_CHARS_MAX):
        with pytest.raises(ForgedError):
            read(token + more)


@pytest.mark.parametrize(
    "token", ["", " ", "=", "A", "x" * 5_000, "目" * 100, "\x00" * 100, "a b" * 30, "\ud800" * 60, "é" * 60]
)
def test_what_was_never_a_token_is_refused(token):
    with pytest.raises(ForgedError):
        read(token)


def test_another_ledger_s_token_is_forged_here():
    with pytest.raises(ForgedError):
        read(minted(keys=ButtonKeys(b"o" * 32)))


def test_a_key_that_is_not_known_signs_nothing():
    with pytest.raises(ForgedError):
        read(minted(key_id=2))
    with pytest.raises(ForgedError):
        read(minted(), known={2: None})


def test_one_key_s_signature_does_not_do_for_another_s_token():
    one, two = (base64.urlsafe_b64decode(minted(key_id=key_id) + "==") for key_id in (1, 2))
    mixed = base64.urlsafe_b64encode(one[:-16] + two[-16:]).decode().rstrip("=")
    with pytest.raises(ForgedError):
        read(mixed, known={1: None, 2: None})


@pytest.mark.parametrize(
    ("now_ms", "until_ms", "expired"),
    [
        (NOW_MS, None, False),
        (NOW_MS + DAY_MS - 1, None, False),
        (NOW_MS + DAY_MS, None, True),
        (NOW_MS + 999, NOW_MS + 1_000, False),
        (NOW_MS + 1_000, NOW_MS + 1_000, True),
        (NOW_MS + DAY_MS, NOW_MS + 2 * DAY_MS, True),
    ],
)
def test_a_token_ends_with_its_time_or_with_the_grace_of_its_key(now_ms, until_ms, expired):
    assert read(minted(), now_ms, known={1: until_ms, 2: None}).expired is expired
