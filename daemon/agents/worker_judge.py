"""What a program left, taken or refused as a whole: its result, its files, and what it changed in its worktree.

Whatever is named must lie inside the folders of the turn, by the real path and not by the spelling, and be a file. What
changed in a worktree is judged by the write scopes before anything is kept. Nothing here asks the ledger.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from daemon.agents.store import ArtifactStore, StoreRefused, open_regular
from daemon.agents.worker_git import TreeRefused
from daemon.agents.worker_readings import Facts, is_rejected
from daemon.agents.worker_result import (
    EARNS,
    RESULT_BYTES_MAX,
    Offered,
    Result,
    ResultRefused,
    read_result,
)
from daemon.agents.worker_tree import WorkTree
from daemon.agents.worker_turn import Hand, Piece, Turn

ANSWER_SCHEMA = "frontstage_worker_answer_v0"
ENDED = frozenset({"accepted", "superseded"})
"""States of an artifact whose place nothing of the same name takes by itself."""


class Unjudged(Exception):
    """What the program left cannot be handed in."""

    def __init__(self, code: str, words: str) -> None:
        self.code, self.words = code, words
        super().__init__(words)


@dataclass(frozen=True)
class Place:
    """The folder of a turn."""

    folder: Path
    tree: WorkTree | None = None

    @property
    def work(self) -> Path:
        """Where the program is started."""
        return self.folder / "work"

    @property
    def out(self) -> Path:
        """Where it may put files to hand in."""
        return self.folder / "out"

    @property
    def packet(self) -> Path:
        """What it is given."""
        return self.folder / "packet.json"

    @property
    def result(self) -> Path:
        """What it gives back."""
        return self.folder / "result.json"


def judge(turn: Turn, place: Place, facts: Facts, store: ArtifactStore) -> Hand:
    """All that is to be written back, with its files in the store. Raises Unjudged."""
    try:
        result = read_result(_bytes_of(place.result))
        patch = b"" if place.tree is None else place.tree.patch(facts.write_scopes)
        pieces = _pieces(turn, place, facts, store, result)
        made = [store.path_of(one.sha256) for one in pieces if one.kind == "patch"]
        if place.tree is not None and made:
            place.tree.require_fit([one.absolute() for one in made if one is not None], facts.write_scopes)
        if patch and not any(one.kind == "patch" for one in pieces):
            kept = store.put(patch)
            label = f"{turn.subject}.patch"
            own = _placed(turn, facts, Offered(path="", label=label, kind="patch"))
            pieces.append(Piece(sha256=kept.sha256, size_bytes=kept.size_bytes, label=label, kind="patch", **own))
    except ResultRefused as error:
        raise Unjudged("result_malformed", f"The result is not as the contract says: {error}.") from error
    except TreeRefused as error:
        raise Unjudged(error.code, error.words) from error
    except OSError as error:
        raise Unjudged("store_failed", f"The store could not keep it: {error.strerror}.") from error
    return _hand(turn, facts, store, result, pieces)


def _bytes_of(path: Path) -> bytes:
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            return file.read(RESULT_BYTES_MAX + 1)
    except StoreRefused as error:
        raise Unjudged("no_result", f"The program ended without a result: {error}.") from error


def _pieces(turn: Turn, place: Place, facts: Facts, store: ArtifactStore, result: Result) -> list[Piece]:
    pieces = []
    for offered in result.artifacts:
        path = _inside(offered.path, (place.work, place.out))
        try:
            kept = store.put_file(path)
        except StoreRefused as error:
            raise Unjudged("artifact_refused", f"An artifact cannot be taken: {error}.") from error
        own = _placed(turn, facts, offered)
        pieces.append(
            Piece(
                sha256=kept.sha256,
                size_bytes=kept.size_bytes,
                label=offered.label,
                kind=offered.kind,
                criteria=offered.criteria,
                summary=offered.summary,
                **own,
            )
        )
    return pieces


def _inside(named: str, roots: Sequence[Path]) -> Path:
    """The real path of a file that is named, which must lie in one of the folders."""
    for root in roots:
        found = (root / named).resolve()
        if found.is_relative_to(root.resolve()) and found.exists():
            return found
    raise Unjudged("artifact_outside", "An artifact is not in the folders of the turn.")


class _Placed(TypedDict):
    inputs: tuple[str, ...]
    revises: str | None


def _placed(turn: Turn, facts: Facts, offered: Offered) -> _Placed:
    """What it is made from, and what of its author's it takes the place of: the latest of that name."""
    inputs = offered.inputs
    if inputs is None:
        inputs = tuple(str(one["artifact_id"]) for one in facts.inputs() if one["counts"])
    mine = [one for one in facts.of_todo() if one["submitted_by"] == turn.agent_id and one["status"] not in ENDED]
    older = [str(one["artifact_id"]) for one in mine if one["label"] == offered.label]
    if not older and turn.kind == "rework":
        # What is made anew under another name still takes the place of what was rejected, where there is one thing.
        rejected = [str(one["artifact_id"]) for one in mine if is_rejected(one)]
        older = rejected if len(rejected) == 1 else []
    return {"inputs": inputs, "revises": older[-1] if older else None}


