"""Sixty-four processes want the same thing at the same moment: one gets it, the others are told who has it."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from daemon import wire
from daemon.cli.spawn import module_argv, module_environment
from daemon.client import new_request_key
from ledger.store.sqlite import open_sqlite_reader
from tests.support.daemons import daemon_on_fresh_home, proved
from tests.support.homes import activate, secret_of, sha256

RACERS = 64
RACE_S_MAX = 120
AGENTS = [f"agent-{number}" for number in range(RACERS)]


def seed(scribe):
    activate(scribe, todos=RACERS + 3)
    for agent in AGENTS:
        scribe.do("operator", "member.add", member_id=agent, kind="agent", display_name=agent)
        scribe.do("operator", "token.issue", member_id=agent, secret_digest=sha256(secret_of(agent)))


@pytest.fixture(scope="module")
def daemon():
    with daemon_on_fresh_home(seed) as running:
        yield running


def request(agent, action, **params):
    headers = {"Authorization": f"Bearer {secret_of(agent)}", "Idempotency-Key": new_request_key()}
    body = json.dumps({"goal_id": "docs", **params}).encode()
    return wire.request_bytes("POST", f"/v1/actions/{action}", headers, body).decode("latin-1")


def race(daemon, racers):
    """Claim, then lease, all released at once; each racer's two answers."""
    finished = subprocess.run(
        [*module_argv("tests.faults.racers"), daemon.made.home.socket],
        input=json.dumps(racers).encode(),
        stdout=subprocess.PIPE,
        env=module_environment(),
        cwd="/",
        timeout=RACE_S_MAX,
        check=True,
    )
    answers = [[json.loads(body) for body in bodies] for bodies in json.loads(finished.stdout)]
    assert [len(bodies) for bodies in answers] == [2] * RACERS
    return answers


def racer(agent, todo_id, execution):
    scope = f"reports/{todo_id}/**"
    return [
        request(agent, "todo.claim", todo_id=todo_id),
        request(
            agent, "task-lease.acquire", todo_id=todo_id, idempotency_key=execution, write_scope=[scope], ttl_seconds=60
        ),
    ]


def outcomes(answers, place):
    return Counter(bodies[place].get("code") or bodies[place]["outcome"] for bodies in answers)


def recorded(daemon, todo_id):
    """What the ledger itself holds about a todo after the race."""
    report = proved(daemon.made)
    assert report.holds, report.first_break
    store = open_sqlite_reader(Path(daemon.made.home.ledger))
    try:
        bodies = [json.loads(row.body) for row in store.events(0, goal_id="docs")]
    finally:
        store.close()
    return [(body["kind"], body["actor"]) for body in bodies if body["facts"].get("todo_id") == todo_id][1:]


def test_sixty_four_agents_want_one_todo(daemon):
    todo_id = "todo_000"
    answers = race(daemon, [racer(agent, todo_id, f"{agent}-run") for agent in AGENTS])
    # Who asks before the winner's lease is there meets the claim, who asks later meets the lease.
    claims = outcomes(answers, 0)
    assert claims["committed"] == 1
    assert claims["claim_owner_mismatch"] + claims["todo_lease_conflict"] == RACERS - 1
    leases = outcomes(answers, 1)
    assert leases["committed"] == 1
    assert leases["owner_conflicts_with_claim"] + leases["todo_lease_conflict"] == RACERS - 1
    (claimed,) = [bodies for bodies in answers if bodies[0]["ok"]]
    assert claimed[1]["ok"], "who won the claim lost the lease"
    winner = claimed[1]["result"]["owner"]
    assert recorded(daemon, todo_id) == [("todo.claimed", winner), ("lease.acquired", winner)]
    refused = [body for bodies in answers for body in bodies if not body["ok"]]
    assert {body["details"].get("claimed_by") or body["details"]["owner"] for body in refused} == {winner}


def test_sixty_four_agents_want_one_lease_and_nobody_claims_first(daemon):
    todo_id = "todo_001"
    racers = [[*reversed(racer(agent, todo_id, f"{agent}-run"))] for agent in AGENTS]
    answers = race(daemon, racers)
    assert outcomes(answers, 0)["committed"] == 1
    assert set(outcomes(answers, 0)) == {"committed", "todo_lease_conflict"}
    (winner,) = [bodies[0]["result"]["owner"] for bodies in answers if bodies[0]["ok"]]
    assert outcomes(answers, 1) == {"noop": 1, "todo_lease_conflict": RACERS - 1}
    assert recorded(daemon, todo_id) == [("lease.acquired", winner)]


def test_sixty_four_processes_of_one_agent_want_one_todo(daemon):
    """They share an id, so the soft claim is all of theirs; only the execution key tells them apart."""
    todo_id = "todo_002"
    answers = race(daemon, [racer(AGENTS[0], todo_id, f"run-{number}") for number in range(RACERS)])
    assert outcomes(answers, 0) == {"committed": 1, "noop": RACERS - 1}
    assert outcomes(answers, 1) == {"committed": 1, "todo_lease_conflict": RACERS - 1}
    assert recorded(daemon, todo_id) == [("todo.claimed", AGENTS[0]), ("lease.acquired", AGENTS[0])]


def test_sixty_four_todos_have_sixty_four_winners(daemon):
    racers = [racer(agent, f"todo_{number + 3:03d}", f"{agent}-run") for number, agent in enumerate(AGENTS)]
    answers = race(daemon, racers)
    assert outcomes(answers, 0) == {"committed": RACERS}
    assert outcomes(answers, 1) == {"committed": RACERS}
    assert [bodies[1]["result"]["owner"] for bodies in answers] == AGENTS
