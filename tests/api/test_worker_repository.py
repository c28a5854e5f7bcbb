"""Todos that write to a repository: a worktree of their own, a patch handed in, and validators run on it."""

import asyncio
import sys

import pytest

from daemon.agents.worker_drive import OneTurn
from daemon.agents.worker_readings import Facts
from daemon.cli.parse import Command, Options, UsageError
from daemon.local.worker import _declared, _one_line, _validating, run
from tests.support.worker import git, repository
from tests.support.worker_place import GOAL, worker_place

FILES = {"src/sum.py": "def add(a, b):\n    return a - b\n", "README.md": "# Sum\n", ".gitignore": "helper.py\n"}
FIX = 'pathlib.Path("src/sum.py").write_text("def add(a, b):\\n    return a + b\\n");'
DONE = 'end("done", summary="Adds now.")'


@pytest.fixture
async def place(tmp_path):
    async with worker_place(tmp_path) as made:
        made.repository = repository(tmp_path / "repo", FILES)
        await made.daemon.do("todo.cancel", {**GOAL, "todo_id": "todo_links", "reason": "No"})
        await made.daemon.do(
            "todo.add",
            {
                **GOAL,
                "todo_id": "todo_sum",
                "text": "Mend the sum",
                "required_write_scope": ["src/**"],
                "validator": ["links"],
            },
        )
        made.seat.validate = checks(made, 2)
        yield made


async def turn(place, text, **more):
    return await asyncio.to_thread(place.seat.turn, text, repository=place.repository, **more)


async def the_todo(place):
    return next(one for one in await place.rows("todo.list", "todos") if one["todo_id"] == "todo_sum")


async def test_what_it_changed_is_handed_in_as_a_patch_and_the_repository_stays_as_it_was(place):
    told = await turn(place, FIX + DONE)
    (artifact,) = await place.artifacts()
    assert (told["close"], artifact["kind"], artifact["label"]) == ("done", "patch", "todo_sum.patch")
    patch = place.seat.store.path_of(artifact["sha256"]).read_text()
    assert "+    return a + b" in patch
    assert git(place.repository, "status", "--porcelain") == ""
    assert git(place.repository, "worktree", "list").count("\n") == 1


async def test_a_patch_of_its_own_takes_the_place_of_ours(place):
    text = FIX + 'end("done", artifacts=[hand("mine.patch", "x", kind="patch", label="todo_sum.patch")])'
    await turn(place, text)
    (artifact,) = await place.artifacts()
    assert (artifact["kind"], artifact["size_bytes"]) == ("patch", 1)


async def test_what_lies_outside_of_the_scopes_hands_in_nothing_even_with_a_patch_of_its_own(place):
    text = 'pathlib.Path("README.md").write_text("x"); end("done", artifacts=[hand("a.patch", "x", kind="patch")])'
    told = await turn(place, text)
    assert (told["close"], told["problem"]) == ("failed", "outside_write_scope")
    assert "README.md" in told["words"]
    assert (await place.artifacts(), (await the_todo(place))["status"]) == ([], "open")
    assert place.seat.store.folder.exists() is False or list(place.seat.store.folder.iterdir()) == []


@pytest.mark.parametrize(
    "made",
    [
        "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n",
        "diff --git a/README.md b/src/r\nsimilarity index 100%\nrename from README.md\nrename to src/r\n",
        "diff --git a/src/r b/r\nsimilarity index 100%\nrename from src/r\nrename to r\n",
    ],
)
async def test_a_patch_of_its_own_is_held_to_the_scopes_as_well(place, made):
    told = await turn(place, f'end("done", artifacts=[hand("mine.patch", {made!r}, kind="patch")])')
    assert (told["close"], told["problem"], await place.artifacts()) == ("failed", "outside_write_scope", [])


async def test_a_dirty_repository_is_waited_for_and_nothing_is_taken(place):
    (place.repository / "README.md").write_text("dirty")
    before = place.daemon.seq
    assert await turn(place, FIX + DONE) is None
    assert place.seat.desk.told()["waits"] == {"docs": "repository_dirty"}
    assert place.daemon.seq == before


async def test_a_validator_that_nobody_declared_is_waited_for_and_nothing_is_taken(place):
    assert await turn(place, FIX + DONE, validators=None) is None
    assert place.seat.desk.told()["waits"] == {"docs": "validators_missing"}


