"""Text that wants to be more than text, typed and written by everybody who can: shown to the letter, and nothing else.

Real processes, the unmodified SDK and the simulated platform, which finds every mention that the real one would.
"""

import json
import re
import unicodedata

import pytest
import pytest_asyncio

from tests.e2e.people import (
    BUDGET,
    CHANGES_REASON,
    CRITERIA,
    NON_GOALS,
    OBJECTIVE,
    STOP,
    TITLE,
    everybody,
    shell,
)
from tests.e2e.world import has_button, text_has

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]
REQUEST_BYTES_MAX = 25 * 1024
MENTIONS = '<at id=all></at> <at user_id="all">all</at> @_all **b** [l](http://x.example) <b>x</b>'
HIDDEN = "p\u200bass \u202etxet\u202c \u2066x\u2069 \x1b[31mred\x07\x00\x9b1m end"
SHOWN = "pass \ufffdtxet\ufffd \ufffdx\ufffd ␛[31mred␇␀\ufffd1m end"
LONG = "目标🙂" * 3_333 + "！"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(tmp_path_factory):
    async with everybody(tmp_path_factory.mktemp("hostile")) as found:
        yield found


def texts(message):
    """Everything a reader sees of a message, in one."""
    card = message.get("card")
    if card is None:
        return message["text"]
    return "\n".join([card["title"], card["subtitle"], *card["texts"], *(one["value"] for one in card["inputs"])])


async def check_what_was_sent(room):
    """Of all that this bot has ever sent: no mention, no request beyond the budget, none that was refused."""
    sent = [one for one in (await room.stack.control("messages"))["messages"] if one["from_app"]]
    assert sent
    assert [one["mentions"] for one in sent if one["mentions"]] == []
    calls = [one for one in (await room.stack.control("requests"))["requests"] if one["api"].startswith("messages.")]
    assert max(one["body_bytes"] for one in calls) <= REQUEST_BYTES_MAX
    assert {one["code"] for one in calls} == {0}
    assert not any(re.search(r"(?i)<at\b", text) for one in sent for text in markup(one["versions"]))


def markup(node):
    """Every text that the platform reads as markup, of every version of a message."""
    if isinstance(node, list):
        for item in node:
            yield from markup(item)
    elif isinstance(node, dict):
        if isinstance(node.get("text"), str):
            yield node["text"]
        if node.get("tag") in {"markdown", "lark_md"}:
            yield json.dumps(node)
        for value in node.values():
            yield from markup(value)


async def test_what_people_type_is_shown_to_the_letter_and_mentions_nobody(room):
    form = await room.form("ann", f"propose {MENTIONS}\n{HIDDEN}")
    # A key of the platform's own for whom a message mentions is taken out of it before anybody reads it.
    assert MENTIONS.replace("@_all ", "") in texts(form)
    assert SHOWN in texts(form)
    typed = {
        TITLE: MENTIONS, OBJECTIVE: f"{MENTIONS}\n{HIDDEN}",
        CRITERIA: f"{MENTIONS}\n{HIDDEN}\n| a | b |\n# not a title",
        NON_GOALS: MENTIONS, BUDGET: MENTIONS, STOP: HIDDEN,
    }  # fmt: skip
    assert (await room.stack.press("ann", form, "Submit", typed))["toast"]["type"] == "success"
    (found,) = (await room.stack.cli("goal", "list"))["goals"]
    goal_id = found["goal_id"]
    intent = {one["name"]: one["items"] for one in (await show(room, goal_id))["review"]["fields"]}
    assert intent["objective"] == [typed[OBJECTIVE]]
    assert intent["criteria"] == typed[CRITERIA].split("\n")
    review = await room.card(goal_id, "Proposal", also=has_button("Confirm"))
    for shown in (MENTIONS, SHOWN, "c3  | a | b |", "c4  # not a title"):
        assert shown in texts(review), shown
    assert review["card"]["title"] == MENTIONS
    answer = await room.stack.press("bo", review, "确认")
    assert answer["toast"]["content"] == "已确认，可以开工。"
    group = await room.stack.write("ann", room.group, "goals", mention_bot=True)
    reply = await room.stack.see("ann", room.group, lambda one: one["reply_to"] == group, "the goals")
    assert reply["text"].replace("\u2060", "").endswith(f"{goal_id} · Active · {MENTIONS}")
    assert reply["mentioned_people"] == []
    await check_what_was_sent(room)


async def show(room, goal_id):
    return await room.stack.cli("goal", "show", "--goal-id", goal_id)


