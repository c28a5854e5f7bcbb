"""What has happened in the workspace that the page is looked at with: two days of people and agents at work.

Everything is said as commands to the real writer, each at its own moment, so that leases have run out, requests have
come back and gates have waited for hours when somebody opens the page.
"""

from collections.abc import Callable

from tests.support.agent_scenes import CONFIG
from tests.support.homes import Scribe, secret_of, sha256
from tests.web.shown import delivery_shown, gate_shown, intent_shown, plan_shown, state_shown

MINUTE_MS, HOUR_MS = 60_000, 3_600_000
STORY_MS = 46 * HOUR_MS
"""How long before now it begins."""
PEOPLE = {"bo": "Bo Chen 陈博", "cara": "Cara Diaz"}
AGENTS = {
    "builder": ("Builder", "executor", "Writes and mends pages of the handbook."),
    "linker": ("Linker", "executor", "Follows links and says which are dead."),
    "translator": ("Translator 译者", "executor", "Keeps the Chinese chapters in step. 中文章节的翻译与校对。"),
    "checker": ("Checker", "reviewer", "Reads what others hand in before anybody builds on it."),
    "dreamer": ("Dreamer", "dreaming_proposer", "Proposes what nobody has asked for yet."),
}
BUSY = "handbook"
HANDBOOK = {"goal_id": BUSY}

ADDED: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("outline", "Agree the order of the chapters", {"priority": "P0"}),
    ("install", "Write the chapter on installing", {"priority": "P1", "depends_on": ("todo_outline",)}),
    ("first_day", "Write the chapter on the first day", {"depends_on": ("todo_install",)}),
    (
        "pictures",
        "Describe every picture",
        {"depends_on": ("todo_install",), "required_write_scope": ("docs/img/**",)},
    ),
    ("zh_install", "翻译“安装”一章", {"depends_on": ("todo_install",), "required_write_scope": ("zh/**",)}),
    ("zh_first_day", "翻译“第一天”一章", {"depends_on": ("todo_first_day", "todo_zh_install")}),
    ("words", "Put the glossary's words into every chapter", {"priority": "P3"}),
    (
        "trial",
        "Let a newcomer try it, watched",
        {"priority": "P1", "depends_on": ("todo_first_day", "todo_pictures")},
    ),
    ("publish", "Publish the handbook", {"depends_on": ("todo_trial", "todo_zh_first_day")}),
    ("ask_dates", "Name the day of the trial", {"role": "user", "task_class": "user_action"}),
    ("watch", "Watch the site's links", {"task_class": "continuous_monitor", "cadence_seconds": 7_200}),
)
"""What Ann adds to the plan of the busy goal."""


def tell(scribe: Scribe) -> None:
    """The whole story; `scribe` stands at its first moment."""
    _people(scribe)
    for part, pause_hours in PARTS:
        part(scribe)
        scribe.now_ms += pause_hours * HOUR_MS


def _people(scribe: Scribe) -> None:
    scribe.kinds.update(dict.fromkeys(PEOPLE, "person"))
    for who, name in PEOPLE.items():
        scribe.do("operator", "member.add", member_id=who, kind="person", display_name=name)
    for who, (name, role, scope) in AGENTS.items():
        scribe.do("operator", "member.add", member_id=who, kind="agent", display_name=name, profile_role=role)
        scribe.do("operator", "member.profile", member_id=who, scope_summary=scope)
    for who in ("ann", *PEOPLE, *AGENTS):
        scribe.do("operator", "token.issue", member_id=who, secret_digest=sha256(secret_of(who)))
    for who in ("builder", "linker"):
        token_id = str(scribe.state.tokens[sha256(secret_of(who))].token_id)
        bound = {"runtime": "claude_code" if who == "builder" else "codex", "config_sha256": CONFIG}
        scribe.do("operator", "agent.bind", agent_id=who, token_id=token_id, **bound)
    scribe.now_ms += 5 * MINUTE_MS


def confirmed(scribe: Scribe, goal_id: str, **words: object) -> None:
    """A goal that Ann has said yes to."""
    scribe.do("ann", "goal.propose", goal_id=goal_id, **words)
    scribe.now_ms += 7 * MINUTE_MS
    scribe.do("ann", "goal.confirm", goal_id=goal_id, basis=intent_shown(scribe, goal_id))


