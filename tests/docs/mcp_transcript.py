"""Writes docs/mcp-transcript.md: `python -m tests.docs.mcp_transcript`.

The official client talks to `frontstage mcp` on a ledger that is made anew, so that everything but moments and random
ids is the same each time; for those stands `…`. A test compares the page with what this would write.
"""

import asyncio
import json
import re
import sys

from tests.support.daemons import daemon_on_fresh_home
from tests.support.homes import activate, sha256
from tests.support.mcp import served
from tests.tidy.sources import ROOT

TARGET = ROOT / "docs" / "mcp-transcript.md"
VARYING = re.compile(r"\br_[0-9a-f]{24}\b|\bk[0-9a-f]{12}-[0-9a-f]{16}\b|\b20\d\d-\d\d-\d\d[T ][0-9:.]+(?:Z| UTC)")
GOAL = {"goal_id": "docs"}
WORK = {**GOAL, "todo_id": "todo_000"}
REPORT = b"41 links, all of them lead somewhere\n"
HEAD = """# Transcript: an agent claims, leases and completes over MCP

The official Python client of the protocol talks to `frontstage mcp`, which has nothing but a socket and the token of
an agent. `python -m tests.docs.mcp_transcript` writes this page, and a test holds it to be what it would write. Where
`…` stands is a moment or a random id. A result is shown as its structured content; as text it has the same. What is
explained in [mcp.md](mcp.md) is not explained here.
"""


def shown(value, name=""):
    """Without what differs from one time to the next."""
    if isinstance(value, dict):
        return {key: shown(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [shown(inner) for inner in value]
    if name.endswith("_at_ms"):
        return "…"
    return VARYING.sub("…", value) if isinstance(value, str) else value


class Page:
    """The page as it grows."""

    def __init__(self, session):
        self._session = session
        self.parts = [HEAD]

    def tell(self, text):
        self.parts.append(f"\n{text}\n")

    def show(self, arrow, method, document):
        body = json.dumps(shown(document), ensure_ascii=False, indent=2)
        self.parts.append(f"\n{arrow} `{method}`\n\n```json\n{body}\n```\n")

    async def call(self, tool, **arguments):
        self.show("→", "tools/call", {"name": tool, "arguments": arguments})
        said = await self._session.call_tool(tool, arguments)
        assert json.loads(said.content[0].text) == said.structured_content
        self.show("←", "isError: true" if said.is_error else "isError: false", said.structured_content)
        return said.structured_content


async def talk(made):
    async with served(made) as session:
        page = Page(session)
        page.tell("## What is offered")
        page.show("←", "tools/list, the names", [tool.name for tool in (await session.list_tools()).tools])
        page.tell("## Claim and lease")
        await page.call("todo_claim", **GOAL)
        await page.call("task_lease_acquire", **WORK, idempotency_key="turn-1", ttl_seconds=600)
        page.tell("## Without the fence it is refused, and the refusal names the call that helps")
        refused = await page.call("todo_complete", **WORK)
        lease = await page.call(refused["next"]["tool"], **refused["next"]["arguments"])
        page.tell("## Renew, hand in, complete")
        held = {"idempotency_key": "turn-1", "expected_version": lease["version"]}
        renewed = await page.call("task_lease_renew", **WORK, **held)
        digest = sha256(REPORT.decode())
        evidence = {"label": "links.txt", "sha256": digest, "size_bytes": len(REPORT), "criterion": ["c1"]}
        artifact = await page.call("artifact_submit", **WORK, **evidence)
        fence = {
            "evidence": [artifact["result"]["artifact_id"]],
            "task_lease_idempotency_key": "turn-1",
            "task_lease_expected_version": renewed["result"]["version"],
        }
        done = await page.call("todo_complete", **WORK, **fence, request_key="turn-1/complete")
        page.tell("## The same call again has the same receipt")
        again = await page.call("todo_complete", **WORK, **fence, request_key="turn-1/complete")
        assert (again["receipt_id"], again["replayed"], done["replayed"]) == (done["receipt_id"], True, False)
        page.tell("## What is true now is read, not remembered")
        (content,) = (await session.read_resource("frontstage://goals/docs/todos")).contents
        page.show("→", "resources/read", {"uri": "frontstage://goals/docs/todos"})
        todos = json.loads(content.text)
        page.show(
            "←", "of its text, some fields", {"seq": todos["seq"], "todos": [brief(one) for one in todos["todos"]]}
        )
        return "".join(page.parts)


def brief(todo):
    return {name: todo[name] for name in ("todo_id", "status", "claimed_by")}


def render():
    """The page."""
    with daemon_on_fresh_home(activate) as daemon:
        return asyncio.run(talk(daemon.made))


def main():
    TARGET.write_text(render(), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")


if __name__ == "__main__":
    main()
