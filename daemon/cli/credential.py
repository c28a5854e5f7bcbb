"""Whose name a call is made in.

An agent's own token comes first (environment, then a file the environment names); without one, the owner's from the
home; without that, none, and the daemon sees a bare local connection. A token that was meant but cannot be used is an
error: falling through to the next would act in somebody else's name.
"""

import os

from daemon.cli.parse import UsageError
from daemon.paths import Home

TOKEN_VARIABLE = "FRONTSTAGE_TOKEN"  # noqa: S105  (the name of a variable)
TOKEN_FILE_VARIABLE = "FRONTSTAGE_TOKEN_FILE"  # noqa: S105
TOKEN_BYTES_MAX = 4_096
_OTHERS = 0o077


def find_token(home: Home) -> str | None:
    """The credential of this call, or None. Raises UsageError."""
    token = os.environ.get(TOKEN_VARIABLE)
    if token is not None:
        return _checked(token, TOKEN_VARIABLE)
    path = os.environ.get(TOKEN_FILE_VARIABLE)
    if path is not None:
        return _from_file(path, TOKEN_FILE_VARIABLE)
    try:
        return _from_file(home.owner_token, None)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _from_file(path: str, variable: str | None) -> str | None:
    """Read a token that only its owner can read. Raises UsageError, and FileNotFoundError without a variable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError) as error:
        if variable is None:
            raise
        raise _unusable(f"{variable} names {path}, which does not exist") from error
    except PermissionError as error:
        if variable is None:
            # Another user's home: its owner's name is not ours to use.
            return None
        raise _unusable(f"{variable} names {path}, which this user may not read") from error
    except OSError as error:
        raise _unusable(f"the token file {path or '(empty name)'} cannot be opened: {error.strerror}") from error
    try:
        _require_private(path, os.fstat(descriptor))
        data = os.read(descriptor, TOKEN_BYTES_MAX + 1)
    except OSError as error:
        raise _unusable(f"the token file {path} cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)
    return _checked(data.decode("ascii", "replace").strip(), path)


def _require_private(path: str, status: os.stat_result) -> None:
    if status.st_mode & _OTHERS:
        raise _unusable(f"others may read the token file {path}", hint=f"chmod 600 {path}")
    if status.st_uid not in {os.geteuid(), 0}:
        raise _unusable(f"the token file {path} belongs to another user", hint=f"chown {os.geteuid()} {path}")


def _unusable(message: str, hint: str = "") -> UsageError:
    return UsageError(message, hint=hint, code="credential_unusable")


def _checked(token: str, where: str) -> str:
    """A token that fits in a header line; one that does not is named by where it came from, never shown."""
    if not token:
        raise _unusable(f"{where} holds no token", hint="unset it, or put the token there")
    if len(token) > TOKEN_BYTES_MAX or not token.isascii() or not token.isprintable() or " " in token:
        raise _unusable(f"{where} holds something that is no token")
    return token
