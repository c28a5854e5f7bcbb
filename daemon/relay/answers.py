"""Answers: what a question is answered with, what such a card shows, and what its buttons open.

Everything here reads. A question gets a card (or a line) of its own beside it; a button of such a card opens another
card; and what can be decided is decided there, by a press like any other.
"""

from typing import Final

from daemon.relay import attention, digests, missed, which
from daemon.relay.asked import AskedCards
from daemon.relay.attention import Attention
from daemon.relay.commands import ABOUT_ONE_GOAL, OPENS, Command, command_of
from daemon.relay.deliveries import Deliveries
from daemon.relay.digests import Digests
from daemon.relay.forms import MATERIAL_CHARS_MAX, Forms
from daemon.relay.identity_commands import IdentityCommands
from daemon.relay.missed import Late, Missed
from daemon.relay.shown import OPENS as OPENED_BY
from daemon.relay.shown import Asked, Shown, basis_of
from daemon.relay.slots import parse, split
from daemon.relay.wire import Press
from daemon.service import Service
from ledger.ids import GoalId, MemberId
from ledger.projections.chat_views import HelpView
from ledger.projections.outlet import title_in_chat
from ledger.projections.revision_form import ROOM
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.goals import first_line
from ledger.text.say import Locale, one_line, say
from ledger.text.times import short_utc

Document = dict[str, object]
HELP: Final = "help"
KINDS: Final = frozenset({attention.KIND, digests.KIND, missed.KIND, HELP, "which"})
"""The kinds of cards that are answers."""
GOALS_SHOWN_MAX = which.GOALS_SHOWN_MAX


