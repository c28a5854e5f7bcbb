"""The whole way by webhook, with real processes; and what is said of a bot whom no press has reached."""

import asyncio
import json
import socket
import sys

import aiohttp
import pytest

from tests.e2e.test_bot_with_simulator import cards, paired, proposed, titled
from tests.e2e.world import ROOT, has_button, running_stack

pytestmark = pytest.mark.slow

KEY = "an encrypt key of the console"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def by_webhook(stack):
    """Give the home the webhook's settings, start the bot, and enter its address in the console."""
    port = free_port()
    token = (await stack.control("webhook"))["verification_token"]
    for name, text in (("lark.encrypt", KEY), ("lark.token", token)):
        (stack.home / name).write_text(text)
        (stack.home / name).chmod(0o600)
    with (stack.home / "config.toml").open("a") as settings:
        settings.write(
            f'transport = "webhook"\nlisten = "127.0.0.1:{port}"\nencrypt_key_file = "lark.encrypt"\n'
            'verification_token_file = "lark.token"\n'
        )
    await stack.bot()
    await stack._until(lambda: listens(stack, port), "the bot listens")
    await stack.control("webhook", {"url": f"http://127.0.0.1:{port}/lark", "encrypt_key": KEY})


async def listens(stack, port):
    try:
        async with stack.session.get(f"http://127.0.0.1:{port}/") as answer:
            return answer.status == 404
    except aiohttp.ClientError:
        return False


async def doctor(stack):
    """`frontstage lark doctor --json`, as it is typed: exit code, document and the state of each line."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.main", "lark", "doctor", "--json", "--home", str(stack.home),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    document = json.loads(out)
    assert not err, err
    secret = stack.greeting["app_secret"].encode()
    assert secret not in out
    return process.returncode, document, {row["subject"]: row["state"] for row in document["findings"]}


async def status(stack):
    """`frontstage status`, as a person reads it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.cli.main", "status", "--locale", "en", "--home", str(stack.home),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await process.communicate()
    return out.decode()


async def health(stack):
    connector = aiohttp.UnixConnector(str(stack.home / "daemon.sock"))
    async with aiohttp.ClientSession("http://d", connector=connector) as session, session.get("/healthz") as answer:
        return (await answer.json())["bot"]


async def told(stack, **facts):
    """Wait until the daemon has been told so."""

    async def is_told():
        bot = await health(stack)
        return all(bot.get(name) == value for name, value in facts.items())

    await stack._until(is_told, f"health says {facts}")


async def test_by_webhook_from_a_proposal_to_a_confirmed_goal(tmp_path):
    async with running_stack(tmp_path, bot=False) as stack:
        await by_webhook(stack)
        await told(stack, transport="webhook", stream_ready=True, qualification="unqualified")
        code, document, states = await doctor(stack)
        assert (code, document["ok"], document["qualified"]) == (0, True, False), document
        assert states["callback"] == "unknown"
        assert {states[one] for one in ("running", "sqlite", "lock", "credentials", "clock")} == {"ok"}
        group = await paired(stack)
        review = await proposed(stack, group)
        answer = await stack.press("ann", review, "Confirm")
        assert answer["toast"]["type"] == "success", answer
        await stack.see("ann", group, has_button("Pause"), "the goal card")
        await stack.see("ann", group, titled("Proposal · Confirmed"), "the closed review card")
        assert len(await cards(stack, group)) == 3
        await told(stack, qualification="qualified", parked=0, turned_away=0)
        code, document, states = await doctor(stack)
        assert (code, document["qualified"], states["callback"], states["chats"]) == (0, True, "ok", "ok"), document
        state = await stack.control("state")
        assert state["link"]["connections"] == []
        assert await stack.stop("bot") == 0


async def test_a_bot_whose_callbacks_are_all_dropped_is_unqualified_and_nothing_is_done(tmp_path):
    """The card is delivered and the stream stands: that is health, and not readiness."""
    async with running_stack(tmp_path) as stack:
        await stack.control("callbacks", {"on": False})
        group = await paired(stack)
        await stack.write("ann", group, "propose Check the docs", mention_bot=True)
        form = await stack.see("ann", group, has_button("Submit"), "the form")
        before = (await stack.cli("status"))["seq"]
        answer = await stack.press("ann", form, "Submit", {"Acceptance criteria, one a line": "Every link works"})
        assert answer["error_code"] == 200340, "the presser's device says so"
        assert (await stack.cli("status"))["seq"] == before
        await told(stack, stream_ready=True, callback_proven=False, qualification="unqualified")
        code, document, states = await doctor(stack)
        assert (code, document["qualified"], states["callback"]) == (0, False, "unknown")
        assert "unqualified" in await status(stack)
        (finding,) = [one for one in (await stack.cli("doctor", check=False))["findings"] if one["subject"] == "bot"]
        assert (finding["level"], "unqualified" in finding["said"]) == ("warn", True)
        # Repaired in the console, the first press proves it.
        await stack.control("callbacks", {"on": True})
        answer = await stack.press("ann", form, "Submit", {"Acceptance criteria, one a line": "Every link works"})
        assert answer["toast"]["type"] == "success", answer
        await told(stack, qualification="qualified")
        assert "unqualified" not in await status(stack)


async def test_a_wrong_secret_is_one_sentence_everywhere_and_no_storm(tmp_path):
    async with running_stack(tmp_path, bot=False) as stack:
        (stack.home / "app.secret").write_text("wrong")
        await stack.bot()
        await told(stack, qualification="fatal")
        assert "app secret is wrong" in (await health(stack))["fatal"]
        code, document, states = await doctor(stack)
        assert (code, document["ok"], states["credentials"], states["running"]) == (1, False, "fail", "fail")
        asked = (await stack.control("requests?api=token"))["requests"]
        assert len(asked) <= 4, "the bot once or twice, the doctor once"
