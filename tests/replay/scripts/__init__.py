"""The later parts of the history that has every kind of event, one family a file."""

from tests.replay.scripts import (
    agents,
    amendments,
    authority,
    erasures,
    gates,
    handoffs,
    identity,
    monitors,
    plans,
    proposals,
    requests,
    reviews,
    runs,
    slots,
    step_up,
    summaries,
)

FAMILIES = tuple(
    part.play
    for part in (
        plans,
        amendments,
        gates,
        slots,
        runs,
        handoffs,
        authority,
        requests,
        reviews,
        proposals,
        monitors,
        erasures,
        identity,
        step_up,
        agents,
        summaries,
    )
)
"""In the order in which they were added: what comes later goes to the end."""
