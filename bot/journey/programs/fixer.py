"""A program in the fixer's seat: it reproduces what fails, finds where, and searches for a small edit that mends it.

    python -m bot.journey.programs.fixer

Its tools are the repository's own test runner, the lines that failing tests run through, and the compiler. What a
reviewer has measured of an earlier attempt becomes a test first; then it searches again. It knows no specification and
no patch: it stops at the first edit with which every test passes, and leaves the rest to whoever looks at it next.
"""

import ast
import re
import sys
from pathlib import Path

from bot.journey.programs.checkouts import difference
from bot.journey.programs.edits import Edit
from bot.journey.programs.measured import Measured, all_measured
from bot.journey.programs.packets import Packet, criteria_of, hand_in, out_folder, read_packet
from bot.journey.programs.regressions import add_regressions
from bot.journey.programs.suite import compiles, run_suite
from bot.journey.programs.trials import Bench

CRITERION = 1


def main() -> int:
    """One turn."""
    packet, root = read_packet(), Path.cwd()
    measured = measured_before(packet)
    added = regress(root, measured)
    ran = run_suite(root)
    if ran.passed:
        return hand_in("no_progress", f"All {ran.count} tests pass: there is nothing to reproduce.")
    for module in suspects(root, ran.failing):
        tests = tests_of(root, module)
        found, tried = Bench(root, module, tests).search()
        if found is not None:
            return _hand_in_patch(packet, root, module, found, tried, added)
    return hand_in("failed", f"No small edit makes {', '.join(ran.failing)} pass.")


def measured_before(packet: Packet) -> list[Measured]:
    """The counterexamples in what was said of earlier attempts, each once."""
    said = [one for before in packet.get("rejected", ()) for one in all_measured(str(before.get("reason") or ""))]
    return [one for number, one in enumerate(said) if one not in said[:number]]


def regress(root: Path, measured: list[Measured]) -> int:
    """Make tests of what was measured, for modules that are there; how many."""
    modules = {path.stem: path.parent.name for path in root.glob("*/*.py") if path.parent.name != "tests"}
    count = 0
    for name in dict.fromkeys(one.module for one in measured if one.module in modules):
        known = [(one.args, one.expected) for one in measured if one.module == name]
        function = next(one.function for one in measured if one.module == name)
        add_regressions(root, modules[name], name, function, known)
        count += len(known)
    return count


def suspects(root: Path, failing: tuple[str, ...]) -> list[str]:
    """The modules that the failing tests ask for, found in their imports; the one most of them ask for first."""
    asked: dict[str, int] = {}
    for test in failing:
        tree = ast.parse((root / "tests" / f"{test}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and (root / node.module).is_dir():
                for name in node.names:
                    module = f"{node.module}.{name.name}"
                    asked[module] = asked.get(module, 0) + 1
    return sorted(asked, key=lambda module: (-asked[module], module))


def tests_of(root: Path, module: str) -> list[str]:
    """The test modules that speak of a module, found by searching for its name."""
    word = re.compile(rf"\b{re.escape(module.rpartition('.')[2])}\b")
    found = sorted((root / "tests").glob("test_*.py"))
    return [path.stem for path in found if word.search(path.read_text(encoding="utf-8"))]


def _hand_in_patch(packet: Packet, root: Path, module: str, found: Edit, tried: int, added: int) -> int:
    path = root / (module.replace(".", "/") + ".py")
    path.write_text(found.text, encoding="utf-8")
    ran = run_suite(root)
    if not ran.passed or not compiles(root, module.partition(".")[0]):
        return hand_in("failed", f"The edit of {module} does not hold in the whole suite.")
    patch = out_folder() / "fix.patch"
    patch.write_text(difference(root), encoding="utf-8")
    tests = f" {added} measured counterexample(s) are tests now." if added else ""
    summary = (
        f"{path.relative_to(root)}:{found.line}: `{found.was}` is now `{found.now}`; "
        f"{ran.count} tests pass, after {tried} edits tried.{tests}"
    )
    artifact = {
        "path": "fix.patch", "label": "fix.patch", "kind": "patch",
        "criteria": criteria_of(packet, CRITERION), "summary": summary,
    }  # fmt: skip
    return hand_in("done", summary, artifacts=[artifact], delivery_outcome="outcome_progress")


if __name__ == "__main__":
    sys.exit(main())
