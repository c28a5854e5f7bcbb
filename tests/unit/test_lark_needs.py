"""The table of what the app needs: each line is used where it says, and the documents list exactly these."""

import base64
import gzip
import json
import re

import pytest

from bot.lark_needs import DOMAINS, NEEDS, accounts_url, console_url, names
from bot.lark_registration import addons, page_url
from ledger.text.say import LOCALES, say
from tests.tidy.sources import ROOT

DOCS = ("docs/lark.md", "docs/zh/lark.md")


@pytest.mark.parametrize("need", NEEDS, ids=lambda need: need.name)
def test_each_line_is_needed_by_the_code_it_names(need):
    path = ROOT / (need.used_in.replace(".", "/") + ".py")
    assert need.used_as in path.read_text(encoding="utf-8")
    assert len({say(need.why, locale) for locale in LOCALES}) == 2


def test_no_event_is_acted_on_that_the_table_does_not_ask_for():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "bot").glob("*.py"))
    acted_on = set(re.findall(r"\"((?:im|application)\.[a-z_.0-9]+_v\d)\"", sources))
    assert acted_on == set(names("event"))


def test_no_line_is_there_twice():
    assert len({(need.kind, need.name) for need in NEEDS}) == len(NEEDS)
    assert names("scope", optional=False) == tuple(
        need.name for need in NEEDS if need.kind == "scope" and not need.optional
    )


def test_every_test_that_contains_a_defect_exists():
    table = (ROOT / "docs/adr/0004-lark-sdk-behind-one-port.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_[a-z0-9_]+\.py)::(test_[a-z0-9_]+)`", table)
    files = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("*/test_*.py")}
    assert len(named) > 30
    assert [f"{file}::{test}" for file, test in named if f"def {test}(" not in files.get(file, "")] == []


@pytest.mark.parametrize("page", DOCS)
def test_the_documents_list_exactly_what_the_code_needs(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    listed = set(re.findall(r"`((?:im|card|application)[.:][a-z0-9_.:]+[a-z0-9])`", text))
    assert listed == {need.name for need in NEEDS}


def test_a_registration_asks_for_exactly_the_table():
    packed = addons()
    told = json.loads(gzip.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))))
    assert told == {
        "scopes": {"tenant": list(names("scope"))},
        "events": {"items": {"tenant": list(names("event"))}},
        "callbacks": {"items": list(names("callback"))},
    }
    url = page_url("https://open.feishu.cn/page/launcher?user_code=AB")
    assert url.startswith("https://open.feishu.cn/page/launcher?user_code=AB&")
    assert f"addons={packed}" in url


@pytest.mark.slow
def test_the_vendors_sdk_packs_the_same_request():
    from lark_oapi.scene.registration import _encode_addons  # noqa: PLC0415 - two seconds, for this test alone

    asked = {
        "scopes": {"tenant": list(names("scope"))},
        "events": {"items": {"tenant": list(names("event"))}},
        "callbacks": {"items": list(names("callback"))},
    }

    def unpacked(text):
        return json.loads(gzip.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))))

    assert unpacked(_encode_addons(asked)) == unpacked(addons())


def test_each_domain_has_its_own_console_and_accounts():
    assert console_url(DOMAINS["lark"], "cli_1") == "https://open.larksuite.com/app/cli_1"
    assert console_url(DOMAINS["feishu"]) == "https://open.feishu.cn/app"
    assert accounts_url(DOMAINS["lark"]) == "https://accounts.larksuite.com"
    assert accounts_url("http://127.0.0.1:5") == "http://127.0.0.1:5"
