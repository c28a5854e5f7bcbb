"""The same facts, read five ways: on cards as people see them, on the page, by the command line, over HTTP, by MCP.

Documents are compared whole: everything that two of the surfaces say must be equal, but for the moment at which they
were asked. Cards are compared by facts: what stands on one is read as a person reads it, by the words beside it, and
what should stand there is derived from the documents by the rules that are written down here anew. The page says of
each of its facts where in which document it stands; those documents are read over HTTP. Nothing of the product's own
drawing or parsing is used.
"""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from mcp import ClientSession, StdioServerParameters, stdio_client

from tests.e2e.card_facts import acceptance_on_card, gate_on_card, goal_on_card, request_on_card
from tests.web.page_facts import Page, differing

ROOT = Path(__file__).parents[2]
SETTLES_S_MAX = 60
LATE_S = 15
QUIET_S = 0.25

DOCUMENTS = {
    "goal.show": "goals/{goal_id}",
    "todo.list": "goals/{goal_id}/todos",
    "artifact.list": "goals/{goal_id}/artifacts",
    "gate.list": "goals/{goal_id}/gates",
    "request.list": "goals/{goal_id}/requests",
    "quota.status": "goals/{goal_id}/quota",
}
"""What is read of a goal, and its address in MCP."""

ON_EVERY_PAGE = (
    "goal_id", "display_name", "state", "priority", "revision", "objective", "responsible", "claimed_until", "cause",
    "next_safe_action", "latest_status", "decision_frame.user_action_required", "quota.state", "quota.spent_slots",
    "quota.allowed_slots", "interaction_contract.mode",
)  # fmt: skip
"""Facts of `goal.show` that the page of a goal shows whatever state it is in."""
IN_EACH_ROW = {
    "active_leases": ("owner_agent", "lease_until", "write_scope"),
    "agent_todos": ("title", "status", "priority"),
    "user_todos": ("title", "status", "priority"),
}
"""The same for the first row of its lists."""

OF_THE_MOMENT = frozenset({"generated_at", "status_generated_at", "active_state_updated_at", "window_from"})
"""Fields that say when somebody asked."""


class Differ(AssertionError):
    """Two surfaces do not say the same; names each field with what each of them says."""


@dataclass(frozen=True)
class Step:
    """One state of one goal that all surfaces agreed on."""

    goal_id: str
    seq: int
    state: str
    fields: int
    cards: tuple[str, ...]


