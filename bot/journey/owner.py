"""The owner of a journey: a person at the chat page, or a program that knows only what a person sees.

Each step is told to the terminal with what there is to do. A person does it in the page, or presses Enter and watches a
program do it; where nobody is there the program does it at once. A step is done when the ledger says so.
"""

import json
import select
import subprocess
import sys
from collections.abc import Callable
from importlib import resources

from bot.stage import CHAT, OWNER_NAME, DemoFailed, Processes, say

STEP_S_MAX = 120.0
LOOK_S = 0.25


class Owner:
    """Whoever decides; what is decided comes through the chat and no other way."""

    def __init__(self, base_url: str, processes: Processes, *, at_terminal: bool) -> None:
        self._base_url = base_url
        self._processes = processes
        self._at_terminal = at_terminal

    def step(self, name: str, what: str, done: Callable[[], bool], **told: object) -> None:
        """One step of the owner's. Raises DemoFailed where it could not be done."""
        if self._at_terminal and self._is_done_by_a_person(what, done):
            return
        self._play(name, told)
        if not done():
            raise DemoFailed(f"the owner did what there was to do, but the ledger does not say so: {what}")

    def rest(self) -> None:
        """Where a person watches, wait until they have seen enough."""
        if not self._at_terminal:
            return
        say("\nEverything is accepted. Look around in the chat; Enter ends the journey and reports.")
        while not select.select([sys.stdin], [], [], LOOK_S)[0]:
            self._processes.check()
        sys.stdin.readline()

    def _is_done_by_a_person(self, what: str, done: Callable[[], bool]) -> bool:
        say(f"\n  {OWNER_NAME}, in the page: {what}\n  Or press Enter and watch a program do it.")
        while not done():
            readable, _, _ = select.select([sys.stdin], [], [], LOOK_S)
            if readable:
                sys.stdin.readline()
                return done()
            self._processes.check()
        return True

    def _play(self, name: str, told: dict[str, object]) -> None:
        with resources.as_file(resources.files("bot") / "demo_owner.py") as script:
            argv = [sys.executable, "-I", str(script), self._base_url, OWNER_NAME, CHAT, name, json.dumps(told)]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=STEP_S_MAX, check=False)
        for line in done.stdout.splitlines():
            say(f"  {line}")
        if done.returncode:
            raise DemoFailed(
                f"the owner could not {name}: {done.stdout.strip().splitlines()[-1:] or done.stderr[-300:]}"
            )