def checks(place, expected):
    """Validators as the command line reads them: the sum is computed in the worktree, the patch read as a file."""
    file = place.seat.folder / "checks.toml"
    code = f"import sys, os; sys.path.insert(0, 'src'); from sum import add; sys.exit(add(1, 1) != {expected})"
    words = ", ".join(f'"{word}"' for word in (sys.executable, "-c", code))
    file.write_text(f"[links]\nargv = [{words}]\n", encoding="utf-8")
    return _validating(place.seat.client, _declared(command(validators=str(file))))


def command(**values):
    made = Command("worker", "run", None, Options())
    made.values = values
    return made


@pytest.mark.parametrize(("expected", "close", "status"), [(2, "done", "done"), (3, "failed", "open")])
async def test_validators_are_run_in_the_worktree_and_recorded(place, expected, close, status):
    place.seat.validate = checks(place, expected)
    told = await turn(place, FIX + DONE)
    assert told is not None, place.seat.desk.told()
    assert told["artifact_ids"], (told["problem"], told["words"], place.seat.said)
    (artifact,) = await place.artifacts()
    (check,) = artifact["checks"]
    assert (told["close"], (await the_todo(place))["status"]) == (close, status)
    assert (check["name"], check["passed"], check["recorded_by"]) == ("links", close == "done", "builder")
    if close == "failed":
        # It is there the next time, as something to be made better.
        text = f"pathlib.Path({str(place.seat.folder / 'told.json')!r}).write_text(json.dumps(packet['rejected']));"
        place.seat.validate = checks(place, 2)
        again = await turn(place, text + FIX + DONE)
        (rejected,) = place.seat.told()
        assert (again["close"], rejected["checks"][0]["passed"]) == ("done", False)
        assert [one["status"] for one in await place.artifacts()] == ["superseded", "submitted"]


HIDDEN = """
pathlib.Path("src/helper.py").write_text("def add(a, b):\\n    return a + b\\n")
pathlib.Path("src/sum.py").write_text("from helper import add\\n")
"""


async def test_validators_see_what_is_handed_in_and_nothing_else(place):
    told = await turn(place, HIDDEN + DONE)
    (artifact,) = await place.artifacts()
    (check,) = artifact["checks"]
    assert b"helper.py" not in place.seat.store.path_of(artifact["sha256"]).read_bytes()
    assert (told["close"], told["problem"], check["passed"]) == ("failed", "validator_failed", False)
    assert (await the_todo(place))["status"] == "open"
    assert git(place.repository, "worktree", "list").count("\n") == 1


async def test_what_is_hidden_by_a_rule_that_nobody_gets_is_refused_and_so_is_a_link_in_its_own_patch(place):
    hides = 'pathlib.Path("src/.gitignore").write_text("*\\n"); pathlib.Path("src/more.py").write_text("x");'
    told = await turn(place, hides + DONE)
    assert (told["close"], told["problem"], await place.artifacts()) == ("failed", "hidden_by_ignore", [])
    assert "src/more.py" in told["words"]
    link = "diff --git a/src/l b/src/l\nnew file mode 120000\n--- /dev/null\n+++ b/src/l\n@@ -0,0 +1 @@\n+/etc/passwd\n"
    told = await turn(place, f'end("done", artifacts=[hand("mine.patch", {link!r}, kind="patch")])')
    assert (told["close"], told["problem"], await place.artifacts()) == ("failed", "link_leads_out", [])
    assert git(place.repository, "worktree", "list").count("\n") == 1


async def test_where_case_counts_for_nothing_another_spelling_is_inside(place):
    async def folds(goal_id):
        goal = (await place.daemon.read("goal.show", f"?goal_id={goal_id}&full=true")).document
        return Facts(goal, None, None, []).write_scopes.fold_case

    other = {"goal_id": "caseless", "objective": "Check", "criterion": ["All"], "write_scope": ["src/**"]}
    await place.daemon.do("goal.propose", {**other, "fold_case": True})
    assert (await folds("docs"), await folds("caseless")) == (False, True)


async def test_a_patch_of_its_own_is_what_is_validated_and_must_apply(place):
    made = "--- a/src/sum.py\n+++ b/src/sum.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return {}\n+    return a + b\n"
    text = FIX + 'end("done", artifacts=[hand("mine.patch", {!r}, kind="patch", label="todo_sum.patch")])'
    told = await turn(place, text.format(made.format("a * b")))
    assert (told["close"], told["problem"], (await the_todo(place))["status"]) == (
        "failed",
        "patch_not_applied",
        "open",
    )
    assert "does not apply" in told["words"]
    assert (await turn(place, text.format(made.format("a - b"))))["close"] == "done"
    assert git(place.repository, "worktree", "list").count("\n") == 1


