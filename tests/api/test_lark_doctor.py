"""`lark doctor` against a platform that is right, wrong or away: what is unknown is never shown as good."""

import json
import re

import pytest

from bot import lark_checks as checks
from bot.lark import LarkFault, LarkFaultKind
from bot.lark_doctor import Told, _ask_chats, examine, read_beside, shown
from bot.lark_needs import NEEDS, names
from bot.simulator.faults import Fault
from bot.simulator.openapi import SCOPE_OF_SCOPES, SCOPES_KNOWN
from bot.simulator.server import Simulator
from ledger.text.say import LOCALES

SCOPES = {need.name for need in NEEDS if need.kind == "scope"}
NO_DAEMON = "/nowhere/daemon.sock"


def refusal(api, code, status):
    return Fault(api=api, kind="code", code=code, status=status, count=9)


@pytest.fixture
async def platform(tmp_path):
    simulator = Simulator(seed="doctor")
    base_url = await simulator.start()
    app = next(iter(simulator.world.apps.values()))
    simulator.app, simulator.home = app, tmp_path
    write(tmp_path, app.app_id, app.app_secret, base_url)
    yield simulator
    await simulator.stop()


def write(home, app_id, secret, domain):
    for name, text in (
        ("lark.secret", secret),
        ("bot.token", "fs_x"),
        ("config.toml", f'[lark]\napp_id = "{app_id}"\napp_secret_file = "lark.secret"\ndomain = "{domain}"\n'),
    ):
        (home / name).write_text(text)
        (home / name).chmod(0o600)


async def found(platform):
    """State by key and, for lines there are several of, by name."""
    lines = await examine(platform.home, NO_DAEMON)
    return {f"{line.subject} {line.parts.get('name', '')}".strip(): (line.state, line.key) for line in lines}


async def test_what_the_platform_says_is_shown_and_what_nobody_says_is_unknown(platform):
    lines = await found(platform)
    assert lines["credentials"] == ("ok", "credentials.ok")
    assert lines["domain"] == ("ok", "domain.ok")
    assert lines["connection"] == ("ok", "connection.ok")
    assert lines["bot"] == ("ok", "bot.ok")
    assert lines["clock"] == ("ok", "clock.ok")
    assert {name: lines[f"scope {name}"][0] for name in SCOPES} == dict.fromkeys(SCOPES, "ok")
    # No daemon, so nothing is known of what arrived.
    assert lines["running"] == ("unknown", "running.daemon")
    assert lines["callback"] == ("unknown", "callback.unknown")
    assert lines["chats"] == ("unknown", "chats.nobody")
    assert all(lines[f"event {name}"][0] == "unknown" for name in names("event"))
    assert not platform.link.connections, "it opened no connection"


@pytest.mark.parametrize(
    ("fault", "line", "state", "key"),
    [
        (refusal("token", 10003, 200), "credentials", "fail", "credentials.app_id"),
        (refusal("token", 10014, 200), "credentials", "fail", "credentials.secret"),
        (
            Fault(api="token", kind="code", code=99991401, status=400, count=9),
            "credentials",
            "fail",
            "credentials.refused",
        ),
        (Fault(api="token", kind="html", status=502, count=9), "credentials", "unknown", "credentials.unreachable"),
        (Fault(api="token", kind="empty", count=9), "credentials", "unknown", "credentials.unreachable"),
        (Fault(api="token", kind="reset", count=9), "credentials", "unknown", "credentials.unreachable"),
        (refusal("ws.endpoint", 1000040351, 200), "domain", "fail", "domain.other"),
        (
            Fault(api="ws.endpoint", kind="code", code=1000040350, status=200),
            "connection",
            "fail",
            "connection.refused",
        ),
        (refusal("ws.endpoint", 1, 200), "connection", "unknown", "connection.unknown"),
        (refusal("bot_info", 230006, 400), "bot", "fail", "bot.off"),
        (Fault(api="bot_info", kind="html", status=502), "bot", "unknown", "bot.unknown"),
        (
            Fault(api="scopes.list", kind="code", code=99991672, status=400),
            "scope im:chat:readonly",
            "unknown",
            "scope.unknown",
        ),
        (Fault(api="scopes.list", kind="empty"), "scope im:chat:readonly", "unknown", "scope.unknown"),
    ],
)
async def test_each_refusal_has_its_line(platform, fault, line, state, key):
    platform.faults.plan(fault)
    assert (await found(platform))[line] == (state, key)


async def test_without_a_token_nothing_else_is_shown_as_good(platform):
    platform.faults.plan(Fault(api="token", kind="code", code=10014, status=200, count=9))
    states = {state for state, _ in (await found(platform)).values()}
    good = [line for line, (state, _) in (await found(platform)).items() if state == "ok"]
    assert states == {"ok", "fail", "unknown"}
    assert good == ["clock"]


@pytest.mark.parametrize("missing", sorted(SCOPES - {SCOPE_OF_SCOPES}))
async def test_a_permission_that_was_not_granted_is_named(platform, missing):
    platform.app.granted_scopes = set(SCOPES_KNOWN) - {missing}
    lines = await found(platform)
    assert lines[f"scope {missing}"] == ("fail", "scope.missing")
    assert sum(state == "fail" for state, _ in lines.values()) == 1


async def test_a_clock_that_is_off_is_told(platform):
    platform.clock.advance(90_000)
    assert (await found(platform))["clock"] == ("warn", "clock.off")


