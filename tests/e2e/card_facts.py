"""What stands on a card, as a person reads it, and what should stand there by the documents.

The words are those of the chat in English, written down here by hand: this file shares no sentence and no rule with
what draws the cards. Each function gives two sets of facts under the same names, to be compared field by field.
"""

import re
from datetime import UTC, datetime

STATES = {
    "proposed": "Proposed",
    "clarifying": "Clarifying",
    "active": "Active",
    "paused": "Paused",
    "delivered": "Delivered",
    "changes_requested": "Changes requested",
    "accepted": "Accepted",
    "declined": "Declined",
    "withdrawn": "Withdrawn",
    "stopped": "Stopped",
}
CLOSED = frozenset({"accepted", "declined", "withdrawn", "stopped"})
NEXT = {
    "proposed": "Read the proposal, then confirm it or decline it.",
    "clarifying": "Answer the question; the proposal is then revised.",
    "active": "Let the work go on; pause if the direction is wrong.",
    "paused": "Resume when ready. Pausing loses no work.",
    "delivered": "Check the evidence against each criterion, then accept or ask for changes.",
    "changes_requested": "Wait for the next delivery.",
}
QUOTA = {
    "eligible": "may run",
    "throttled": "used up",
    "paused": "on hold",
    "operator_gate": "waiting for a person",
    "objective_review_required": "new revision to adopt",
    "replan_required": "needs a new plan",
    "capability_missing": "a capability is missing",
    "workspace_guard": "workspace not ready",
    "monitor_due": "a check is due",
    "waiting": "waiting",
    "terminal_no_followup": "all done",
    "focus_wait": "idle",
}
TODOS = {"open": "Open", "done": "Done", "blocked": "Blocked", "deferred": "Deferred", "cancelled": "Cancelled"}
EVIDENCE = {
    "accepted": "Accepted in review",
    "rejected": "Rejected in review",
    "superseded": "Replaced by newer evidence",
    "invalidated": "No longer holds",
}
GATES = {
    "waiting_on_user": "Waiting for a decision",
    "approved": "Approved",
    "rejected": "Rejected",
    "deferred": "Put off",
    "cancelled": "Cancelled",
    "expired": "Expired without a decision",
    "withdrawn": "Taken back",
}
REQUESTS = {
    "sent": "Sent",
    "received": "Read",
    "adopted": "Taken on",
    "deferred": "Put off",
    "committed": "Work is planned",
    "returned": "Result is there",
    "rejected": "Turned down",
    "no_change": "Nothing to change",
    "delivered": "Result has arrived",
    "withdrawn": "Withdrawn",
}
NAMES_MAX, SCOPES_MAX, ROWS_MAX, GATES_MAX = 3, 4, 6, 4
BEGINS_CHARS = 200
"""A long text is cut somewhere on a card; so much of it is compared."""

_TODO = re.compile(r"P[0-4] · (Open|Done|Blocked|Deferred|Cancelled)\b")
_EVIDENCE = re.compile(r"(?P<kind>.+) · (?P<size>.+) · sha256 (?P<digest>[0-9a-f]{12}) · by (?P<who>.+)")
_FOOT = re.compile(r".+ · seq (?P<seq>\d+) · (?P<hash>[0-9a-f]+)")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


def goal_on_card(card, documents):
    """The live card of a goal."""
    texts = card["texts"]
    foot = next((found for found in map(_FOOT.fullmatch, reversed(texts)) if found), None)
    on_card = {
        "title": card["title"],
        "state": card["subtitle"].removeprefix("Goal · "),
        "revision": next((tag for tag in card["tags"] if tag.startswith("Revision ")), None),
        "priority": card["tags"][0],
        "responsible": _after(texts, "Responsible"),
        "claimed until": _after(texts, "Claimed until") or _after(texts, "Claim ended"),
        "may write": _after(texts, "May write"),
        "quota": _after(texts, "Quota"),
        "objective": _begins(_after(texts, "Objective")),
        "gates": _gate_lines(texts),
        "todos": next((one for one in texts if re.fullmatch(r"Todos · \d+ of \d+ done", one)), None),
        "next": _after(texts, "Next safe step"),
        "seq": int(foot["seq"]) if foot else None,
        "hash": foot["hash"] if foot else None,
        **_todos_on(texts),
        **_evidence_on(texts),
    }
    expected = _goal_expected(documents)
    for name in [one for one in on_card if one.startswith("todo ")]:
        expected[name] = _todo_expected(name.removeprefix("todo "), documents)
    for name in [one for one in on_card if one.startswith("evidence ")]:
        expected[name] = _evidence_expected(name.removeprefix("evidence "), documents)
    return on_card, expected


