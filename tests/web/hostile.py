"""Words that somebody wrote to do harm, in every field that takes words, and the same ledger told with harmless ones.

The twin's words have the same letters and blanks in the same places; only what could be markup, a template, a direction
or a picture is a letter instead. Whatever a page has more of than its twin's page, the words have brought about.
"""

import re
from pathlib import Path

from daemon.clock import SystemClock
from daemon.init import create_home
from daemon.paths import Home
from ledger.ids import GoalId
from ledger.params import LINE_CHARS_MAX, REASON_CHARS_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX
from ledger.store.sqlite import open_sqlite
from ledger.text.say import plain
from tests.support.homes import Made, Scribe, secret_of, sha256
from tests.web.shown import (
    amendment_shown,
    delivery_shown,
    gate_shown,
    intent_shown,
    plan_shown,
    question_shown,
    state_shown,
)
from tests.web.story import HOUR_MS, MINUTE_MS

RAN = "window.ran=1"
PIECES = (
    f"<script>{RAN}</script>",
    f"<img src=x onerror={RAN}>",
    f'"><svg onload={RAN}>',
    f"'><b onmouseover='{RAN}' style='position:fixed;inset:0'>x</b>",
    f"javascript:{RAN}",
    f"[link](javascript:{RAN})",
    "{{7*7}}{% if 1 %}${7*7}<%= 7*7 %>",
    "]]><!-- --></textarea></title></style></script></bdi></section>",
    "&lt;b&gt;&#60;i&#62;&amp;amp;",
    "\u202eevil\u202c \u2067rtl\u2069 \u200b\u200d\u2060\ufeff",
    "Z" + "\u0351\u036b\u0343\u036a\u0302" * 9,
    "👨\u200d👩\u200d👧🏳️\u200d🌈 目标 العربية हिन्दी \x07\x1b[31m",
    "line one\nline two\r\n\tline three",
    "<a href=//evil.example/>x</a><form action=//evil.example><input name=a>",
)
WORK_MARK = "plumcake"
PLANTED = (
    "/home/ann/plans/first.md", "ann.li@example.org", "+49 151 2345 6789", "http://wiki.corp.internal/secret",
    "https://acme.feishu.cn/docx/AbCdEfGh",
)  # fmt: skip
"""Places and people that are withheld from everybody who has no part in a private goal."""
HARMLESS = re.compile(r"[^A-Za-z0-9\s]")
AGENTS = ("builder", "helper", "checker", "dreamer")


class Words:
    """What somebody writes into a field of some size: other words in every field, and as many as it takes."""

    def __init__(self, *, hostile: bool) -> None:
        self._hostile = hostile
        self._turn = 0

    def __call__(self, chars_max: int) -> str:
        """Words for one field."""
        self._turn += 1
        turn = self._turn % len(PIECES)
        text = f"{self._turn}" + " ".join((*PIECES[turn:], *PIECES[:turn]))
        if chars_max >= REASON_CHARS_MAX and self._turn % 2:
            text += " " + "W" * chars_max
        text = text[:chars_max].strip() or "x"
        return text if self._hostile else HARMLESS.sub("x", plain(text))

    @property
    def shown(self) -> "Words":
        """Words of what is for everybody to see: names, promises."""
        return self

    @property
    def name(self) -> "Words":
        """Words of what belongs to no goal."""
        return self

    @property
    def how(self) -> dict[str, object]:
        """What kind of goal is proposed."""
        return {}

    @property
    def title(self) -> str:
        """A title or a name."""
        return self(TITLE_CHARS_MAX)

    @property
    def line(self) -> str:
        """A line."""
        return self(LINE_CHARS_MAX)

    @property
    def reason(self) -> str:
        """A reason."""
        return self(REASON_CHARS_MAX)

    @property
    def text(self) -> str:
        """As much as may be said at all."""
        return self(TEXT_CHARS_MAX)