def _hand(turn: Turn, facts: Facts, store: ArtifactStore, result: Result, pieces: list[Piece]) -> Hand:
    summary, answers = result.summary, result.answer_artifacts
    if turn.kind == "request":
        if result.outcome == "progress":
            raise Unjudged("result_malformed", "A request is done, blocked or failed; there is no progress on one.")
        summary = result.answer_summary or result.summary
        if result.outcome == "done" and result.decision == "adopt" and not pieces and not answers:
            pieces = [_answer(turn, store, result)]
    elif turn.kind == "monitor":
        return _looked(result, pieces)
    elif result.outcome == "done" and not pieces:
        raise Unjudged("no_evidence", "The todo is said to be done, and nothing was handed in.")
    gained = bool(pieces) and result.outcome in {"done", "progress"}
    delivery = result.delivery_outcome or ("outcome_progress" if gained else "no_progress")
    return Hand(
        outcome=result.outcome,
        summary=summary,
        pieces=tuple(pieces),
        delivery_outcome="no_progress" if delivery in EARNS and not pieces else delivery,
        usage=tuple(result.usage.items()),
        reviews=result.reviews,
        digests=tuple((str(one["artifact_id"]), str(one["sha256"])) for one in facts.artifacts),
        decision=result.decision,
        answer_artifacts=answers,
        ask="" if result.ask is None else json.dumps(result.ask),
        reason=result.reason,
    )


def _looked(result: Result, pieces: list[Piece]) -> Hand:
    """What was seen, by its digest: the one file, all of them by their labels, or what was said. It is no evidence."""
    outcome = "done" if result.outcome in {"progress", "no_progress"} else result.outcome
    named = sorted((one.label, one.sha256) for one in pieces)
    said = json.dumps(named or result.summary, ensure_ascii=True).encode("ascii")
    seen = pieces[0].sha256 if len(pieces) == 1 else hashlib.sha256(said).hexdigest()
    return Hand(
        outcome=outcome,
        summary=result.summary,
        usage=tuple(result.usage.items()),
        ask="" if result.ask is None else json.dumps(result.ask),
        reason=result.reason,
        seen=seen if outcome == "done" else "",
    )


def _answer(turn: Turn, store: ArtifactStore, result: Result) -> Piece:
    """The answer itself as evidence, where the program has no other."""
    reviews = [
        {"artifact_id": one.artifact_id, "decision": one.decision, "reason": one.reason} for one in result.reviews
    ]
    document = {
        "schema_version": ANSWER_SCHEMA,
        "request_id": turn.subject,
        "turn_instance_id": turn.turn_id,
        "summary": result.answer_summary or result.summary,
        "reviews": reviews,
    }
    kept = store.put(json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n")
    return Piece(sha256=kept.sha256, size_bytes=kept.size_bytes, label=f"{turn.subject}.json", kind="report")
