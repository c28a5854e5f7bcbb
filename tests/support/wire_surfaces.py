"""The surfaces of a real daemon: HTTP, the command line and the buttons of cards, each as a scenario sees it.

All of them reach the daemon through a lossy wire, which can lose a request before the daemon has it or an answer before
the caller has it. Clients ask a second time by themselves, so that a loss is of everything that one act sends.
"""

import json
import socket
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path
from typing import Literal

from daemon import wire
from daemon.app import _button_secret
from daemon.buttons import LIFE_MS, ButtonKeys, audience_of
from daemon.cli.parse import flag_of
from daemon.cli.spawn import module_environment
from daemon.client import Client
from ledger.catalogue import ACTIONS
from ledger.store.sqlite import open_sqlite_reader
from tests.support.daemons import ENDS_S_MAX, DaemonProcess
from tests.support.homes import APP, CHAT, TENANT, person
from tests.support.surfaces import AnswerLostError, Document, Reply

PROGRAM = "import sys; from daemon.cli.main import main; sys.exit(main())"
ON_CARDS = frozenset(
    {
        "goal.confirm",
        "goal.decline",
        "goal.accept",
        "goal.request-changes",
        "goal.pause",
        "goal.resume",
        "goal.stop",
    }
)
"""What a person does by a button; everything else, and what agents do, comes by HTTP."""
Loss = Literal["nothing", "requests", "answers"]


class LossyWire:
    """Stands between clients and the daemon and passes everything on, until it is told to lose something."""

    def __init__(self, daemon_socket: str) -> None:
        self.path = f"{daemon_socket}.w"
        self.loses: Loss = "nothing"
        self._daemon_socket = daemon_socket
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return  # It was closed: the test is over.
            threading.Thread(target=self._pass_on, args=(caller,), daemon=True).start()

    def _pass_on(self, caller: socket.socket) -> None:
        with caller:
            if self.loses == "requests":
                caller.recv(10)
                return
            request = _whole(caller)
            with socket.socket(socket.AF_UNIX) as daemon:
                daemon.connect(self._daemon_socket)
                daemon.sendall(request)
                answer = b"".join(iter(lambda: daemon.recv(65_536), b""))
            if self.loses == "nothing":
                caller.sendall(answer)

    def close(self) -> None:
        """No more connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def _whole(caller: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += caller.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += caller.recv(65_536)
    return head + b"\r\n\r\n" + body


def reply_of_envelope(document: Document) -> Reply:
    """The reply that an envelope is, whichever surface it came by."""
    if not document["ok"]:
        return Reply(
            outcome=str(document["outcome"]),
            code=str(document["code"]),
            basis=document["basis"],  # type: ignore[arg-type]
            details=document["details"],  # type: ignore[arg-type]
        )
    return Reply(
        outcome=str(document["outcome"]),
        receipt_id=document["receipt_id"],  # type: ignore[arg-type]
        replayed=bool(document["replayed"]),
        events=tuple((event["seq"], event["kind"]) for event in document["events"]),  # type: ignore[union-attr]
        details=document["result"] if document["outcome"] == "noop" else {},  # type: ignore[arg-type]
    )


class HttpSurface:
    """HTTP as a program speaks it. `told` keeps the last envelope, `exit_code` and `status` how it was told."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self._daemon = daemon
        self.made = daemon.made
        self.wire = LossyWire(self.made.home.socket)
        self.told: Document = {}
        self.exit_code = -1

    def client(self, who: str) -> Client:
        """Somebody's client, behind the wire."""
        return Client(self.wire.path, self.made.tokens[who], surface="http")

    def act(self, action: str, params: Document, who: str, request_key: str) -> Reply:
        """Ask for a change."""
        try:
            self.told, self.exit_code = self.ask(action, params, who, request_key)
        except wire.WireFault as error:
            raise AnswerLostError from error
        finally:
            self.wire.loses = "nothing"
        return reply_of_envelope(self.told)

    def ask(self, action: str, params: Document, who: str, request_key: str) -> tuple[Document, int]:
        """The envelope and the exit code. Raises WireFault."""
        reply = self.client(who).act(action, params, request_key)  # type: ignore[arg-type]
        return reply.body, reply.exit_code

    def read(self, action: str, params: Document, who: str) -> Document:
        """A document."""
        reply = self.client(who).read(action, params)  # type: ignore[arg-type]
        assert reply.ok, reply.body
        return reply.body

    def history(self) -> list[tuple[int, str]]:
        """What is stored."""
        store = open_sqlite_reader(Path(self.made.home.ledger))
        try:
            return [(row.seq, row.kind) for row in store.events(0)]
        finally:
            store.close()

    def lose_next(self, *, stored: bool) -> None:
        """Lose all that the next act sends, or all that it is answered."""
        self.wire.loses = "answers" if stored else "requests"

    def close(self) -> None:
        """Let go of the wire."""
        self.wire.close()


