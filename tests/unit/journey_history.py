"""A good journey as its history: what each test of the report takes something away from."""

from dataclasses import replace

from bot.journey.asks import BUTTONS
from bot.journey.expected import Lost, Measured, expectations
from bot.journey.notices import Notice
from bot.journey.plot import Correction, Finding, Incident, Promise, Round
from bot.journey.records import Event, Records, Refused

PROMISE = Promise(title="Mend it", objective="…", criteria=("It works",), write_scopes=("a/**",))
KILLED = Incident(kind="killed", agent_id="fixer", lane_id="fix", successor="spare")
FROZEN = Incident(kind="frozen", agent_id="spare", lane_id="fix", successor="fixer")
TITLES = {"g1": "Mend it", "g2": "Mend more"}
ROUNDS = (
    Round(goal_id="g1", promise=PROMISE, lanes=(), incident=KILLED, correction=Correction(fields={}, why="…")),
    Round(goal_id="g2", promise=replace(PROMISE, title="Mend more"), lanes=(), incident=FROZEN),
)
NAMES = (
    "accepted on a card", "decided in the chat alone", "every ask was on a card", "a killed worker's work went on",
    "a frozen worker's work went on", "a late writer was refused", "the owner's correction counts",
    "rejected by measurement, reworked", "accepted by somebody else", "validated before it was done",
    "built on what was accepted", "measured again in a clean place", "nothing happened twice", "the ledger holds",
)  # fmt: skip


class Script:
    """Events as they happen, one after the other, a second apart."""

    def __init__(self):
        self.events = []

    def __call__(self, goal, kind, actor, **facts):
        seq = len(self.events) + 1
        surface, proof = ("lark", "lark") if actor == "ann" else ("http", "token")
        self.events.append(
            Event(seq=seq, at_ms=seq * 1_000, kind=kind, goal_id=goal, actor=actor, surface=surface, proof=proof,
                  facts=facts)
        )  # fmt: skip
        return seq


def handed_in(script, goal, artifact, author, todo, revision, **more):
    script(goal, "artifact.submitted", author, artifact_id=artifact, todo_id=todo, revision=revision, **more)


def work(script, goal, first, second, *, revision):
    """A todo whose first holder is lost; one rejection; then a todo that builds on what was accepted."""
    script(goal, "lease.acquired", first, todo_id="fix", lease_epoch=1)
    lost_at = len(script.events)
    if revision == 2:
        script(goal, "goal.revised", "ann", revision=2)
        script(goal, "goal.confirmed", "ann", revision=2)
    script(goal, "lease.expired", "daemon", todo_id="fix", lease_epoch=1)
    script(goal, "lease.acquired", second, todo_id="fix", lease_epoch=2)
    handed_in(script, goal, f"{goal}-a", second, "fix", revision)
    script(goal, "artifact.checked", second, artifact_id=f"{goal}-a", name="suite", exit_code=0)
    script(goal, "todo.completed", second, todo_id="fix", evidence=[f"{goal}-a"])
    script(goal, "artifact.checked", "judge", artifact_id=f"{goal}-a", name="definition", exit_code=1)
    script(goal, "artifact.reviewed", "judge", artifact_id=f"{goal}-a", verdict="rejected")
    handed_in(script, goal, f"{goal}-b", second, "fix", revision, revises=f"{goal}-a")
    script(goal, "artifact.reviewed", "judge", artifact_id=f"{goal}-b", verdict="accepted")
    script(goal, "lease.acquired", "writer", todo_id="note", lease_epoch=1)
    handed_in(script, goal, f"{goal}-n", "writer", "note", revision, inputs=[[f"{goal}-b", "…"]])
    script(goal, "artifact.checked", "writer", artifact_id=f"{goal}-n", name="noted", exit_code=0)
    script(goal, "todo.completed", "writer", todo_id="note", evidence=[f"{goal}-n"])
    script(goal, "artifact.reviewed", "judge", artifact_id=f"{goal}-n", verdict="accepted")
    return lost_at


def seen(script):
    """A card for each ask, 400 ms after it."""
    for one in script.events:
        if one.kind in BUTTONS:
            yield Notice(title=TITLES[one.goal_id], button=BUTTONS[one.kind], at_ms=one.at_ms + 400,
                         message_id=f"om_{one.seq}")  # fmt: skip


def good():
    script, lost, refusals = Script(), [], []
    for now in ROUNDS:
        goal, incident = now.goal_id, now.incident
        script(goal, "goal.proposed", "steward", revision=1)
        script(goal, "goal.confirmed", "ann", revision=1)
        revision = 2 if now.correction else 1
        seq = work(script, goal, incident.agent_id, incident.successor, revision=revision)
        lost.append(Lost(incident=incident, goal_id=goal, todo_id="fix", seq=seq, at_ms=seq * 1_000, lease_epoch=1))
        refusals += [
            Refused(at_ms=seq * 1_000 + 9_000, actor=incident.agent_id, action=action, goal_id=goal, code=code, times=1)
            for action, code in (("task-lease.renew", "version_mismatch"), ("todo.complete", "claim_owner_mismatch"))
        ]
        script(goal, "goal.delivered", "steward", artifacts=[[f"{goal}-b", "…"], [f"{goal}-n", "…"]])
        script(goal, "goal.accepted", "ann", delivery=1)
    findings = tuple((now.goal_id, (Finding(name="suite", holds=True, says="…"),)) for now in ROUNDS)
    measured = Measured(
        rounds=ROUNDS, lost=tuple(lost), findings=findings, ledger_holds=True,
        notices=tuple(seen(script)),
    )  # fmt: skip
    return Records(events=tuple(script.events), refusals=tuple(refusals), head="52:abc"), measured


def verdicts(records, measured):
    return {one.name: one.verdict for one in expectations(records, measured, "ann")}


def says(records, measured, name):
    return next(one for one in expectations(records, measured, "ann") if one.name == name).says
