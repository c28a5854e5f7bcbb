"""A daemon with a goal, its steward, agents that work by hand and one that reviews: what tests of a team begin with."""

from contextlib import asynccontextmanager

from daemon.aclient import AsyncClient
from daemon.agents.steward import Setting, Steward
from ledger.ids import OPERATOR
from tests.support.homes import secret_of, sha256
from tests.support.served import served

GOAL = {"goal_id": "docs"}
TEAM = {"guide": "steward", "judge": "reviewer", "dreamer": "dreaming_proposer", "stranger": "steward"}
FIRST, SECOND, NOTE = (f"todo_plan_r1d0n1_{lane}" for lane in ("work-1", "work-2", "note"))
"""The lanes of the template's first plan."""
FIELDS = {
    "objective": "Every page of the docs can be followed",
    "criterion": ("Every link works", "Every heading is right"),
    "write_scope": ("reports/**",),
}


def seed(*, review="independent", plan_approval="steward", confirm=True, team=("guide", "judge"), apart=(), **more):
    """A goal, confirmed unless it says otherwise, and its agents beside builder and helper; some have another goal."""

    def play(scribe):
        for who in dict.fromkeys((*team, *apart)):
            named = {"member_id": who, "kind": "agent", "display_name": who.title(), "profile_role": TEAM[who]}
            named |= {"goal_id": ("elsewhere",)} if who in apart else {}
            scribe.do(OPERATOR, "member.add", **named)
            scribe.do(OPERATOR, "token.issue", member_id=who, secret_digest=sha256(secret_of(who)))
        scribe.do("ann", "goal.propose", **GOAL, **{**FIELDS, **more}, review=review, plan_approval=plan_approval)
        if confirm:
            scribe.do("ann", "goal.confirm", **GOAL, basis=scribe.state.goals["docs"].intents[-1].basis)

    return play


class Room:
    """A daemon, its steward, and agents that work by hand."""

    def __init__(self, daemon, client, planner):
        self.daemon, self.client, self.told = daemon, client, []
        daemon.made.tokens |= {who: secret_of(who) for who in TEAM}
        self.planner = planner
        self.anew()

    def anew(self):
        """The same steward, which remembers nothing."""
        setting = Setting(agent_id="guide", planner=self.planner)
        self.steward = Steward(self.client, setting, self.told.append, self.daemon.clock.wall_ms)

    async def look(self):
        return await self.steward.look()

    async def do(self, who, action, **params):
        return (await self.daemon.do(action, GOAL | params, who=who))["result"]

    async def refused(self, who, action, **params):
        """The code with which it is refused; that it is, is demanded."""
        answer = await self.daemon.act(action, GOAL | params, who=who)
        assert answer.status != 200, answer.document
        return answer.code

    async def read(self, action, query=""):
        return (await self.daemon.read(action, f"?goal_id=docs{query}")).document

    async def todos(self):
        return {one["todo_id"]: one for one in (await self.read("todo.list"))["todos"]}

    async def artifact(self, artifact_id):
        found = (await self.read("artifact.list"))["artifacts"]
        return next(one for one in found if one["artifact_id"] == artifact_id)

    async def gates(self, status="open"):
        return (await self.read("gate.list", f"&status={status}"))["gates"]

    async def approve(self, gate):
        shown = await self.read("gate.show", f"&gate_id={gate['gate_id']}")
        await self.do("ann", "gate.approve", gate_id=gate["gate_id"], basis=shown["basis"])

    async def state(self):
        return (await self.read("goal.show"))["state"]

    async def add(self, todo_id, text="Do it", **more):
        await self.do("ann", "todo.add", todo_id=todo_id, text=text, **more)

    async def hand_in(self, who, todo_id, text, criteria=(), **more):
        """Hand something in; the artifact's id."""
        about = {} if todo_id is None else {"todo_id": todo_id}
        handed = await self.do(
            who, "artifact.submit", **about, label=f"{text}.md", sha256=sha256(text), size_bytes=len(text),
            criterion=list(criteria), **more,
        )  # fmt: skip
        return handed["artifact_id"]

    async def evidence(self, who, todo_id, text, criteria=(), **more):
        """Claim a todo, hand something in and complete it; the artifact's id."""
        await self.do(who, "todo.claim", todo_id=todo_id)
        handed = await self.hand_in(who, todo_id, text, criteria, **more)
        await self.do(who, "todo.complete", todo_id=todo_id, evidence=[handed], completion_turn_key=sha256(text))
        return handed

    async def asked(self):
        """Every request for a review that nobody took yet, by the artifact it is about."""
        found = (await self.read("request.list"))["requests"]
        return {one["request_id"].split("-")[1]: one for one in found if one["status"] == "sent"}

    async def judge(self, artifact_id, verdict="accept", reason="I computed it again"):
        """Whoever was asked takes the request, says a word and hands back what it rests on."""
        request = (await self.asked())[artifact_id]
        who, about = request["receiver"], {"request_id": request["request_id"]}
        await self.do(who, "request.respond", **about, decision="adopt")
        await self.do(who, "artifact.review", artifact_id=artifact_id, verdict=verdict, reason=reason)
        report = await self.hand_in(who, None, f"review of {artifact_id}")
        await self.do(who, "request.return", **about, artifact=[report], summary=f"{verdict}ed")


class Doubting:
    """A client that has a stranger ask for each thing first, word for word, and keeps the codes of the refusals."""

    def __init__(self, client, daemon, doubted):
        self._client, self._daemon, self._doubted = client, daemon, doubted
        self.read, self.get = client.read, client.get

    async def act(self, action, params, request_key):
        answer = await self._daemon.act(action, params, who="stranger")
        assert answer.status != 200, (action, answer.document)
        self._doubted.setdefault(action, set()).add(answer.code)
        return await self._client.act(action, params, request_key)


@asynccontextmanager
async def room(planner=(), doubted=None, **more):
    """The room, with a steward that has looked at nothing yet."""
    async with (
        served(seed(**more)) as daemon,
        AsyncClient(daemon.made.home.socket, secret_of("guide")) as client,
    ):
        yield Room(daemon, client if doubted is None else Doubting(client, daemon, doubted), planner)


async def both_parts(there):
    """The two parts of the work, accepted."""
    await there.look()
    links = await there.evidence("builder", FIRST, "links", ["c1"])
    heads = await there.evidence("helper", SECOND, "headings", ["c2"])
    await there.look()
    await there.judge(links)
    await there.judge(heads)
    await there.look()
    return links, heads


async def blocked(there, turn):
    about = {"todo_id": FIRST, "idempotency_key": turn}
    lease = await there.do("builder", "task-lease.acquire", **about)
    await there.do(
        "builder", "todo.block", todo_id=FIRST, reason="The site needs a key", task_lease_idempotency_key=turn,
        task_lease_expected_version=lease["version"],
    )  # fmt: skip