async def test_what_agents_write_is_shown_to_the_letter_and_their_names_are_names(room):
    name = f"陈\u202e{MENTIONS}"[:110]
    await room.stack.cli("member", "add", "--member-id", "mal", "--kind", "agent", "--display-name", name)
    goal_id = await room.confirmed()
    todo = {"goal_id": goal_id, "todo_id": "todo_hostile"}
    await room.stack.cli("todo", "add", "--goal-id", goal_id, "--todo-id", "todo_hostile", "--text", MENTIONS)
    await room.stack.cli("todo", "add", "--goal-id", goal_id, "--todo-id", "todo_blocked", "--text", "Blocked")
    await room.act("todo.block", goal_id=goal_id, todo_id="todo_blocked", reason=f"{MENTIONS}\n{HIDDEN}")
    card = await room.card(goal_id, "Goal", also=lambda one: SHOWN in texts(one))
    assert MENTIONS in texts(card)
    assert SHOWN in texts(card)
    await room.stack.cli("todo", "cancel", "--goal-id", goal_id, "--todo-id", "todo_blocked")
    await room.act("todo.claim", **todo)
    proof = {"label": MENTIONS, "summary": LONG[:2_000], "sha256": "ab" * 32, "size_bytes": 1}
    artifact = (await room.act("artifact.submit", **todo, **proof))["result"]["artifact_id"]
    await room.act("todo.complete", **todo, evidence=[artifact])
    await room.act("goal.deliver", goal_id=goal_id, summary=f"{MENTIONS}\n{HIDDEN}")
    card = await room.card(goal_id, "Result", also=has_button("Accept"))
    assert texts(card).count(MENTIONS) >= 2
    assert SHOWN in texts(card)
    answer = await room.stack.press("ann", card, "Request changes", {CHANGES_REASON: f"{MENTIONS}\n{HIDDEN}"})
    assert answer["toast"]["content"] == "Sent back with your request."
    back = await room.card(goal_id, "Result", also=text_has("Changes requested"))
    assert MENTIONS in texts(back)
    await check_what_was_sent(room)


async def test_ten_thousand_characters_in_every_place_stay_within_the_budget_and_the_cut_is_said(room):
    form = await room.form("ann", f"propose {LONG}")
    assert "characters of Objective do not fit on a card and were left out" in texts(form)
    inputs = {TITLE: LONG[:120], OBJECTIVE: LONG[:1_000], CRITERIA: LONG[:500]}
    assert (await room.stack.press("ann", form, "Submit", inputs))["toast"]["type"] == "success"
    goals = (await room.stack.cli("goal", "list"))["goals"]
    (goal_id,) = [one["goal_id"] for one in goals if one["display_name"] == LONG[:120]]
    revision = {"goal_id": goal_id, "objective": LONG, "criterion": [LONG[:500]] * 20, "budget": LONG[:2_000]}
    reply = await room.agent.act("goal.revise", revision)
    assert reply.body["code"] == "not_the_proposer"
    words = [word for one in revision["criterion"] for word in ("--criterion", one)]
    await room.stack.cli("goal", "revise", "--goal-id", goal_id, "--objective", LONG, "--budget", LONG[:2_000], *words)
    # The first revision has a button, too, until its card is told that another one took its place.
    review = await room.card(goal_id, "Proposal", also=lambda one: has_button("Confirm")(one) and "[…+" in texts(one))
    assert f"frontstage goal show --goal-id {goal_id}" in texts(review)
    assert LONG[:16] in texts(review)
    assert (await room.stack.press("ann", review, "Confirm"))["toast"]["type"] == "success"
    card = await room.delivered(goal_id, summary=LONG)
    assert LONG[:16] in texts(card)
    lost = await room.stack.press("ann", card, "Request changes", {CHANGES_REASON: LONG[:1_000]})
    assert lost["toast"]["type"] == "success"
    await check_what_was_sent(room)


async def test_a_toast_and_a_late_message_say_a_hostile_name_as_text(room):
    name = f"Eve {MENTIONS}"[:120]
    await room.stack.cli(
        "member", "add", "--member-id", "eve", "--kind", "person", "--display-name", name, "--role", "owner"
    )
    code = (await room.stack.cli("member", "pair", "--member-id", "eve"))["secret"]
    direct = await room.direct("sam")
    await room.stack.write("sam", direct, code)
    greeted = await room.stack.see("sam", direct, text_has("you are paired"), "that Sam is paired")
    assert f"Thank you, {name}: you are paired." in texts(greeted).replace("\u2060", "")
    goal_id, review = await room.proposed()
    assert (await room.stack.press("sam", review, "Decline", {}, confirm=True))["toast"]["type"] == "success"
    toast = (await room.stack.press("ann", review, "Confirm"))["toast"]
    assert f"{name} decided first." in toast["content"]
    await room.card(goal_id, "Proposal", also=text_has("Declined"))
    await check_what_was_sent(room)


@pytest.mark.parametrize(
    "words",
    [
        ("goal", "list"), ("status",), ("member", "list"), ("ledger", "tail", "--limit", "500"),
        ("goal", "show", "--goal-id", "{goal}"), ("todo", "list", "--goal-id", "{goal}"),
        ("artifact", "list", "--goal-id", "{goal}"),
        ("quota", "should-run", "--goal-id", "{goal}", "--agent-id", "builder"),
        ("goal", "show", "--goal-id", "\x1b[31m\u202e"),
        ("todo", "add", "--goal-id", "{goal}", "--text", "\x1b[31m\u202e"),
        ("goal", "propose", "--objective", "x", "--criterion", "y", "--write-scope", "/\x1b[31m\u202e"),
        ("goal", "propose", "--\x1b[31m", "x"), ("\x1b[31m\u202e",),
    ],
    ids=lambda words: " ".join(words[:2]).encode("ascii", "ignore").decode().replace("\x1b", ""),
)  # fmt: skip
async def test_a_terminal_is_neither_coloured_nor_turned_around(room, words):
    """After everything above is in the ledger."""
    goals = (await room.stack.cli("goal", "list"))["goals"]
    for goal in goals[:2]:
        code, out = await shell(room.stack, *(word.format(goal=goal["goal_id"]) for word in words))
        text = out.decode()
        assert text.strip()
        assert code in {0, 1, 2, 3}
        wrong = {sign for sign in text if unicodedata.category(sign) in {"Cc", "Cf", "Zl", "Zp", "Cs"}}
        assert wrong <= {"\n", "\u200d"}, (words, wrong)
