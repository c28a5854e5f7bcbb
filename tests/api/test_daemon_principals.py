"""Who is calling: proved by a credential, never by what a body or a header claims."""

import json
import os

import pytest

from daemon.api.edge import _by_peer
from ledger.catalogue import ACTIONS
from ledger.refusals import Refusal
from tests.support.bad_values import good
from tests.support.homes import activate, secret_of, sha256
from tests.support.served import served

OWNERS_ALONE = ("goal.confirm", "goal.decline", "goal.accept", "goal.request-changes", "goal.pause", "goal.resume")
ADMINISTRATION = ("member.add", "member.revoke", "member.pair", "token.issue", "token.revoke", "button-key.rotate")
WORK = {"goal_id": "docs", "todo_id": "todo_000"}


def ready(scribe):
    """A goal that waits for its yes, one that is delivered, and one with work."""
    activate(scribe)
    scribe.do("builder", "goal.propose", goal_id="waits", objective="Better docs", criterion=("It reads well",))
    activate_and_deliver(scribe)


def activate_and_deliver(scribe):
    scribe.do("ann", "goal.propose", goal_id="done", objective="Done docs", criterion=("It is done",), review="owner")
    scribe.do("ann", "goal.confirm", goal_id="done", basis=scribe.state.goals["done"].intents[-1].basis)
    scribe.do("ann", "todo.add", goal_id="done", todo_id="todo_done", text="Do it")
    scribe.do("builder", "todo.claim", goal_id="done", todo_id="todo_done")
    scribe.do(
        "builder",
        "artifact.submit",
        goal_id="done",
        todo_id="todo_done",
        label="report.json",
        sha256=sha256("report"),
        size_bytes=1,
    )
    artifact = next(iter(scribe.state.goals["done"].artifacts))
    scribe.do("builder", "todo.complete", goal_id="done", todo_id="todo_done", evidence=(artifact,))
    scribe.do("builder", "goal.deliver", goal_id="done", summary="All done")


@pytest.fixture
async def daemon():
    async with served(ready) as running:
        yield running


async def test_no_token_is_the_operator_who_administers_and_decides_nothing(daemon):
    added = await daemon.do("member.add", {"member_id": "carl", "kind": "person", "display_name": "Carl"}, who=None)
    (event,) = list(daemon.store.events(added["seq"] - 1))
    body = json.loads(event.body)
    assert (body["actor"], body["proof"]["kind"]) == ("operator", "peer")
    assert body["proof"]["reference"] == str(os.getuid())
    for action in OWNERS_ALONE:
        answer = await daemon.act(action, sample(daemon, action), who=None)
        assert (answer.status, answer.exit_code, answer.code) == (403, 5, "not_permitted"), action
    for action in ("goal.propose", "todo.claim", "task-lease.acquire"):
        answer = await daemon.act(action, sample(daemon, action), who=None)
        assert (answer.status, answer.code) == (403, "not_permitted"), action


def test_a_bare_connection_of_another_user_is_nobody():
    assert not isinstance(_by_peer(501, 501, "http"), Refusal)
    for uid in (502, 0, None):
        refusal = _by_peer(uid, 501, "http")
        assert isinstance(refusal, Refusal)
        assert (refusal.code, refusal.status.http_status) == ("unauthenticated", 401)


@pytest.mark.parametrize(
    "header",
    [
        "Bearer fs_" + "0" * 64,
        "Bearer ",
        "Bearer",
        "Basic YW5uOnB3",
        "bearer {secret}",
        "Bearer  {secret}",
        "Bearer {secret} ",
        "{secret}",
        "",
        "Bearer \xff\xfe",
        "Bearer " + "x" * 5_000,
    ],
)
async def test_what_is_no_credential_is_nobody_and_never_the_operator(daemon, header):
    text = header.format(secret=secret_of("ann"))
    if text.rstrip() == f"Bearer {secret_of('ann')}":
        text = text.rstrip() + "x"
    before = daemon.service.counters.unauthenticated
    for method, path in (("POST", "/v1/actions/member.add"), ("GET", "/v1/actions/status.show"), ("GET", "/v1/feed")):
        headers = {"Authorization": text, "Idempotency-Key": "key"}
        answer = await daemon.ask(method, path, who=None, headers=headers, body=b"{}" if method == "POST" else None)
        assert (answer.status, answer.exit_code, answer.code) == (401, 5, "unauthenticated"), path
    assert daemon.service.counters.unauthenticated == before + 3
    assert daemon.audited() == []


