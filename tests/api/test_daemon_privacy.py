"""The filter at the socket: reads of now, of then and of the log, cards of a chat, and what comes in."""

import json

from ledger.projections.ordinary import ordinary_texts
from tests.support.homes import CHAT
from tests.support.presses import FORM, Table, everybody
from tests.support.served import served

PATH = "/home/ann/plans/first.md"
SECRET = "ghp_" + "a1B2c3D4" * 5
ABOUT = "?goal_id=docs"
GOAL = {"goal_id": "docs", "objective": f"Tidy {PATH}", "criterion": ["Nothing is stale"], "review": "owner"}
WORK = "Ask the clinic for both answers"


async def _active(running, **asked):
    await running.do("goal.propose", GOAL | asked)
    basis = running.service.committed.goals["docs"].intents[-1].basis
    await running.do("goal.confirm", {"goal_id": "docs", "basis": basis})


async def test_a_read_of_now_of_then_and_of_the_log_withholds_the_same():
    async with served() as running:
        await _active(running)
        for read, query in (
            ("goal.show", ABOUT),
            ("goal.show", f"{ABOUT}&at={running.seq}"),
            ("history.list", ABOUT),
            ("history.list", ""),
            ("history.explain", ABOUT),
            ("status.show", ""),
        ):
            answer = await running.read(read, query)
            assert answer.status == 200, answer.document
            text = json.dumps(answer.document)
            assert PATH not in text, (read, query)
            assert "[withheld]" in text, (read, query)
            assert "raw_or_private_material_omitted" in text, (read, query)


async def test_the_original_is_read_by_an_owner_and_by_nobody_who_only_runs_the_daemon():
    async with served() as running:
        await _active(running)
        full = f"{ABOUT}&full=true"
        answer = await running.read("goal.show", full)
        assert answer.document["objective"].endswith(PATH)
        # What is kept for one question and reader answers no other.
        assert (await running.read("goal.show", ABOUT)).document["objective"] == "[withheld]"
        for query in (full, f"{full}&at={running.seq}"):
            refused = await running.read("goal.show", query, who=None)
            assert (refused.status, refused.code) == (403, "originals_not_yours")


async def test_the_work_of_a_private_goal_is_told_to_no_stranger_by_any_read():
    async with served() as running:
        await _active(running, private=True)
        await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_ask", "text": WORK})
        for read, query in (
            ("goal.show", ABOUT),
            ("todo.list", ABOUT),
            ("todo.list", f"{ABOUT}&at={running.seq}"),
            ("history.list", ABOUT),
            ("history.list", ""),
            ("history.explain", f"{ABOUT}&todo_id=todo_ask"),
            ("status.show", ""),
        ):
            for who, told in (("ann", read != "status.show" or None), ("builder", None), (None, False), ("bot", False)):
                answer = await running.read(read, query, who=who)
                if answer.status == 200 and told is not None:
                    assert (WORK in json.dumps(answer.document)) is told, (read, query, who)


async def test_a_credential_comes_in_by_no_surface():
    async with served(everybody) as running:
        asked = GOAL | {"objective": f"Push with {SECRET}"}
        before = running.seq
        answer = await running.act("goal.propose", asked)
        assert (answer.status, answer.code) == (400, "credential_in_text")
        assert answer.document["details"] == {"field": "objective"}
        table = Table(running)
        form = await table.form("ann")
        pressed = await table.submit("ann", form, FORM | {"objective": f"Push with {SECRET}"})
        assert pressed.code == "credential_in_text"
        assert running.seq == before
        view = await running.view(f"{form}@{CHAT}")
        told = json.dumps([answer.document, pressed.document, view, running.audited()])
        assert SECRET not in told
        assert view["form"]["values"]["title"] == FORM["title"]


async def test_a_card_in_a_chat_shows_neither_a_path_nor_the_work_of_a_private_goal():
    async with served(everybody) as running:
        table = Table(running)
        goal = await table.proposed("ann", FORM | {"objective": f"Tidy {PATH}"})
        view = await running.view(f"review:{goal}:1@{CHAT}")
        assert PATH not in json.dumps(view)
        assert "[withheld]" in json.dumps(view["review"])
        assert view["tokens"]["goal.confirm"]


async def test_the_list_of_goals_in_a_chat_passes_the_filter_too():
    async with served(everybody) as running:
        await Table(running).proposed("ann", FORM | {"title": f"Tidy {PATH}"})
        said = (await running.message("goals")).document["reply"]
        assert PATH not in json.dumps(said)
        assert "[withheld]" in said["en"]
        assert "[withheld]" in said["zh"]


async def test_the_filter_remembers_no_word_that_was_erased():
    async with served() as running:
        await _active(running)
        await running.do("todo.add", {"goal_id": "docs", "todo_id": "todo_ask", "text": WORK})
        seq = running.seq
        await running.read("todo.list", ABOUT)
        assert WORK in ordinary_texts
        await running.do("words.erase", {"seq": [seq], "reason_code": "personal_data", "goal_id": "docs"})
        assert WORK not in ordinary_texts


async def test_a_message_with_a_credential_opens_a_form_that_says_why_it_is_not_in_it():
    async with served(everybody) as running:
        form = await Table(running).form("ann", f"propose Push with {SECRET}")
        view = await running.view(f"{form}@{CHAT}")
        assert SECRET not in json.dumps(view)
        assert view["form"]["problem_code"] == "credential_in_text"
        assert view["form"]["problem_details"]["field"] in {"objective", "title"}