@dataclass
class Surfaces:
    """Five ways to the same ledger; four of them with one credential, the page as whoever has its address."""

    home: Path
    base_url: str
    person: str
    chat: str
    token: str
    session: aiohttp.ClientSession
    mcp: ClientSession
    page: str
    """Where the local page is."""
    steps: list[Step] = field(default_factory=list)

    async def http(self, action, params):
        """A document over HTTP, asked byte for byte as a program without our client would."""
        connector = aiohttp.UnixConnector(str(self.home / "daemon.sock"))
        async with (
            aiohttp.ClientSession("http://d", connector=connector) as session,
            session.get(
                f"/v1/actions/{action}", params=params, headers={"Authorization": f"Bearer {self.token}"}
            ) as got,
        ):
            return await got.json()

    async def cli(self, action, params):
        """The same by the command line."""
        noun, verb = action.split(".")
        flags = [word for name, value in params.items() for word in (f"--{name.replace('_', '-')}", value)]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "daemon.cli.main", noun, verb, *flags, "--socket", str(self.home / "daemon.sock"),
            "--json", cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={**_plain(os.environ), "FRONTSTAGE_TOKEN": self.token, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        out, err = await process.communicate()
        assert out.strip(), (action, process.returncode, err)
        return json.loads(out)

    async def by_mcp(self, action, params):
        """The same as a resource of the MCP server."""
        result = await self.mcp.read_resource("frontstage://" + DOCUMENTS[action].format(**params))
        return json.loads(result.contents[0].text)

    async def on_page(self, goal_id, goal):
        """What the page of a goal says otherwise than its documents do, and how many facts it has."""
        async with self.session.get(f"{self.page}goals/{goal_id}", headers={"Accept-Language": "en"}) as got:
            page = Page(await got.text())
        documents = {"goal.show": goal}
        for document in {fact.document for fact in page.facts} - {"goal.show"}:
            action, *named = document.split()
            asked = {"goal_id": goal_id, **dict(one.split("=", 1) for one in named)}
            documents[document] = await self.http(action, asked)
        shown = {fact.path for fact in page.facts if fact.document == "goal.show"}
        wanted = [
            *ON_EVERY_PAGE,
            *(f"{rows}[0].{one}" for rows in IN_EACH_ROW for one in IN_EACH_ROW[rows] if goal[rows]),
        ]
        missing = [f"the page does not show {path}" for path in wanted if path not in shown]
        return missing + [f"page: {one}" for one in differing(page, documents)], len(page.facts)

    async def head(self):
        """Where the ledger stands."""
        return (await self.http("status.show", {}))["seq"]

    async def shown(self):
        """Every card that the person sees, here and in the chat with the bot."""
        found = []
        async with self.session.get(f"{self.base_url}/chat/api/chats", params={"person": self.person}) as got:
            chats = [one["chat_id"] for one in (await got.json())["chats"]]
        for chat in chats:
            url, asked = f"{self.base_url}/chat/api/chats/{chat}/messages", {"person": self.person, "limit": 100}
            async with self.session.get(url, params=asked) as got:
                found += [
                    one for one in (await got.json())["messages"] if one["kind"] == "card" and not one["recalled"]
                ]
        return [one["card"] for one in found]

    async def agree(self, goal_id, *, waits_s=SETTLES_S_MAX, pinned=False):
        """A state in which the ledger rested while it was read and in which all agree; none where there never was one.

        With `pinned` the command line is asked for the very state that the others showed, which may be past by then: so
        a ledger that hardly rests can be looked at. Raises Differ for a difference that stays.
        """
        clock = asyncio.get_running_loop().time
        give_up_s, differs_since = clock() + waits_s, {}
        while clock() < give_up_s:
            seq = await self.head()
            documents, differences, step = await self._look(goal_id)
            if await self.head() == seq:
                if not differences:
                    differences = await self._by_cli(goal_id, documents, {"at": str(seq)} if pinned else {})
                    if not pinned and await self.head() != seq:
                        continue
                if not differences:
                    self.steps.append(step)
                    return step
                # A card follows in a moment; what stays as it is for long is not late but wrong.
                differs_since = {one: differs_since.get(one, clock()) for one in differences}
                if lasting := [one for one, since in differs_since.items() if clock() - since > LATE_S]:
                    raise Differ(f"{goal_id} at {seq}: " + "\n".join(lasting))
            await asyncio.sleep(QUIET_S)
        return None

    async def _look(self, goal_id):
        """What HTTP, MCP, the cards and the page say: the documents, what differs, and the step that it was."""
        asked = {"goal_id": goal_id}
        pairs = await asyncio.gather(
            *(asyncio.gather(self.http(action, asked), self.by_mcp(action, asked)) for action in DOCUMENTS)
        )
        documents = dict(zip(DOCUMENTS, (http for http, _ in pairs), strict=True))
        differences, fields = [], 0
        for action, (http, mcp) in zip(DOCUMENTS, pairs, strict=True):
            flat = {"HTTP": dict(leaves(http)), "MCP": dict(leaves(mcp))}
            fields += len(flat["HTTP"])
            differences += compared(action, flat)
        # A card names members, a document has their ids; votes and a request have pages of their own.
        documents["names"] = await self._names()
        for kind, listed, name in (("gate", "gates", "gate_id"), ("request", "requests", "request_id")):
            rows = [{"goal_id": goal_id, name: one[name]} for one in documents[f"{kind}.list"].get(listed, [])]
            documents[f"{kind}s"] = await asyncio.gather(*(self.http(f"{kind}.show", one) for one in rows))
        seen = cards_of(await self.shown(), documents)
        for kind, on_card, expected in seen:
            fields += len(expected)
            differences += compared(kind, {"card": on_card, "documents": expected})
        goal = documents["goal.show"]
        on_page, shown = await self.on_page(goal_id, goal)
        differences += on_page
        fields += shown
        return documents, differences, Step(goal_id, goal["seq"], goal["state"], fields, tuple(one[0] for one in seen))

    async def _by_cli(self, goal_id, documents, at):
        """What the command line says otherwise than HTTP did."""
        asked = {"goal_id": goal_id, **at}
        said = await asyncio.gather(*(self.cli(action, asked) for action in DOCUMENTS))
        found = []
        for action, document in zip(DOCUMENTS, said, strict=True):
            flat = {"HTTP": dict(leaves(documents[action])), "CLI": dict(leaves(document))}
            found += compared(action, flat)
        return found

    async def _names(self):
        members = (await self.http("member.list", {}))["members"]
        return {one["member_id"]: one["display_name"] for one in members}


def leaves(document, path=""):
    """Every field of a document with its path; an empty list or object is a field too."""
    if isinstance(document, dict) and document:
        for name, value in document.items():
            if name not in OF_THE_MOMENT:
                yield from leaves(value, f"{path}.{name}")
    elif isinstance(document, list) and document:
        for place, value in enumerate(document):
            yield from leaves(value, f"{path}[{place}]")
    else:
        yield path, document


def compared(what, said):
    """Each field that is not the same everywhere, with what each says; one that is missing is told as missing."""
    names = sorted({name for one in said.values() for name in one})
    missing = object()
    found = []
    for name in names:
        values = {surface: one.get(name, missing) for surface, one in said.items()}
        first = next(iter(values.values()))
        if any(value != first or type(value) is not type(first) for value in values.values()):
            told = {surface: "(missing)" if value is missing else value for surface, value in values.items()}
            found.append(f"{what}{name if name.startswith(('.', '[')) or not name else ' ' + name}: {told}")
    return found


def cards_of(cards, documents):
    """Each card that stands for something of this goal: its kind, what is on it, and what should be."""
    goal = documents["goal.show"]
    title, shown = goal["display_name"], []
    own = [card for card in cards if card["title"] == title]
    last = {}
    for card in own:
        last[card["subtitle"].split(" · ")[0]] = card
    if "Goal" in last:
        shown.append(("goal card", *goal_on_card(last["Goal"], documents)))
    delivery = goal["acceptance"]
    if delivery is not None:
        name = f"Delivery {delivery['delivery']}"
        if name in last:
            shown.append((f"{name} card", *acceptance_on_card(last[name], documents)))
    for kind, read, told in (("gate", gate_on_card, "Gate"), ("request", request_on_card, "Request")):
        for one in documents[f"{kind}s"]:
            facts = [read(card, one, documents) for card in own if card["subtitle"].split(" · ")[0] == told]
            same = [pair for pair in facts if pair is not None]
            if same:
                shown.append((f"{kind} card", *same[-1]))
    return shown


def _plain(environment):
    return {name: value for name, value in environment.items() if not name.startswith("FRONTSTAGE_")}


@asynccontextmanager
async def surfaces(home, *, base_url, token, person="ann", chat=""):
    """The five ways to one running daemon and simulator."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "daemon.cli.main", "mcp"],
        env={
            **_plain(os.environ),
            "FRONTSTAGE_TOKEN": token,
            "FRONTSTAGE_SOCKET": str(home / "daemon.sock"),
            "PYTHONPATH": str(ROOT),
        },
        cwd=ROOT,
    )
    async with (
        aiohttp.ClientSession() as session,
        stdio_client(server) as (reading, writing),
        ClientSession(reading, writing) as mcp,
    ):
        await mcp.initialize()
        yield Surfaces(home, base_url, person, chat, token, session, mcp, await _page_of(home))


async def _page_of(home):
    """Where the page is, once it is open."""
    connector = aiohttp.UnixConnector(str(home / "daemon.sock"))
    async with aiohttp.ClientSession("http://d", connector=connector) as session, session.post("/v1/page") as got:
        return (await got.json())["url"]
