"""The edge: who is calling, and what they ask, parsed once.

The caller is proved by a credential and never by the body. A bearer token names a member; a bare connection from the
daemon's own user is the operator; anything else is nobody.
"""

import asyncio
import hashlib
import json
import socket
import struct
from collections.abc import Mapping
from typing import Protocol, cast

from aiohttp import web
from pydantic import ValidationError

from daemon.service import Service
from ledger.catalogue import Action
from ledger.events import Proof, Surface
from ledger.ids import OPERATOR, MemberId, is_request_key
from ledger.params import NamedTwice, Params, require_named_once
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import Caller, refuse

BODY_BYTES_MAX = 256 * 1024
ERRORS_SHOWN_MAX = 5
AT = "at"
"""Beside the parameters of every read: the seq of the event after which the document was true."""
_CREDENTIALS = struct.Struct("3i")
_SURFACES = frozenset({"cli", "http", "mcp"})
_PEER_OPTION = getattr(socket, "SO_PEERCRED", None)


class Principal:
    """A proved caller with the proof that goes into every event."""

    __slots__ = ("caller", "proof", "until_ms")

    def __init__(self, caller: Caller, proof: Proof, until_ms: int | None = None) -> None:
        self.caller = caller
        self.proof = proof
        self.until_ms = until_ms
        """When time alone ends the proof; a revocation does not wait for it."""


class Heard(Protocol):
    """What of a request tells who asks, and in which form an answer is wanted."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The header lines. They are asked for in small letters, which is how whoever reads them here keeps them."""
        ...

    @property
    def transport(self) -> asyncio.BaseTransport | None:
        """The connection it came by."""
        ...


def prove(request: Heard, service: Service, own_uid: int) -> Principal | Refusal:
    """Who is calling, by token or by peer uid; whoever is not proved is counted."""
    found = proved(request, service, own_uid)
    if isinstance(found, Refusal) and found.code is not GeneralRefusal.SURFACE_FORBIDDEN:
        service.counters.unauthenticated += 1
    return found


def proved(request: Heard, service: Service, own_uid: int) -> Principal | Refusal:
    """Who is calling."""
    surface = request.headers.get("x-frontstage-surface", "http")
    if surface not in _SURFACES:
        shown = surface[:16] if surface.isascii() and surface.isprintable() else None
        return refuse(GeneralRefusal.SURFACE_FORBIDDEN, surface=shown, allowed=sorted(_SURFACES))
    header = request.headers.get("authorization")
    if header is None:
        return _by_peer(peer_uid(request), own_uid, cast("Surface", surface))
    return _by_token(header, service, cast("Surface", surface))


def _by_peer(uid: int | None, own_uid: int, surface: Surface) -> Principal | Refusal:
    if uid is None or uid != own_uid:
        return refuse(GeneralRefusal.UNAUTHENTICATED)
    return Principal(
        Caller(member_id=OPERATOR, kind="operator", surface=surface),
        Proof(kind="peer", reference=str(uid)),
    )


def _by_token(header: str, service: Service, surface: Surface) -> Principal | Refusal:
    scheme, _, secret = header.partition(" ")
    if scheme != "Bearer" or not secret:
        return refuse(GeneralRefusal.UNAUTHENTICATED)
    # A header may hold bytes that are no text; they are hashed as they came, and match nothing.
    workspace = service.committed
    token = workspace.tokens.get(hashlib.sha256(secret.encode(errors="surrogateescape")).hexdigest())
    if token is None:
        return refuse(GeneralRefusal.UNAUTHENTICATED)
    member = workspace.members[token.member_id]
    if token.revoked or member.revoked:
        return refuse(GeneralRefusal.CREDENTIAL_REVOKED)
    if token.expires_at_ms is not None and service.clock.now_ms() >= token.expires_at_ms:
        return refuse(GeneralRefusal.CREDENTIAL_EXPIRED)
    return Principal(
        Caller(member_id=member.member_id, kind=member.kind, surface=surface, token_id=token.token_id),
        Proof(kind="token", reference=token.token_id),
        token.expires_at_ms,
    )


def peer_uid(request: Heard) -> int | None:
    """The uid of the process at the other end, or None where the system does not say."""
    connection = request.transport.get_extra_info("socket") if request.transport is not None else None
    if connection is None or _PEER_OPTION is None:
        return None
    _, uid, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, _PEER_OPTION, _CREDENTIALS.size))
    return int(uid)


def nobody(surface: Surface = "http") -> Principal:
    """The actor of attempts whose caller was not proved."""
    return Principal(
        Caller(member_id=MemberId("unproved"), kind="nobody", surface=surface), Proof(kind="peer", reference="unproved")
    )


def request_key(request: Heard) -> str | Refusal:
    """The key that makes this write repeatable."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return refuse(GeneralRefusal.REQUEST_KEY_REQUIRED, header="Idempotency-Key")
    return key if is_request_key(key) else refuse(GeneralRefusal.REQUEST_KEY_MALFORMED, header="Idempotency-Key")


def parse_body(action: Action, body: bytes) -> Params | Refusal:
    """Parameters from a JSON object, or a refusal that names each field."""
    try:
        params = action.params.model_validate_json(body or b"{}")
    except ValidationError as error:
        whole = _with_whole_numbers(body, error)
        return malformed(error) if whole is None else parse_body(action, whole)
    # Every name has a colon behind it. Where there are no more of them than fields, none came twice.
    if body.count(b":") > len(params.model_fields_set):
        try:
            require_named_once(body)
        except NamedTwice as error:
            return given_twice(error.field)
    return params


def _with_whole_numbers(body: bytes, error: ValidationError) -> bytes | None:
    """The body with `3.0` as `3`, where an integer was written so: to JSON, and to our description, both are three."""
    if all(
        problem["type"] != "int_type"
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ):
        return None
    found = False

    def number(text: str) -> int | float:
        nonlocal found
        value = float(text)
        found = found or value.is_integer()
        return int(value) if value.is_integer() else value

    try:
        require_named_once(body)
        read = json.loads(body, parse_float=number)
        return json.dumps(read).encode("ascii") if found else None
    except ValueError:
        return None  # It is refused for what it is; there is more wrong with it than a number.


def given_twice(name: str) -> Refusal:
    """What was asked is not clear, for something of it is said twice."""
    problem = {"field": name, "problem": "given more than once"}
    return refuse(GeneralRefusal.MALFORMED_PARAMS, fields=[problem], **problem)


def parse_query(action: Action, request: web.Request) -> Params | Refusal:
    """Parameters from a query string; a repeated name is a list."""
    values: dict[str, str | list[str]] = {}
    for name in request.query:
        if name == AT:
            continue
        given = request.query.getall(name)
        field = action.params.model_fields.get(name)
        is_list = field is not None and "tuple" in str(field.annotation)
        if len(given) > 1 and not is_list:
            return given_twice(name[:64])
        values[name] = given if is_list else given[0]
    try:
        return action.params.model_validate_strings(values)
    except ValidationError as error:
        return malformed(error)


def malformed(error: ValidationError) -> Refusal:
    """What is wrong with which field; never the value itself, which may be private."""
    fields = [
        {"field": ".".join(str(part) for part in problem["loc"])[:64] or "body", "problem": problem["msg"][:200]}
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return refuse(
        GeneralRefusal.MALFORMED_PARAMS,
        fields=fields[:ERRORS_SHOWN_MAX],
        field=fields[0]["field"],
        problem=fields[0]["problem"],
    )
