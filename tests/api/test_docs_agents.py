"""The two small agents at one daemon: one checks documents, the other reviews it where a goal asks for that."""

import asyncio
import hashlib
import json

import pytest

from daemon.agents.docs_agent import REPORT, DocsAgent, Setting
from daemon.agents.docs_reviewer import DocsReviewer
from daemon.client import Client
from tests.support.served import served

GOAL = {"goal_id": "docs"}


def seed(review):
    def play(scribe):
        words = {"objective": "Check the docs", "criterion": ("Every link leads somewhere",)}
        scribe.do("ann", "goal.propose", **GOAL, **words, write_scope=("reports/**",), review=review)
        scribe.do("ann", "goal.confirm", **GOAL, basis=scribe.state.goals["docs"].intents[-1].basis)

    return play


class Pair:
    """The author, the reviewer, and the folder between them."""

    def __init__(self, daemon, folder):
        self.daemon = daemon
        self.docs, self.out = folder / "docs", folder / "out"
        self.docs.mkdir()
        (self.docs / "README.md").write_text("# One page\n\n[Itself](#one-page)\n")
        self.told = []
        self.author = DocsAgent(self.client("builder"), self.setting("builder"), self.told.append)
        self.reviewer = DocsReviewer(self.client("helper"), self.setting("helper"), self.told.append)

    def client(self, who):
        return Client(self.daemon.made.home.socket, self.daemon.made.tokens[who])

    def setting(self, who):
        return Setting(agent_id=who, docs=self.docs, out=self.out, program=("true",))

    async def write(self, turns=6):
        """Let the author do all that it can do now."""
        for _ in range(turns):
            if not await asyncio.to_thread(self.author.turn):
                return

    async def review(self):
        return await asyncio.to_thread(self.reviewer.turn)

    async def artifacts(self):
        return (await self.daemon.read("artifact.list", "?goal_id=docs")).document["artifacts"]

    async def state(self):
        return (await self.daemon.read("goal.show", "?goal_id=docs")).document["state"]

    @property
    def report(self):
        return self.out / REPORT


@pytest.fixture
async def pair(request, tmp_path):
    async with served(seed(getattr(request, "param", "independent"))) as daemon:
        yield Pair(daemon, tmp_path)


async def test_nothing_is_delivered_before_somebody_else_has_accepted_it(pair):
    await pair.write()
    seq = pair.daemon.seq
    await pair.write()
    assert (await pair.state(), pair.daemon.seq) == ("active", seq)
    # It knows that without asking: the chain of refusals is not for waiting.
    assert pair.daemon.audited() == []
    assert await pair.review()
    (artifact,) = await pair.artifacts()
    assert (artifact["status"], artifact["review"]["reviewer"], artifact["counts"]) == ("accepted", "helper", True)
    await pair.write()
    assert await pair.state() == "delivered"
    assert not await pair.review()


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda pair: pair.report.write_text("{}"), "not the one that was handed in"),
        (lambda pair: pair.report.unlink(), "not where reports are"),
        (
            lambda pair: (pair.docs / "README.md").write_text("# One page\n\n[Gone](gone.md)\n"),
            "say otherwise: files, findings, ok",
        ),
    ],
    ids=["another report", "no report", "other documents"],
)
async def test_a_report_that_is_not_so_is_rejected_made_anew_and_accepted(pair, harm, reason):
    await pair.write()
    harm(pair)
    await pair.review()
    (first,) = await pair.artifacts()
    assert first["status"] == "rejected"
    assert reason in first["review"]["reason"]
    await pair.write()
    _, second = await pair.artifacts()
    assert (second["revises"], second["status"]) == (first["artifact_id"], "submitted")
    await pair.review()
    await pair.write()
    assert await pair.state() == "delivered"


async def test_after_a_few_rejections_a_person_has_to_look(pair):
    await pair.write()
    for _ in range(6):
        pair.report.unlink(missing_ok=True)
        await pair.review()
        await pair.write()
    assert (await pair.state(), len(await pair.artifacts())) == ("active", 4)


@pytest.mark.parametrize("pair", ["owner"], indirect=True)
async def test_where_the_owner_is_the_judge_the_reviewer_is_silent(pair):
    await pair.write()
    assert await pair.state() == "delivered"
    assert not await pair.review()
    assert [one["status"] for one in await pair.artifacts()] == ["submitted"]


async def test_it_reviews_nothing_of_its_own_and_nothing_that_is_no_report(pair):
    own = {**GOAL, "label": "docs-report.json", "sha256": "0" * 64, "size_bytes": 1}
    await pair.daemon.do("artifact.submit", own, who="helper")
    await pair.daemon.do("artifact.submit", {**own, "label": "notes.txt"}, who="builder")
    assert not await pair.review()
    assert {one["status"] for one in await pair.artifacts()} == {"submitted"}


async def test_a_report_of_something_else_is_rejected(pair):
    await pair.write()
    pair.report.write_text(json.dumps([1]))
    assert "cannot be read" in pair.reviewer._wrong(hashlib.sha256(b"[1]").hexdigest())
