"""One daemon with a lively workspace for all tests, and one browser for each module to look at it with."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.api.simulator_browser import Browser, browser
from tests.support.daemons import DaemonProcess
from tests.support.homes import short_folder
from tests.web.looking import Looked
from tests.web.scene import page_of, scene_home


@pytest.fixture(scope="session")
def looked() -> Iterator[Looked]:
    """A daemon with the scene, and its page opened. Tests may add to what has happened, and leave a daemon running."""
    with short_folder() as folder:
        daemon = DaemonProcess(scene_home(folder))
        here = Looked(daemon, page_of(daemon))
        try:
            yield here
        finally:
            here.daemon.kill()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab() -> AsyncIterator[Browser]:
    """A browser's one tab; each test says first where it is."""
    async with browser() as one:
        yield one