def handed_in(scribe: Scribe, who: str, goal_id: str, label: str, **more: object) -> str:
    """Something that somebody made; its id."""
    scribe.now_ms += 3 * MINUTE_MS
    content = {"sha256": sha256(label), "size_bytes": 1_000 + 37 * len(label)}
    scribe.do(who, "artifact.submit", goal_id=goal_id, label=label, **content, **more)
    return str(list(scribe.state.goals[goal_id].artifacts)[-1])


def judged(scribe: Scribe, artifact_id: str, verdict: str, reason: str, goal_id: str = BUSY) -> None:
    """Somebody else has read it."""
    scribe.now_ms += 4 * MINUTE_MS
    scribe.do("checker", "artifact.review", goal_id=goal_id, artifact_id=artifact_id, verdict=verdict, reason=reason)


def _finished(scribe: Scribe, goal_id: str, who: str, text: str, label: str) -> None:
    """One todo from its beginning to its end."""
    todo = {"goal_id": goal_id, "todo_id": "todo_all"}
    scribe.do("ann", "todo.add", **todo, text=text)
    scribe.do(who, "todo.claim", **todo)
    scribe.now_ms += 40 * MINUTE_MS
    artifact_id = handed_in(scribe, who, goal_id, label, todo_id="todo_all")
    scribe.do(who, "todo.complete", **todo, evidence=(artifact_id,))


def _accepted(scribe: Scribe) -> None:
    words = {
        "title": "A glossary that both languages share",
        "criterion": ("Every term has one word in each language",),
    }
    confirmed(scribe, "glossary", objective="One word for one thing, in English and Chinese", review="owner", **words)
    _finished(scribe, "glossary", "translator", "Collect the terms and settle each", "glossary-final.md")
    scribe.do("translator", "goal.deliver", goal_id="glossary", summary="84 terms, each with one word in each language")
    scribe.now_ms += 90 * MINUTE_MS
    scribe.do("ann", "goal.accept", goal_id="glossary", basis=delivery_shown(scribe, "glossary"), reason="Good, thanks")


def _stopped(scribe: Scribe) -> None:
    words = {"title": "Move the forum to a new host", "criterion": ("Every thread is there",)}
    confirmed(scribe, "forum", objective="The forum runs on the new host", **words)
    scribe.do("ann", "todo.add", goal_id="forum", todo_id="todo_copy", text="Copy the threads")
    scribe.now_ms += 3 * HOUR_MS
    scribe.do(
        "ann", "goal.stop", goal_id="forum", basis=state_shown(scribe, "forum"), reason="The forum is closed instead"
    )


def _promised(scribe: Scribe) -> None:
    """The busy goal: two revisions, a plan, and what follows from it."""
    promise = {
        "title": "A handbook that a newcomer can follow alone",
        "objective": "Somebody new sets everything up in an afternoon with the handbook and nothing else, 中英文皆可。",
        "criterion": ("No dead link in any chapter", "Every command was run as printed", "中文与英文章节一一对应"),
        "non_goal": ("A new design of the site",),
        "constraint": ("No chapter grows beyond 2,000 words",),
        "write_scope": ("docs/**", "reports/**", "zh/**", "tools/links/**"),
        "approver": ("ann", "bo"),
        "review": "independent",
        "budget": "40 hours of agents' time",
        "allowed_slots": 400,
        "token_cap": 2_000_000,
    }
    confirmed(scribe, BUSY, **promise)
    lanes = (
        {"lane_id": "links", "title": "Follow every link and report the dead ones", "write_scope": ["reports/**"]},
        {"lane_id": "mend", "title": "Mend what the report names", "depends_on": ["links"], "write_scope": ["docs/**"]},
        {"lane_id": "commands", "title": "Run every command as printed", "write_scope": ["reports/commands/**"]},
    )
    scribe.do("builder", "plan.propose", **HANDBOOK, plan_id="plan_first", lane=lanes)
    scribe.now_ms += 20 * MINUTE_MS
    scribe.do("ann", "plan.confirm", **HANDBOOK, plan_id="plan_first", basis=plan_shown(scribe, BUSY, "plan_first"))
    for who in AGENTS:
        scribe.do(who, "goal.adopt", **HANDBOOK, revision=1)
    scribe.now_ms += HOUR_MS
    scribe.do("ann", "goal.revise", **HANDBOOK, criterion=(*promise["criterion"], "Every picture has a description"))
    scribe.do("ann", "goal.confirm", **HANDBOOK, basis=intent_shown(scribe, BUSY))
    for who in ("builder", "linker", "translator", "checker"):
        scribe.do(who, "goal.adopt", **HANDBOOK, revision=2)
    for name, text, more in ADDED:
        scribe.do("ann", "todo.add", **HANDBOOK, todo_id=f"todo_{name}", text=text, **more)
    scribe.now_ms += 10 * MINUTE_MS


