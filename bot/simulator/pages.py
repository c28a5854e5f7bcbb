"""The chat page's files, and the guard that lets only this page and local programs in.

The page draws texts that bots and people wrote. It puts them on the screen as text, never as markup, and the policy
below forbids the browser everything but the page's own files. A page of another origin cannot use the interfaces:
the guard refuses a foreign `Origin` and any `Host` that is not this machine.
"""

from collections.abc import Awaitable, Callable
from importlib.resources import files

from aiohttp import web

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_LOCAL_HOSTS = frozenset(("127.0.0.1", "localhost", "[::1]"))


@web.middleware
async def own_origin_only(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse a request that another site's page made, or that reached this machine under another name."""
    host = request.host.rsplit(":", 1)[0] if not request.host.endswith("]") else request.host
    origin = request.headers.get("Origin")
    if host not in _LOCAL_HOSTS or origin not in {None, f"http://{request.host}"}:
        return web.Response(status=403, text="The simulator serves its own page and local programs only.\n")
    return await handler(request)


def page_routes() -> list[web.RouteDef]:
    """`/` and the files beside it."""
    folder = files("bot.simulator").joinpath("page")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.rsplit(".", 1)[-1] in _TYPES)

    def serve(name: str) -> Callable[[web.Request], Awaitable[web.Response]]:
        body = folder.joinpath(name).read_bytes()
        kind = _TYPES[name.rsplit(".", 1)[-1]]

        async def handle(_request: web.Request) -> web.Response:
            return web.Response(body=body, content_type=kind, charset="utf-8", headers=_HEADERS)

        return handle

    routes = [web.get(f"/page/{name}", serve(name)) for name in names]
    return [web.get("/", serve("index.html")), *routes] if "index.html" in names else routes
