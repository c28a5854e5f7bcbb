"""The peer: aiohttp that answers with what it was sent, or with a body of a given size; on a Unix socket or a port."""

import sys

from aiohttp import web


async def echo(request: web.Request) -> web.Response:
    return web.Response(body=await request.read(), content_type="application/json")


def sized(size: int):
    body = b"x" * size

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    return answer


def main(place: str, size: int) -> None:
    """Serve at a path, or on loopback at a port."""
    app = web.Application()
    app.router.add_post("/echo", echo)
    app.router.add_get("/echo", sized(size))
    where = {"host": "127.0.0.1", "port": int(place)} if place.isdigit() else {"path": place}
    web.run_app(app, **where, print=None, access_log=None, backlog=2048)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
