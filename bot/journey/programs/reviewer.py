"""A program in the reviewer's seat: it measures what others handed in, in a clean checkout, and says what it found.

    python -m bot.journey.programs.reviewer --repository R --seed N [--base REF] [--store DIR] [--unmeasured]

A patch is accepted when its tests pass and show something, and when drawn inputs give what the specification says; what
does not hold is rejected with the measured counterexample. A note is accepted when it says what the patch does. With
`--unmeasured` it reads without measuring, which is what a journey without validators is about.
"""

import argparse
import sys
from pathlib import Path

from bot.journey.programs.notes import faults, wants_input
from bot.journey.programs.packets import Packet, hand_in, read_packet
from bot.journey.programs.patch_check import Finding, definition, suite


def main(argv: list[str] | None = None) -> int:
    """One turn: a request to review."""
    parser = argparse.ArgumentParser(prog="reviewer", description="Measure what others handed in.")
    parser.add_argument("--repository", required=True, type=Path)
    parser.add_argument("--base", default="HEAD")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unmeasured", action="store_true")
    asked = parser.parse_args(argv)
    packet = read_packet()
    if packet["kind"] != "request":
        return hand_in("blocked", "A reviewer does no other work.", reason="this seat answers requests")
    reviews = [_review(packet, one, asked) for one in packet["inputs"] if one["status"] == "submitted"]
    if not reviews:
        return hand_in("done", "Nothing waits for a review.", decision="no_change", reason="nothing waits for a review")
    summary = " ".join(str(one["reason"]) for one in reviews)
    return hand_in("done", summary, decision="adopt", reviews=reviews)


def _review(packet: Packet, given: Packet, asked: argparse.Namespace) -> dict[str, object]:
    """What is to be recorded of one artifact."""
    if given["path"] is None:
        return _said(given, "reject", "Its bytes are nowhere to be found.")
    if asked.unmeasured:
        return _said(given, "accept", "Read; nothing was measured.")
    path = Path(given["path"])
    if given["kind"] == "patch":
        found = [suite(asked.repository, path, asked.base)]
        if found[0].exit_code == 0:
            found.append(definition(asked.repository, path, asked.base, asked.seed))
        return _measured(given, found)
    return _note(packet, given, path)


def _measured(given: Packet, found: list[Finding]) -> dict[str, object]:
    checks = [
        {"name": one.name, "argv": list(one.words), "exit_code": one.exit_code, "duration_ms": one.duration_ms}
        for one in found
    ]
    failed = [one for one in found if one.exit_code]
    reason = failed[0].says if failed else " ".join(one.says for one in found)
    return {**_said(given, "reject" if failed else "accept", reason), "checks": checks}


def _note(packet: Packet, given: Packet, path: Path) -> dict[str, object]:
    """A note is measured against the patch that it names."""
    text = path.read_text(encoding="utf-8")
    patch = next((one for one in path.parent.iterdir() if one.name in text), None)
    if patch is None:
        return _said(given, "reject", "It names no patch that is here.")
    goal = packet["goal"]
    promise = [goal["objective"], *(one["text"] for one in goal["criteria"]), *goal["constraints"]]
    wrong = faults(text, patch, with_input=wants_input(promise))
    said = " ".join(wrong) or "It says what the patch does."
    return _said(given, "reject" if wrong else "accept", said)


def _said(given: Packet, decision: str, reason: str) -> dict[str, object]:
    return {"artifact_id": given["artifact_id"], "decision": decision, "reason": reason[:1_900]}


if __name__ == "__main__":
    sys.exit(main())
