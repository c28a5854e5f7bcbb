"""Three real processes beside the test: simulator, daemon and bot; and a person who sees and presses what is shown."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

ROOT = Path(__file__).parents[2]
# Generous, because everything starts cold on a busy machine; nothing waits longer than what it waits for takes.
WAIT_S_MAX = 30
GROUP = "Launch room"


class Stack:
    """A home, the processes that belong to it, and the simulator's chat."""

    def __init__(self, home, session):
        self.home = home
        self.session = session
        self.processes = {}
        self.base_url = ""
        self.greeting = {}

    # Processes.

    async def simulator(self):
        process = await self._spawn("simulator", "-m", "bot.simulator", "--port", "0", stdout=True)
        self.greeting = json.loads(await asyncio.wait_for(process.stdout.readline(), WAIT_S_MAX))
        self.base_url = self.greeting["base_url"]

    async def daemon(self):
        await self._spawn("daemon", "-m", "daemon.app", "--home", str(self.home))
        await self._until(self._daemon_answers, "the daemon answers")

    async def bot(self, name="bot"):
        await self._spawn(name, "-m", "bot.app", "--home", str(self.home))

    async def connected(self):
        await self._until(self._bot_is_online, "the bot is online")

    async def stop(self, name, number=signal.SIGTERM):
        """Stop a process and return its exit code."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        return await asyncio.wait_for(process.wait(), 15)

    async def cli(self, *words, check=True):
        """The command line's own answer."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "daemon.cli.main", *words, "--home", str(self.home), "--json",
            cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
        assert not check or process.returncode == 0, (words, out, err)
        return json.loads(out) if out.strip() else {}

    async def _spawn(self, name, *words, stdout=False):
        log = (self.home.parent / f"{name}.log").open("ab")
        process = await asyncio.create_subprocess_exec(
            sys.executable, *words, cwd=ROOT, stderr=log,
            stdout=asyncio.subprocess.PIPE if stdout else log,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        log.close()
        self.processes[name] = process
        return process

    def log(self, name):
        return (self.home.parent / f"{name}.log").read_text()

    async def close(self):
        for name in tuple(self.processes):
            with contextlib.suppress(TimeoutError):
                await self.stop(name)
        for process in self.processes.values():
            process.kill()

    # The chat, as a person has it.

    async def chat_api(self, method, path, body=None):
        async with self.session.request(method, f"{self.base_url}/chat/api/{path}", json=body) as answer:
            return answer.status, await answer.json()

    async def control(self, path, body=None, method=None):
        url = f"{self.base_url}/_control/{path}"
        async with self.session.request(method or ("GET" if body is None else "POST"), url, json=body) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()

    async def chat_of(self, person, kind):
        _, answer = await self.chat_api("GET", f"chats?person={person}")
        return next(chat["chat_id"] for chat in answer["chats"] if chat["kind"] == kind)

    async def write(self, person, chat, text, *, mention_bot=False):
        body = {"person": person, "text": text, "mention_bot": mention_bot}
        status, answer = await self.chat_api("POST", f"chats/{chat}/messages", body)
        assert status == 200, answer
        return answer["message_id"]

    async def messages(self, person, chat):
        _, answer = await self.chat_api("GET", f"chats/{chat}/messages?person={person}")
        return answer["messages"], answer["revision"]

    async def see(self, person, chat, wanted, what):
        """Wait until a message is shown that this is true of, and return it."""
        give_up_s = asyncio.get_running_loop().time() + WAIT_S_MAX
        while True:
            shown, revision = await self.messages(person, chat)
            found = [one for one in shown if wanted(one)]
            if found:
                return found[-1]
            late = asyncio.get_running_loop().time() > give_up_s
            assert not late, f"nobody saw {what}; shown: {shown}; bot: {self.log('bot')[-2000:]}"
            await self.chat_api("GET", f"changes?after={revision}&timeout_ms=5000")

    async def press(self, person, message, label, inputs=None, *, confirm=False):
        """Press the button with this label; the answer the person gets."""
        body = {"person": person, "button": label, "inputs": inputs or {}, "confirm": confirm}
        status, answer = await self.chat_api("POST", f"messages/{message['message_id']}/press", body)
        assert status == 200, answer
        return answer

    # Waiting.

    async def _daemon_answers(self):
        connector = aiohttp.UnixConnector(str(self.home / "daemon.sock"))
        try:
            async with aiohttp.ClientSession("http://d", connector=connector) as session, session.get("/readyz") as got:
                return got.status == 200
        except (aiohttp.ClientError, OSError):
            return False

    async def _bot_is_online(self):
        _, answer = await self.chat_api("GET", "chats?person=ann")
        return bool(answer["online"])

    async def _until(self, happened, what):
        async with asyncio.timeout(WAIT_S_MAX):
            while not await happened():
                for name, process in self.processes.items():
                    assert process.returncode is None, f"waiting until {what}: {name} ended: {self.log(name)[-3000:]}"
                await asyncio.sleep(0.05)


@asynccontextmanager
async def running_stack(folder, *, bot=True):
    """Simulator, daemon and (unless asked otherwise) one connected bot, in an empty home; ended afterwards."""
    home = folder / "home"
    async with aiohttp.ClientSession() as session:
        stack = Stack(home, session)
        try:
            await stack.cli("init", "--owner", "ann", "--owner-name", "Ann Lee")
            await stack.simulator()
            secret = home / "app.secret"
            secret.write_text(stack.greeting["app_secret"])
            secret.chmod(0o600)
            (home / "config.toml").write_text(
                f'[lark]\napp_id = "{stack.greeting["app_id"]}"\napp_secret_file = "app.secret"\n'
                f'domain = "{stack.base_url}"\n'
            )
            await stack.daemon()
            if bot:
                await stack.bot()
                await stack.connected()
            yield stack
        finally:
            await stack.close()


def text_has(words):
    return lambda one: words in json.dumps(one, ensure_ascii=False)


def buttons(message):
    return [button["label"] for button in (message.get("card") or {}).get("buttons", [])]


def has_button(label):
    return lambda one: label in buttons(one)
