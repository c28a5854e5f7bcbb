"""Hostile text on its whole way: through every field into the ledger, and out on cards, toasts, replies and terminals.

What people and agents wrote is shown to the letter or made visible; it mentions nobody, is no markup, begins no line of
its own, reaches no terminal as a control, and every card stays within its budget.
"""

import unicodedata

import msgspec
import orjson
import pytest

from bot.lark_text import literal_text
from bot.simulator.cardcheck import check_card
from bot.simulator.mentions import of_card, of_text
from cards.budget import ENVELOPE_BYTES_MAX
from cards.draw import draw, encode
from daemon.api.edge import malformed
from ledger.catalogue import ACTIONS
from ledger.ids import OPERATOR
from ledger.projections.views import CardView
from ledger.refusals import GeneralRefusal
from ledger.rules.common import refuse
from ledger.text.explain import explain
from ledger.text.say import LOCALES, one_line, plain
from tests.support.homes import CHAT, pair
from tests.support.presses import STRANGER, Table, everybody
from tests.support.served import served

HOSTILE = {
    "mention": '<at id=all></at> <at user_id="all">all</at> @_all @_user_1 <person id="ou_x"></person> ',
    "markdown": "**b** [l](http://x) `c` <font color='red'>r</font> | a | b |\n|---|---|\n# h\n> q\n- [ ] t\n---\n",
    "controls": "\x00\x1b[31mred\x07\x08\x7f\x9b1m\x85\r\n\tend ",
    "direction": "\u202edlrow\u202c \u2066x\u2069 \u200f\u200e\u061c ",
    "hidden": "p\u200ba\u200cs\ufeffs\u2060w\u00adord\U000e0041 \u3164 ",
    "braces": "{seq} {0.__class__} %s %(x)s ${HOME} $(id) `id` ",
    "json": '"},{"tag":"at","user_id":"all"},{"x":"\\" ',
    "cjk": "目标",
    "emoji": "🙂👩\u200d👩\u200d👧🇨🇳",
}
CHARS = {"title": 120, "line": 500, "text": 10_000, "reason": 2_000}