@pytest.mark.parametrize(
    ("skew_ms", "by_webhook", "expected"),
    [
        (None, True, ("unknown", "clock.unknown")),
        (30_000, True, ("ok", "clock.ok")),
        (-30_001, False, ("warn", "clock.off")),
        (-300_000, True, ("warn", "clock.off")),
        (300_001, True, ("fail", "clock.far")),
        (300_001, False, ("warn", "clock.off")),
    ],
)
def test_by_webhook_a_clock_outside_the_window_fails(skew_ms, by_webhook, expected):
    line = checks.clock(skew_ms, by_webhook=by_webhook)
    assert (line.state, line.key) == expected


class Asked:
    """A platform that knows some chats."""

    def __init__(self, **chats):
        self.chats = chats

    async def is_in_chat(self, chat_id):
        answer = self.chats[chat_id]
        if isinstance(answer, LarkFault):
            raise answer
        return answer


async def test_the_bot_must_be_in_every_chat_that_cards_are_wanted_in():
    away, dissolved = LarkFault(LarkFaultKind.UNKNOWN_OUTCOME), LarkFault(LarkFaultKind.CHAT_LOST, code=232009)
    asked = Asked(oc_in=True, oc_out=False, oc_away=away, oc_gone=dissolved)

    async def line(*chats):
        told = Told(chats={chat_id: (chat_id.replace("oc_", "goal-"),) for chat_id in chats})
        one = await _ask_chats(asked, told)
        return one.state, one.key, one.parts.get("goals"), one.parts.get("unasked")

    assert await line("oc_in") == ("ok", "chats.ok", None, None)
    assert await line() == ("ok", "chats.none", None, None)
    assert await line("oc_in", "oc_out", "oc_gone") == ("fail", "chats.out", "goal-gone, goal-out", None)
    assert await line("oc_in", "oc_away") == ("unknown", "chats.unknown", None, "1")


def test_presses_are_proven_by_a_press_and_by_nothing_else():
    *events, callback = checks.subscriptions(names("event"), None, proven=False)
    assert {line.state for line in events} == {"ok"}
    assert callback.state == "unknown", "every event may have arrived, and cards may still be dead"
    *events, callback = checks.subscriptions((), 1_700_000_000_000, proven=True)
    assert {line.state for line in events} == {"unknown"}
    assert (callback.state, callback.parts) == ("ok", {"at": "2023-11-14 22:13 UTC"})
    assert checks.subscriptions((), 1_700_000_000_000, proven=False)[-1].state == "unknown", "a press of an earlier run"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (None, ("unknown", "running.daemon")),
        ({"state": "absent"}, ("warn", "running.absent")),
        ({"state": "silent"}, ("warn", "running.absent")),
        ({"state": "up", "stream_ready": False}, ("warn", "running.not_ready")),
        ({"state": "up", "stream_ready": True, "fatal": "the other domain"}, ("fail", "running.fatal")),
        ({"state": "up", "stream_ready": True, "send_fault": "the token"}, ("fail", "running.mute")),
        ({"state": "up", "stream_ready": True, "last_frame_at_ms": 5}, ("ok", "running.ok")),
    ],
)
def test_the_bot_is_told_as_it_last_said(told, expected):
    line = checks.running(told)
    assert (line.state, line.key) == expected


@pytest.mark.parametrize("locale", LOCALES)
async def test_every_line_that_is_not_good_says_what_it_means_and_what_to_do(platform, locale):
    platform.app.granted_scopes = set()
    for line in await examine(platform.home, NO_DAEMON):
        row = {"subject": line.subject, "state": line.state, "said": line.said(locale)}
        row |= {"means": line.means(locale), "next": line.step(locale)}
        assert bool(row["means"]) is bool(row["next"]) is (line.state != "ok")
        assert shown([row]).count("\n") == (1 if line.state == "ok" else 3)


def test_what_several_lines_mean_alike_is_said_once():
    def row(subject, said, step):
        return {"subject": subject, "state": "unknown", "said": said, "means": "nobody tells", "next": step}

    text = shown([row("event", "one", "write"), row("event", "two", "write"), row("callback", "three", "press")])
    assert [line.split()[-1] for line in text.splitlines()] == [
        "one",
        "two",
        "tells",
        "write",
        "three",
        "tells",
        "press",
    ]


async def test_no_line_holds_a_secret_or_an_id(platform):
    lines = await examine(platform.home, NO_DAEMON)
    text = json.dumps([[one.said(locale), one.means(locale), one.step(locale)] for one in lines for locale in LOCALES])
    chat = next(iter(platform.world.chats.values()))
    assert platform.app.app_secret not in text
    assert chat.chat_id not in text
    assert not re.search(r"\b(t-[0-9a-f]{8}|oc_|ou_)", text)


async def test_settings_that_cannot_be_used_are_the_answer(platform):
    (platform.home / "lark.secret").chmod(0o644)
    (line,) = await examine(platform.home, NO_DAEMON)
    assert (line.state, line.key) == ("fail", "settings.bad")
    assert "chmod 600" in line.said("en")


def test_rows_of_the_command_line_are_shown_as_they_are():
    beside = json.dumps([{"subject": "sqlite", "state": "ok", "said": "SQLite 3.54", "next": "", "more": 1}])
    (row,) = read_beside(beside)
    assert row == {"subject": "sqlite", "state": "ok", "said": "SQLite 3.54", "means": "", "next": ""}
    assert read_beside("") == []


@pytest.mark.parametrize("settings", [None, "[bot]\n"])
@pytest.mark.parametrize(
    ("locale", "said"),
    [("en", "not set up: run frontstage lark setup"), ("zh", "尚未接入：请运行 frontstage lark setup")],
)
async def test_a_home_without_an_app_is_told_how_to_get_one(tmp_path, settings, locale, said):
    if settings is not None:
        (tmp_path / "config.toml").write_text(settings)
    (line,) = await examine(tmp_path, NO_DAEMON)
    assert (line.state, line.said(locale)) == ("fail", said)
    assert line.means(locale)
    assert line.step(locale)
