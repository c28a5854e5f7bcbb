"""One delivery as the carrier gets it, and what it says of it; `daemon.hooks.porter` is the other side."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Order(NamedTuple):
    """One delivery."""

    body: str
    folder: str
    hook: str
    delivery_id: str
    seq: int
    timeout_s: float
    command: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] = MappingProxyType({})
    secret_file: str = ""
    authorization_file: str = ""
    ca_file: str = ""


class Outcome(NamedTuple):
    """Delivered where there is no reason."""

    reason: str | None = None
    number: int | None = None


DELIVERED = Outcome()
