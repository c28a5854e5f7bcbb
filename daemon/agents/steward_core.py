"""What a steward wishes, as a pure function of what it sees of one goal.

    proposed, clarifying          ask the one open question
    active, changes_requested     adopt the promise, tidy its own requests, watch the work, plan, deliver
    delivered                     tell the chats; the rest is for the owners
    everything else               nothing: a pause and an end are for people to change

What an owner must decide is never wished; where an owner lets the steward confirm plans, that is in the goal's policy.
"""

from collections.abc import Iterator

from daemon.agents.steward_facts import (
    OPEN_GATES,
    PLANS_MAX,
    QUESTIONS,
    Wish,
    latest,
    proof,
    question,
    short,
    standing,
    unfinished,
    unproved,
    wish,
)
from daemon.agents.steward_view import Criterion, Plan, View
from daemon.agents.steward_watch import watched
from daemon.agents.steward_words import Words


def decide_next(view: View, words: Words) -> tuple[Wish, ...]:
    """All that the steward wishes now, in the order in which to ask for it."""
    match view.state:
        case "proposed" | "clarifying":
            return tuple(clarified(view, words))
        case "active" | "changes_requested":
            return (*adopted(view), *_at_work(view, words), *summarised(view))
        case "delivered":
            return tuple(summarised(view))
        case _:
            return ()


def _at_work(view: View, words: Words) -> tuple[Wish, ...]:
    """What follows from the work goes first; only when nothing does is it time to plan or to deliver."""
    watching, planning = tuple(watched(view, words)), (*planned(view, words), *delivered(view, words))
    asked = {one.params["gate_id"] for one in (*watching, *planning) if one.action == "gate.open"}
    moot = [
        wish(view, "moot", gate.gate_id, "gate.withdraw", gate_id=gate.gate_id, reason=words.say("withdrawn.gate"))
        for gate in view.gates
        if gate.gate_id.startswith(QUESTIONS) and gate.opened_by == view.me and gate.status in OPEN_GATES
        if gate.gate_id not in asked
    ]
    first = (*_new(view, watching), *moot)
    return first or _new(view, planning)


