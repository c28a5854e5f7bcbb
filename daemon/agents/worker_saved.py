"""A turn as bytes and back, so that whoever comes after a crash can take it up."""

from dataclasses import asdict
from typing import Any, get_args

from daemon.agents.worker_result import SaidCheck, SaidReview
from daemon.agents.worker_turn import Hand, Phase, Piece, Step, Turn, TurnKind

TURN_SCHEMA = "frontstage_worker_journal_v0"


def saved(turn: Turn) -> dict[str, Any]:
    """The turn as a document."""
    return {"schema_version": TURN_SCHEMA, **asdict(turn)}


def turn_of(document: dict[str, Any]) -> Turn | None:
    """A turn as it was saved. One of another version is none: its lease runs out by itself."""
    fields = {name: value for name, value in document.items() if name != "schema_version"}
    try:
        if document["schema_version"] != TURN_SCHEMA:
            return None
        if fields["kind"] not in get_args(TurnKind) or fields["phase"] not in get_args(Phase):
            return None
        fields["steps"] = tuple(Step(*one) for one in _list(fields["steps"]))
        for name in ("validators", "passed", "artifact_ids", "notes"):
            fields[name] = tuple(_list(fields[name]))
        fields["came_over"] = None if fields["came_over"] is None else tuple(_list(fields["came_over"]))
        fields["hand"] = None if fields["hand"] is None else _hand(_dict(fields["hand"]))
        return Turn(**fields)
    except (KeyError, TypeError, ValueError):
        return None


def _hand(fields: dict[str, Any]) -> Hand:
    pieces = [_dict(one) for one in _list(fields["pieces"])]
    reviews = [_dict(one) for one in _list(fields["reviews"])]
    for one in pieces:
        one |= {"criteria": tuple(_list(one["criteria"])), "inputs": tuple(_list(one["inputs"]))}
    for one in reviews:
        checks = [_dict(check) for check in _list(one["checks"])]
        one["checks"] = tuple(SaidCheck(**{**check, "argv": tuple(_list(check["argv"]))}) for check in checks)
    return Hand(
        **{
            **fields,
            "pieces": tuple(Piece(**one) for one in pieces),
            "reviews": tuple(SaidReview(**one) for one in reviews),
            "usage": tuple((str(name), figure) for name, figure in _list(fields["usage"])),
            "digests": tuple((str(name), str(digest)) for name, digest in _list(fields["digests"])),
            "answer_artifacts": tuple(_list(fields["answer_artifacts"])),
        }
    )


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _dict(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no object")
    return dict(value)
