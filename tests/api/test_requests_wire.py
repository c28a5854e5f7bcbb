"""Requests over the wire while things break: whatever is lost, repeated or killed, one return comes back, once.

A manager asks a worker, and a worker asks a worker; each of them over a wire that may lose a request or its answer,
with a daemon that may be killed between any two steps.
"""

from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

from ledger.ids import OPERATOR
from tests.support.daemons import DaemonProcess, fresh_home, proved
from tests.support.homes import activate, secret_of, sha256
from tests.support.surfaces import AnswerLostError
from tests.support.wire_surfaces import HttpSurface

pytestmark = pytest.mark.slow
PAIRS = {
    "manager and worker": ("guide", "builder"),
    "worker and worker": ("helper", "builder"),
    "person and worker": ("ann", "builder"),
}
REQUEST = {"goal_id": "docs", "request_id": "request_links"}
BRIEF = {
    "purpose": "Say which links are broken", "acceptance": ["Each is named"], "return_requirement": "A list",
    "origin": "turn-7/part-2",
}  # fmt: skip
STEPS = ("send", "receive", "respond", "commit", "return", "acknowledge")
ONCE = {
    "request.sent": 1, "request.received": 1, "request.answered": 1, "request.committed": 1, "request.returned": 1,
    "request.delivered": 1,
}  # fmt: skip


def seed(scribe):
    scribe.do(OPERATOR, "member.add", member_id="guide", kind="agent", display_name="Guide", profile_role="steward")
    scribe.do(OPERATOR, "token.issue", member_id="guide", secret_digest=sha256(secret_of("guide")))
    activate(scribe)


class Line:
    """One request between two members, step by step."""

    def __init__(self, made, sender, receiver):
        self.made, self.sender, self.receiver = made, sender, receiver
        made.tokens["guide"] = secret_of("guide")
        self.daemon = self.surface = self.proof = None
        self.begin()

    def begin(self):
        self.daemon = DaemonProcess(self.made)
        self.surface = HttpSurface(self.daemon)

    def killed(self):
        """The daemon dies as a machine does, and another one is there."""
        self.close()
        self.begin()

    def close(self):
        self.surface.close()
        Path(self.surface.wire.path).unlink()
        self.daemon.kill()

    def asked(self, step):
        """Who asks for what at a step; what is handed back has to be there before."""
        match step:
            case "send":
                return self.sender, "request.send", REQUEST | BRIEF | {"to": self.receiver}
            case "receive":
                return self.receiver, "request.receive", REQUEST
            case "respond":
                return self.receiver, "request.respond", REQUEST | {"decision": "adopt"}
            case "commit":
                return self.receiver, "request.commit", REQUEST | {"todo_id": "todo_000"}
            case "return":
                # The work that fulfils it hands the result back by itself.
                done = {"todo_id": "todo_000", "evidence": [self.evidence()], "completion_turn_key": "turn-1"}
                return self.receiver, "todo.complete", {"goal_id": "docs"} | done
        return self.sender, "request.acknowledge", REQUEST

    def act(self, step, key=None):
        who, action, params = self.asked(step)
        return self.surface.act(action, params, who, key or f"key/{step}")

    def evidence(self):
        """What is handed back; handed in once, over a wire that loses nothing meanwhile."""
        if self.proof is None:
            loses, self.surface.wire.loses = self.surface.wire.loses, "nothing"
            self.proof = self.handed_in()
            self.surface.wire.loses = loses
        return self.proof

    def handed_in(self):
        todo = {"goal_id": "docs", "todo_id": "todo_000"}
        self.do(self.receiver, "todo.claim", todo, "claim")
        proof = {"label": "links.txt", "sha256": sha256("links"), "size_bytes": 5}
        self.do(self.receiver, "artifact.submit", todo | proof, "proof")
        return self.surface.read("artifact.list", {"goal_id": "docs"}, "ann")["artifacts"][0]["artifact_id"]

    def do(self, who, action, params, key):
        """Something beside the request, which must be taken."""
        reply = self.surface.client(who).act(action, params, key)
        assert reply.ok, reply.body
        return reply.body

    def shown(self):
        return self.surface.read("request.show", REQUEST, "ann")

    def due(self):
        return self.surface.read("request.list", {"goal_id": "docs"}, "ann")["returns_due"]

    def kinds(self):
        found = Counter(kind for _, kind in self.surface.history() if kind.startswith("request."))
        return dict(found)


@contextmanager
def line(pair):
    with fresh_home(seed) as made:
        found = Line(made, *PAIRS[pair])
        try:
            yield found
        finally:
            found.close()
        assert proved(made).holds