def _planned(lane: str) -> str:
    """The todo that came of a lane of the plan."""
    return f"todo_plan_first_{lane}"


def _lease(scribe: Scribe, who: str, todo_id: str, key: str, minutes: int, *scopes: str) -> int:
    """Somebody takes a lease; its version."""
    words = {"idempotency_key": key, "ttl_seconds": minutes * 60, "write_scope": scopes}
    scribe.do(who, "task-lease.acquire", **HANDBOOK, todo_id=todo_id, **words)
    return scribe.state.goals[BUSY].leases[todo_id].version


def _ran(scribe: Scribe, who: str, todo_id: str, turn: str, outcome: str, summary: str, **more: object) -> None:
    words = {"turn_instance_id": turn, "delivery_outcome": outcome, "summary": summary, "run_id": f"run_{turn}"}
    scribe.do(who, "run.report", **HANDBOOK, todo_id=todo_id, **words, **more)


def _worked_on(scribe: Scribe) -> None:
    """Leases, results, what was found wrong with them, and what was built on them meanwhile."""
    links = _planned("links")
    version = _lease(scribe, "linker", links, "linker/1", 45, "reports/**")
    scribe.now_ms += 35 * MINUTE_MS
    scribe.do(
        "linker", "task-lease.renew", **HANDBOOK, todo_id=links, idempotency_key="linker/1", expected_version=version
    )
    report = handed_in(
        scribe, "linker", BUSY, "links-report.json", todo_id=links, summary="1,204 links, 31 of them dead"
    )
    argv = {"argv_sha256": sha256("links --strict"), "exit_code": 0, "duration_ms": 8_212}
    scribe.do("checker", "artifact.record-check", **HANDBOOK, artifact_id=report, name="links", **argv)
    judged(scribe, report, "accept", "Spot-checked forty of them")
    fence = {"task_lease_idempotency_key": "linker/1", "task_lease_expected_version": version + 1}
    scribe.do("linker", "todo.complete", **HANDBOOK, todo_id=links, evidence=(report,), **fence)
    _ran(scribe, "linker", links, "turn-l1", "primary_goal_outcome", "Followed 1,204 links", evidence=(report,))
    scribe.do("linker", "quota.spend-slot", **HANDBOOK, todo_id=links, turn_instance_id="turn-l1")
    used = {"source": "provider", "run_id": "run_turn-l1", "tokens_in": 412_300, "tokens_out": 38_100}
    scribe.do("linker", "usage.report", **HANDBOOK, **used, cost_micros=1_830_000)
    _outlined(scribe)
    scribe.now_ms += 2 * HOUR_MS
    mend = _planned("mend")
    _lease(scribe, "builder", mend, "builder/mend-1", 60, "docs/links/**")
    first = handed_in(scribe, "builder", BUSY, "mended-pages.patch", todo_id=mend, input=(report,))
    judged(scribe, first, "reject", "Twelve of the dead links are still there")
    _ran(scribe, "builder", mend, "turn-b1", "surface_only", "Mended what could be found by name")
    # Nobody comes back in time: the lease runs out, and somebody else takes the work over.
    scribe.now_ms += 3 * HOUR_MS
    scribe.do("daemon", "task-lease.expire", **HANDBOOK, todo_id=mend)
    scribe.ask("builder", "todo.complete", **HANDBOOK, todo_id=mend, task_lease_idempotency_key="builder/mend-1",
               task_lease_expected_version=1)  # fmt: skip
    version = _lease(scribe, "linker", mend, "linker/mend-2", 90, "docs/links/**")
    second = handed_in(scribe, "linker", BUSY, "mended-pages-2.patch", todo_id=mend, input=(report,))
    judged(scribe, second, "accept", "None is left")
    fence = {"task_lease_idempotency_key": "linker/mend-2", "task_lease_expected_version": version}
    scribe.do("linker", "todo.complete", **HANDBOOK, todo_id=mend, evidence=(second,), **fence)
    _ran(scribe, "linker", mend, "turn-l2", "primary_goal_outcome", "No dead link is left", evidence=(second,))
    scribe.do("linker", "quota.spend-slot", **HANDBOOK, todo_id=mend, turn_instance_id="turn-l2", slots=12)