class Marks(Words):
    """Words of private goals, each known again wherever it turns up."""

    def __init__(self, stem: str = WORK_MARK, after: str = "") -> None:
        super().__init__(hostile=False)
        self._stem = stem
        self._after = after

    def __call__(self, chars_max: int) -> str:
        """Words for one field."""
        self._turn += 1
        after = self._after if self._turn % 2 else ""
        return f"{self._stem}{self._turn} {after}"[:chars_max].strip()

    @property
    def shown(self) -> "Marks":
        """What is planted in every other field of a promise is withheld from it."""
        self._turn += 1
        return Marks(f"public{self._turn}part", " ".join(PLANTED))

    @property
    def name(self) -> "Marks":
        """Names belong to no goal."""
        self._turn += 1
        return Marks(f"name{self._turn}of")

    @property
    def how(self) -> dict[str, object]:
        """All goals are private."""
        return {"private": True}


def hostile_home(folder: Path, words: Words) -> Made:
    """A home in which everybody writes these words."""
    folder.mkdir(mode=0o700, exist_ok=True, parents=True)
    home = Home(str(folder))
    store = open_sqlite(Path(home.ledger))
    try:
        begins_ms = SystemClock().wall_ms() - 3 * HOUR_MS
        create_home(home, store, name=words.name.title, owner="ann", owner_name=words.name.title, now_ms=begins_ms)
        scribe = Scribe(store, begins_ms)
        for part in (_people, _promised, _worked, _asked, _ended):
            part(scribe, words)
            scribe.now_ms += 10 * MINUTE_MS
    finally:
        store.close()
    return Made(home, {who: secret_of(who) for who in ("ann", "bob", *AGENTS)})


def _people(scribe: Scribe, words: Words) -> None:
    scribe.do("operator", "member.add", member_id="bob", kind="person", display_name=words.name.title)
    for who in AGENTS:
        role = {"dreamer": "dreaming_proposer", "checker": "reviewer"}.get(who, "executor")
        scribe.do(
            "operator", "member.add", member_id=who, kind="agent", display_name=words.name.title, profile_role=role
        )
        scribe.do("operator", "member.profile", member_id=who, scope_summary=words.name(320))
    for who in ("ann", "bob", *AGENTS):
        scribe.do("operator", "token.issue", member_id=who, secret_digest=sha256(secret_of(who)))
    scribe.do("ann", "member.grant", member_id="helper", capability=("check",), reason=words.name.reason)


def _promise(words: Words) -> dict[str, object]:
    words = words.shown
    return {
        "title": words.title, "objective": words.text, "criterion": tuple(words.line for _ in range(4)),
        "non_goal": (words.line, words.line), "constraint": (words.line, words.line), "budget": words.line,
        "stop_condition": (words.line, words.line),
    }  # fmt: skip


