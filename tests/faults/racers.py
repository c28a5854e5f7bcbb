"""Many processes at one starting line: each connects, says that it is ready, and asks when the line is dropped.

One light process forks them before anything heavy is loaded. What each has to ask comes as JSON on standard input, one
list of requests (bytes as text) for each racer; what each was answered goes out as JSON, in the same order.

    python -m tests.faults.racers SOCKET < requests.json > answers.json
"""

import json
import os
import sys

from daemon import wire


def race(socket: str, racers: list[list[str]]) -> list[list[str]]:
    """The answers' bodies, for each racer in turn."""
    ready_read, ready_write = os.pipe()
    line_read, line_write = os.pipe()
    results = []
    for requests in racers:
        read, write = os.pipe()
        if os.fork() == 0:
            os.close(line_write)
            try:
                _run(socket, requests, ready_write, line_read, write)
            finally:
                os._exit(0)
        os.close(write)
        results.append(read)
    waiting = len(racers)
    while waiting:
        waiting -= len(os.read(ready_read, waiting))
    os.close(line_write)
    answers = []
    for read in results:
        with os.fdopen(read) as file:
            answers.append(json.loads(file.read() or "[]"))
    for _ in racers:
        os.wait()
    return answers


def _run(socket: str, requests: list[str], ready: int, line: int, result: int) -> None:
    connections = [wire.connect(socket) for _ in requests]
    os.write(ready, b"r")
    os.read(line, 1)
    bodies = [
        wire.exchange(connection, request.encode("latin-1")).body.decode()
        for connection, request in zip(connections, requests, strict=True)
    ]
    with os.fdopen(result, "w") as file:
        file.write(json.dumps(bodies))


if __name__ == "__main__":
    print(json.dumps(race(sys.argv[1], json.loads(sys.stdin.read()))))
