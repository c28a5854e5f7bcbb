"""Actions on runs, monitors and usage: numbers 120 to 129."""

from ledger.actions.base import AGENTS, ANYONE, Action, who
from ledger.rules import run_params, runs

_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

ROWS: tuple[Action, ...] = (
    Action(
        name="run.report",
        number=120,
        params=run_params.ReportRun,
        who=AGENTS,
        decide=runs.decide_report,
        example="run report --goal-id docs --todo-id todo_000012 --turn-instance-id turn-1 --delivery-outcome"
        " outcome_progress --evidence art_000014 --summary 'All links are checked'",
    ),
    Action(
        name="run.replan",
        number=121,
        params=run_params.ReplanRun,
        who=AGENTS,
        decide=runs.decide_replan,
        example="run replan --goal-id docs --summary 'Check the sections one by one'",
    ),
    Action(
        name="run.observe",
        number=122,
        params=run_params.ObserveMonitor,
        who=AGENTS,
        decide=runs.decide_observe,
        example=f"run observe --goal-id docs --todo-id todo_000015 --result-hash {_HASH}",
    ),
    Action(name="run.list", number=123, params=run_params.ListRuns, who=ANYONE, example="run list --goal-id docs"),
    Action(
        name="usage.report",
        number=124,
        params=run_params.ReportUsage,
        who=AGENTS,
        decide=runs.decide_usage,
        example="usage report --goal-id docs --source provider --tokens-in 1200 --tokens-out 300 --cost-micros 4100",
    ),
    Action(
        name="run.ring",
        number=126,
        params=run_params.RingMonitor,
        who=who("daemon"),
        decide=runs.decide_ring,
        hidden=True,
    ),
    Action(name="usage.show", number=125, params=run_params.ShowUsage, who=ANYONE, example="usage show --goal-id docs"),
)