async def test_a_token_ends_when_it_is_revoked_and_when_its_time_is_over(daemon):
    for name, params in (("short", {"ttl_seconds": 60}), ("long", {})):
        await daemon.do("token.issue", {"member_id": "builder", "secret_digest": sha256(secret_of(name)), **params})
        daemon.made.tokens[name] = secret_of(name)
    assert (await daemon.read("goal.list", who="short")).status == 200
    daemon.clock.advance(59_999)
    assert (await daemon.read("goal.list", who="short")).status == 200
    daemon.clock.advance(1)
    late = await daemon.read("goal.list", who="short")
    assert (late.status, late.exit_code, late.code) == (401, 5, "credential_expired")
    token_id = daemon.service.committed.tokens[sha256(secret_of("long"))].token_id
    await daemon.do("token.revoke", {"token_id": token_id})
    assert (await daemon.read("goal.list", who="long")).code == "credential_revoked"
    gone = await daemon.act("todo.claim", WORK, who="long")
    assert (gone.status, gone.exit_code, gone.code) == (401, 5, "credential_revoked")
    await daemon.do("todo.claim", WORK, who="builder")
    await daemon.do("member.revoke", {"member_id": "builder"})
    assert (await daemon.read("goal.list", who="builder")).code == "credential_revoked"
    assert (await daemon.act("todo.release", WORK, who="builder")).code == "credential_revoked"


async def test_a_revoked_token_of_the_bot_relays_nothing(daemon):
    """A relay decides nothing by itself: the credential is looked at where it comes in, or nowhere."""
    assert (await daemon.ask("GET", "/v1/relay/slots", who="bot")).status == 200
    tokens = daemon.service.committed.tokens.values()
    token_id = next(token.token_id for token in tokens if token.member_id == "bot")
    await daemon.do("token.revoke", {"token_id": token_id})
    gone = await daemon.ask("GET", "/v1/relay/slots", who="bot")
    assert (gone.status, gone.exit_code, gone.code) == (401, 5, "credential_revoked")


async def test_a_cached_document_is_not_handed_to_who_was_revoked(daemon):
    assert (await daemon.read("goal.show", "?goal_id=docs", who="helper")).status == 200
    await daemon.do("member.revoke", {"member_id": "helper"})
    assert (await daemon.read("goal.show", "?goal_id=docs", who="helper")).status == 401


@pytest.mark.parametrize(
    "claim",
    [
        {"actor": "ann"},
        {"caller": {"member_id": "ann", "kind": "person"}},
        {"on_behalf_of": "ann"},
        {"proof": {"kind": "lark"}},
        {"surface": "lark"},
        {"member_id": "ann"},
        {"owner": "ann"},
        {"agent_id": "helper"},
        {"role": "owner"},
        {"kind": "person"},
        {"operator": {"open_id": "ou_ann0000"}},
    ],
    ids=lambda claim: next(iter(claim)),
)
async def test_an_agent_confirms_and_accepts_nothing_whatever_its_body_says(daemon, claim):
    before = daemon.seq
    for action in OWNERS_ALONE:
        for body in (sample(daemon, action), sample(daemon, action) | claim):
            answer = await daemon.act(action, body, who="builder")
            assert answer.status in {400, 403}, (action, answer.document)
            assert answer.code in {"malformed_params", "not_permitted"}
    assert daemon.seq == before
    assert {row["actor"] for row in daemon.audited()} == {"builder"}


@pytest.mark.parametrize("name", ["X-Frontstage-Actor", "X-Forwarded-User", "X-Frontstage-On-Behalf-Of", "Cookie"])
async def test_a_header_claims_nobody(daemon, name):
    answer = await daemon.act("goal.confirm", sample(daemon, "goal.confirm"), who="builder", **{name: "ann"})
    assert answer.code == "not_permitted"


@pytest.mark.parametrize("surface", ["lark", "daemon", "CLI", "", "http,cli", "\xff"])
async def test_nobody_says_that_it_is_the_bot_or_the_daemon(daemon, surface):
    for who in ("ann", "builder", "bot", None):
        answer = await daemon.act(
            "goal.confirm", sample(daemon, "goal.confirm"), who=who, **{"X-Frontstage-Surface": surface}
        )
        assert (answer.status, answer.exit_code, answer.code) == (403, 5, "surface_forbidden")


async def test_the_event_says_who_asked_by_which_credential_and_surface(daemon):
    done = await daemon.act("todo.claim", WORK, who="builder", **{"X-Frontstage-Surface": "cli"})
    (row,) = daemon.store.events(done.document["seq"] - 1)
    body = json.loads(row.body)
    token = daemon.service.committed.tokens[sha256(secret_of("builder"))].token_id
    assert (body["actor"], body["surface"], body["proof"]) == (
        "builder",
        "cli",
        {"kind": "token", "reference": token, "relayed_by": None},
    )


BOTS_OWN = [row.name for row in ACTIONS.values() if row.writes and not row.hidden and "bot" in row.who]
OTHERS = [row.name for row in ACTIONS.values() if row.writes and not row.hidden and "bot" not in row.who]


def test_of_what_anybody_can_ask_the_bot_says_only_that_a_return_arrived():
    assert BOTS_OWN == ["request.acknowledge"]