def _goal_expected(documents):
    goal, todos = documents["goal.show"], documents["todo.list"]["todos"]
    quota, state = documents["quota.status"], goal["state"]
    used = f"{quota['spent_slots']} of {quota['allowed_slots']} slots used"
    counted = [one for one in todos if one["status"] not in {"cancelled", "proposed"}]
    scopes = goal["write_scopes"]
    shown = scopes[:SCOPES_MAX] + ([f"+{len(scopes) - SCOPES_MAX}"] if len(scopes) > SCOPES_MAX else [])
    done = sum(one["status"] == "done" for one in counted)
    # The owners' own decisions have cards and a first line of their own.
    waiting = [one for one in goal["open_gates"] if "question" in one]
    return {
        "title": goal["display_name"],
        "state": STATES[state],
        "revision": f"Revision {goal['revision']}",
        "priority": goal["priority"],
        "responsible": _names([one["display_name"] for one in goal["responsible"]]) or "nobody yet",
        "claimed until": minute(goal["claimed_until"]) or "not claimed",
        "may write": "\n".join(shown) or "nothing",
        "quota": used if state in CLOSED else f"{used} · {QUOTA[goal['quota']['state']]}",
        "objective": _begins(goal["objective"]),
        "gates": [_gate_line(one, goal, documents["names"]) for one in waiting[:GATES_MAX]],
        "todos": f"Todos · {done} of {len(counted)} done" if counted else None,
        "next": "None. This goal is closed." if state in CLOSED else NEXT[state],
        "seq": goal["cause"]["seq"],
        "hash": goal["cause"]["short_hash"],
    }


def _gate_lines(texts):
    at = next((place for place, one in enumerate(texts) if one.startswith("Decisions that work waits for: ")), None)
    if at is None:
        return []
    count = int(texts[at].rpartition(" ")[2])
    return texts[at + 1 : at + 1 + min(count, GATES_MAX)]


def _gate_line(gate, goal, names):
    people = _names([names[one] for one in gate["waits_for"]])
    whole = " · holds up the whole goal" if goal["goal_id"] in gate["blocks"] else ""
    return f"{gate['question']} · waits for {people}{whole}"


def _todos_on(texts):
    """Each todo on a card by its title: its line, and until when it is held."""
    found = {}
    for place, one in enumerate(texts):
        if place and _TODO.match(one):
            following = texts[place + 1] if place + 1 < len(texts) else ""
            found[f"todo {texts[place - 1]}"] = (one, following if _TIME.fullmatch(following) else None)
    return found


def _todo_expected(title, documents):
    same = [one for one in documents["todo.list"]["todos"] if one["title"] == title]
    if not same:
        return None
    todo, names = same[-1], documents["names"]
    line = f"{todo['priority']} · {TODOS[todo['status']]}"
    if todo["claim"] != "none":
        line += f" · {'leased to' if todo['claim'] == 'lease' else 'claimed by'} {names[todo['claimed_by']]}"
    if todo["role"] == "user":
        line += " · for a person"
    if todo["waiting_for"]:
        line += f" · after {_names(todo['waiting_for'])}"
    return (line, minute(todo["claimed_until"]) if todo["claim"] != "none" else None)


def _evidence_on(texts):
    """Each artifact on a card by its digest: name, what it is, who handed it in, and what was said of it."""
    found = {}
    for place, one in enumerate(texts):
        match = _EVIDENCE.fullmatch(one)
        if match and place:
            after, beyond = [texts[at] if at < len(texts) else "" for at in (place + 1, place + 2)]
            said = after if _is_a_word_on_evidence(after) and not _EVIDENCE.fullmatch(beyond) else ""
            found[f"evidence {match['digest']}"] = (texts[place - 1], one, said)
    return found


def _is_a_word_on_evidence(text):
    return text.startswith((*EVIDENCE.values(), "failed: ", "passed: "))


def _evidence_expected(digest, documents):
    same = [one for one in documents["artifact.list"]["artifacts"] if one["sha256"].startswith(digest)]
    return evidence_row(same[-1], documents["names"]) if same else None


def evidence_row(artifact, names):
    """One row of `artifact list` as its three lines on a card."""
    size = _size(artifact["size_bytes"])
    meta = f"{artifact['kind']} · {size} · sha256 {artifact['sha256'][:12]} · by {names[artifact['submitted_by']]}"
    said, review = [], artifact["review"]
    if artifact["status"] != "submitted":
        word = EVIDENCE[artifact["status"]]
        by = names[review["reviewer"]] if review and artifact["status"] in {"accepted", "rejected"} else ""
        said.append(f"{word} by {by}" if by else word)
    last = {one["name"]: one["passed"] for one in artifact["checks"]}
    for word, wanted in (("failed", False), ("passed", True)):
        if checked := [name for name, passed in last.items() if passed is wanted]:
            more = f" +{len(checked) - 2}" if len(checked) > 2 else ""
            said.append(f"{word}: {', '.join(checked[:2])}{more}")
    return (artifact["label"], meta, " · ".join(said))


