"""A program's result: as the contract says, or none. What stood in a field is never repeated in what is said of it."""

import json

import pytest

from daemon.agents.worker_result import (
    RESULT_BYTES_MAX,
    Offered,
    ResultRefused,
    SaidCheck,
    SaidReview,
    read_result,
)

LEAST = {"schema_version": "frontstage_worker_result_v0", "outcome": "no_progress", "summary": "Nothing."}
CHECK = {"name": "tests", "argv": ["pytest"], "exit_code": 0, "duration_ms": 3}
REVIEW = {"artifact_id": "art_1", "decision": "accept"}


def read(**more):
    return read_result(json.dumps({**LEAST, **more}).encode())


def test_the_least_is_enough():
    result = read()
    assert (result.outcome, result.summary, result.artifacts, result.usage) == ("no_progress", "Nothing.", (), {})
    assert (result.decision, result.ask, result.delivery_outcome) == ("adopt", None, None)


def test_everything_is_read():
    result = read(
        outcome="done",
        artifacts=[{"path": "a/b.txt", "criteria": ["c1"]}, {"path": "c", "label": "d", "kind": "patch", "inputs": []}],
        delivery_outcome="primary_goal_outcome",
        usage={"tokens_in": 0, "cost_micros": None},
        reviews=[{**REVIEW, "decision": "reject", "reason": "No.", "checks": [CHECK]}],
        answer={"summary": "Yes.", "artifact": ["art_2"]},
        ask={"to": "ben", "purpose": "x"},
    )
    assert result.artifacts == (
        Offered(path="a/b.txt", label="b.txt", criteria=("c1",)),
        Offered(path="c", label="d", kind="patch", inputs=()),
    )
    # What is not known stays so; nothing is a figure of its own.
    assert result.usage == {"tokens_in": 0}
    check = SaidCheck(name="tests", argv=("pytest",), exit_code=0, duration_ms=3)
    assert result.reviews == (SaidReview(artifact_id="art_1", decision="reject", reason="No.", checks=(check,)),)
    assert (result.answer_summary, result.answer_artifacts) == ("Yes.", ("art_2",))
    assert result.ask == {"to": "ben", "purpose": "x"}


WRONG = {
    "no schema": {"schema_version": None},
    "another schema": {"schema_version": "frontstage_worker_result_v9"},
    "no outcome": {"outcome": None},
    "unknown outcome": {"outcome": "finished"},
    "outcome is a number": {"outcome": 1},
    "no summary": {"summary": "  "},
    "long summary": {"summary": "x" * 2_001},
    "half a character": {"summary": "\ud800"},
    "a zero": {"summary": "a\0b"},
    "a field too many": {"mood": "good"},
    "too many files": {"artifacts": [{"path": "a"}] * 17},
    "files are no list": {"artifacts": {"path": "a"}},
    "a file is a text": {"artifacts": ["a"]},
    "a file without a path": {"artifacts": [{"label": "a"}]},
    "a file with more": {"artifacts": [{"path": "a", "mode": 1}]},
    "a long label": {"artifacts": [{"path": "a", "label": "x" * 121}]},
    "criteria are numbers": {"artifacts": [{"path": "a", "criteria": [1]}]},
    "usage below nothing": {"usage": {"tokens_in": -1}},
    "usage is half": {"usage": {"tokens_in": 1.5}},
    "usage is true": {"usage": {"tokens_in": True}},
    "usage of something else": {"usage": {"joules": 1}},
    "no verdict": {"reviews": [{"artifact_id": "art_1"}], "outcome": "done"},
    "unknown verdict": {"reviews": [{**REVIEW, "decision": "maybe"}]},
    "rejected without a reason": {"reviews": [{**REVIEW, "decision": "reject"}]},
    "a check with neither": {"reviews": [{**REVIEW, "checks": [{"name": "a", "exit_code": 0}]}]},
    "a check with both": {"reviews": [{**REVIEW, "checks": [{**CHECK, "argv_sha256": "0" * 64}]}]},
    "a check without an end": {"reviews": [{**REVIEW, "checks": [{**CHECK, "exit_code": None}]}]},
    "a check with two ends": {"reviews": [{**REVIEW, "checks": [{**CHECK, "timed_out": True}]}]},
    "put off without a reason": {"decision": "defer"},
    "unknown decision": {"decision": "perhaps", "reason": "x"},
    "blocked by nothing": {"outcome": "blocked"},
    "earned by nothing": {"delivery_outcome": "outcome_progress"},
    "watched": {"delivery_outcome": "observed"},
    "asks with more": {"ask": {"to": "ben", "goal_id": "another"}},
    "asks for another's work": {"ask": {"to": "ben", "blocks_todo_id": "todo_abc"}},
    "asks in a text": {"ask": "ben"},
    "answers with more": {"answer": {"request_id": "request_1"}},
}


@pytest.mark.parametrize("more", WRONG.values(), ids=WRONG)
def test_what_is_not_as_the_contract_says_is_refused_whole(more):
    with pytest.raises(ResultRefused) as refused:
        read(**more)
    assert not any(str(value) in str(refused.value) for value in ("joules", "perhaps", "another", "mood"))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'"done"', b"\xff", b"[" * 100_000, b'{"summary": NaN}', b" " * (RESULT_BYTES_MAX + 1)],
    ids=["empty", "cut", "list", "text", "not UTF-8", "deep", "no number", "too large"],
)
def test_bytes_that_are_no_document_are_refused(data):
    with pytest.raises(ResultRefused):
        read_result(data)