class Killed(BaseException):
    """As when the machine takes it away."""


async def test_after_a_crash_nothing_is_validated_where_the_work_no_longer_is(place, monkeypatch):
    # As a linter that finds nothing wrong in an empty folder.
    code = "import os, sys; sys.exit(os.path.exists('src/sum.py'))"
    file = place.seat.folder / "checks.toml"
    file.write_text(f"[links]\nargv = [{', '.join(map(repr, (sys.executable, '-c', code)))}]\n", encoding="utf-8")
    place.seat.validate = _validating(place.seat.client, _declared(command(validators=str(file))))

    def killed(_):
        raise Killed

    with monkeypatch.context() as now:
        now.setattr(OneTurn, "_validated", killed)
        with pytest.raises(Killed):
            await turn(place, FIX + DONE)
    await turn(place, "sys.exit(1)")
    assert place.seat.turns[0].problem == "not_validated"
    assert (await the_todo(place))["status"] == "open"


async def test_a_validator_that_is_not_known_here_has_not_passed(place):
    place.seat.validate = _validating(place.seat.client, {})
    told = await turn(place, FIX + DONE)
    assert (told["close"], told["problem"], (await the_todo(place))["status"]) == ("failed", "validator_failed", "open")


async def test_a_turn_that_cannot_be_validated_at_all_ends_and_gives_the_work_back(place):
    def broken(_):
        raise KeyError

    place.seat.validate = broken
    told = await turn(place, FIX + DONE)
    assert (told["close"], told["problem"], (await the_todo(place))["status"]) == ("failed", "not_validated", "open")


async def test_after_two_turns_that_came_to_nothing_it_says_so_and_tries_a_few_times_more(place):
    worker = place.seat.worker("sys.exit(1)", repository=place.repository)
    for _ in range(12):
        worker._lookout.not_before_s.clear()
        await asyncio.to_thread(worker.run)
    runs = await place.runs()
    assert {run["classification"] for run in runs} == {"failed"}
    assert (await place.kinds()).count("run.replanned") == 3
    assert len(runs) == 8
    assert place.seat.desk.told()["waits"] == {"docs": "replan_required"}


WRONG = {
    "an id that is a path": ({"agent": "../scout"}, "agent"),
    "no program": ({"exec": "  "}, "exec"),
    "unclosed": ({"exec": "sh -c 'x"}, "exec"),
    "no such program": ({"exec": "./nowhere"}, "exec"),
    "no repository": ({"repository": "/nowhere"}, "repository"),
    "no validators": ({"validators": "/nowhere"}, "validators"),
    "lease": ({"lease_seconds": 1}, "lease_seconds"),
    "time": ({"timeout_seconds": 0}, "timeout_seconds"),
}


@pytest.mark.parametrize(("values", "field"), WRONG.values(), ids=WRONG)
def test_a_command_line_that_cannot_work_is_refused_before_anything(values, field, tmp_path, monkeypatch):
    monkeypatch.setenv("FRONTSTAGE_TOKEN", "fs_x")
    wanted = command(**{"agent": "scout", "exec": "true", **values})
    wanted.options.home = str(tmp_path)
    with pytest.raises(UsageError) as refused:
        run(wanted)
    assert refused.value.field == field
    assert list(tmp_path.iterdir()) == []


def test_what_a_program_says_is_one_line_that_no_terminal_obeys():
    assert _one_line("Done.\n\x1b[31mred\x07\u202e\u200b 41 links") == "Done.  [31mred    41 links"


def test_nobody_works_by_the_credential_of_an_owner(tmp_path, monkeypatch):
    monkeypatch.delenv("FRONTSTAGE_TOKEN", raising=False)
    monkeypatch.delenv("FRONTSTAGE_TOKEN_FILE", raising=False)
    (tmp_path / "owner.token").write_text("fs_owner")
    (tmp_path / "owner.token").chmod(0o600)
    wanted = command(agent="scout", exec="true")
    wanted.options.home = str(tmp_path)
    with pytest.raises(UsageError, match="its agent's own token"):
        run(wanted)