def _promised(scribe: Scribe, words: Words) -> None:
    scopes = ("docs/\"'onmouseover=x/**", "a{{7*7}}/&amp;/**", *(f"part-{number}/**" for number in range(30)))
    scope = {"write_scope": scopes, "approver": ("ann", "bob")}
    scribe.do("builder", "goal.propose", goal_id="docs", **_promise(words), **words.how, **scope, review="independent")
    scribe.do("builder", "goal.clarify", goal_id="docs", question=words.line, option=(words(60), words(60)))
    scribe.do("ann", "goal.clarify", goal_id="docs", answer=words.reason, basis=question_shown(scribe, "docs"))
    scribe.do("ann", "goal.confirm", goal_id="docs", basis=intent_shown(scribe, "docs"))
    lane = {"lane_id": "links", "title": words.line, "acceptance": words.text}
    scribe.do("builder", "plan.propose", goal_id="docs", plan_id="plan_one", lane=(lane,))
    scribe.do("ann", "plan.confirm", goal_id="docs", plan_id="plan_one", basis=plan_shown(scribe, "docs", "plan_one"))
    scribe.do("builder", "plan.propose", goal_id="docs", plan_id="plan_two", lane=({**lane, "lane_id": "more"},))
    scribe.do("ann", "plan.reject", goal_id="docs", plan_id="plan_two", reason=words.reason)
    scribe.do("builder", "plan.propose", goal_id="docs", plan_id="plan_three", lane=({**lane, "lane_id": "most"},))
    for number in range(8):
        after = {"depends_on": (f"todo_{number - 3:03d}",)} if number > 2 else {}
        todo = {"goal_id": "docs", "todo_id": f"todo_{number:03d}", "acceptance": words.text}
        scribe.do("ann", "todo.add", **todo, text=words.line, **after)
    scribe.do(
        "ann", "todo.add", goal_id="docs", todo_id="todo_ask", text=words.line, role="user", task_class="user_action"
    )
    scribe.do("dreamer", "todo.add", goal_id="docs", todo_id="todo_idea", text=words.line)
    scribe.do("dreamer", "todo.add", goal_id="docs", todo_id="todo_bad", text=words.line)
    scribe.do("ann", "todo.decline", goal_id="docs", todo_id="todo_bad", reason=words.reason)


def _worked(scribe: Scribe, words: Words) -> None:
    docs = {"goal_id": "docs"}
    lease = {"idempotency_key": "k/1", "ttl_seconds": 86_400, "write_scope": ("docs/\"'onmouseover=x/**",)}
    scribe.do("builder", "task-lease.acquire", **docs, todo_id="todo_000", **lease)
    scribe.do("builder", "todo.update", **docs, todo_id="todo_000", note=words.reason)
    scribe.do("helper", "todo.claim", **docs, todo_id="todo_001")
    scribe.do("helper", "todo.block", **docs, todo_id="todo_001", reason=words.reason)
    scribe.do("ann", "todo.defer", **docs, todo_id="todo_004", resume_when="pr_merged:a/1", reason=words.reason)
    scribe.do("ann", "todo.cancel", **docs, todo_id="todo_005", reason=words.reason)
    made = []
    for verdict in ("accept", "reject", None):
        content = {"label": words.title, "sha256": sha256(str(verdict)), "size_bytes": 12, "summary": words.reason}
        scribe.do("builder", "artifact.submit", **docs, todo_id="todo_000", **content)
        made.append(list(scribe.state.goals[GoalId("docs")].artifacts)[-1])
        if verdict is not None:
            scribe.do("checker", "artifact.review", **docs, artifact_id=made[-1], verdict=verdict, reason=words.reason)
    run = {"turn_instance_id": "turn-1", "delivery_outcome": "outcome_progress", "evidence": (made[0],)}
    scribe.do("builder", "run.report", **docs, todo_id="todo_000", summary=words.reason, **run)
    for turn in ("turn-2", "turn-3"):
        stuck = {"turn_instance_id": turn, "delivery_outcome": "no_progress", "summary": words.reason}
        scribe.do("builder", "run.report", **docs, todo_id="todo_000", **stuck)
    scribe.do("builder", "run.replan", **docs, summary=words.reason)
    scribe.do("helper", "todo.claim", **docs, todo_id="todo_002")
    scribe.do("helper", "todo.handoff", **docs, todo_id="todo_002", context=words.reason, remaining_work=words.reason)
    who = {"agent_id": "builder", "on_behalf_of": "helper", "allowed_action": ("complete",)}
    scribe.do("ann", "todo.delegate", **docs, **who, todo_id=("todo_001",), reason=words.reason)
    scribe.ask("helper", "todo.block", **docs, todo_id="todo_000", reason=words.reason)


