"""A headless Chromium driven over its debugging protocol: open a page, run a script in it, take a picture."""

import asyncio
import base64
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ANSWER_S_MAX = 30
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--remote-debugging-port=0", "--hide-scrollbars",
)  # fmt: skip


KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, " ": 32}
SHIFT = 8


def went_wrong(message):
    """An exception in the page, or a log line that is not about an HTTP status (4xx answers are expected)."""
    if message.get("method") == "Log.entryAdded":
        return message["params"]["entry"]["source"] != "network"
    if message.get("method") == "Runtime.consoleAPICalled":
        return message["params"]["type"] in {"error", "warning", "assert"}
    return message.get("method") == "Runtime.exceptionThrown"


class Browser:
    """One tab. `errors` collects what went wrong in the page: exceptions, and what its policy forbade.

    `requests` collects every address that the page asked for, from when `watch_requests` was called.
    """

    def __init__(self, socket):
        self._socket = socket
        self._number = 0
        self.errors = []
        self.requests = []

    async def call(self, method, **params):
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        async with asyncio.timeout(ANSWER_S_MAX):
            while True:
                message = await self._socket.receive_json()
                if went_wrong(message):
                    self.errors.append(message["params"])
                if message.get("method") == "Network.requestWillBeSent":
                    self.requests.append(message["params"]["request"]["url"])
                if message.get("id") == self._number:
                    if "error" in message:
                        raise RuntimeError(message["error"])
                    return message["result"]

    async def open(self, url, width=1280, height=900, *, mobile=False):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        await self.call("Emulation.setDeviceMetricsOverride", **metrics)
        await self.call("Page.enable")
        await self.call("Runtime.enable")
        await self.call("Log.enable")
        await self.call("Page.navigate", url="about:blank")
        await self.call("Page.navigate", url=url)

    async def watch_requests(self):
        """Note from now on what is asked for."""
        await self.call("Network.enable")

    async def key(self, name, *, shift=False):
        """Press and let go of a key, as a person does."""
        key = {"key": name, "code": name if name != " " else "Space", "windowsVirtualKeyCode": KEYS[name]}
        text = {"Enter": "\r", " ": " "}.get(name, "")
        down = "keyDown" if text else "rawKeyDown"
        modifiers = SHIFT if shift else 0
        await self.call("Input.dispatchKeyEvent", type=down, modifiers=modifiers, text=text, **key)
        await self.call("Input.dispatchKeyEvent", type="keyUp", modifiers=modifiers, **key)

    async def run(self, script):
        """The value of an expression; a promise is awaited."""
        result = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:600])
        return result["result"].get("value")

    async def until(self, condition):
        """Wait, inside the page, until an expression is true."""
        script = f"""new Promise((done, failed) => {{
            const end = performance.now() + 15000;
            const holds = () => {{ try {{ return {condition}; }} catch {{ return false; }} }};  // not drawn yet
            const look = () => {{
                if (holds()) done(true);
                else if (performance.now() > end) failed(new Error({json.dumps(condition)}));
                else requestAnimationFrame(look);
            }};
            look();
        }})"""
        return await self.run(script)

    async def picture(self, path, clip=None):
        """Take a picture of the window, or of a box in it."""
        asked = (
            {}
            if clip is None
            else {"clip": {name: clip[name] for name in ("x", "y", "width", "height")} | {"scale": 1}}
        )
        shot = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=clip is not None, **asked)
        await asyncio.to_thread(Path(path).write_bytes, base64.b64decode(shot["data"]))


@asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank",
            stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                while b"DevTools listening on" not in (line := await process.stderr.readline()):
                    if not line:
                        raise RuntimeError("the browser did not start")
            port = line.split(b"127.0.0.1:")[1].split(b"/")[0].decode()
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as listing:
                    tab = next(one for one in await listing.json() if one["type"] == "page")
                async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    yield Browser(socket)
        finally:
            process.terminate()
            await process.wait()
