"""Measured counterexamples as tests: a module of their own beside a module's examples."""

from collections.abc import Sequence
from pathlib import Path


def add_regressions(
    root: Path, package: str, module: str, function: str, known: Sequence[tuple[Sequence[object], object]]
) -> str:
    """Write a test for each input that was once wrong, with what must come out; the name of the test module."""
    name = f"test_{module}_regressions"
    case = f"{module.title().replace('_', '')}Regressions"
    lines = [
        f'"""Inputs for which `{package}.{module}` was wrong once."""', "", "import unittest", "",
        f"from {package} import {module}", "", "", f"class {case}(unittest.TestCase):",
    ]  # fmt: skip
    for number, (args, expected) in enumerate(known):
        call = f"{module}.{function}({', '.join(map(repr, args))})"
        lines += [f"    def test_{function}_{number}(self):", f"        self.assertEqual({call}, {expected!r})", ""]
    (root / "tests" / f"{name}.py").write_text("\n".join(lines), encoding="utf-8")
    return name
