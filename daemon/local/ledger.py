"""`frontstage ledger`: read the file itself, with no daemon between.

Whoever doubts the daemon does not want to ask it. Reading beside a running one is safe: events are only ever
appended, and each page is read on its own, so that the writer never waits.
"""

import time
from pathlib import Path

from daemon.cli.output import STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.local.export import copy_out
from daemon.local.homes import initialised_home_of
from ledger.canonical import canonical
from ledger.codec import decode_body
from ledger.ports import EventRow, StoreFault, StoreUnusable
from ledger.store.sqlite import open_sqlite_reader
from ledger.store.sqlite_read import SqliteReads
from ledger.text.say import plain
from ledger.verify import Report, verify_store

EXIT_BROKEN = 1
EXIT_FAULT = 8
TAIL_EVENTS = 20
POLL_S = 0.25
HASH_SHOWN_CHARS = 16


def _open(command: Command) -> SqliteReads:
    home = initialised_home_of(command)
    return open_sqlite_reader(Path(home.ledger))


def _faulty(command: Command, error: Exception) -> int:
    if command.options.json:
        return refuse(
            "fault", str(error), "run frontstage doctor", action=command.action, details={}, exit_code=EXIT_FAULT
        )
    tell(f"frontstage: {error}")
    return EXIT_FAULT


def verify_ledger(command: Command) -> int:
    """Prove the whole history, or name the first row that does not hold."""
    expected = _expected_head(command)
    try:
        store = _open(command)
        try:
            report = verify_store(store)
            met = expected is None or _has(store, expected)
        finally:
            store.close()
    except (StoreUnusable, StoreFault) as error:
        return _faulty(command, error)
    write(STDOUT, _report(report, expected, met=met, as_json=command.options.json))
    return 0 if report.holds and met else EXIT_BROKEN


def _expected_head(command: Command) -> tuple[int, str] | None:
    text = command.values.get("expect_head")
    if text is None:
        return None
    seq, _, digest = str(text).partition(":")
    if not (seq.isascii() and seq.isdigit() and len(seq) <= 16 and len(digest) >= 8):
        raise UsageError("--expect-head is SEQ:HASH, for example 41:9f86d081", field="expect_head")
    return int(seq), digest.lower()


def _has(store: SqliteReads, expected: tuple[int, str]) -> bool:
    """Whether the event of that seq has a hash that begins like the one noted earlier."""
    seq, digest = expected
    return any(row.seq == seq and row.hash.hex().startswith(digest) for row in store.events(seq - 1, limit=1))


def _report(report: Report, expected: tuple[int, str] | None, *, met: bool, as_json: bool) -> bytes:
    broken = report.first_break
    if as_json:
        document: dict[str, object] = {
            "schema_version": "frontstage_verify_v1",
            "ok": report.holds and met,
            "seq": report.head.seq,
            "head": report.head.hash.hex(),
            "events": report.events,
            "receipts": report.receipts,
            "refusals": report.refusals,
            "refusals_head": f"{report.refusals_head.seq}:{report.refusals_head.hash.hex()}",
            "redacted": report.redacted,
            "redacted_seqs": list(report.redacted_seqs),
            "first_break": None
            if broken is None
            else {"part": broken.part, "number": broken.number, "defect": broken.defect.value},
        }
        if expected is not None:
            document["expected_head_found"] = met
        return canonical(document) + b"\n"
    if broken is not None:
        return (
            f"BROKEN at {broken.part} {broken.number}: {broken.defect.value.replace('_', ' ')}\n"
            f"{report.events} events before it hold, up to {report.head.seq}:{report.head.hash.hex()}\n"
        ).encode()
    lines = [f"{report.events} events, {report.receipts} receipts, {report.refusals} refusals: every hash holds"]
    if report.redacted:
        lines.append(f"{report.redacted} events had their words erased; what was decided on is all there")
    lines.append(f"head {report.head.seq}:{report.head.hash.hex()}")
    lines.append(f"refusals head {report.refusals_head.seq}:{report.refusals_head.hash.hex()}")
    if expected is not None:
        told = "is part of" if met else "is NOT part of"
        lines.append(f"the head {expected[0]}:{expected[1]} {told} this history")
    return ("\n".join(lines) + "\n").encode()


def export_ledger(command: Command) -> int:
    """Write everything as JSON lines."""
    target = command.values.get("output")
    try:
        store = _open(command)
    except (StoreUnusable, StoreFault) as error:
        return _faulty(command, error)
    try:
        counts = copy_out(store, None if target is None else Path(str(target)))
    except FileExistsError:
        raise UsageError(f"{target} exists already; an export replaces nothing", field="output") from None
    except StoreFault as error:
        return _faulty(command, error)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}", field="output") from error
    finally:
        store.close()
    if target is not None:
        tell(f"wrote {counts.events} events, {counts.receipts} receipts, {counts.refusals} refusals to {target}")
    tell(f"sha256 {counts.digest}\n  note it elsewhere: `ledger import --digest` holds the file against it")
    return 0


def tail_ledger(command: Command) -> int:
    """Show the last events; with --follow go on until interrupted."""
    try:
        store = _open(command)
        try:
            after = command.values.get("after")
            seen = after if isinstance(after, int) else max(0, store.head().seq - TAIL_EVENTS)
            while True:
                for row in store.events(seen):
                    write(STDOUT, _line(row, as_json=command.options.json))
                    seen = row.seq
                if not command.values.get("follow"):
                    return 0
                time.sleep(POLL_S)
        finally:
            store.close()
    except (StoreUnusable, StoreFault, ValueError) as error:
        return _faulty(command, error)


def _line(row: EventRow, *, as_json: bool) -> bytes:
    body = decode_body(row.body)
    if as_json:
        shown = {"seq": body.seq, "at_ms": body.at_ms, "kind": body.kind, "goal_id": body.goal_id, "actor": body.actor}
        return canonical({**shown, "surface": body.surface, "hash": row.hash.hex()}) + b"\n"
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(body.at_ms / 1000))
    words = (
        str(body.seq).rjust(6),
        at,
        body.actor.ljust(12),
        body.surface.ljust(6),
        body.kind.ljust(22),
        body.goal_id or "-",
    )
    return plain("  ".join(words)).rstrip().encode() + b"\n"
