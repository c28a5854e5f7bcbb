"""What a steward watches while others work: answers, reviews, work that no longer holds, leases that ran out, blocks.

Each rule sees a fact that the ledger shows and wishes the one thing that follows. Evidence that was rejected, or that
lost its basis, is made anew by its author. Where the author is gone, or has had its turns and a person said to go on,
the work is done again as a new todo, `todo_x-r2` for `todo_x`, with the same terms, validators too; whatever waited for
the old one is made to wait for the new one by a routine amendment.
"""

from collections.abc import Iterator
from dataclasses import replace

from daemon.agents.steward_facts import ROUTINE, Wish, latest, question, root_of, short, standing, times, wish
from daemon.agents.steward_template import can_do, reviewers
from daemon.agents.steward_view import Agent, Evidence, View, Work
from daemon.agents.steward_words import Words

TIMES_MAX = 4
"""How often a todo is done before a person is asked."""
LAPSES_MAX = 2
"""Executions of a bound agent, the last of which ran out, before the work is given to another one."""
SILENT_MS = 3_600_000
"""How long a reviewer may leave a request without an answer, before another one is asked."""
STUCK_MS = 900_000
"""How long an agent has to replan by itself."""
ANSWERED = frozenset({"returned"})
FALLEN = frozenset({"rejected", "invalidated", "superseded"})


def watched(view: View, words: Words) -> Iterator[Wish]:
    """All that follows from what happened, most of it without any person."""
    yield from answers(view)
    yield from amendments(view)
    yield from reviews(view, words)
    yield from redone(view, words)
    yield from rebound(view, words)
    yield from stuck(view, words)
    yield from blocks(view, words)


def answers(view: View) -> Iterator[Wish]:
    """What came back has arrived: its sender says so."""
    for request in view.requests:
        if request.sender == view.me and request.status in ANSWERED:
            yield wish(view, "arrived", request.request_id, "request.acknowledge", request_id=request.request_id)


def amendments(view: View) -> Iterator[Wish]:
    """The steward's own routine changes are made as they were put forward; what has moved is put forward anew."""
    for one in view.amendments:
        if one.submitted_by != view.me or one.amendment_class not in ROUTINE:
            continue
        about = f"{one.amendment_id}/{one.basis}"
        if one.status == "open":
            yield wish(view, "amend", about, "amendment.commit", amendment_id=one.amendment_id, basis=one.basis)
        elif one.status == "needs_rebase":
            yield wish(view, "rebase", about, "amendment.rebase", amendment_id=one.amendment_id)


# Reviews.


def reviews(view: View, words: Words) -> Iterator[Wish]:
    """Evidence of finished work is reviewed by somebody who did not make it; what is settled is asked of nobody."""
    if view.review != "independent":
        return
    evidence = {one for work in view.work if work.status == "done" for one in work.evidence}
    for artifact in view.evidence:
        if artifact.status == "submitted" and artifact.artifact_id in evidence:
            yield from _review(view, artifact, words)
        elif artifact.status != "submitted":
            yield from _moot(view, artifact, words)


def asked_about(view: View, artifact_id: str) -> list[tuple[str, str, str]]:
    """Requests for a review of this artifact: id, receiver and status."""
    stem = f"request_review-{artifact_id}-"
    return [(one.request_id, one.receiver, one.status) for one in view.requests if one.request_id.startswith(stem)]


def _review(view: View, artifact: Evidence, words: Words) -> Iterator[Wish]:
    asked = asked_about(view, artifact.artifact_id)
    for request_id, receiver, status in asked:
        if status in {"sent", "received", "adopted", "committed", "deferred"}:
            if view.agent(receiver) is None:
                reason = words.say("withdrawn.gone", agent=receiver)
                yield wish(view, "gone", request_id, "request.withdraw", request_id=request_id, reason=reason)
            else:
                yield from _silent(view, artifact, request_id, words)
            return
    free = _free(view, artifact)
    names = {"label": artifact.label, "artifact": artifact.artifact_id, "author": artifact.submitted_by}
    if not free:
        name = f"gate_review-{artifact.artifact_id}"
        yield question(view, "right", name, "resource", words.say("review.nobody", **names))
        return
    request_id = f"request_review-{artifact.artifact_id}-{len(asked) + 1}"
    given = f'{{"ref":"{artifact.artifact_id}","sha256":"{artifact.sha256}","relation":"responds_to"}}'
    yield wish(
        view, "review", request_id, "request.send", request_id=request_id, to=free[0].agent_id,
        purpose=words.say("review.purpose", **names), acceptance=[words.say("review.good")],
        return_requirement=words.say("review.return"), input=[given],
    )  # fmt: skip


def _free(view: View, artifact: Evidence) -> list[Agent]:
    """Who could review it and was not asked yet, the best first."""
    load = [one.receiver for one in view.requests if one.is_open]
    asked = {who for _, who, _ in asked_about(view, artifact.artifact_id)}
    return [one for one in reviewers(view, artifact.submitted_by, load) if one.agent_id not in asked]


