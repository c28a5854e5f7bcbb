"""`frontstage up`: who is started again, who is not, and what ends the whole."""

import asyncio
import os
import signal
import sys

import pytest

from daemon.cli.local import LOCAL
from daemon.cli.parse import UsageError, parse
from daemon.local import up
from daemon.local.up import Child, supervise

NOT_AT_ALL = (0.0,)
FOREVER = "import signal; print('up', flush=True); signal.pause()"


def child(program, *argv, name="daemon", essential=True):
    return Child(name, [sys.executable, "-c", program, *map(str, argv)], essential)


COUNTED = """
import os, sys
path, failures, code = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
count = len(open(path).read()) if os.path.exists(path) else 0
open(path, "a").write("x")
sys.exit(9 if count < failures else code)
"""
MARKED = """
import os, signal, sys
def end(*_):
    open(sys.argv[1], "w").write("told")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
os.mkfifo(sys.argv[2]) if not os.path.exists(sys.argv[2]) else None
open(sys.argv[2], "w").close()
signal.pause()
"""


async def test_a_child_that_fails_is_started_again_and_its_clean_end_ends_the_whole(tmp_path):
    said = []
    assert await supervise([child(COUNTED, tmp_path / "n", 3, 0)], said.append, NOT_AT_ALL) == 0
    assert (tmp_path / "n").read_text() == "xxxx"
    assert said == ["frontstage up: the daemon ended with exit code 9; starting it again in 0 s"] * 3


async def test_a_child_that_was_killed_is_started_again(tmp_path):
    program = (
        "import os, sys; p = sys.argv[1]; os.path.exists(p) and sys.exit(0); open(p, 'w'); os.kill(os.getpid(), 9)"
    )
    said = []
    assert await supervise([child(program, tmp_path / "n")], said.append, NOT_AT_ALL) == 0
    assert said == ["frontstage up: the daemon ended with SIGKILL; starting it again in 0 s"]


@pytest.mark.parametrize("code", [up.EXIT_REFUSED, up.EXIT_HELD])
async def test_a_daemon_that_cannot_begin_ends_the_whole_with_its_code(tmp_path, code):
    said = []
    other = child(MARKED, tmp_path / "told", tmp_path / "fifo", name="bot", essential=False)
    assert await supervise([child(COUNTED, tmp_path / "n", 0, code), other], said.append, NOT_AT_ALL) == code
    assert (tmp_path / "n").read_text() == "x"
    assert said == []


async def test_the_bots_clean_end_leaves_the_daemon_alone(tmp_path):
    daemons, bots = tmp_path / "daemon", tmp_path / "bot"
    os.mkfifo(daemons)
    os.mkfifo(bots)
    waits = "import sys; open(sys.argv[1]).read()"
    holds = "import sys; open(sys.argv[1], 'w').write('x'); sys.exit(0)"
    async with asyncio.TaskGroup() as group:
        bot = child(holds, bots, name="bot", essential=False)
        whole = group.create_task(supervise([child(waits, daemons), bot], lambda _: None, NOT_AT_ALL))
        assert await asyncio.to_thread(bots.read_text) == "x"
        writing = await asyncio.to_thread(open, daemons, "w")
        assert not whole.done()
        writing.close()
    assert whole.result() == 0


async def test_a_signal_is_passed_on_and_waited_for(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    async with asyncio.TaskGroup() as group:
        whole = group.create_task(supervise([child(MARKED, tmp_path / "told", fifo)], lambda _: None, NOT_AT_ALL))
        await asyncio.to_thread(lambda: fifo.open().read())
        os.kill(os.getpid(), signal.SIGTERM)
    assert whole.result() == 0
    assert (tmp_path / "told").read_text() == "told"


@pytest.mark.parametrize(
    ("config", "why"),
    [(None, "there is no config.toml"), ("[daemon]\n", "no [lark] section"), ('[lark]\napp_id = "a"\n', "")],
)
def test_whether_the_bot_is_started(tmp_path, config, why):
    if config is not None:
        (tmp_path / "config.toml").write_text(config)
    found = up._why_no_bot(up.Home(str(tmp_path)))
    assert why in found
    assert bool(why) is bool(found)


def test_a_config_that_is_none_and_a_home_that_is_none_are_said(tmp_path):
    (tmp_path / "config.toml").write_text("[lark\n")
    with pytest.raises(UsageError, match="not TOML"):
        up._why_no_bot(up.Home(str(tmp_path)))
    with pytest.raises(UsageError, match="no ledger"):
        up.main(parse(["up", "--home", str(tmp_path)], LOCAL))
