"""Time that passes only when everybody waits.

The loop's clock is a number: when every task waits for time, it jumps to the next moment something is due. If every
task waits for something else, the test is stuck, and says so instead of hanging.
"""

import asyncio
import functools
import selectors


class _JumpingSelector(selectors.SelectSelector):
    """Never waits: tells its loop how far to jump instead."""

    def __init__(self):
        super().__init__()
        self.loop = None

    def select(self, timeout=None):
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise AssertionError("everybody waits for something that never happens")
        self.loop.jump(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose time is a number."""

    def __init__(self):
        selector = _JumpingSelector()
        self._now_s = 1_000.0
        super().__init__(selector)
        selector.loop = self

    def time(self):
        return self._now_s

    def jump(self, seconds):
        self._now_s += seconds


def in_virtual_time(scenario):
    """Run an async test on a virtual loop."""

    @functools.wraps(scenario)
    def run(*args, **kwargs):
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(scenario(*args, **kwargs))

    return run


def now_s():
    return asyncio.get_running_loop().time()
