"""`at=SEQ` on every read: the document of then, folded beside the loop, and a typed refusal of what never was."""

import asyncio
import threading

import pytest

from daemon.api import past
from daemon.api.past import STATES_MAX, WAITING_MAX, WHOLE_STATES_MAX
from ledger.past import state_at
from tests.support.homes import sha256
from tests.support.served import Served, served

ABOUT = "goal_id=docs"
READS = {
    "goal.show": ABOUT,
    "goal.list": "",
    "todo.list": ABOUT,
    "todo.ready": ABOUT,
    "task-lease.inspect": f"{ABOUT}&todo_id=todo_links",
    "quota.should-run": f"{ABOUT}&agent_id=builder",
    "gate.list": ABOUT,
    "member.list": "",
    "status.show": "",
    "quota.plan": "agent_id=builder",
}
GOAL = {
    "goal_id": "docs",
    "objective": "Every page can be followed.",
    "criterion": ["Every link works"],
    "write_scope": ["docs/**"],
    "review": "owner",
}


async def _seen(running: Served, at: int | None = None) -> dict[str, object]:
    moment = "" if at is None else f"&at={at}"
    answers = {name: await running.read(name, f"?{query}{moment}") for name, query in READS.items()}
    return {name: (answer.status, _timeless(answer.document)) for name, answer in answers.items()}


def _timeless(document: dict) -> dict:
    """A refusal says how far the ledger is, which is of the asking and not of what is asked for."""
    return document if document["ok"] else {name: document[name] for name in ("code", "details")}


async def _lived(running: Served) -> dict[int, dict[str, object]]:
    """A goal's first hour, and what readers saw after each step."""
    seen = {}
    one = {"goal_id": "docs", "todo_id": "todo_links"}
    steps = [
        ("ann", "goal.propose", GOAL),
        ("ann", "goal.confirm", {"goal_id": "docs"}),
        ("ann", "todo.add", one | {"text": "Check links", "required_write_scope": ["docs/**"]}),
        ("builder", "task-lease.acquire", one | {"idempotency_key": "run-1", "ttl_seconds": 60}),
        ("ann", "goal.propose", GOAL | {"goal_id": "site"}),
        ("builder", "gate.open", {"goal_id": "docs", "question": "Go on?", "blocks_goal": True}),
        ("ann", "goal.pause", {"goal_id": "docs", "reason": "Lunch"}),
    ]
    for who, action, params in steps:
        running.clock.advance(20_000)
        confirms = action == "goal.confirm"
        basis = {"basis": running.service.committed.goals["docs"].intents[-1].basis} if confirms else {}
        await running.do(action, params | basis, who=who)
        seen[running.seq] = await _seen(running)
    return seen


async def test_a_read_of_any_moment_is_the_document_of_then():
    async with served() as running:
        lived = await _lived(running)
        running.clock.advance(3_600_000)
        for seq, seen in lived.items():
            assert await _seen(running, seq) == seen
        first = min(lived)
        assert lived[first]["todo.list"] != lived[running.seq]["todo.list"]
        held = [seen["task-lease.inspect"][1].get("effective") for seen in lived.values()]
        assert held == [None, None, False, True, True, True, False]
        assert (await running.read("goal.show", f"?{ABOUT}&at=1")).code == "goal_not_found"


@pytest.mark.parametrize("at", ["0", "-1", "beyond", "9999999999999999"])
async def test_what_never_was_is_refused_with_the_head(at):
    async with served() as running:
        named = str(running.seq + 1) if at == "beyond" else at
        for name, query in READS.items():
            answer = await running.read(name, f"?{query}&at={named}")
            assert (answer.status, answer.code, answer.exit_code) == (404, "seq_not_reached", 3)
            assert answer.document["details"] == {"seq": int(named), "head": running.seq}
        assert (await running.read("goal.list", f"?at={running.seq}")).status == 200


@pytest.mark.parametrize("at", ["", "x", "1.5", "--1", "%D9%A1", "1&at=2", "1" * 17])
async def test_what_is_no_seq_is_malformed(at):
    async with served() as running:
        answer = await running.read("goal.list", f"?at={at}")
        assert (answer.status, answer.code, answer.document["details"]["field"]) == (400, "malformed_params", "at")


async def test_a_write_is_of_now():
    async with served() as running:
        before = running.seq
        for target, body in (("?at=1", GOAL), ("", GOAL | {"at": 1})):
            answer = await running.act(f"goal.propose{target}", body)
            assert (answer.status, answer.code, answer.document["details"]["field"]) == (400, "malformed_params", "at")
        assert running.seq == before


async def test_whoever_may_not_ask_now_may_not_ask_about_then():
    async with served() as running:
        await _lived(running)
        narrow = {"member_id": "builder", "secret_digest": sha256("fs_narrow"), "goal_id": ["site"]}
        await running.do("token.issue", narrow, who=None)
        running.made.tokens["narrow"] = "fs_narrow"
        for query, status in ((f"{ABOUT}&at={running.seq}", 403), (f"goal_id=site&at={running.seq}", 200)):
            assert (await running.read("goal.show", f"?{query}", who="narrow")).status == status


async def test_a_person_reads_first_of_which_moment_it_is():
    async with served() as running:
        await _lived(running)
        english = await running.ask("GET", "/v1/actions/status.show?at=4", headers={"Accept": "text/plain"})
        assert english.body.decode().splitlines()[0].startswith("As it was after event 4, 20")
        chinese = {"Accept": "text/plain", "X-Frontstage-Locale": "zh"}
        answer = await running.ask("GET", "/v1/actions/status.show?at=4", headers=chinese)
        assert answer.body.decode().splitlines()[0].startswith("截至事件 4（20")


async def test_one_fold_serves_all_who_ask_and_none_runs_on_the_loop(monkeypatch):
    folds: list[tuple[int, bool]] = []

    def counted(store, seq, goal_id=None, earlier=None):
        folds.append((seq, threading.current_thread() is threading.main_thread()))
        return state_at(store, seq, goal_id, earlier)

    monkeypatch.setattr(past, "state_at", counted)
    async with served() as running:
        await _lived(running)
        answers = await asyncio.gather(*(running.read("goal.list", "?at=3") for _ in range(12)))
        assert len({answer.body for answer in answers}) == 1
        assert folds == [(3, False)]
        for query, most in (("goal.list", WHOLE_STATES_MAX), (f"goal.show?{ABOUT}", STATES_MAX)):
            action, _, about = query.partition("?")
            for seq in range(1, most + 2):
                await running.read(action, f"?{about}&at={seq}")
            folds.clear()
            await running.read(action, f"?{about}&at={most + 1}")
            assert folds == []
            await running.read(action, f"?{about}&at=1")
            assert folds == [(1, False)]


async def test_too_many_who_wait_are_told_to_come_again(monkeypatch):
    opened = threading.Event()

    def slow(store, seq, goal_id=None, earlier=None):
        assert opened.wait(60)
        return state_at(store, seq, goal_id, earlier)

    monkeypatch.setattr(past, "state_at", slow)
    async with served() as running:
        async with asyncio.TaskGroup() as group:
            waiting = [group.create_task(running.read("goal.list", "?at=1")) for _ in range(WAITING_MAX + 1)]
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=60)
            turned_away = [task.result() for task in done]
            opened.set()
        assert [(answer.status, answer.code) for answer in turned_away] == [(503, "busy")]
        assert sorted(task.result().status for task in waiting) == [200] * WAITING_MAX + [503]
