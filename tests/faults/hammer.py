"""A client process that never gives up: unique commands, each under its own key, asked until the answer has come.

It loads the wire and nothing else, so that several start in no time. Every answer becomes a line of JSON on standard
output the moment it has arrived: what stands there was acknowledged. It ends when its standard input does, after the
last command has its answer.

    python -m tests.faults.hammer SOCKET TOKEN NAME THREADS
"""

import json
import os
import sys
import threading
import time
from random import Random

from daemon import wire

GOAL = "docs"
TODOS = 8
BETWEEN_TRIES_S = 0.01
KEPT_MAX = 50
"""How many earlier commands one thread remembers, to ask some of them again."""


class Worker(threading.Thread):
    """One command after the other."""

    def __init__(self, socket: str, token: str, name: str, ends: threading.Event, say: threading.Lock) -> None:
        super().__init__(name=name)
        self._socket = socket
        self._token = token
        self._ends = ends
        self._say = say
        self._rng = Random(name)

    def run(self) -> None:
        """Command, answer, line; and now and then an earlier one again."""
        kept: list[dict[str, object]] = []
        number = 0
        while not self._ends.is_set():
            number += 1
            label = f"{self.name}-{number}"
            told = self._settle(label, _key(), self._command(label, number))
            self._tell(told)
            kept = [*kept, told][-KEPT_MAX:]
            if number % 5 == 0:
                first = self._rng.choice(kept)
                again = self._settle(str(first["label"]), str(first["key"]), (first["action"], first["params"]))
                self._tell(again | {"again": True})

    def _command(self, label: str, number: int) -> tuple[str, dict[str, object]]:
        if number % 10 == 0:
            return "todo.add", {"goal_id": GOAL, "text": label}
        todo_id = f"todo_{self._rng.randrange(TODOS):03d}"
        return "todo.update", {"goal_id": GOAL, "todo_id": todo_id, "note": label}

    def _settle(self, label: str, key: str, command: tuple[str, dict[str, object]]) -> dict[str, object]:
        """Ask under one key until an answer comes."""
        action, params = command
        headers = {"Authorization": f"Bearer {self._token}", "Idempotency-Key": key}
        request = wire.request_bytes("POST", f"/v1/actions/{action}", headers, json.dumps(params).encode())
        lost = 0
        while True:
            try:
                answer = wire.exchange(wire.connect(self._socket), request)
            except wire.NobodyListens:
                time.sleep(BETWEEN_TRIES_S)
                continue
            except wire.Dropped:
                lost += 1
                continue
            if answer.status == 503:
                time.sleep(BETWEEN_TRIES_S)
                continue
            said = json.loads(answer.body)
            return {
                "label": label,
                "key": key,
                "action": action,
                "params": params,
                "status": answer.status,
                "receipt": said.get("receipt_id"),
                "seqs": [event["seq"] for event in said.get("events", ())],
                "replayed": said.get("replayed"),
                "code": said.get("code"),
                "lost": lost,
            }

    def _tell(self, told: dict[str, object]) -> None:
        with self._say:
            print(json.dumps(told), flush=True)


def _key() -> str:
    return f"k{time.time_ns() // 1_000_000:012x}-{os.urandom(8).hex()}"


def main() -> None:
    """Hammer until standard input ends."""
    socket, token, name, threads = sys.argv[1:]
    ends, say = threading.Event(), threading.Lock()
    workers = [Worker(socket, token, f"{name}{number}", ends, say) for number in range(int(threads))]
    for worker in workers:
        worker.start()
    sys.stdin.read()
    ends.set()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
