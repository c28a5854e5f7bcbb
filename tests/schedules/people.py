"""What people and agents do in a schedule: they press what they see, write, and work."""

import asyncio

from bot.simulator.errors import ChatRefusedError
from tests.schedules.ground import APP

PEOPLE = ("ann", "bo", "sam")
ENDING = ("Stop for good", "终止", "Decline", "婉拒", "不采纳")
"""Buttons after which nothing more happens to a goal; they are pressed seldom."""
SAID = ("help", "帮助", "goals", "目标", "propose The pages number {0}", "提议 第{0}页", "Please look at page {0}")
GOALS = ("plain", "working", "gated", "asked", "handed")


class People:
    """Everybody who acts; `wrote` are the messages that want an answer."""

    def __init__(self, stage):
        self._stage = stage
        self._chance = stage.chance
        self.wrote = []
        self._numbers = 0

    async def act(self):
        """One thing somebody does now."""
        move = self._chance.choices((self.press, self.double_click, self.write, self.work), (6, 2, 2, 4))[0]
        await move()

    async def press(self, times=1):
        """Somebody presses something that can be pressed, and sees what comes of it."""
        found = self._pressable()
        if found is None:
            return
        person, message, button, inputs = found
        chat = self._stage.platform.chat
        self._stage.tell(f"{person.key} presses {button.label!r} on {message.message_id[:9]} x{times}")
        done = await asyncio.gather(
            *(chat.press(person, message.message_id, button.path, inputs=inputs, confirmed=True) for _ in range(times)),
            return_exceptions=True,
        )
        for one in done:
            if isinstance(one, ChatRefusedError):
                continue
            if isinstance(one, BaseException):
                raise one
            said = one.toast.content if one.toast else f"error {one.error_code}"
            self._stage.tell(f"{person.key} reads {said!r}")
            if one.error_code or (one.toast and one.toast.type == "error"):
                await self._press_again(found)
                break

    async def _press_again(self, found):
        """Whoever reads an error tries the same once more, if it is still there."""
        person, message, button, inputs = found
        await asyncio.sleep(self._chance.choice((1.0, 4.0, 20.0)))
        try:
            await self._stage.platform.chat.press(
                person, message.message_id, button.path, inputs=inputs, confirmed=True
            )
        except ChatRefusedError:
            return
        self._stage.tell(f"{person.key} has pressed again")

    async def double_click(self):
        """Somebody is impatient: two presses, of which neither knows of the other."""
        await self.press(times=2)

    async def write(self):
        """Somebody writes to the bot in the group."""
        self._numbers += 1
        platform = self._stage.platform
        person = platform.world.people[self._chance.choice(PEOPLE[:2])]
        text = self._chance.choice(SAID).format(self._numbers)
        chat = platform.world.chats[platform.group]
        message = platform.chat.type_text(person, chat, text, mention_bot=True, reply_to="")
        self.wrote.append(message)
        self._stage.tell(f"{person.key} writes {text!r}")

    async def work(self):
        """An agent or the operator does something on the command line."""
        self._numbers += 1
        number, goal_id = self._numbers, self._chance.choice(GOALS)
        moves = (
            ("ann", "todo.add", {"text": f"Part {number}"}),
            ("builder", "gate.open", {"gate_id": f"gate_{number}", "question": f"May page {number} be published?",
                                      "approver": ("ann", "bo"), "quorum": self._chance.choice((1, 2)),
                                      "blocks_goal": True}),
            ("ann", "goal.revise", {"criterion": (f"Page {number} loads",)}),
            ("builder", "goal.clarify", {"question": f"Which page, of {number}?"}),
            ("builder", "todo.claim", {"todo_id": "todo_000"}),
            ("ann", "goal.pause", {}),
            ("ann", "goal.resume", {}),
        )  # fmt: skip
        who, action, params = self._chance.choice(moves)
        answer = await self._stage.daemon.commit(who, action, goal_id=goal_id, **params)
        came = "done" if answer.refusal is None else answer.refusal.code.value
        self._stage.tell(f"{who} does {action} of {goal_id}: {came}, seq {answer.seq}")

    async def everything_moves(self):
        """Something happens to every goal."""
        for goal_id in GOALS:
            await self._stage.daemon.commit("ann", "todo.add", goal_id=goal_id, text="One more part")

    def _pressable(self):
        platform = self._stage.platform
        shown = platform.bots_cards()
        # The newest first, now and then: that is what people look at.
        shown = shown[::-1] if self._chance.random() < 0.3 else self._chance.sample(shown, len(shown))
        for message in shown[:6]:
            who = [one for one in platform.world.chats[message.chat_id].people if one in PEOPLE]
            person = platform.world.people[self._chance.choices(who, [1 if one == "sam" else 6 for one in who])[0]]
            card = platform.chat.card(message, person)
            buttons = [one for one in card.buttons if one.enabled and self._is_tried(one)]
            if buttons:
                button = self._chance.choice(buttons)
                inputs = {one.path: self._filled(one) for one in card.inputs if one.form and one.form == button.form}
                return person, message, button, inputs
        return None

    def _is_tried(self, button):
        return button.label not in ENDING or self._chance.random() < 0.15

    def _filled(self, one):
        if one.choices:
            return self._chance.choice(one.choices).value
        if one.kind in ("person", "people"):
            return self._stage.platform.world.people["bo"].open_id(APP)
        if one.kind == "checkbox":
            return "true"
        words = {"write_scopes": "docs/**"}.get(one.name, f"words {self._numbers}")
        return one.value or (words if one.required or self._chance.random() < 0.3 else "")