def grown(name, of):
    """The sample as long as a field of this kind can be."""
    sample = HOSTILE[name]
    return (sample * (CHARS[of] // len(sample) + 1))[: CHARS[of]].strip() or sample.strip()


class Story:
    """One goal through its life, with the same hostile text in everything anybody can write."""

    def __init__(self, daemon, name):
        self.daemon, self.table = daemon, Table(daemon)
        self.title, self.line, self.text, self.reason = (grown(name, of) for of in CHARS)

    async def cards(self, *slots):
        """The cards of the goal, as the bot would send them."""
        for slot in slots:
            view = msgspec.convert(await self.daemon.view(f"{slot}@{CHAT}"), CardView)
            for locale in LOCALES:
                yield slot, encode(draw(view, locale=locale, now_ms=self.daemon.service.clock.now_ms()))

    async def proposed(self):
        form = await self.table.form(text=f"propose {self.text}")
        first = {"title": self.title, "objective": self.text[:1_000], "criteria": ""}
        refused = await self.table.submit("ann", form, first)
        many = {"criterion": [self.line] * 12, "non_goal": [self.line] * 3, "constraint": [self.line] * 3}
        many |= {"stop_condition": [self.line] * 3, "budget": self.reason, "objective": self.text, "title": self.title}
        many |= {"review": "owner"}
        goal = (await self.table.submit("ann", form, first | {"criteria": self.line})).document["goal_id"]
        await self.daemon.do("goal.revise", many | {"goal_id": goal})
        return form, goal, refused

    async def worked(self, goal):
        confirm = await self.table.token(f"review:{goal}:2", "goal.confirm")
        assert (await self.table.press("ann", confirm)).kind == "success"
        for number in range(8):
            todo = {"goal_id": goal, "todo_id": f"todo_{number:03d}", "text": self.line}
            await self.daemon.do("todo.add", todo)
        await self.daemon.do(
            "todo.block", {"goal_id": goal, "todo_id": "todo_007", "reason": self.reason}, who="builder"
        )
        for number in range(7):
            todo = {"goal_id": goal, "todo_id": f"todo_{number:03d}"}
            await self.daemon.do("todo.claim", todo, who="builder")
            told = {"label": self.title, "summary": self.reason, "size_bytes": number}
            proof = todo | told | {"sha256": f"{number:064x}", "criterion": ["c1"]}
            artifact = (await self.daemon.do("artifact.submit", proof, who="builder"))["result"]["artifact_id"]
            await self.daemon.do("todo.complete", todo | {"evidence": [artifact]}, who="builder")

    async def delivered(self, goal):
        await self.daemon.do("todo.cancel", {"goal_id": goal, "todo_id": "todo_007"})
        await self.daemon.do("goal.deliver", {"goal_id": goal, "summary": self.text}, who="builder")


def seed_of(name):
    def seed(scribe):
        everybody(scribe)
        display_name = grown(name, "title")
        scribe.do(OPERATOR, "member.add", member_id="eve", kind="person", display_name=display_name, role=("owner",))
        pair(scribe, "eve")

    return seed


def contents(node):
    """Every text of a card that a reader sees, with the tag it stands in."""
    if isinstance(node, list):
        for item in node:
            yield from contents(item)
    elif isinstance(node, dict):
        if isinstance(node.get("content"), str):
            yield node.get("tag", "plain_text"), node["content"]
        for value in node.values():
            yield from contents(value)


def check(card, shown):
    """What must hold of every card, and that the text is on it, as a beginning at least."""
    body = {"receive_id": "oc_" + "0" * 32, "msg_type": "interactive", "content": card.decode(), "uuid": "0" * 50}
    assert len(orjson.dumps(body)) <= ENVELOPE_BYTES_MAX
    sent = orjson.loads(card)
    check_card(sent)
    assert of_card(sent) == []
    texts = list(contents(sent))
    assert all("<local_datetime" in text for tag, text in texts if tag != "plain_text")
    assert any(shown in text for _, text in texts), texts
    assert all(plain(text) == text for _, text in texts)


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_goal_full_of_it_is_shown_to_the_letter_on_every_card(name):
    async with served(seed_of(name)) as daemon:
        story = Story(daemon, name)
        form, goal, refused = await story.proposed()
        shown = one_line(HOSTILE[name])[:12]
        check_toast(refused)
        clarify = {"goal_id": goal, "question": story.line, "option": [story.line] * 8}
        await daemon.do("goal.clarify", clarify)
        slots = [form, f"review:{goal}:1", f"review:{goal}:2", f"goal:{goal}"]
        async for _, card in story.cards(*slots):
            check(card, shown)
        answer = await story.table.token(f"goal:{goal}", "goal.clarify")
        assert (await story.table.press("eve", answer, {"answer": story.text[:1_000]})).kind == "success"
        await story.worked(goal)
        async for _, card in story.cards(f"goal:{goal}"):
            check(card, shown)
        await story.delivered(goal)
        async for _, card in story.cards(f"goal:{goal}", f"acceptance:{goal}:1"):
            check(card, shown)
        back = await story.table.token(f"acceptance:{goal}:1", "goal.request-changes")
        accept = await story.table.token(f"acceptance:{goal}:1", "goal.accept")
        assert (await story.table.press("eve", back, {"reason": story.reason})).kind == "success"
        lost = await story.table.press("ann", accept)
        check_toast(lost)
        assert f"{one_line(grown(name, 'title'))} decided first." in lost.en
        async for _, card in story.cards(f"goal:{goal}", f"acceptance:{goal}:1", f"review:{goal}:2"):
            check(card, shown)


def check_toast(pressed):
    """A toast is text and nothing else, and short enough to be read."""
    for said in (pressed.en, pressed.zh):
        assert one_line(said) == said
        assert 0 < len(said) <= 280


@pytest.mark.parametrize("name", HOSTILE)
async def test_replies_in_a_chat_mention_nobody(name):
    async with served(seed_of(name)) as daemon:
        story = Story(daemon, name)
        _, goal, _ = await story.proposed()
        late = {"create_time_ms": 0, "chat_type": "group", "mentioned": True}
        shown = (await daemon.message(story.text, **late)).document["reply"]["slot"]
        async for _, card in story.cards(shown.rpartition("@")[0]):
            check(card, one_line(HOSTILE[name])[:12])
        for reply in (
            (await daemon.message("goals")).document["reply"],
            (await daemon.message(story.text, who="bob", sender=STRANGER, **late)).document["reply"],
        ):
            for said in (reply["en"], reply["zh"]):
                assert of_text({"text": literal_text(said)}) == []
                assert plain(said) == said
                assert len(said) < 2_000
        goals = (await daemon.message("goals")).document["reply"]["en"].split("\n")
        assert len(goals) == 2, "a title cannot begin a line of its own"
        assert goals[1].startswith(f"{goal} · Proposed · ")


async def test_a_name_with_all_of_it_is_said_as_a_name():
    name = "".join(HOSTILE[one] for one in ("mention", "direction", "hidden"))[:120]
    async with served(everybody) as daemon:
        await daemon.do("member.add", {"member_id": "mal", "kind": "person", "display_name": name}, who=None)
        code = "a" * 64
        await daemon.do("member.pair", {"member_id": "mal", "code_digest": code}, who=None)
        # The digest is of no code that can be typed; the name is what this is about.
        assert daemon.service.committed.members["mal"].display_name == name
        rows = (await terminal(daemon, "member.list")).split("\n")
        assert any(one_line(name)[:40] in row for row in rows)


# Terminals.

READS = [
    ("goal.show", "?goal_id={goal}"), ("goal.list", ""), ("todo.list", "?goal_id={goal}"),
    ("todo.ready", "?goal_id={goal}"), ("artifact.list", "?goal_id={goal}"), ("member.list", ""), ("status.show", ""),
    ("quota.should-run", "?goal_id={goal}&agent_id=builder"),
]  # fmt: skip


async def terminal(daemon, action, query="", locale="en"):
    """A document as a person at a shell reads it."""
    headers = {"Accept": "text/plain", "X-Frontstage-Locale": locale}
    answer = await daemon.ask("GET", f"/v1/actions/{action}{query}", headers=headers)
    assert answer.status == 200, answer.body
    return answer.body.decode()


def check_terminal(text):
    """Nothing in it colours, moves, reorders or hides."""
    wrong = {sign for sign in text if unicodedata.category(sign) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}}
    assert wrong <= {"\n", "\u200d"}
    assert plain(text) == text


@pytest.mark.parametrize("name", HOSTILE)
async def test_no_text_breaks_a_terminal(name):
    async with served(seed_of(name)) as daemon:
        story = Story(daemon, name)
        _, goal, _ = await story.proposed()
        for _ in range(2):
            for action, query in READS:
                for locale in LOCALES:
                    check_terminal(await terminal(daemon, action, query.format(goal=goal), locale))
            if daemon.service.committed.goals[goal].state == "proposed":
                await story.worked(goal)
        await story.delivered(goal)
        shown = await terminal(daemon, "goal.show", f"?goal_id={goal}")
        check_terminal(shown)
        assert one_line(HOSTILE[name])[:12] in shown


@pytest.mark.parametrize("name", HOSTILE)
async def test_no_parameter_breaks_a_terminal_in_its_refusal(name):
    async with served(seed_of(name)) as daemon:
        story = Story(daemon, name)
        good = {"objective": "x", "criterion": ["y"]}
        bad = [
            good | {"write_scope": [f"/{story.line}"[:400]]},
            good | {"enforce": [story.line]},
            good | {"owner": [story.line]},
            good | {story.line[:60]: "x"},
            {"objective": story.text + "x" * 10_000, "criterion": ["y"]},
        ]
        for params in bad:
            for locale in LOCALES:
                answer = await daemon.act(
                    "goal.propose", params, Accept="text/plain", **{"X-Frontstage-Locale": locale}
                )
                assert answer.status in {400, 422}
                check_terminal(answer.body.decode())


# What the parser says.


@pytest.mark.parametrize(
    ("params", "en", "zh"),
    [
        (
            {"criterion": ["y"]},
            "The field objective is not valid: it is missing.",
            "字段 目标（objective） 无效：缺少该字段。",
        ),
        ({"objective": "", "criterion": ["y"]}, "objective is not valid: it says nothing.", "无效：内容为空。"),
        ({"objective": " \n", "criterion": ["y"]}, "objective is not valid: it says nothing.", "无效：内容为空。"),
        ({"objective": "x" * 10_001, "criterion": ["y"]}, "it has more than 10000 characters.", "超过 10000 个字符。"),
        (
            {"objective": "x", "criterion": ["y"] * 65},
            "criterion is not valid: it has more than 64 entries.",
            "超过 64 条。",
        ),
        ({"objective": "x", "criterion": ["y"], "priority": "P9"}, "it is none of P0, P1, P2", "可选的值为 P0、P1、P2"),
        ({"objective": "x", "criterion": ["y"], "goal_id": "A b"}, "1 to 64 lower-case letters", "1 到 64 个小写字母"),
    ],
)
def test_what_the_parser_says_is_said_in_the_readers_language(params, en, zh):
    with pytest.raises(ValueError, match="validation error") as caught:
        ACTIONS["goal.propose"].params.model_validate_json(orjson.dumps(params))
    refusal = malformed(caught.value)
    assert en in explain(refusal, "en")[0]
    assert zh in explain(refusal, "zh")[0]


def test_a_field_that_nobody_knows_is_shown_and_not_looked_up():
    refusal = refuse(GeneralRefusal.STALE_BASIS, changed=["criteria", "x\u202e\n{y}" * 100])
    message, _ = explain(refusal, "en")
    assert message.startswith("This has changed since it was shown to you: Acceptance criteria, x\ufffd {y}x")
    assert len(message) < 300