class Answers:
    """The answers to questions, in every place."""

    def __init__(self, service: Service, forms: Forms, deliveries: Deliveries, cards: AskedCards) -> None:
        self._service = service
        self._forms = forms
        self._identity = IdentityCommands(service, cards)
        self.attention = Attention(deliveries)
        self._digests = Digests(deliveries)
        self._missed = Missed()

    def reply(self, asked: Asked, command: Command) -> Document:
        """The answer to what a known person asked."""
        match command.name:
            case "help":
                return self.help(asked, paired=True)
            case "goals":
                return self._goals(asked.chat_id)
            case "attention":
                return self._attention(asked)
            case "digest":
                return self._digest(asked)
            case name if name in ABOUT_ONE_GOAL:
                return self._about_goal(asked, command)
            case name if name in OPENS:
                return self._opened(asked, name)
            case "invite" | "bind" if not command.rest or GoalId(command.rest.lower()) in self._service.committed.goals:
                return self._identity.card(asked, command.name)
            case "propose":
                return self._form(asked, command.rest)
            case _:
                return self._form(asked, command.said)

    def help(self, asked: Asked, *, paired: bool) -> Document:
        """What one can do here."""
        who = "known" if paired else "new"
        where = "direct" if asked.is_direct else "group"
        return card(f"{HELP}:{who}:{where}:{asked.message_id}@{asked.chat_id}")

    def late(self, asked: Asked, thread_id: str, late: Late) -> Document:
        """A command that came too late: shown, and not run."""
        return card(self._missed.add(asked.chat_id, thread_id, late, self._service.clock.now_ms()))

    def shown(self, slot: str) -> Shown | None:
        """What the card of an answer shows now."""
        workspace, now_ms = self._service.committed, self._service.clock.now_ms()
        subject, place = split(slot)
        match subject.partition(":")[0]:
            case attention.KIND:
                return self.attention.shown(workspace, subject, now_ms)
            case digests.KIND:
                return self._digests.shown(workspace, subject, place, now_ms)
            case missed.KIND:
                return self._missed.shown(slot)
            case "which":
                return which.shown(workspace, subject, place)
            case "help":
                _, who, where = (subject.split(":") + [""] * 3)[:3]
                return Shown(HelpView(paired=who == "known", direct=where == "direct"))
            case _:
                return None

    def open(self, slot: str, basis: str | None, member_id: MemberId, press: Press) -> Document | Refusal:
        """Open what a button of an answer names: posted beside it, and nothing is decided."""
        kind = slot.partition(":")[0]
        shown = self.shown(slot)
        opens = () if shown is None else shown.opens.values()
        opened = next((one for one in opens if basis_of(one) == basis), None)
        if opened is None:
            return refuse(GeneralRefusal.STALE_BASIS, changed="card")
        if kind == missed.KIND:
            return self._run(slot, opened, member_id, press.chat_id)
        if kind == "which":
            opened = f"status:{opened}"
        beside = f"{opened}:{press.message_id}" if opened.startswith("status:") else opened
        return _opened(slot, f"{beside}@{press.chat_id}")

    def _run(self, slot: str, message_id: str, member_id: MemberId, chat_id: str) -> Document:
        """Answer a late message now, as if it had just come, and where it was written."""
        late = self._missed.find(slot, message_id)
        assert late is not None, "it is on the card"
        asked = Asked(late.message_id, chat_id, is_direct=late.is_direct, member_id=member_id)
        document = self.reply(asked, command_of(late.text))
        reply = document["reply"]
        assert isinstance(reply, dict), "everything has an answer"
        self._missed.opened(slot, message_id, str(reply.get("slot") or "text"))
        if reply["kind"] == "card":
            return _opened(slot, str(reply["slot"]))
        toast = {"type": "info", "en": reply["en"], "zh": reply["zh"]}
        return {**_opened(slot, *reply.get("slots", ())), "toast": toast}

    def _attention(self, asked: Asked) -> Document:
        """The person's own list, which no group gets to see."""
        member_id = MemberId(asked.member_id or "")
        slot = self.attention.ask(self._service.committed, member_id, self._service.clock.now_ms())
        if slot is None:
            return text("chat.unpaired")
        if asked.is_direct:
            return card(slot)
        return {"reply": {"kind": "text", **_both("chat.attention.direct"), "slots": [slot]}}

    def _digest(self, asked: Asked) -> Document:
        workspace = self._service.committed
        slot = self._digests.make(workspace, asked, self._service.clock.now_ms())
        if slot is not None:
            return card(slot)
        since = self._digests.last(asked.chat_id)
        if not since:
            return text("chat.no_goals")
        return text("chat.digest.unchanged", since=since, head=workspace.seq, at=short_utc(workspace.at_ms))

    def _goals(self, chat_id: str) -> Document:
        workspace = self._service.committed
        here = which.in_chat(workspace, chat_id)
        shown = here[-GOALS_SHOWN_MAX:]
        if not shown:
            return text("chat.no_goals")
        titles = {one.goal_id: title_in_chat(workspace, one) for one in shown}

        def lines(locale: Locale) -> str:
            rows = [
                f"{one.goal_id} · {say(f'state.{one.state}', locale)} · {one_line(titles[one.goal_id])}"
                for one in reversed(shown)
            ]
            return "\n".join([say("chat.goals", locale, shown=len(shown), total=len(here)), *rows])

        return {"reply": {"kind": "text", "en": lines("en"), "zh": lines("zh")}}

    def _about_goal(self, asked: Asked, command: Command) -> Document:
        """One goal's card; which one is meant is asked where it is not said."""
        workspace, name = self._service.committed, command.rest.lower()
        if name:
            goal = which.visible(workspace, asked, name)
            if goal is not None:
                return card(f"status:{goal.goal_id}:{asked.message_id}@{asked.chat_id}")
            # A word that is no goal's name makes it a sentence.
            return text("chat.no_such_goal", goal_id=name) if _made(name) else self._form(asked, command.said)
        whose = (asked.member_id or which.NOBODY) if asked.is_direct else which.NOBODY
        goals = which.going_on(which.meant(workspace, asked.chat_id, whose))
        if not goals:
            return text("chat.no_goals")
        if len(goals) == 1:
            return card(f"status:{goals[0].goal_id}:{asked.message_id}@{asked.chat_id}")
        return card(f"{which.subject_of(command.name, asked)}@{asked.chat_id}")

    def _opened(self, asked: Asked, name: str) -> Document:
        """A card of another kind, as the answer; in a group it is about what is shown there, if anything is."""
        if not asked.is_direct and not which.going_on(which.in_chat(self._service.committed, asked.chat_id)):
            return text("chat.no_goals")
        subject = OPENS[name][asked.is_direct].format(message_id=asked.message_id)
        known = parse(self._service.committed, subject)
        return text("chat.nothing_to_show") if known is None else card(f"{subject}@{asked.chat_id}")

    def _form(self, asked: Asked, said: str) -> Document:
        slot = f"form:{asked.message_id}@{asked.chat_id}"
        # All of it: what does not fit into the form is counted on the card, not dropped in silence.
        begun = {"objective": said, "title": first_line(said)} if said else {}
        if ROOM["objective"] < len(said) <= MATERIAL_CHARS_MAX:
            # What an input does not hold is attached in full, under what it begins with.
            self._forms.open(slot, begun | {"objective": first_line(said)}, material=said)
        else:
            self._forms.open(slot, begun)
        return card(slot)


def _opened(*slots: str) -> Document:
    """The answer to a press that opened something. The press is a read: it is answered, and not audited."""
    done = {"ok": True, "action": OPENED_BY, "outcome": "noop", "events": []}
    return {
        "envelope": done,
        "toast": {"type": "info", **_both("chat.opened")},
        "goal_id": None,
        "slots": list(dict.fromkeys(slots)),
    }


def _made(name: str) -> bool:
    """Whether the ledger would call a goal so."""
    return name.startswith("goal-") and name.removeprefix("goal-").isdigit()


def card(slot: str) -> Document:
    """A card as the answer."""
    return {"reply": {"kind": "card", "slot": slot}}


def text(key: str, **values: object) -> Document:
    """A text as the answer."""
    return {"reply": {"kind": "text", **_both(key, **values)}}


def _both(key: str, **values: object) -> Document:
    return {"en": say(key, "en", **values), "zh": say(key, "zh", **values)}
