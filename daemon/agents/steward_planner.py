"""Asking a planner: a program that reads a packet on standard input and prints JSON, for a bounded time and size.

What it prints is a proposal of a stranger. It is looked at here for its shape, so that a mistake is told in words and
the template can step in; whether its lanes may be done is the ledger's to say. The program gets no credential.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from daemon.agents.steward_template import LANES_MAX, Lane

SECONDS_MAX = 120
LOOK_S = 0.05
"""How often what it has printed so far is looked at: a disk is not filled by waiting."""
OUTPUT_BYTES_MAX = 65_536
ITEMS_MAX = 64
LINE_CHARS_MAX, TEXT_CHARS_MAX = 500, 10_000
OPTIONS_MAX = 8
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHASHSEED")
_LANE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_TEXTS = {"title": LINE_CHARS_MAX, "acceptance": TEXT_CHARS_MAX, "agent": 80, "action_kind": 64, "priority": 2}
_LISTS = ("depends_on", "write_scope", "capability", "validator", "enforce")


class PlannerFailed(Exception):
    """Why nothing came of it, in one sentence."""


def ask_planner(argv: Sequence[str], packet: object, *, seconds: float = SECONDS_MAX) -> dict[str, object]:
    """Run it in an empty folder of its own and read what it printed. Raises PlannerFailed."""
    with tempfile.TemporaryDirectory(prefix="frontstage-planner-") as folder, tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                argv, cwd=folder, env=_environment(Path(folder)), stdin=subprocess.PIPE, stdout=output,
                stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise PlannerFailed(f"it cannot be run: {error.strerror}") from error
        try:
            _wait(process, json.dumps(packet).encode(), output.fileno(), seconds)
        finally:
            # Whatever it started is in its group and ends with it.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode != 0:
            raise PlannerFailed(f"it ended with exit code {process.returncode}")
        output.seek(0)
        data = output.read(OUTPUT_BYTES_MAX + 1)
    if len(data) > OUTPUT_BYTES_MAX:
        raise PlannerFailed(f"it printed more than {OUTPUT_BYTES_MAX} bytes")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PlannerFailed("what it printed is not JSON") from error
    if not isinstance(document, dict):
        raise PlannerFailed("what it printed is no JSON object")
    return document


def _wait(process: "subprocess.Popen[bytes]", given: bytes, printed: int, seconds: float) -> None:
    """Wait for its end, as long as it prints no more than may be read. Raises PlannerFailed."""
    ends_at = time.monotonic() + seconds
    left: bytes | None = given
    while True:
        try:
            process.communicate(left, timeout=max(0.0, min(LOOK_S, ends_at - time.monotonic())))
        except subprocess.TimeoutExpired as error:
            left = None
            if os.fstat(printed).st_size > OUTPUT_BYTES_MAX:
                raise PlannerFailed(f"it printed more than {OUTPUT_BYTES_MAX} bytes") from error
            if time.monotonic() >= ends_at:
                raise PlannerFailed(f"it did not end within {seconds:g} s") from error
        else:
            return


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "HOME": str(folder), "TMPDIR": str(folder)}


def lanes_of(document: dict[str, object]) -> tuple[Lane, ...]:
    """The lanes that a planner printed. Raises PlannerFailed with the first thing that is wrong."""
    lanes = document.get("lanes")
    if not isinstance(lanes, list) or not 1 <= len(lanes) <= LANES_MAX:
        raise PlannerFailed(f"`lanes` is a list of 1 to {LANES_MAX} objects")
    return tuple(_lane(number, lane) for number, lane in enumerate(lanes, 1))


def _lane(number: int, lane: object) -> Lane:
    if not isinstance(lane, dict):
        raise PlannerFailed(f"lane {number} is no object")
    if beyond := sorted(set(lane) - {"lane_id", *_TEXTS, *_LISTS}):
        raise PlannerFailed(f"lane {number} has {beyond[0][:40]!r}, which is no field of a lane")
    if not isinstance(name := lane.get("lane_id"), str) or _LANE_ID.fullmatch(name) is None:
        raise PlannerFailed(f"the lane_id of lane {number} must match {_LANE_ID.pattern}")
    if not isinstance(title := lane.get("title"), str) or not title.strip():
        raise PlannerFailed(f"lane {number} has no title")
    for field, chars_max in _TEXTS.items():
        value = lane.get(field)
        if value is not None and (not isinstance(value, str) or len(value) > chars_max):
            raise PlannerFailed(f"{field} of lane {number} is a text of at most {chars_max} characters")
    for field in _LISTS:
        value = lane.get(field, [])
        if not isinstance(value, list) or len(value) > ITEMS_MAX or not all(isinstance(one, str) for one in value):
            raise PlannerFailed(f"{field} of lane {number} is a list of at most {ITEMS_MAX} texts")
    return {field: value for field, value in lane.items() if value is not None}


def question_of(document: dict[str, object]) -> tuple[str, list[str]] | None:
    """The question that a planner has, with its options, or None. Raises PlannerFailed."""
    question, options = document.get("question"), document.get("options", [])
    if question is None:
        return None
    if not isinstance(question, str) or not question.strip() or len(question) > LINE_CHARS_MAX:
        raise PlannerFailed(f"`question` is a text of at most {LINE_CHARS_MAX} characters")
    if not isinstance(options, list) or len(options) > OPTIONS_MAX:
        raise PlannerFailed(f"`options` is a list of at most {OPTIONS_MAX} texts")
    if not all(isinstance(one, str) and one.strip() and len(one) <= LINE_CHARS_MAX for one in options):
        raise PlannerFailed(f"an option is a text of at most {LINE_CHARS_MAX} characters")
    return question, options
