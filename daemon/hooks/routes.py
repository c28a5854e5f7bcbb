"""`/v1/hooks`: how far each hook has come, for its owners; and to have one try again."""

import asyncio
from typing import Annotated

from aiohttp import web
from pydantic import Field, ValidationError

from daemon.api.actions import BODY_SECONDS_MAX
from daemon.api.edge import given_twice, malformed, prove
from daemon.api.envelope import refused, respond
from daemon.api.routes import Routes
from daemon.hooks.hooks import Hooks
from daemon.hooks.refusals import HookRefusal
from daemon.service import Service
from ledger.params import NamedTwice, Params, require_named_once
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse, registered
from ledger.rules.tokens import out_of_scope

PATH, RETRY_PATH = "/v1/hooks", "/v1/hooks/retry"


class RetryHook(Params):
    """Have a hook that failed try again at once, with all its attempts before it."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$", description="The hook, as the settings name it.")]
    skip: Annotated[bool, Field(description="Give up the event that it is parked before.")] = False


class HookRoutes:
    """Both routes. They are the owner's, as the settings are."""

    def __init__(self, service: Service, own_uid: int, hooks: Hooks) -> None:
        self._service = service
        self._own_uid = own_uid
        self._hooks = hooks

    def add_to(self, routes: Routes) -> None:
        """Add the routes."""
        routes.add("GET", PATH, self._list)
        routes.add("POST", RETRY_PATH, self._retry)

    async def _list(self, request: web.Request) -> web.StreamResponse:
        return self._answered(request, self._refusal(request) or self._hooks.document())

    async def _retry(self, request: web.Request) -> web.StreamResponse:
        asked = self._refusal(request) or await _asked(request)
        return self._answered(request, asked if isinstance(asked, Refusal) else self._retried(asked))

    def _retried(self, asked: RetryHook) -> dict[str, object] | Refusal:
        changed = self._hooks.release(asked.name, skip=asked.skip)
        if changed is None:
            return refuse(HookRefusal.HOOK_NOT_FOUND, hook=asked.name)
        return {"ok": True, "hook": asked.name, "changed": changed, "seq": self._service.committed.seq}

    def _answered(self, request: web.Request, answer: dict[str, object] | Refusal) -> web.StreamResponse:
        if isinstance(answer, Refusal):
            return refused(request, "hook", answer, self._service.committed.seq)
        return respond(answer, 0, 200)

    def _refusal(self, request: web.Request) -> Refusal | None:
        principal = prove(request, self._service, self._own_uid)
        if isinstance(principal, Refusal):
            return principal
        caller, workspace = principal.caller, self._service.committed
        member = registered(workspace, caller.member_id)
        owns = caller.kind == "operator" or (caller.kind == "person" and member is not None and "owner" in member.roles)
        return out_of_scope(workspace, caller, "hook", None) if owns else refuse(GeneralRefusal.NOT_PERMITTED)


async def _asked(request: web.Request) -> RetryHook | Refusal:
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            body = await request.read()
        asked = RetryHook.model_validate_json(body)
        require_named_once(body)
    except ValidationError as error:
        return malformed(error)
    except NamedTwice as error:
        return given_twice(error.field)
    except TimeoutError:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="body", problem="the body did not arrive in time")
    return asked
