"""`frontstage init`: an empty, private home with a ledger that has its first owner.

It asks nothing, so that a script can run it, and changes nothing that is there: a second call is refused.
"""

import os
import stat
from pathlib import Path

from pydantic import ValidationError

from daemon import lock
from daemon.cli.output import STDOUT, refuse, tell, write
from daemon.cli.parse import Command, UsageError
from daemon.clock import SystemClock
from daemon.init import AlreadyInitialised, InitRefused, create_home
from daemon.local.homes import home_of
from daemon.paths import SOCKET_PATH_BYTES_MAX, Home
from ledger.ports import StoreFault, StoreFull, StoreUnusable
from ledger.store.sqlite import open_sqlite
from ledger.text.explain import display_details
from ledger.text.say import say_refusal

HOME_MODE = 0o700
EXIT_REFUSED = 1
EXIT_FAULT = 8
NAME_DEFAULT, OWNER_DEFAULT, OWNER_NAME_DEFAULT = "Workspace", "owner", "Owner"


def main(command: Command) -> int:
    """Make the home and say what to do next."""
    home = home_of(command)
    require_short(home)
    try:
        make_folder(Path(home.path))
        with lock.take(Path(home.lock), started_at_ms=SystemClock().wall_ms(), socket_path=""):
            return _create(command, home)
    except lock.LedgerHeld as error:
        return _no(command, "home_exists", f"{home.path} is in use: {error}", "choose another folder with --home")
    except OSError as error:
        tell(f"frontstage: {home.path} cannot be made: {error.strerror}")
        return EXIT_FAULT
    except (StoreUnusable, StoreFull, StoreFault) as error:
        tell(f"frontstage: the ledger cannot be made: {error}")
        return EXIT_FAULT


def require_short(home: Home) -> None:
    """A home whose daemon could never listen is refused before anything is made. Raises UsageError."""
    size = len(os.fsencode(home.socket))
    if size > SOCKET_PATH_BYTES_MAX:
        raise UsageError(
            f"the socket's path would have {size} bytes, at most {SOCKET_PATH_BYTES_MAX} fit",
            hint="choose a shorter folder with --home, or a shorter socket with FRONTSTAGE_SOCKET",
            code="socket_path_too_long",
        )


def make_folder(path: Path) -> None:
    """The home, for its owner alone. An existing folder that others may enter is refused, not changed."""
    path.mkdir(mode=HOME_MODE, parents=True, exist_ok=True)
    status = path.stat()
    if status.st_uid != os.geteuid():
        raise UsageError(
            f"{path} belongs to another user", hint="choose another folder with --home", code="home_unsafe"
        )
    if stat.S_IMODE(status.st_mode) & 0o077:
        if any(path.iterdir()):
            raise UsageError(f"others may enter {path}", hint=f"chmod 700 {path}", code="home_unsafe")
        path.chmod(HOME_MODE)


def _create(command: Command, home: Home) -> int:
    values = command.values
    store = open_sqlite(Path(home.ledger))
    try:
        created = create_home(
            home,
            store,
            name=str(values.get("name", NAME_DEFAULT)),
            owner=str(values.get("owner", OWNER_DEFAULT)),
            owner_name=str(values.get("owner_name", OWNER_NAME_DEFAULT)),
        )
    except AlreadyInitialised:
        return _no(command, "home_exists", f"there is a ledger in {home.path} already", "nothing was changed")
    except InitRefused as error:
        code, details = error.refusal.code.value, error.refusal.details
        return _no(command, code, say_refusal(code, "message", "en", details), say_refusal(code, "hint", "en", details))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = str(problem["loc"][0])
        said = display_details({"problem": problem["msg"]}, "en")["problem"]
        raise UsageError(f"--{field.replace('_', '-')}: {said}", field=field) from error
    finally:
        store.close()
    if command.options.json:
        from json import dumps  # noqa: PLC0415  (only for JSON)

        write(
            STDOUT, (dumps({"ok": True, "home": home.path, "owner": created.owner, "seq": created.seq}) + "\n").encode()
        )
    else:
        write(STDOUT, f"made {home.path} with its owner {created.owner}\nnext: frontstage up\n".encode())
    return 0


def _no(command: Command, code: str, message: str, hint: str) -> int:
    if command.options.json:
        return refuse(code, message, hint, action="init", details={}, exit_code=EXIT_REFUSED)
    tell(f"frontstage: {message}\n  {hint}")
    return EXIT_REFUSED