def _outlined(scribe: Scribe) -> None:
    """A result on which another rests is taken back with it."""
    scribe.do("builder", "todo.claim", **HANDBOOK, todo_id="todo_outline")
    outline = handed_in(scribe, "builder", BUSY, "outline.md", todo_id="todo_outline")
    judged(scribe, outline, "accept", "Clear")
    draft = {"todo_id": "todo_install", "input": (outline,), "summary": "Installing, first draft"}
    scribe.do("builder", "todo.complete", **HANDBOOK, todo_id="todo_outline", evidence=(outline,))
    scribe.do("builder", "todo.claim", **HANDBOOK, todo_id="todo_install")
    handed_in(scribe, "builder", BUSY, "install-draft.md", **draft)
    newer = handed_in(scribe, "builder", BUSY, "outline-2.md", todo_id="todo_outline", revises=outline)
    judged(scribe, newer, "accept", "Clearer")
    again = handed_in(scribe, "builder", BUSY, "install.md", todo_id="todo_install", input=(newer,))
    judged(scribe, again, "accept", "Every command in it was run")
    scribe.do("builder", "todo.complete", **HANDBOOK, todo_id="todo_install", evidence=(again,))
    _ran(scribe, "builder", "todo_install", "turn-b0", "outcome_progress", "Wrote the chapter twice", evidence=(again,))


def _handed_over(scribe: Scribe) -> None:
    """What is between peers, what was proposed, what waits for a person, and what is under way now."""
    asked = {"to": "translator", "purpose": "Say which terms of the chapter on installing have no Chinese word yet"}
    brief = {"acceptance": ("Each term is named",), "return_requirement": "A list, one term a line"}
    scribe.do("builder", "request.send", **HANDBOOK, request_id="request_terms", **asked, **brief)
    scribe.do("translator", "request.receive", **HANDBOOK, request_id="request_terms")
    scribe.do(
        "translator", "request.respond", **HANDBOOK, request_id="request_terms", decision="adopt", reason="今天完成"
    )
    terms = handed_in(scribe, "translator", BUSY, "terms-without-a-word.txt")
    back = {"artifact": (terms,), "summary": "Nine terms; 九个词"}
    scribe.do("translator", "request.return", **HANDBOOK, request_id="request_terms", **back)
    asked = {"to": "checker", "purpose": "Look at the report before the trial", "acceptance": ("A yes or a no",)}
    scribe.do("linker", "request.send", **HANDBOOK, request_id="request_look", **asked, return_requirement="A sentence")
    for name, text in (("index", "Make an index of every command"), ("film", "Make a film of the first day")):
        scribe.do("dreamer", "todo.add", **HANDBOOK, todo_id=f"todo_{name}", text=text)
    scribe.now_ms += 30 * MINUTE_MS
    gate = {
        "question": "May the link checker write outside of its folder?",
        "kind": "write_scope",
        "approver": ("ann",),
    }
    scribe.do("linker", "gate.open", **HANDBOOK, gate_id="gate_scope", **gate, blocks_todo=("todo_words",))
    scribe.now_ms += 20 * MINUTE_MS
    no = {"basis": gate_shown(scribe, BUSY, "gate_scope"), "reason": "Its folder is enough"}
    scribe.do("ann", "gate.reject", **HANDBOOK, gate_id="gate_scope", **no)
    gate = {"question": "May the draft go to the newcomers' list?", "kind": "publish", "severity": "high"}
    more = {
        "approver": ("ann", "bo"),
        "quorum": 2,
        "blocks_todo": ("todo_publish",),
        "option": ("Now", "After the trial"),
    }
    scribe.do("builder", "gate.open", **HANDBOOK, gate_id="gate_list", **gate, **more)
    scribe.do(
        "bo", "gate.approve", **HANDBOOK, gate_id="gate_list", basis=gate_shown(scribe, BUSY, "gate_list"), reason="Yes"
    )
    change = ({"op": "add", "title": "Check the handbook on a phone", "priority": "P1"},)
    amended = {
        "amendment_class": "shared_work_graph",
        "why": "Half of the newcomers read on a phone",
        "operation": change,
    }
    scribe.do("checker", "amendment.submit", **HANDBOOK, amendment_id="amend_phone", **amended)
    scribe.do("ann", "goal.revise", **HANDBOOK, constraint=("No chapter grows beyond 1,500 words",))


