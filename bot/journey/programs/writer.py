"""A program in the writer's seat: the change note, from a patch that counts and from nothing else.

    python -m bot.journey.programs.writer --repository R [--base REF]

Without a patch that work may build on, and whose bytes are here, it is blocked, and says so: where reviews are
independent that is one which was accepted. Where the promise asks for inputs, it
runs the tests' calls with and without the patch, and names those that differ.
"""

import argparse
import ast
import sys
from pathlib import Path

from bot.journey.programs.checkouts import changed_paths, clean_checkout
from bot.journey.programs.definitions import Args
from bot.journey.programs.notes import wants_input, written
from bot.journey.programs.packets import criteria_of, hand_in, input_of, out_folder, read_packet
from bot.journey.programs.patch_check import answers_of

CRITERION = 2
SHOWN_MAX = 3


def main(argv: list[str] | None = None) -> int:
    """One turn."""
    parser = argparse.ArgumentParser(prog="writer", description="Write the change note of an accepted patch.")
    parser.add_argument("--repository", required=True, type=Path)
    parser.add_argument("--base", default="HEAD")
    asked = parser.parse_args(argv)
    packet = read_packet()
    patch = input_of(packet, "patch")
    if patch is None:
        return hand_in("blocked", "There is no patch that counts to write of.", reason="no patch that counts")
    goal, path = packet["goal"], Path(patch["path"])
    promise = [goal["objective"], *(one["text"] for one in goal["criteria"]), *goal["constraints"]]
    shown = inputs_that_differ(asked.repository, path, asked.base) if wants_input(promise) else []
    note = out_folder() / "change-note.md"
    note.write_text(written(path, goal["objective"], shown), encoding="utf-8")
    summary = f"The change note of {patch['artifact_id']}" + (f", with {len(shown)} input(s)." if shown else ".")
    artifact = {
        "path": note.name, "label": note.name, "kind": "note", "criteria": criteria_of(packet, CRITERION),
        "summary": summary, "inputs": [patch["artifact_id"]],
    }  # fmt: skip
    return hand_in("done", summary, artifacts=[artifact], delivery_outcome="primary_goal_outcome")


def inputs_that_differ(repository: Path, patch: Path, base: str) -> list[tuple[str, object, object]]:
    """Calls of the tests that come out otherwise with the patch: the call, what came out and what comes out."""
    found: list[tuple[str, object, object]] = []
    with clean_checkout(repository, base=base) as before, clean_checkout(repository, (patch,), base=base) as after:
        for path in [Path(one) for one in changed_paths(after) if not one.startswith("tests/")]:
            for function, calls in calls_of(after, path.stem).items():
                then = answers_of(before, path, function, calls)
                now = answers_of(after, path, function, calls)
                for args, was, is_now in zip(calls, then, now, strict=True):
                    if was != is_now:
                        found.append((f"{path.stem}.{function}({', '.join(map(repr, args))})", was, is_now))
    return sorted(found, key=lambda one: len(one[0]))[:SHOWN_MAX]


def calls_of(root: Path, module: str) -> dict[str, list[Args]]:
    """The calls of a module that its tests make with literals, by function."""
    found: dict[str, list[Args]] = {}
    for path in sorted((root / "tests").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=function), args=args) if name == module:
                    found.setdefault(function, []).append([ast.literal_eval(one) for one in args])
    return found


if __name__ == "__main__":
    sys.exit(main())
