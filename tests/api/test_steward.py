"""The steward at a real daemon: from a goal that is proposed to its delivery, and what it may not do."""

from contextlib import asynccontextmanager

from daemon.aclient import AsyncClient
from daemon.agents.steward import Setting, Steward
from ledger.ids import OPERATOR
from tests.support.homes import secret_of, sha256
from tests.support.served import served

GOAL = {"goal_id": "docs"}
GRANTED = {"guide": "steward", "judge": "reviewer"}


def seed(*, review="independent", plan_approval="steward", confirm=True, **more):
    def play(scribe):
        for who, role in GRANTED.items():
            scribe.do(OPERATOR, "member.add", member_id=who, kind="agent", display_name=who.title(), profile_role=role)
            scribe.do(OPERATOR, "token.issue", member_id=who, secret_digest=sha256(secret_of(who)))
        fields = {
            "objective": "Every page of the docs can be followed",
            "criterion": ("Every link works", "Every heading is right"),
            "write_scope": ("reports/**",),
        }
        scribe.do("ann", "goal.propose", **GOAL, **{**fields, **more}, review=review, plan_approval=plan_approval)
        if confirm:
            scribe.do("ann", "goal.confirm", **GOAL, basis=scribe.state.goals["docs"].intents[-1].basis)

    return play


class Room:
    """A daemon, its steward, and agents that work by hand."""

    def __init__(self, daemon, client, planner):
        self.daemon, self.client, self.told = daemon, client, []
        daemon.made.tokens |= {who: secret_of(who) for who in GRANTED}
        self.planner = planner
        self.anew()

    def anew(self):
        """The same steward, which remembers nothing."""
        setting = Setting(agent_id="guide", planner=self.planner)
        self.steward = Steward(self.client, setting, self.told.append)

    async def look(self):
        return await self.steward.look()

    async def do(self, who, action, **params):
        return (await self.daemon.do(action, GOAL | params, who=who))["result"]

    async def refused(self, who, action, **params):
        answer = await self.daemon.act(action, GOAL | params, who=who)
        assert answer.status != 200, answer.document
        return answer.code

    async def read(self, action, query=""):
        return (await self.daemon.read(action, f"?goal_id=docs{query}")).document

    async def todos(self):
        return {one["todo_id"]: one for one in (await self.read("todo.list"))["todos"]}

    async def state(self):
        return (await self.read("goal.show"))["state"]

    async def evidence(self, who, todo_id, text, criteria=(), **more):
        """Claim a todo, hand something in and complete it; the artifact's id."""
        about = {"todo_id": todo_id}
        await self.do(who, "todo.claim", **about)
        handed = await self.do(
            who, "artifact.submit", **about, label=f"{text}.md", sha256=sha256(text), size_bytes=len(text),
            criterion=list(criteria), **more,
        )  # fmt: skip
        await self.do(who, "todo.complete", **about, evidence=[handed["artifact_id"]], completion_turn_key=text)
        return handed["artifact_id"]

    async def reviews(self):
        """Every open request for a review, by the artifact it is about."""
        found = (await self.read("request.list"))["requests"]
        return {one["request_id"].split("-")[1]: one for one in found if one["status"] == "sent"}

    async def judge(self, artifact_id, verdict="accept", reason="I computed it again"):
        """The reviewer takes the request, says its word and hands back what it rests on."""
        asked = (await self.reviews())[artifact_id]
        about = {"request_id": asked["request_id"]}
        await self.do(asked["receiver"], "request.respond", **about, decision="adopt")
        await self.do(asked["receiver"], "artifact.review", artifact_id=artifact_id, verdict=verdict, reason=reason)
        report = await self.do(
            asked["receiver"], "artifact.submit", label="review.json", sha256=sha256(artifact_id), size_bytes=1
        )
        await self.do(
            asked["receiver"], "request.return", **about, artifact=[report["artifact_id"]], summary=f"{verdict}ed"
        )


@asynccontextmanager
async def room(planner=(), **more):
    async with (
        served(seed(**more)) as daemon,
        AsyncClient(daemon.made.home.socket, secret_of("guide")) as client,
    ):
        yield Room(daemon, client, planner)


async def test_from_a_confirmed_goal_to_its_delivery_with_nobody_telling_it_anything():
    async with room() as there:
        assert await there.look()
        todos = await there.todos()
        first, second, note = todos
        assert [todos[one]["bound_agent"] for one in todos] == ["builder", "helper", "helper"]
        assert todos[note]["depends_on"] == [first, second]
        assert not await there.look()
        links = await there.evidence("builder", first, "links", ["c1"])
        await there.look()
        assert await there.refused("helper", "todo.claim", todo_id=note) == "dependency_unmet"
        heads = await there.evidence("helper", second, "headings", ["c2"])
        await there.look()
        assert {one: row["receiver"] for one, row in (await there.reviews()).items()} == {
            links: "judge",
            heads: "judge",
        }
        await there.judge(links)
        await there.look()
        assert await there.refused("helper", "todo.claim", todo_id=note) == "dependency_unmet"
        await there.judge(heads)
        await there.look()
        said = await there.evidence("helper", note, "note", input=[links, heads])
        await there.look()
        assert await there.state() == "active"
        await there.judge(said)
        await there.look()
        shown = await there.read("goal.show")
        assert shown["state"] == "delivered"
        assert (
            f"({links}, sha256 {sha256('links')[:12]}) by builder, reviewed by judge" in shown["acceptance"]["summary"]
        )
        assert there.steward.refusals == 0
        seq = there.daemon.seq
        there.anew()
        assert not await there.look()
        assert there.daemon.seq == seq
