"""Trying edits: which lines the failing tests run through, and the first edit with which the tests pass.

The tests of the folder are loaded and run again for each edit, in this process, with a bound on the processor time of
each trial: an edit that makes a loop endless is one that fails. The bound is in processor time, so that a busy machine
changes no outcome.
"""

import importlib
import io
import math
import signal
import sys
import types
import unittest
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.journey.programs.edits import Edit, edits

Traced = Callable[[types.FrameType, str, object], Any]
TRIAL_S_MAX = 0.1


class TooLong(BaseException):
    """A trial used up its time; no `except Exception` of the code under trial keeps it."""


@dataclass(frozen=True)
class Outcome:
    """What running tests once showed: the ids of those that passed and of those that did not."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]


class Bench:
    """One folder with a package and its tests, as a place to try things in. Not to be used by two threads."""

    def __init__(self, root: Path, module: str, tests: Sequence[str]) -> None:
        self._root = root
        self._path = root / (module.replace(".", "/") + ".py")
        self._name = module
        self._tests = tuple(tests)
        self.text = self._path.read_text(encoding="utf-8")

    def run(self) -> Outcome:
        """Run the tests with the module as it stands."""
        with self._loaded() as tests:
            return _run(tests)

    def suspicion(self) -> dict[int, float]:
        """How much each line of the module is suspected: run through by failing tests, and by few others (Ochiai)."""
        with self._loaded() as tests:
            return self._suspicion(tests)

    def search(self) -> tuple[Edit | None, int]:
        """The first edit with which all tests pass, and how many were tried; none where no edit does it."""
        tried = 0
        with self._loaded() as tests:
            suspicion = self._suspicion(tests)
            failed = set(_run(tests).failed)
            # What failed before fails again most often, and ends a trial soonest.
            tests.sort(key=lambda test: test.id() not in failed)
            for one in edits(self.text, suspicion):
                tried += 1
                if self._put(one.text) and not any(_run([test]).failed for test in tests):
                    return one, tried
        return None, tried

    def _suspicion(self, tests: Sequence[unittest.TestCase]) -> dict[int, float]:
        hits: dict[int, list[bool]] = defaultdict(list)
        failures = 0
        for test in tests:
            lines: set[int] = set()
            outcome = self._traced(test, lines)
            failures += len(outcome.failed)
            for line in lines:
                hits[line].append(bool(outcome.failed))
        return {line: sum(seen) / math.sqrt(failures * len(seen)) for line, seen in hits.items() if sum(seen)}

    def _traced(self, test: unittest.TestCase, lines: set[int]) -> Outcome:
        path = str(self._path)

        def local(frame: types.FrameType, event: str, _arg: object) -> Traced:
            if event == "line":
                lines.add(frame.f_lineno)
            return local

        def call(frame: types.FrameType, _event: str, _arg: object) -> Traced | None:
            return local if frame.f_code.co_filename == path and frame.f_code.co_name != "<module>" else None

        before = sys.gettrace()
        sys.settrace(call)
        try:
            return _run([test])
        finally:
            sys.settrace(before)

    @contextmanager
    def _loaded(self) -> Iterator[list[unittest.TestCase]]:
        """The tests, freshly loaded from the folder; the interpreter is left as it was found."""
        theirs = {self._name.partition(".")[0], "tests"}
        kept = {name: one for name, one in sys.modules.items() if name.partition(".")[0] in theirs}
        wrote, path = sys.dont_write_bytecode, list(sys.path)
        _forget(theirs)
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(self._root))
        importlib.invalidate_caches()
        try:
            importlib.import_module(self._name)
            yield list(_each(unittest.defaultTestLoader.loadTestsFromNames([f"tests.{name}" for name in self._tests])))
        finally:
            _forget(theirs)
            sys.modules.update(kept)
            sys.dont_write_bytecode, sys.path[:] = wrote, path

    def _put(self, text: str) -> bool:
        """Let the module be what this text says, if it is Python; the tests ask the module and need no loading anew."""
        try:
            code = compile(text, str(self._path), "exec")
        except SyntaxError:
            return False
        exec(code, sys.modules[self._name].__dict__)  # noqa: S102  (it is to be tried)
        return True


def answers(function: Callable[..., object], inputs: Sequence[Sequence[object]]) -> list[object]:
    """What a function gives for each input; None where it gives nothing in its time."""
    given: list[object] = []
    for args in inputs:
        try:
            with _bounded():
                given.append(function(*args))
        except (Exception, TooLong):  # noqa: BLE001  (whatever the code under trial does wrong is no answer)
            given.append(None)
    return given


def _forget(packages: set[str]) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]


def _each(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _each(test)
        else:
            yield test


def _run(tests: Sequence[unittest.TestCase]) -> Outcome:
    passed: list[str] = []
    failed: list[str] = []
    for test in tests:
        result = unittest.TestResult()
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            try:
                with _bounded():
                    test.run(result)
            except TooLong:
                result.failures.append((test, "took too long"))
        (passed if result.wasSuccessful() else failed).append(test.id())
    return Outcome(tuple(passed), tuple(failed))


@contextmanager
def _bounded() -> Iterator[None]:
    def end(_number: int, _frame: types.FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, TRIAL_S_MAX)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
