"""Which requests the page answers at all: those that a browser on this machine makes for a page that we sent it.

A loopback address keeps other machines out and nothing else: any page on the web can have a browser ask it, under a
name that it has pointed at 127.0.0.1, and so can other users of this machine. So a request must name our address, must
not come from elsewhere, must only want to read, and its path must begin with a key that only the owner was given.
"""

import hmac
import re
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


HEARD = ("Host", "Origin", "Sec-Fetch-Site")
"""The headers that are looked at: all lines of each, for whoever says two things is believed in neither."""


def turned(method: str, target: str, heard: Mapping[str, Sequence[str]], *, port: int, key: str) -> Turned | None:
    """Why this request is turned away, if it is. `target` stood in its first line, `heard` are its lines by name."""
    ours = {f"{name}:{port}" for name in NAMES}
    hosts, origins, sites = (heard[name] for name in HEARD)
    # A target that is not a path names a host of its own, which goes before what the header says.
    if len(hosts) != 1 or hosts[0].lower() not in ours or not target.startswith(("/", "*")):
        return Turned.FOREIGN_HOST
    if not _FROM_HERE.issuperset(sites) or not {f"http://{host}" for host in ours}.issuperset(origins):
        return Turned.FOREIGN_SITE
    if len(sites) > 1 or len(origins) > 1:
        return Turned.FOREIGN_SITE
    if method != "GET":
        return Turned.NOT_A_READ
    # As it was sent and not as it is read: the key has one spelling.
    given = re.split("[/?]", target.removeprefix("/"), maxsplit=1)[0]
    if not hmac.compare_digest(given.encode(errors="surrogateescape"), key.encode()):
        return Turned.WRONG_KEY
    return None