def arrived(one):
    """The return is where it was asked, with its digest, and owed to nobody."""
    shown = one.shown()
    assert one.kinds() == ONCE
    assert one.due() == 0
    assert (shown["status"], shown["sender"], shown["origin"]["key"]) == ("delivered", one.sender, "turn-7/part-2")
    assert [back["sha256"] for back in shown["return"]["artifacts"]] == [sha256("links")]


@pytest.mark.parametrize("pair", PAIRS)
def test_sent_with_the_acknowledgement_lost_at_every_step_is_done_once(pair):
    with line(pair) as one:
        for number, step in enumerate(STEPS):
            for stored in (False, True):
                # Before the daemon has it, then before its answer is heard: nobody can tell the one from the other.
                one.surface.lose_next(stored=stored)
                with pytest.raises(AnswerLostError):
                    one.act(step)
            again = one.act(step)
            assert (again.ok, again.replayed) == (True, True), step
            assert sum(one.kinds().values()) == number + 1
        arrived(one)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_daemon_that_is_killed_while_it_is_on_its_way_loses_and_repeats_nothing(pair):
    with line(pair) as one:
        for step in STEPS:
            one.surface.lose_next(stored=True)
            with pytest.raises(AnswerLostError):
                one.act(step)
            one.killed()
            assert one.act(step).replayed, step
            if step in {"return", "acknowledge"}:
                assert one.due() == (1 if step == "return" else 0)
        arrived(one)


@pytest.mark.parametrize("pair", PAIRS)
def test_a_callback_that_comes_twice_does_nothing_the_second_time(pair):
    with line(pair) as one:
        for step in STEPS:
            assert one.act(step).ok
            # The same turn calls again, under a key of its own; what another turn makes of it is no return either.
            again = one.act(step, key=f"again/{step}") if step != "send" else None
            assert again is None or again.outcome == "noop", step
        late = one.surface.act(
            "request.return", REQUEST | {"artifact": ["art_000001"], "summary": "Late"}, one.receiver, "key/late"
        )
        assert late.outcome == "noop"
        assert one.surface.act("request.send", REQUEST | BRIEF | {"to": one.receiver}, one.sender, "again").code == (
            "request_exists"
        )
        arrived(one)


@pytest.mark.parametrize("pair", PAIRS)
def test_an_answer_that_is_too_large_is_refused_whole_and_the_next_one_is_taken(pair):
    with line(pair) as one:
        for step in ("send", "receive", "respond"):
            assert one.act(step).ok
        evidence = [one.evidence()]
        before = one.kinds()
        for summary in ("x" * 2_001, "x" * 300_000):
            client = one.surface.client(one.receiver)
            reply = client.act("request.return", REQUEST | {"artifact": evidence, "summary": summary}, "key/large")
            assert (reply.ok, reply.status) == (False, 400), reply.body
            assert one.kinds() == before
        assert one.shown()["return"] is None
        many = REQUEST | {"artifact": [f"art_{number:06d}" for number in range(13)], "summary": "Many"}
        assert one.surface.act("request.return", many, one.receiver, "key/many").code == "malformed_params"
        # The key of what was refused is free: the right answer goes by it.
        fits = REQUEST | {"artifact": evidence, "summary": "x" * 2_000}
        assert one.surface.act("request.return", fits, one.receiver, "key/large").ok
        assert one.shown()["return"]["summary"] == "x" * 2_000


@pytest.mark.parametrize("pair", ["manager and worker", "worker and worker"])
def test_whoever_asked_is_gone_and_its_next_session_finds_the_return_by_what_it_was_called(pair):
    with line(pair) as one:
        for step in ("send", "receive", "respond", "commit"):
            assert one.act(step).ok
        # The session that asked loses its credential, and the daemon its memory.
        tokens = one.surface.read("token.list", {"member_id": one.sender}, "ann")["tokens"]
        one.do("ann", "token.revoke", {"token_id": tokens[-1]["token_id"]}, "revoke")
        assert one.act("return").ok
        one.killed()
        lost = one.surface.client(one.sender).read("request.show", REQUEST)
        assert (lost.ok, lost.code) == (False, "credential_revoked")
        secret = "fs_" + sha256(f"next session of {one.sender}")
        one.do("ann", "token.issue", {"member_id": one.sender, "secret_digest": sha256(secret)}, "next")
        one.made.tokens[one.sender] = secret
        mine = one.surface.read("request.list", {"goal_id": "docs", "sender": one.sender}, one.sender)
        (row,) = mine["requests"]
        assert (row["status"], row["origin"]["key"], mine["returns_due"]) == ("returned", "turn-7/part-2", 1)
        # Nobody else says that it arrived.
        assert one.surface.act("request.acknowledge", REQUEST, "builder", "key/other").code == "request_not_yours"
        assert one.act("acknowledge").ok
        arrived(one)