def _silent(view: View, artifact: Evidence, request_id: str, words: Words) -> Iterator[Wish]:
    """Whoever says nothing for too long is relieved of it, once; after the second one, people say who should."""
    request = next(one for one in view.requests if one.request_id == request_id)
    silent_ms = view.now_ms - request.sent_at_ms
    if request.status not in {"sent", "received"} or silent_ms < SILENT_MS:
        return
    about = asked_about(view, artifact.artifact_id)
    if any(status == "withdrawn" and view.agent(who) is not None for _, who, status in about):
        names = {"label": artifact.label, "artifact": artifact.artifact_id, "agent": request.receiver}
        name = f"gate_review-{artifact.artifact_id}"
        yield question(view, "right", name, "resource", words.say("review.unanswered", **names))
    elif _free(view, artifact):
        reason = words.say("review.silent", agent=request.receiver, minutes=silent_ms // 60_000)
        yield wish(view, "silent", request_id, "request.withdraw", request_id=request_id, reason=reason)


def _moot(view: View, artifact: Evidence, words: Words) -> Iterator[Wish]:
    """Nobody is left with a request about what is settled, unless they have begun to answer."""
    for request_id, _, status in asked_about(view, artifact.artifact_id):
        if status in {"sent", "deferred"}:
            reason = words.say("withdrawn.reviewed")
            yield wish(view, "moot", request_id, "request.withdraw", request_id=request_id, reason=reason)


# Work that no longer holds.


def redone(view: View, words: Words) -> Iterator[Wish]:
    """Work whose evidence fell is for its author to make anew; where that is nobody any longer, it is done again."""
    current = {root_of(work.todo_id): work for work in latest(view)}
    for work in current.values():
        fallen = _fallen(view, work)
        if work.status != "done" or work.task_class != "advancement_task" or fallen is None:
            continue
        tries = _tries(view, work, fallen)
        if tries % TIMES_MAX == 0:
            name = f"gate_redo-{short(work.todo_id, str(tries))}"
            told = words.say("redo.used_up", title=work.title, count=tries)
            yield question(view, "direction", name, "direction", told)
            _, gate = standing(view, name)
            if gate is None or gate.status != "approved":
                continue
            # Whoever tried so often has had their turns: the next one is anybody's.
            yield _again(view, replace(work, bound_agent=None), fallen, current, words)
        elif view.agent(fallen.submitted_by) is None:
            yield _again(view, work, fallen, current, words)
    yield from _rewired(view, current, words)


def _fallen(view: View, work: Work) -> Evidence | None:
    """The first of its evidence that was rejected or undone and has nothing in its place."""
    found = (view.artifact(artifact_id) for artifact_id in work.evidence)
    return next((one for one in found if one is not None and one.status in FALLEN), None)


def _tries(view: View, work: Work, fallen: Evidence) -> int:
    """How often this was done: as a todo of its own, or by newer evidence of the same one."""
    chain, one = times(work.todo_id), view.artifact(fallen.revises)
    while one is not None:
        chain, one = chain + 1, view.artifact(one.revises)
    return chain


def _again(view: View, work: Work, fallen: Evidence, current: dict[str, Work], words: Words) -> Wish:
    todo_id = f"{root_of(work.todo_id)}-r{times(work.todo_id) + 1}"
    if fallen.status == "rejected":
        reason = fallen.reason or words.say("no_reason")
        why = words.say("redo.rejected", artifact=fallen.artifact_id, reviewer=fallen.reviewer, reason=reason)
    else:
        why = words.say("redo.stale", artifact=fallen.artifact_id)
    title = work.title if root_of(work.todo_id) != work.todo_id else words.say("redo.title", title=work.title)
    first = work.acceptance.split("\n")
    kept = first if root_of(work.todo_id) == work.todo_id else first[:-1]
    bound = work.bound_agent if view.agent(work.bound_agent or "") is not None else None
    return wish(
        view, "redo", todo_id, "todo.add", todo_id=todo_id, text=title,
        acceptance="\n".join([*filter(None, kept), why]), priority=work.priority, bound_agent=bound,
        depends_on=[_now(current, one) for one in work.depends_on], excluded_agent=list(work.excluded_agents),
        action_kind=work.action_kind, required_write_scope=list(work.write_scopes),
        required_capability=list(work.capabilities), validator=list(work.validators),
    )  # fmt: skip


def _now(current: dict[str, Work], todo_id: str) -> str:
    """The todo that stands for this one now."""
    found = current.get(root_of(todo_id))
    return todo_id if found is None else found.todo_id


def _rewired(view: View, current: dict[str, Work], words: Words) -> Iterator[Wish]:
    """What waits for work that was done again waits for the last of it."""
    for work in view.work:
        if work.status not in {"open", "blocked"} or work.role != "agent":
            continue
        wanted = [_now(current, one) for one in work.depends_on]
        if wanted == list(work.depends_on) or work.todo_id in wanted:
            continue
        moved = next(one for one, now in zip(work.depends_on, wanted, strict=True) if one != now)
        amendment_id = f"amend_w-{short(work.todo_id, *wanted)}"
        if any(one.amendment_id == amendment_id for one in view.amendments):
            continue
        listed = ",".join(f'"{one}"' for one in wanted)
        yield wish(
            view, "rewire", amendment_id, "amendment.submit", amendment_id=amendment_id,
            amendment_class="shared_work_graph", why=words.say("rewire.why", old=moved, new=_now(current, moved)),
            operation=[f'{{"op":"rewire","todo_id":"{work.todo_id}","depends_on":[{listed}]}}'],
            rebase_todo=[work.todo_id] if work.claimed_by is not None else [],
        )  # fmt: skip


# Agents that are away.


def rebound(view: View, words: Words) -> Iterator[Wish]:
    """Work whose own agent let it lapse again, or is gone, goes to another that could do it."""
    for work in view.work:
        if work.status != "open" or work.bound_agent is None or work.claimed_by is not None or work.role != "agent":
            continue
        gone = view.agent(work.bound_agent) is None
        if not gone and work.lapses < LAPSES_MAX:
            continue
        names = {"agent": work.bound_agent, "todo": work.todo_id, "count": work.lapses}
        why = words.say("rebind.gone" if gone else "rebind.why", **names)
        yield from _rebind(view, work, f"amend_b-{short(work.todo_id, work.bound_agent, str(work.lapses))}", why)


def _rebind(view: View, work: Work, amendment_id: str, why: str) -> Iterator[Wish]:
    """Give it to another that could do it, if there is one; an amendment of this name is submitted once."""
    other = _another(view, work)
    if other is None or any(one.amendment_id == amendment_id for one in view.amendments):
        return
    yield wish(
        view, "rebind", amendment_id, "amendment.submit", amendment_id=amendment_id, amendment_class="lane_route",
        why=why, operation=[f'{{"op":"rebind","todo_id":"{work.todo_id}","agent":"{other.agent_id}"}}'],
    )  # fmt: skip


def stuck(view: View, words: Words) -> Iterator[Wish]:
    """An agent that must replan and does not: its work goes to another, and where nobody else can, people are asked."""
    for agent in view.agents:
        last = agent.stuck
        if last is None or view.now_ms - last.at_ms < STUCK_MS:
            continue
        # What it has in hand it goes on with, and what is bound to nobody anybody may take.
        waits = [one for one in view.work if one.status == "open" and one.bound_agent == agent.agent_id]
        waits = [one for one in waits if one.role == "agent" and one.claimed_by is None]
        names = {"agent": agent.agent_id, "todo": last.todo_id, "minutes": (view.now_ms - last.at_ms) // 60_000}
        about = short(agent.agent_id, str(last.seq))
        moved = next((one for one in waits if one.todo_id == last.todo_id and _another(view, one) is not None), None)
        if moved is not None:
            yield from _rebind(view, moved, f"amend_p-{about}", words.say("rebind.stuck", **names))
        elif waits:
            told = words.say("replan.stuck", **names)
            yield question(view, "direction", f"gate_replan-{about}", "direction", told)


def _another(view: View, work: Work) -> Agent | None:
    """Who else could do it; whoever made what it reviews stays out by the todo's own exclusions."""
    busy = [one.claimed_by for one in view.work if one.claimed_by is not None and one.status == "open"]
    found = [
        one for one in view.agents
        if one.agent_id not in {work.bound_agent, view.me, *work.excluded_agents} and can_do(view, one, work)
        and one.stuck is None
    ]  # fmt: skip
    return min(found, key=lambda one: (one.role != "executor", busy.count(one.agent_id), one.agent_id), default=None)


# Blocks.


def blocks(view: View, words: Words) -> Iterator[Wish]:
    """Blocked work asks a person for the direction; by a yes it goes on, by a no it stays as it is."""
    for work in view.work:
        if work.status != "blocked" or work.role != "agent":
            continue
        stem = f"gate_blocked-{short(work.todo_id)}-"
        # The note that the work got when it went on names the gate that is used up.
        used = [one.gate_id for one in view.gates if one.gate_id.startswith(stem) and one.gate_id in work.note]
        name = f"{stem}{max((int(one.removeprefix(stem).partition('-')[0]) for one in used), default=0) + 1}"
        told = words.say("blocked", title=work.title, reason=work.reason)
        yield question(view, "blocked", name, "direction", told, work.todo_id)
        gate_id, gate = standing(view, name)
        # Whoever still has it in hand goes on by the yes; nobody else may say so.
        if gate is not None and gate.status == "approved" and work.claimed_by is None:
            note = words.say("reopened", gate=gate_id)
            yield wish(view, "reopen", gate_id, "todo.update", todo_id=work.todo_id, status="open", note=note)