def _new(view: View, wishes: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """What is still to be asked for: a question that stands already has its gate."""
    return tuple(one for one in wishes if one.action != "gate.open" or view.gate(str(one.params["gate_id"])) is None)


def clarified(view: View, words: Words) -> Iterator[Wish]:
    """The question of the planner, or that of the template: what may be written was perhaps forgotten."""
    if view.asked:
        return
    if view.has_planner:
        yield Wish(
            action="goal.clarify",
            params={"goal_id": view.goal_id},
            key=f"steward/{view.goal_id}/clarify/planner-{view.revision}",
            why="clarify",
            asks_planner=True,
        )
        return
    if view.write_scopes:
        return
    yield wish(
        view, "clarify", "writes", "goal.clarify", question=words.say("ask.writes"),
        option=[words.say("ask.writes.nothing"), words.say("ask.writes.name")],
    )  # fmt: skip


def adopted(view: View) -> Iterator[Wish]:
    """A new promise is read before anything is done by it."""
    if view.revision > 1:
        yield wish(view, "adopt", str(view.revision), "goal.adopt", revision=view.revision)


def planned(view: View, words: Words) -> Iterator[Wish]:
    """A plan where criteria have neither proof nor work; one that waits is confirmed only where that is delegated."""
    waiting = [plan for plan in view.plans if plan.status == "open"]
    for plan in waiting:
        yield from _waiting_plan(view, plan, words)
    if waiting or view.pending or unfinished(view) or not _wants_work(view):
        return
    tried = _tried(view)
    number = len(tried) + 1
    plan_id = f"{_round(view)}n{number}"
    if (name := _gate_before(view, tried, number)) is not None:
        yield _asks_for_direction(view, tried, name, words)
        _, gate = standing(view, name)
        if gate is None or gate.status != "approved":
            return
    yield Wish(
        action="plan.propose",
        params={"goal_id": view.goal_id, "plan_id": plan_id},
        key=f"steward/{view.goal_id}/plan/{plan_id}",
        why="plan",
        asks_planner=True,
    )


def _round(view: View) -> str:
    return f"plan_r{view.revision}d{view.deliveries}"


def _tried(view: View) -> list[Plan]:
    """The steward's plans for this revision and delivery; a plan that was taken back was never decided on."""
    return [plan for plan in reversed(view.plans) if plan.plan_id.rpartition("n")[0] == _round(view)]


def _wants_work(view: View) -> bool:
    sent_back = view.state == "changes_requested" and set(view.delivered) == {one.artifact_id for one in proof(view)}
    return sent_back or bool(unproved(view))


def _gate_before(view: View, tried: list[Plan], number: int) -> str | None:
    """The decision that the next plan waits for: after a no, and after as many plans as one revision gets."""
    if tried and tried[-1].status == "rejected":
        return f"gate_{tried[-1].plan_id}"
    return f"gate_{_round(view)}n{number}" if number > PLANS_MAX else None


def _asks_for_direction(view: View, tried: list[Plan], name: str, words: Words) -> Wish:
    last = tried[-1]
    if last.status == "rejected":
        reason = last.reason or words.say("no_reason")
        told = words.say("plan.turned_down", plan=last.plan_id, reason=reason)
    else:
        criteria = ", ".join(one.criterion_id for one in unproved(view))
        told = words.say("plan.used_up", count=len(tried), criteria=criteria)
    return question(view, "direction", name, "direction", told)


def _waiting_plan(view: View, plan: Plan, words: Words) -> Iterator[Wish]:
    if plan.proposed_by != view.me:
        return
    if plan.gaps:
        name = f"gate_gap-{short(plan.plan_id, *(f'{gap.lane_id} {gap.reason}' for gap in plan.gaps))}"
        gaps = "; ".join(f"{gap.lane_id}: {gap.reason} ({', '.join(gap.names)})" for gap in plan.gaps)
        yield question(view, "right", name, "resource", words.say("plan.gap", plan=plan.plan_id, gaps=gaps))
    elif view.plan_approval == "steward":
        yield wish(
            view, "confirm", f"{plan.plan_id}/{plan.basis}", "plan.confirm", plan_id=plan.plan_id, basis=plan.basis
        )


def delivered(view: View, words: Words) -> Iterator[Wish]:
    """The result, once each criterion has evidence that counts, nothing is open and it is not what was sent back."""
    good = proof(view)
    asked = any(gate.status in OPEN_GATES for gate in view.gates)
    if view.pending or asked or not good or unproved(view) or unfinished(view):
        return
    if any(plan.status == "open" for plan in view.plans) or set(view.delivered) == {one.artifact_id for one in good}:
        return
    lines = [words.say("deliver"), *(_line(view, one, words) for one in view.criteria)]
    yield wish(
        view, "deliver", f"{view.revision}/{view.deliveries + 1}", "goal.deliver", summary="\n".join(lines)[:10_000]
    )


def _line(view: View, criterion: Criterion, words: Words) -> str:
    one = next(
        one for one in proof(view) if criterion.criterion_id in one.criterion_ids and one.revision == view.revision
    )
    reviewed = words.say("deliver.reviewed", reviewer=one.reviewer) if one.reviewer else ""
    return words.say(
        "deliver.line", criterion=criterion.criterion_id, text=criterion.text, label=one.label,
        artifact=one.artifact_id, digest=one.sha256[:12], author=one.submitted_by, reviewed=reviewed,
    )  # fmt: skip


def summarised(view: View) -> Iterator[Wish]:
    """A summary into the goal's chats when something an owner cares about has moved; the daemon skips what has not."""
    if not view.can_post or not view.work:
        return
    proved = [one.criterion_id for one in view.criteria if one not in unproved(view)]
    blocked = [one.todo_id for one in latest(view) if one.status == "blocked"]
    about = short(view.state, str(view.revision), str(view.deliveries), *proved, "blocked", *blocked)
    yield wish(view, "summary", about, "summary.post")