class CliSurface(HttpSurface):
    """The command line, a process for each call."""

    def ask(self, action: str, params: Document, who: str, request_key: str) -> tuple[Document, int]:
        """Run one command."""
        return self.run(who, *words_of(action, params), "--request-key", request_key)

    def run(self, who: str, *words: str) -> tuple[Document, int]:
        """One command line; its envelope and exit code. Raises WireFault where it says that it got no answer."""
        inherited = {name: value for name, value in module_environment().items() if not name.startswith("FRONTSTAGE_")}
        chosen = {"FRONTSTAGE_HOME": self.made.home.path, "FRONTSTAGE_SOCKET": self.wire.path}
        done = subprocess.run(
            [sys.executable, "-P", "-c", PROGRAM, *words, "--json"],
            env=inherited | chosen | {"FRONTSTAGE_TOKEN": self.made.tokens[who]},
            capture_output=True,
            cwd="/",
            timeout=ENDS_S_MAX,
            check=False,
        )
        said: Document = json.loads(done.stdout)
        if said.get("code") == "daemon_unreachable":
            raise wire.Dropped(str(said["message"]))
        return said, done.returncode

    def read(self, action: str, params: Document, who: str) -> Document:
        """A document, as the command line prints it."""
        said, code = self.run(who, *words_of(action, params))
        assert code == 0, said
        return said


def words_of(action: str, params: Document) -> list[str]:
    """A command line, word by word."""
    noun, verb = action.split(".")
    words = [noun, verb]
    for name, value in params.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, bool):
                words += [flag_of(name)] if one else []
            elif one is not None:
                # An object is typed as JSON.
                text = json.dumps(one) if isinstance(one, dict) else str(one)
                words += [f"{flag_of(name)}={text}"] if text.startswith("-") else [flag_of(name), text]
    return words


class CardSurface(HttpSurface):
    """Ann decides by pressing buttons; what no card can do comes by HTTP.

    A button is minted with the basis that the scenario saw, as a card of that moment carries it, in a chat of its
    request key: the same key is the same button. Every press is an event of its own.
    """

    def __init__(self, daemon: DaemonProcess) -> None:
        super().__init__(daemon)
        self._keys = ButtonKeys(_button_secret(self.made.home))
        self._presses = 0
        self._chats: list[str] = [CHAT]
        self.pressed: Document = {}

    def ask(self, action: str, params: Document, who: str, request_key: str) -> tuple[Document, int]:
        """Press, if it can be pressed."""
        if action not in ON_CARDS or who != "ann":
            return super().ask(action, params, who, request_key)
        goal_id = str(params["goal_id"])
        token = self.mint(action, f"goal:{goal_id}", params.get("basis"), request_key)  # type: ignore[arg-type]
        form = {} if "reason" not in params else {"reason": str(params["reason"])}
        self.pressed = self.press(token, form)
        return self.pressed["envelope"], -1  # type: ignore[return-value]

    def mint(self, action: str, subject: str, basis: str | None, request_key: str) -> str:
        """A button as the daemon would have put it on a card."""
        return self._keys.mint(
            1,
            action=ACTIONS[action],
            subject=subject,
            basis=basis,
            audience=audience_of(TENANT, self._chat_of(request_key)),
            expires_at_ms=4_000_000_000_000 + LIFE_MS,
        )

    def _chat_of(self, request_key: str) -> str:
        """A chat for each request key, so that another key is another button and the same key the same one."""
        chat_id = f"{CHAT}_{sha256(request_key.encode()).hexdigest()[:12]}"
        self._chats.append(chat_id)
        return chat_id

    def press(self, token: str, form: dict[str, str], who: str = "ann") -> Document:
        """Relay a press as the bot; what the bot is told. Raises WireFault."""
        self._presses += 1
        return self.relay(
            "press",
            {
                "event_id": f"press-{self._presses}",
                "operator": person(who),
                "message_id": "om_card",
                "chat_id": self._chats[-1],
                "token": token,
                "form": form,
            },
        )

    def relay(self, path: str, document: Document) -> Document:
        """Say something as the bot."""
        whole = {"app_id": APP, "tenant_key": TENANT, "chat_id": CHAT} | document
        headers = {"Authorization": f"Bearer {self.made.tokens['bot']}"}
        request = wire.request_bytes("POST", f"/v1/relay/{path}", headers, json.dumps(whole).encode("ascii"))
        answer = wire.ask(self.wire.path, request)
        assert answer.status == 200, answer.body
        said: Document = json.loads(answer.body)
        return said
