"""Which requests the page answers at all: those that a browser on this machine makes for a page that we sent it.

A loopback address keeps other machines out and nothing else: any page on the web can have a browser ask it, under a
name that it has pointed at 127.0.0.1, and so can other users of this machine. So a request must name our address, must
not come from elsewhere, must only want to read, and its path must begin with a key that only the owner was given.
"""

import hmac
from collections.abc import Mapping, Sequence
from enum import StrEnum

NAMES = ("127.0.0.1", "localhost")
"""The names under which a browser on this machine may know us."""
_FROM_HERE = frozenset({"same-origin", "none"})


class Turned(StrEnum):
    """Why a request is turned away, in order of precedence."""

    FOREIGN_HOST = "foreign_host"
    FOREIGN_SITE = "foreign_site"
    NOT_A_READ = "not_a_read"
    WRONG_KEY = "wrong_key"


STATUS = {
    Turned.FOREIGN_HOST: 421,
    Turned.FOREIGN_SITE: 403,
    Turned.NOT_A_READ: 405,
    Turned.WRONG_KEY: 404,
}


def turned(
    method: str, path: str, headers: Mapping[str, str], hosts: Sequence[str], *, port: int, key: str
) -> Turned | None:
    """Why this request is turned away, if it is. `hosts` are the values of its Host lines, all of them."""
    ours = {f"{name}:{port}" for name in NAMES}
    if len(hosts) != 1 or hosts[0].lower() not in ours:
        return Turned.FOREIGN_HOST
    origin = headers.get("Origin")
    if headers.get("Sec-Fetch-Site", "none") not in _FROM_HERE or (
        origin is not None and origin.lower() not in {f"http://{host}" for host in ours}
    ):
        return Turned.FOREIGN_SITE
    if method != "GET":
        return Turned.NOT_A_READ
    given, _, _ = path.removeprefix("/").partition("/")
    if not hmac.compare_digest(given.encode(errors="surrogateescape"), key.encode()):
        return Turned.WRONG_KEY
    return None
