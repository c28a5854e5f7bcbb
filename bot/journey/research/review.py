"""`python -m bot.journey.research.review`: the seat of who accepts or rejects, and made none of it.

It takes nobody's word: a measurement is measured again in its own clean folder, and compared to the digit; an
interpretation is derived again from what it cites. What it rejects, it rejects with the figure that it measured.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.journey.research.measurement import Document
from bot.journey.research.protocol import NotRegistered, read
from bot.journey.research.seat import NotTheInput, bytes_of, finish, hand_in, objective, packet, rows

CHECK_S_MAX = 240
REPORT_SCHEMA = "frontstage_research_review_v0"
CHECKS_BY_LABEL = {"sample": ("redrawn",), "measurement-": ("interval", "recomputed"), "interpretation": ("follows",)}


def checks_for(label: str) -> tuple[str, ...]:
    """What a file of this name has to pass."""
    return next((names for start, names in CHECKS_BY_LABEL.items() if label.startswith(start)), ())


def judge(one: Document, registered: str, folder: Path, *, measured: bool = True) -> Document:
    """A review of one input, with the checks that were run. Raises NotTheInput."""
    data, label = bytes_of(one), str(one.get("label", ""))
    if not measured:
        return _review(one, "", [])
    names = checks_for(label)
    if not names:
        return _review(one, f"{label} is no sample, measurement or interpretation", [])
    if _protocol_of(data) != registered:
        return _review(one, "it follows another protocol than the one that is registered now", [])
    file = folder / "artifact.json"
    file.write_bytes(data)
    checks, problems = [], []
    for name in names:
        ended, check = _run(name, file)
        checks.append(check)
        if ended.returncode:
            told = ended.stdout.strip().splitlines()
            problems.append(f"{name}: {told[-1] if told else f'ended with {ended.returncode}'}")
    return _review(one, "; ".join(problems), checks)


def _protocol_of(data: bytes) -> object:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return document.get("protocol") if isinstance(document, dict) else None


def _run(name: str, file: Path) -> tuple["subprocess.CompletedProcess[str]", Document]:
    argv = [sys.executable, "-P", "-m", "bot.journey.research.check", name]
    variables = {**_clean(os.environ), "ARTIFACT_FILE": str(file.resolve())}
    begun = time.monotonic()
    ended = subprocess.run(argv, capture_output=True, text=True, env=variables, timeout=CHECK_S_MAX, check=False)
    spent_ms = round((time.monotonic() - begun) * 1_000)
    return ended, {"name": name, "argv": argv, "exit_code": ended.returncode, "duration_ms": spent_ms}


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith("FRONTSTAGE_")}


def _review(one: Document, problem: str, checks: list[Document]) -> Document:
    names = ", ".join(str(check["name"]) for check in checks)
    return {
        "artifact_id": one["artifact_id"],
        "decision": "reject" if problem else "accept",
        "reason": f"Rejected: {problem}."
        if problem
        else f"Accepted: {names or 'nothing'} was run again in a clean folder.",
        "checks": checks,
    }


def take(given: Document, *, measured: bool = True) -> int:
    """One request. Raises NotRegistered and NotTheInput."""
    registered = read(objective(given)).sentence
    reviews = [judge(one, registered, Path.cwd(), measured=measured) for one in rows(given, "inputs")]
    if not reviews:
        return finish("done", "There is nothing to review.", decision="reject", reason="The request names no evidence.")
    summary = " ".join(str(one["reason"]) for one in reviews)
    # What was run names places on this machine; the report is for others.
    told = [{**one, "checks": [_without_words(check) for check in rows(one, "checks")]} for one in reviews]
    report: Document = {"schema_version": REPORT_SCHEMA, "protocol": registered, "reviews": told}
    return finish("done", summary, decision="adopt", reviews=reviews, artifacts=[hand_in(report, "review.json", [])])


def _without_words(check: Document) -> Document:
    return {name: value for name, value in check.items() if name != "argv"}


def main(argv: Sequence[str] | None = None) -> int:
    """Review what the packet names."""
    parser = argparse.ArgumentParser(
        prog="review", description="Accept or reject what others made, by measuring again."
    )
    parser.add_argument("--unmeasured", action="store_true", help="believe everything, to see what that leads to")
    options = parser.parse_args(argv)
    given = packet()
    if given.get("kind") != "request":
        reason = "This seat answers requests for a review, and does no todo."
        return finish("blocked", "Nothing was reviewed.", reason=reason)
    try:
        return take(given, measured=not options.unmeasured)
    except (NotRegistered, NotTheInput) as problem:
        return finish("done", "Nothing was reviewed.", decision="reject", reason=f"{problem}.")


if __name__ == "__main__":
    sys.exit(main())