@pytest.mark.parametrize("action", OTHERS)
async def test_the_bot_relays_and_does_nothing_of_its_own(daemon, action):
    before = daemon.seq
    answer = await daemon.act(action, sample(daemon, action), who="bot")
    assert (answer.status, answer.exit_code, answer.code) == (403, 5, "not_permitted")
    assert daemon.seq == before


@pytest.mark.parametrize("who", ["ann", "builder", None])
async def test_nobody_else_relays(daemon, who):
    for method, path, body in RELAYED:
        answer = await daemon.ask(method, f"/v1/relay/{path}", who=who, body=body)
        assert (answer.status, answer.exit_code, answer.code) == (403, 5, "relay_only"), path
    nobody = await daemon.ask("POST", "/v1/relay/press", who=None, headers={"Authorization": "Bearer no"}, body=b"{}")
    assert nobody.status == 401


@pytest.mark.parametrize("action", ADMINISTRATION)
async def test_an_agent_administers_nothing(daemon, action):
    answer = await daemon.act(action, sample(daemon, action), who="builder")
    assert (answer.status, answer.code) == (403, "not_permitted")


@pytest.mark.parametrize("action", [row.name for row in ACTIONS.values() if row.hidden])
async def test_the_daemon_s_own_actions_have_no_route(daemon, action):
    for who in ("ann", "bot", None):
        answer = await daemon.act(action, {}, who=who)
        assert (answer.status, answer.exit_code, answer.code) == (404, 3, "unknown_action")


async def test_who_may_not_ask_learns_nothing_of_what_there_is(daemon):
    there = await daemon.act("goal.confirm", {"goal_id": "waits"}, who="builder")
    nowhere = await daemon.act("goal.confirm", {"goal_id": "nowhere"}, who="builder")
    assert there.document | {"seq": 0} == nowhere.document | {"seq": 0}


RELAYED = (
    ("POST", "press", b"{}"),
    ("POST", "message", b"{}"),
    ("PUT", "deliveries", b"{}"),
    ("POST", "leader", b"{}"),
    ("PUT", "health", b"{}"),
    ("GET", "slots", None),
    ("GET", "view?slot=goal:docs@oc_1", None),
    ("GET", "deliveries", None),
)


def sample(daemon, action):
    """Parameters that would be taken from somebody who may."""
    goals = daemon.service.committed.goals
    basis = goals["waits"].intents[-1].basis
    delivery = goals["done"].delivery.basis
    samples = {
        "member.add": {"member_id": "carl", "kind": "person", "display_name": "Carl"},
        "member.revoke": {"member_id": "helper"},
        "member.pair": {"member_id": "bob", "code_digest": sha256("code")},
        "token.issue": {"member_id": "helper", "secret_digest": sha256("secret")},
        "token.revoke": {"token_id": "tok_9"},
        "button-key.rotate": {},
        "goal.propose": {"objective": "Better", "criterion": ["It is"]},
        "goal.clarify": {"goal_id": "waits", "question": "Which?"},
        "goal.revise": {"goal_id": "waits", "objective": "Best docs"},
        "goal.confirm": {"goal_id": "waits", "basis": basis},
        "goal.decline": {"goal_id": "waits", "basis": basis},
        "goal.withdraw": {"goal_id": "waits"},
        "goal.pause": {"goal_id": "docs"},
        "goal.resume": {"goal_id": "docs"},
        "goal.stop": {"goal_id": "docs"},
        "goal.adopt": {"goal_id": "docs", "revision": 1},
        "goal.deliver": {"goal_id": "docs", "summary": "Done"},
        "goal.accept": {"goal_id": "done", "basis": delivery},
        "goal.request-changes": {"goal_id": "done", "basis": delivery, "reason": "More"},
        "todo.add": {"goal_id": "docs", "text": "More"},
        "todo.claim": WORK,
        "todo.release": WORK,
        "todo.update": WORK | {"priority": "P1"},
        "todo.block": WORK | {"reason": "Waits"},
        "todo.complete": WORK,
        "todo.cancel": WORK,
        "task-lease.acquire": WORK | {"idempotency_key": "run"},
        "task-lease.renew": WORK | {"idempotency_key": "run", "expected_version": 1},
        "task-lease.release": WORK | {"idempotency_key": "run", "expected_version": 1},
        "artifact.record-check": {
            "goal_id": "docs",
            "artifact_id": "art_1",
            "name": "links",
            "argv_sha256": sha256("argv"),
            "exit_code": 0,
            "duration_ms": 1,
        },
        "artifact.submit": WORK | {"label": "a", "sha256": sha256("a"), "size_bytes": 1},
    }
    return samples[action] if action in samples else good_params(ACTIONS[action].params.model_json_schema())


def good_params(schema):
    """What an action must be given at least, as far as its schema says."""
    definitions = schema.get("$defs", {})
    wanted = {name: good(schema["properties"][name], definitions) for name in schema.get("required", ())}
    return wanted | ({"goal_id": "docs"} if "goal_id" in wanted else {})
