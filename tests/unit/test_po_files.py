"""The catalogues: compiled files are what the sources say, and both languages say the same things."""

import io
import string
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from ledger.text.say import DOMAINS, LOCALES

ROOT = Path(__file__).parents[2] / "ledger" / "text" / "locale"
FAMILIES = frozenset(
    {
        "state",
        "field",
        "class",
        "need",
        "action",
        "event",
        "toast",
        "card",
        "handoff",
        "refusal",
        "cli",
        "page",
        "chat",
        "problem",
    }
)


def folder(locale):
    return ROOT / locale / "LC_MESSAGES"


def source(locale, domain):
    with (folder(locale) / f"{domain}.po").open("rb") as file:
        catalogue = read_po(file, abort_invalid=True)
    return {message.id: message for message in catalogue if message.id}


def placeholders(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("locale", LOCALES)
def test_the_compiled_file_says_what_its_source_says(locale, domain):
    compiled = read_mo(io.BytesIO((folder(locale) / f"{domain}.mo").read_bytes()))
    says = {message.id: message.string for message in compiled if message.id}
    assert says == {key: message.string for key, message in source(locale, domain).items()}


@pytest.mark.parametrize("domain", DOMAINS)
def test_both_languages_have_the_same_keys_and_placeholders(domain):
    en, zh = source("en", domain), source("zh", domain)
    assert sorted(en) == sorted(zh)
    differing = [key for key in en if placeholders(en[key].string) != placeholders(zh[key].string)]
    assert differing == []


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("locale", LOCALES)
def test_every_sentence_is_written_and_settled(locale, domain):
    for key, message in source(locale, domain).items():
        assert message.string.strip() == message.string != "", key
        assert not message.fuzzy, key
        assert all(name.isidentifier() for name in placeholders(message.string)), key


@pytest.mark.parametrize("locale", LOCALES)
def test_a_key_belongs_to_one_domain_and_a_known_family(locale):
    keys = {domain: set(source(locale, domain)) for domain in DOMAINS}
    assert sum(map(len, keys.values())) == len(set().union(*keys.values()))
    assert {key.split(".")[0] for key in keys["frontstage"]} <= FAMILIES
    assert all(key.startswith("refusal.") for key in keys["refusals"])
    assert all(key.startswith("chat.") for key in keys["chat"])


def test_a_refusal_has_a_message_and_a_hint():
    keys = set(source("en", "refusals"))
    codes = {key.rsplit(".", 1)[0] for key in keys}
    assert keys == {f"{code}.{part}" for code in codes for part in ("message", "hint")}


def test_no_sentence_leans_on_pictures():
    for locale in LOCALES:
        for domain in DOMAINS:
            for key, message in source(locale, domain).items():
                pictures = [sign for sign in message.string if ord(sign) >= 0x1F000 or 0x2600 <= ord(sign) <= 0x27BF]
                assert pictures == [], key