def now_under_way(scribe: Scribe) -> None:
    """The last hour of the busy goal; `scribe` stands an hour before now."""
    first_day, pictures, zh = "todo_first_day", "todo_pictures", "todo_zh_install"
    commands = _planned("commands")
    scribe.now_ms += 8 * MINUTE_MS
    _lease(scribe, "builder", first_day, "builder/2", 90, "docs/first-day/**")
    _lease(scribe, "translator", zh, "translator/1", 75, "zh/**")
    scribe.now_ms += 9 * MINUTE_MS
    _lease(scribe, "linker", commands, "linker/3", 120, "reports/commands/**")
    scribe.ask("checker", "task-lease.acquire", **HANDBOOK, todo_id=pictures, idempotency_key="checker/1",
               write_scope=("docs/first-day/img/**",))  # fmt: skip
    scribe.ask("checker", "todo.claim", **HANDBOOK, todo_id=zh)
    scribe.ask("checker", "todo.claim", **HANDBOOK, todo_id="todo_words")
    scribe.do("checker", "todo.claim", **HANDBOOK, todo_id=pictures)
    draft = handed_in(scribe, "builder", BUSY, "first-day-draft.md", todo_id=first_day, summary="初稿，约 1,300 词")
    _ran(scribe, "builder", first_day, "turn-b2", "outcome_progress", "Wrote half of the chapter", evidence=(draft,))
    used = {"source": "provider", "run_id": "run_turn-b2", "tokens_in": 88_000}
    scribe.do("builder", "usage.report", **HANDBOOK, **used)
    scribe.do("linker", "run.observe", **HANDBOOK, todo_id="todo_watch", result_hash=sha256("seen"))
    _ran(
        scribe,
        "linker",
        commands,
        "turn-l3",
        "no_progress",
        "The test machine did not answer",
        classification="blocked",
    )
    scribe.do("translator", "todo.update", **HANDBOOK, todo_id=zh, note="三分之二已完成；两个术语等回复。")


def _delivered(scribe: Scribe) -> None:
    words = {"title": "Numbers of the first quarter", "criterion": ("Each figure names its source",)}
    confirmed(scribe, "figures", objective="The figures of the first quarter, with where each comes from", **words)
    _finished(scribe, "figures", "linker", "Collect the figures", "figures-q1.csv")
    scribe.do("linker", "goal.deliver", goal_id="figures", summary="Sixteen figures, each with its source")


def _waiting(scribe: Scribe) -> None:
    words = {"title": "The release that users asked for 发布 2.0", "criterion": ("Both owners have agreed the day",)}
    confirmed(
        scribe,
        "release",
        objective="Release 2.0 goes out with notes",
        write_scope=("release/**",),
        approver=("ann", *PEOPLE),
        **words,
    )
    scribe.do("ann", "todo.add", goal_id="release", todo_id="todo_notes", text="Write the notes")
    gate = {"question": "Which day does it go out?", "kind": "owner_decision", "severity": "critical", "quorum": 2}
    more = {"approver": ("ann", "bo", "cara"), "option": ("Tuesday", "Thursday"), "blocks_goal": True}
    scribe.do("builder", "gate.open", goal_id="release", gate_id="gate_day", **gate, **more)
    scribe.now_ms += 15 * MINUTE_MS
    scribe.do("bo", "gate.approve", goal_id="release", gate_id="gate_day",
              basis=gate_shown(scribe, "release", "gate_day"), reason="Thursday")  # fmt: skip


def _proposed(scribe: Scribe) -> None:
    words = {"title": "A letter to readers every month", "criterion": ("It goes out on the first",)}
    scribe.do("builder", "goal.propose", goal_id="letter", objective="Readers hear what is new", priority="P3", **words)
    scribe.do("ann", "goal.revise", goal_id="letter", criterion=("It goes out on the first", "It fits on one page"))


def _private(scribe: Scribe) -> None:
    words = {
        "title": "Pay round",
        "objective": "Settle the pay of the writers",
        "criterion": ("Everybody has a letter",),
    }
    confirmed(scribe, "pay", private=True, **words)
    scribe.do("ann", "todo.add", goal_id="pay", todo_id="todo_pay", text="Draft the letters")


PARTS: tuple[tuple[Callable[[Scribe], None], int], ...] = (
    (_accepted, 2), (_stopped, 5), (_promised, 3), (_worked_on, 9), (_delivered, 2), (_waiting, 4), (_proposed, 1),
    (_private, 1), (_handed_over, 1),
)  # fmt: skip
"""The parts in their order, and how long nothing happens after each."""
