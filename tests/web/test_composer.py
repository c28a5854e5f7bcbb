"""The composer: the line is exact whatever the text is made of, nothing that is typed is sent, and a basis that went
stale is told while everything that was typed is kept.
"""

import json
import shlex
import subprocess
import sys

import pytest

from daemon.cli.spawn import module_environment
from tests.api.simulator_browser import CHROMIUM

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]

HOSTILE = (
    "it's \"quoted\" `id` $HOME $(id) ${x} \\ \\n !! * ? ~ ; & | < > # %s",
    "two\nlines\n\nand an end\n",
    "--goal-id", "-", "--", "-n x", "=", "",
    "中文，还有 emoji 👩‍👩‍👧 \U0001f600", "\u202eevil\u2066 \u200bhidden\ufeff",
    "\t tab \r return \x1b[31m red \x07 \x7f \x9b", "'", "''", "'\"'\"'", "$'\\x41'", "a" * 5_000,
)  # fmt: skip
PRINTS = "#!{python}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n"


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    """A program of the product's name that says what it was given; its folder."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "frontstage"
    program.write_text(PRINTS.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    return folder


def run_by(line, folder):
    """What a POSIX shell hands to the program when it is given this line."""
    ran = subprocess.run(
        ["sh", "-c", line], env={"PATH": f"{folder}:/usr/bin:/bin"}, capture_output=True, check=True, timeout=60
    )
    assert ran.stderr == b""
    return json.loads(ran.stdout)


def run_for_real(line, folder, looked):
    """The exit code and the remarks of the product, run by a shell as the owner."""
    given = {"FRONTSTAGE_HOME": looked.daemon.made.home.path, "FRONTSTAGE_TOKEN": looked.daemon.made.tokens["ann"]}
    env = {**module_environment(), **given, "PATH": f"{folder}:/usr/bin:/bin"}
    ran = subprocess.run(["sh", "-c", line], env=env, capture_output=True, check=False, timeout=60)
    return ran.returncode, ran.stderr


async def compose(tab, looked, query):
    await tab.open(f"{looked.url}compose?{query}")
    await tab.until("!document.getElementById('fields').hidden")


async def put(tab, name, text):
    """Type into a field, as the browser tells of it."""
    await tab.run(
        f"(() => {{ const one = document.getElementById('f-{name}'); one.focus(); one.value = {json.dumps(text)};"
        " one.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


async def line_of(tab):
    shown, copied = await tab.run(
        "[document.getElementById('line').textContent, document.getElementById('copy').dataset.copy]"
    )
    assert shown == copied
    return shown


async def test_any_text_reaches_the_program_as_it_was_typed(tab, looked, stand_in):
    await compose(tab, looked, "action=goal.propose")
    words = await tab.run(f"{json.dumps(HOSTILE)}.map((text) => frontstageLine.flagged('--reason', text))")
    for text, flagged in zip(HOSTILE, words, strict=True):
        expected = [f"--reason={text}"] if text.startswith("-") else ["--reason", text]
        assert run_by(f"frontstage {flagged}", stand_in) == expected
        hidden = [char for char in flagged if not (char.isprintable() or char in "\n\u200d")]
        assert hidden == [], "nothing in a line is invisible"


async def test_a_line_does_what_it_says(tab, looked, stand_in):
    """From the fields through a real shell and the real command line into the ledger."""
    await compose(tab, looked, "action=goal.propose")
    objective = f"{HOSTILE[0]}\n{HOSTILE[8]}"
    await put(tab, "objective", objective)
    await put(tab, "criterion", "It's done\n\n  $(one more)")
    await put(tab, "goal_id", "composed")
    line = await line_of(tab)
    assert run_by(line, stand_in) == shlex.split(line)[1:]
    folder = stand_in.parent / "real"
    folder.mkdir(exist_ok=True)
    program = folder / "frontstage"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m daemon.cli.main "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    assert run_for_real(line, folder, looked) == (0, b"")
    shown = looked.client().read("goal.show", {"goal_id": "composed", "full": True}).body
    assert shown["objective"] == objective


async def test_what_would_be_refused_is_told_while_one_types_and_nothing_is_sent(tab, looked):
    await compose(tab, looked, "action=gate.open&goal_id=handbook")
    await tab.watch_requests()
    tab.requests.clear()
    for name, text, expected in (
        ("question", "   ", "it says nothing"),
        ("question", "x" * 2_001, "it has more than 2000 characters"),
        ("question", "a\0b", "it has a NUL, which no command line can hold"),
        ("question", "May we?", ""),
        ("quorum", "two", "it is not a whole number"),
        ("quorum", "17", "it is more than 16"),
        ("quorum", "2", ""),
        ("option", "\n".join(f"option {n}" for n in range(9)), "it has more than 8 entries"),
        ("option", "yes\nno", ""),
        ("gate_id", "gate day", "it does not match ^gate_[a-z0-9_-]{1,58}$"),
        ("gate_id", "", ""),
    ):
        await put(tab, name, text)
        assert await tab.run(f"document.getElementById('p-{name}').textContent") == expected
        assert await tab.run("document.getElementById('copy').disabled") is bool(expected)
    assert await line_of(tab) == (
        "frontstage gate open --goal-id handbook --question 'May we?' --option yes --option no --quorum 2"
    )
    assert tab.requests == []
    assert await tab.run("document.querySelectorAll('form, main [name]').length") == 0
    assert tab.errors == []


async def test_a_basis_that_went_stale_is_told_and_what_was_typed_is_kept(tab, looked):
    await compose(tab, looked, "action=goal.pause&goal_id=handbook")
    first = await tab.run("document.getElementById('f-basis').value")
    await put(tab, "reason", "We wait for the printer")
    assert first in await line_of(tab)
    assert await tab.run("document.getElementById('moved').hidden")
    before = looked.client().read("goal.show", {"goal_id": "handbook"}).body["basis"]["state"]
    assert first == before
    assert looked.client().act("goal.pause", {"goal_id": "handbook", "basis": before}).ok
    await tab.until("!document.getElementById('moved').hidden")
    assert await tab.run("document.getElementById('told').dataset.state") == "open", "it is not called ready"
    assert first in await line_of(tab), "a line that was begun stays what it was"
    await tab.run("document.getElementById('renew').click()")
    assert await tab.run("document.getElementById('moved').hidden")
    now = looked.client().read("goal.show", {"goal_id": "handbook"}).body["basis"]["state"]
    assert now != first
    assert f"--basis {now} --reason 'We wait for the printer'" in await line_of(tab)
    assert looked.client().act("goal.resume", {"goal_id": "handbook", "basis": now}).ok


async def test_the_basis_is_that_of_the_gate_that_is_chosen(tab, looked):
    await compose(tab, looked, "action=gate.approve")
    await tab.run(
        "(() => { const one = document.getElementById('f-goal_id'); one.value = 'handbook';"
        " one.dispatchEvent(new Event('input', {bubbles: true}));"
        " one.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    await tab.until("document.querySelectorAll('#known-gate_id option').length > 0")
    await put(tab, "gate_id", "gate_list")
    basis = looked.client().read("gate.show", {"goal_id": "handbook", "gate_id": "gate_list"}).body["basis"]
    line = f"frontstage gate approve --goal-id handbook --gate-id gate_list --basis {basis}"
    assert await line_of(tab) == line
    assert not await tab.run("document.getElementById('copy').disabled")
    assert "goal_id=handbook" in await tab.run("location.href")


async def test_the_goal_that_was_chosen_last_is_the_one_that_the_line_is_for(tab, looked):
    await compose(tab, looked, "action=gate.approve")
    tab.errors.clear()
    # The first look-up fails, and the answer to the second one comes after that to the third.
    await tab.run("""(() => {
        const fetch = window.fetch, one = document.getElementById('f-goal_id');
        let asked = 0, late = null;
        window.fetch = async (...what) => {
            asked += 1;
            if (asked === 1) throw new TypeError('it went away');
            if (asked === 2) await new Promise((done) => { late = done; });
            if (asked === 3) setTimeout(() => { late(); window.late = true; }, 300);
            return fetch(...what);
        };
        for (const goal of ['handbook', 'release', 'handbook']) {
            one.value = goal;
            one.dispatchEvent(new Event('input', {bubbles: true}));
            one.dispatchEvent(new Event('change', {bubbles: true}));
        }
    })()""")
    await tab.until("window.late")
    await tab.until("performance.getEntriesByType('resource').filter(one => one.name.includes('goal_id=')).length >= 2")
    await tab.run("new Promise((done) => { setTimeout(done, 300); })")
    assert "goal_id=handbook" in await tab.run("location.href")
    assert await tab.run(
        "[...document.querySelectorAll('#known-gate_id option')].some(one => one.value === 'gate_list')"
    )
    assert tab.errors == []