def acceptance_on_card(card, documents):
    """The card of a delivery: each criterion beside the evidence that names it."""
    texts, goal = card["texts"], documents["goal.show"]
    delivery, names = goal["acceptance"], documents["names"]
    by_id = {one["artifact_id"]: one for one in documents["artifact.list"]["artifacts"]}
    on_card = {
        "title": card["title"],
        "delivered by": _after(texts, "Delivered by"),
        "evidence": _after(texts, "Evidence"),
        "summary": _begins(_after(texts, "Summary")),
        "covered": next((one for one in texts if one.startswith("Acceptance criteria · ")), None),
    }
    counted = {one["artifact_id"] for criterion in delivery["criteria"] for one in criterion["artifacts"]}
    counted |= {one["artifact_id"] for one in delivery["other_artifacts"]}
    covered = sum(bool(one["artifacts"]) for one in delivery["criteria"])
    expected = {
        "title": goal["display_name"],
        "delivered by": delivery["delivered_by"],
        "evidence": str(len(counted)),
        "summary": _begins(delivery["summary"] or None),
        "covered": f"Acceptance criteria · {covered} of {len(delivery['criteria'])} with evidence",
    }
    for criterion in delivery["criteria"]:
        name = criterion["criterion_id"]
        on_card[name] = _criterion_on(texts, name)
        rows = [evidence_row(by_id[one["artifact_id"]], names) for one in criterion["artifacts"][:3]]
        wrong = [one for one in criterion["artifacts"] if name not in by_id[one["artifact_id"]]["criterion_ids"]]
        assert not wrong, f"{name} counts evidence that does not name it"
        expected[name] = (f"{name}  {criterion['text']}", *rows)
    return on_card, expected


def _criterion_on(texts, name):
    """A criterion's line and the rows of evidence below it."""
    at = next((place for place, one in enumerate(texts) if one.startswith(f"{name}  ")), None)
    if at is None:
        return None
    rows, place = [], at + 1
    while place + 1 < len(texts) and _EVIDENCE.fullmatch(texts[place + 1]):
        after = texts[place + 2] if place + 2 < len(texts) else ""
        said = after if _is_a_word_on_evidence(after) else ""
        rows.append((texts[place], texts[place + 1], said))
        place += 3 if said else 2
    return (texts[at], *rows)


def gate_on_card(card, gate, documents):
    """The card of one gate; none where this card asks something else."""
    texts, names = card["texts"], documents["names"]
    if _after(texts, "Question") != gate["question"]:
        return None
    waiting = gate["status"] in {"waiting_on_user", "deferred"} and documents["goal.show"]["state"] in CLOSED
    on_card = {
        "state": card["subtitle"].removeprefix("Gate · "),
        "asked by": _after(texts, "Asked by"),
        "votes": _after(texts, "Votes for it"),
        "yes": [one.removeprefix("Yes: ") for text in texts for one in text.split("\n") if one.startswith("Yes: ")],
    }
    expected = {
        "state": "The goal is over; nothing is decided here" if waiting else GATES[gate["status"]],
        "asked by": names[gate["opened_by"]],
        "votes": f"{gate['votes_counted']} of {gate['quorum']}",
        "yes": [names[one["voter"]] for one in gate["votes"]],
    }
    return on_card, expected


def request_on_card(card, request, documents):
    """The card of one request; none where this card asks something else."""
    texts, names = card["texts"], documents["names"]
    if _after(texts, "What is asked") != request["purpose"]:
        return None
    on_card = {
        "state": card["subtitle"].removeprefix("Request · "),
        "asked by": _after(texts, "Asked by"),
        "asked of": _after(texts, "Asked of"),
        "sent": _after(texts, "Sent"),
    }
    expected = {
        "state": REQUESTS[request["status"]],
        "asked by": names[request["sender"]],
        "asked of": names[request["receiver"]],
        "sent": minute(request["sent_at"]),
    }
    return on_card, expected


def minute(text):
    """An RFC 3339 time as a clock in the chat shows it."""
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def _after(texts, label):
    """The text after a label; none where the label is not there."""
    return next((texts[at + 1] for at, one in enumerate(texts[:-1]) if one == label), None)


def _begins(text):
    return None if text is None else text[:BEGINS_CHARS]


def _names(names):
    more = f" +{len(names) - NAMES_MAX}" if len(names) > NAMES_MAX else ""
    return ", ".join(names[:NAMES_MAX]) + more


def _size(size_bytes):
    if size_bytes < 1024:
        return f"{size_bytes} B"
    return f"{size_bytes / 1024:.1f} KB" if size_bytes < 1024**2 else f"{size_bytes / 1024**2:.1f} MB"
