"""`frontstage ledger import`: an export becomes the ledger of a home that has none."""

import re
import secrets
from pathlib import Path

from daemon import lock
from daemon.cli.output import STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.clock import SystemClock
from daemon.init import SECRET_BYTES, write_secret
from daemon.local.export import Copied
from daemon.local.homes import home_of
from daemon.local.importing import ImportRefused, copy_in
from daemon.local.init import make_folder
from daemon.paths import Home
from ledger.canonical import canonical
from ledger.ports import StoreFault, StoreFull, StoreUnusable
from ledger.store.sqlite import open_sqlite

EXIT_REFUSED, EXIT_FAULT = 1, 8


def main(command: Command) -> int:
    """Read the file, or say why it cannot be read; then nothing was changed."""
    home = home_of(command)
    source = Path(str(command.values["input"]))
    if Path(home.ledger).exists():
        return _no(command, "home_exists", f"there is a ledger in {home.path} already")
    try:
        with source.open("rb") as file:
            make_folder(Path(home.path))
            with lock.take(Path(home.lock), started_at_ms=SystemClock().wall_ms(), socket_path=""):
                copied = copy_in(file, Path(home.ledger), open_sqlite, _digest(command))
                _button_key(home)
    except ImportRefused as error:
        return _no(command, "import_refused", f"{source} cannot be imported: {error}")
    except lock.LedgerHeld as error:
        return _no(command, "home_exists", f"{home.path} is in use: {error}")
    except FileExistsError:
        return _no(command, "home_exists", f"there is a ledger in {home.path} already")
    except OSError as error:
        raise UsageError(f"{error.filename or source} cannot be used: {error.strerror}", field="input") from error
    except (StoreUnusable, StoreFull, StoreFault) as error:
        tell(f"frontstage: the ledger cannot be made: {error}")
        return EXIT_FAULT
    write(STDOUT, _told(command, home, copied))
    return 0


def _button_key(home: Home) -> None:
    """Cards of the ledger it came from are drawn again: their buttons are signed with a secret that stays there."""
    if not Path(home.button_key).exists():
        write_secret(Path(home.button_key), secrets.token_hex(SECRET_BYTES))


def _told(command: Command, home: Home, copied: Copied) -> bytes:
    """What was made, and what an export never holds: secrets. Whoever runs the machine issues new ones."""
    if command.options.json:
        steps = ["frontstage ledger verify", "frontstage token issue --member-id MEMBER"]
        told = {"ok": True, "home": home.path, "secrets": 0, "next": steps, "not_proved": _not_proved(copied)}
        rows_read = {name: value for name, value in vars(copied).items() if name != "is_proved"}
        return canonical({**told, **rows_read}) + b"\n"
    rows = f"{copied.events} events, {copied.receipts} receipts, {copied.refusals} refusals"
    doubts = "".join(f"not proved: {doubt}\n" for doubt in _not_proved(copied))
    return (
        f"made {home.path} of {rows}\n"
        f"sha256 {copied.digest}\n"
        f"{doubts}"
        "no secret came along: an export holds none, so nobody has a token for this home\n"
        "next: frontstage ledger verify\n"
        "then, for the owner and for each member who is to act here:\n"
        "      frontstage token issue --member-id MEMBER\n"
        "the owner's goes to owner.token and the bot's to bot.token, both for their owner's eyes only (mode 0600)\n"
    ).encode()


def _not_proved(copied: Copied) -> list[str]:
    """What an export without a digest of its lines leaves open; the chain of events proves all the rest."""
    if copied.is_proved:
        return []
    return [
        "which action each receipt was an answer to, and with which parameters (the export is of an older form)",
        "that no refusal was left out (the export is of an older form)",
    ]


def _digest(command: Command) -> str | None:
    given = command.values.get("digest")
    if given is None:
        return None
    digest = str(given).lower().removeprefix("sha256:")
    if re.fullmatch(r"[0-9a-f]{64}", digest) is None:
        raise UsageError("a digest has 64 hexadecimal digits, as `ledger export` told it", field="digest")
    return digest


def _no(command: Command, code: str, message: str) -> int:
    if command.options.json:
        return refuse(code, message, "nothing was changed", action="ledger.import", details={}, exit_code=EXIT_REFUSED)
    tell(f"frontstage: {message}\n  nothing was changed")
    return EXIT_REFUSED
