"""The peer: aiohttp on a Unix socket that answers with what it was sent, or with a body of a given size."""

import sys

from aiohttp import web


async def echo(request: web.Request) -> web.Response:
    return web.Response(body=await request.read(), content_type="application/json")


def sized(size: int):
    body = b"x" * size

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    return answer


def main(socket: str, size: int) -> None:
    app = web.Application()
    app.router.add_post("/echo", echo)
    app.router.add_get("/echo", sized(size))
    web.run_app(app, path=socket, print=None, access_log=None, backlog=2048)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