def _asked(scribe: Scribe, words: Words) -> None:
    docs = {"goal_id": "docs"}
    for gate_id in ("gate_open", "gate_no"):
        options = (words(60), words(60), *(f"choice {number}" for number in range(6)))
        gate = {"question": words.line, "option": options, "approver": ("ann", "bob"), "quorum": 2}
        scribe.do("builder", "gate.open", **docs, gate_id=gate_id, **gate, blocks_todo=("todo_006",))
        shown = {"basis": gate_shown(scribe, "docs", gate_id), "reason": words.reason}
        scribe.do("bob", "gate.approve" if gate_id == "gate_open" else "gate.reject", **docs, gate_id=gate_id, **shown)
    brief = {"purpose": words.reason, "context": words(6_000), "constraint": (words.line,), "acceptance": (words.line,)}
    for request_id in ("request_back", "request_no", "request_new"):
        scribe.do(
            "builder",
            "request.send",
            **docs,
            request_id=request_id,
            to="helper",
            **brief,
            return_requirement=words.line,
        )
    yes = {"request_id": "request_back", "decision": "adopt", "reason": words.reason}
    scribe.do("helper", "request.respond", **docs, **yes)
    scribe.do("helper", "artifact.submit", **docs, label=words.title, sha256=sha256("back"), size_bytes=1)
    artifact_id = list(scribe.state.goals[GoalId("docs")].artifacts)[-1]
    scribe.do(
        "helper", "request.return", **docs, request_id="request_back", artifact=(artifact_id,), summary=words.reason
    )
    scribe.do("helper", "request.respond", **docs, request_id="request_no", decision="reject", reason=words.reason)
    change = ({"op": "add", "title": words.line, "acceptance": words.text},)
    for amendment_id in ("amend_open", "amend_no"):
        asked = {"amendment_class": "shared_work_graph", "why": words.reason, "operation": change}
        scribe.do("builder", "amendment.submit", **docs, amendment_id=amendment_id, **asked)
    no = {"basis": amendment_shown(scribe, "docs", "amend_no"), "reason": words.reason}
    scribe.do("ann", "amendment.reject", **docs, amendment_id="amend_no", **no)
    scribe.do("ann", "goal.revise", **docs, **_promise(words))


def _ended(scribe: Scribe, words: Words) -> None:
    for goal_id in ("delivered", "paused", "stopped"):
        scribe.do("ann", "goal.propose", goal_id=goal_id, **_promise(words), **words.how)
        scribe.do("ann", "goal.confirm", goal_id=goal_id, basis=intent_shown(scribe, goal_id))
    scribe.do("ann", "goal.pause", goal_id="paused", basis=state_shown(scribe, "paused"), reason=words.reason)
    scribe.do("ann", "goal.stop", goal_id="stopped", basis=state_shown(scribe, "stopped"), reason=words.reason)
    todo = {"goal_id": "delivered", "todo_id": "todo_all"}
    for turn in range(2):
        if turn:
            back = {"basis": delivery_shown(scribe, "delivered"), "reason": words.reason}
            scribe.do("ann", "goal.request-changes", goal_id="delivered", **back)
            todo["todo_id"] = "todo_again"
        scribe.do("ann", "todo.add", **todo, text=words.line)
        scribe.do("builder", "todo.claim", **todo)
        content = {"label": words.title, "sha256": sha256(str(turn)), "size_bytes": 12}
        scribe.do("builder", "artifact.submit", **todo, **content)
        artifact_id = list(scribe.state.goals[GoalId("delivered")].artifacts)[-1]
        scribe.do("builder", "todo.complete", **todo, evidence=(artifact_id,), note=words.reason)
        scribe.do("builder", "goal.deliver", goal_id="delivered", summary=words.reason)
    scribe.do("ann", "goal.propose", goal_id="declined", **_promise(words), **words.how)
    declined = {"basis": intent_shown(scribe, "declined"), "reason": words.reason}
    scribe.do("ann", "goal.decline", goal_id="declined", **declined)
    scribe.do("ann", "goal.propose", goal_id="withdrawn", **_promise(words), **words.how)
    scribe.do("ann", "goal.withdraw", goal_id="withdrawn", reason=words.reason)
