"""The pages about members: each fact is its document's own, and what is over or not granted is not shown as so."""

import asyncio
import re
from html import unescape

import pytest

from daemon.web import agent_reads
from daemon.web.agent_shapes import PAGE_MAX, Choice, because_line, choice_of, holds_of, page_of, role_line
from daemon.web.reads import Reads
from daemon.web.workload import Books, Refused, load_of, refused_in, turns_without_progress
from ledger.ids import OPERATOR
from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.rules.identities import identity_digest
from ledger.text.say import LOCALES
from tests.support.homes import APP, TENANT, person
from tests.support.world import World, digest
from tests.web import pure_reads
from tests.web.page_facts import Page, differing

DAY_MS = 86_400_000


def html(world, path="agents", **query):
    """A page that must be shown."""
    made = asyncio.run(pure_reads.page_of(world, path, **query))
    assert not isinstance(made, Refusal), made
    return made


def facts_of(page, document):
    """What a page says of one document."""
    return {fact.path: fact.value for fact in page.facts if fact.document == document}


@pytest.fixture(scope="module")
def world():
    """Builder holds a lease and a claim, Helper's lease is over, Stranger may do nothing; some work is for nobody."""
    world = World()
    for who in ("builder", "helper", "ann"):
        world.do(OPERATOR, "token.issue", member_id=who, secret_digest=digest(f"secret of {who}"))
    world.do(OPERATOR, "member.pair", member_id="ann", code_digest=digest("code"))
    named = person("ann")
    bound = identity_digest(TENANT, APP, named["open_id"], named["union_id"])
    place = {"tenant_key": TENANT, "app_id": APP}
    world.do("bot", "member.bind", code_digest=digest("code"), identity_digest=bound, **place, **named)
    world.do("ann", "member.profile", member_id="builder", profile_role="steward", scope_summary="Keeps docs/ in order")
    world.propose("site")
    world.activate()
    world.do("ann", "member.grant", member_id="helper", goal_id=["docs"], write_scope=["docs/**"])
    for todo_id in ("todo_one", "todo_two", "todo_late", "todo_free"):
        world.add(todo_id, required_write_scope=[f"docs/{todo_id}/**"])
    world.add("todo_rare", required_capability=["clairvoyance"])
    world.do(OPERATOR, "member.add", member_id="gone", kind="agent", display_name="Gone")
    world.add("todo_bound", bound_agent="gone")
    world.do(OPERATOR, "member.revoke", member_id="gone")
    world.lease("todo_late", by="helper", key="run-late", ttl_seconds=60)
    world.now_ms += 120_000
    world.lease("todo_one", write_scope=["docs/todo_one/**"])
    world.do("builder", "todo.claim", goal_id="docs", todo_id="todo_two")
    proof = world.submit("todo_one")
    run = {"goal_id": "docs", "todo_id": "todo_one"}
    world.do("builder", "run.report", **run, turn_instance_id="t-1", delivery_outcome="no_progress", evidence=[proof])
    world.do("builder", "usage.report", goal_id="docs", source="provider", tokens_in=100)
    world.ask("helper", "todo.release", goal_id="docs", todo_id="todo_two")
    return world


@pytest.fixture(scope="module")
def everybody(world):
    """The list."""
    return Page(html(world))


def test_every_fact_of_the_list_is_its_documents_own(world, everybody):
    documents = {
        f"member.show agent_id={who}": world_document(world, "member.show", agent_id=who)
        for who in ("builder", "helper", "stranger")
    }
    documents["member.list"] = world_document(world, "member.list")
    assert differing(everybody, documents) == []
    shown = {fact.document for fact in everybody.facts}
    assert set(documents) <= shown
    said = facts_of(everybody, "member.show agent_id=builder")
    assert (said["presence"], said["presence_because"]) == ("executing", "lease_in_force")
    assert said["current_claims[0].kind"] == "hard_lease"
    assert said["current_claims[1].kind"] == "soft_claim"


@pytest.mark.parametrize("path", ["agents/builder", "agents/helper", "agents/ann", "agents/bob"])
def test_every_fact_of_a_member_is_its_documents_own(world, path):
    page, who = Page(html(world, path)), path.partition("/")[2]
    documents = {
        "member.list": world_document(world, "member.list"),
        f"token.list member_id={who}": world_document(world, "token.list", member_id=who),
        f"member.grants member_id={who}": world_document(world, "member.grants", member_id=who),
        "overview.show limit=100": world_document(world, "overview.show", limit=100),
    }
    if who in {"builder", "helper"}:
        documents[f"member.show agent_id={who}"] = world_document(world, "member.show", agent_id=who)
    assert differing(page, documents) == []
    assert page.facts
    assert len(page.ids) == len(set(page.ids))


def world_document(world, action, **params):
    """A document as the operator reads it."""
    return asyncio.run(pure_reads.PureReads(world).document(action, **params))


def test_a_lease_that_is_over_is_shown_as_held_by_nobody(world, everybody):
    assert "todo_late" not in world_text(html(world), "holds")
    said = facts_of(everybody, "member.show agent_id=helper")
    assert not [path for path in said if path.startswith("current_claims")]
    assert 'data-ended="expired"' in html(world, "agents/helper")
    later = holds_of(
        {"agent_id": "a", "current_claims": [{"goal_id": "g", "todo_id": "t", "title": "T", "kind": "hard_lease"}]},
        {("g", "t"): {"effective": False, "owner": "a", "write_scopes": ["docs/**"]}},
    )
    assert later == []


def world_text(made, css_class):
    """What stands in the lists of a class."""
    return " ".join(re.findall(rf'<ul class="{css_class}">(.*?)</ul>', made, re.DOTALL))


def test_a_role_is_never_named_without_saying_that_it_grants_nothing(world):
    for locale in LOCALES:
        line = role_line("steward", locale)
        assert line is not None
        for path in ("agents", "agents/builder"):
            assert line in Page(html(world, path, lang=locale)).text
    assert role_line("steward", "en") == "steward – advice only, grants nothing"
    assert role_line(None, "en") is None


def test_why_somebody_is_where_they_are_is_said(world):
    text = Page(html(world)).text
    assert "a lease is in force" in text
    assert "it has no credential that is good here" in text
    assert because_line("no_such_code", "en") == "Decided by rule no_such_code."


def test_no_secret_and_nothing_of_a_platform_is_on_any_page(world):
    hidden = [digest(f"secret of {who}") for who in ("builder", "helper", "ann")]
    bound = str(world.state.members["ann"].identity_digest)
    hidden += [digest("code"), TENANT, APP, *person("ann").values(), bound[:12], "run-1", "run-late"]
    for path in ("agents", "agents/builder", "agents/helper", "agents/ann", "agents/bob", "agents/bot"):
        made = html(world, path)
        assert [one for one in hidden if one in made] == []


def test_work_that_no_agent_may_take_is_named_with_the_reason(world, everybody):
    assert "unplaced_work" in everybody.panels
    (panel,) = re.findall(r'data-panel="unplaced_work".*?</section>', html(world), re.DOTALL)
    assert set(re.findall(r"#todo-(todo_\w+)", panel)) == {"todo_rare", "todo_bound"}
    assert "<code><bdi>clairvoyance</bdi></code>" in panel
    assert "<code><bdi>gone</bdi></code>" in panel
    lines = [unescape(re.sub("<[^>]*>", "", one)) for one in re.findall(r'<code tabindex="0">(.*?)</code>', panel)]
    assert lines == ["frontstage member grant --goal-id docs --capability clairvoyance --member-id <member-id>"]


def test_the_workload_counts_what_the_documents_say(everybody):
    rows = {}
    who = None
    for _, given in everybody.elements:
        who = given.get("data-subject", who)
        if "data-load" in given:
            rows.setdefault(who, {})[given["data-load"]] = given["data-value"]
    assert rows["builder"] == {
        "claims": "2", "leases": "1", "in_review": "1", "spent": "0", "without_progress": "1", "refused": "0",
    }  # fmt: skip
    assert rows["helper"] == dict.fromkeys(rows["helper"], "0") | {"refused": "1"}


def test_a_member_says_what_was_used_and_what_nobody_knows(world):
    page = Page(html(world, "agents/builder"))
    used = {given["data-usage"]: given["data-value"] for _, given in page.elements if "data-usage" in given}
    assert used == {"tokens": "100", "cost_micros": "null"}
    assert "unknown" in page.text
    helper = Page(html(world, "agents/helper"))
    assert [given["data-value"] for _, given in helper.elements if "data-refusal" in given] == ["claim_owner_mismatch"]


def test_an_earlier_moment_shows_what_was_and_offers_no_line(world):
    before = world.goal().created_seq
    page = Page(html(world, "agents/builder", at=before))
    said = facts_of(page, "member.show agent_id=builder")
    assert said["presence"] == "addressable"
    assert [given for _, given in page.elements if "data-copy" in given] == []
    assert Page(html(world, "agents", at=before)).panels
    assert Page(html(world, "agents/ann", at=before)).panels


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        ("agents/nobody", {}, "member_not_found"),
        ("agents/builder", {"at": 9_999}, "seq_not_reached"),
        ("agents", {"kind": "bot"}, "malformed_params"),
        ("agents", {"presence": "online"}, "malformed_params"),
        ("agents", {"revoked": "yes"}, "malformed_params"),
        ("agents", {"after": "nobody"}, "member_not_found"),
    ],
)
def test_what_cannot_be_shown_is_refused_plainly(world, path, query, code):
    made = asyncio.run(pure_reads.page_of(world, path, **query))
    assert isinstance(made, Refusal)
    assert made.code.value == code


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"q": "BUILD"}, {"builder"}),
        ({"kind": "agent"}, {"builder", "helper", "stranger"}),
        ({"kind": "person"}, set()),
        ({"presence": "executing"}, {"builder"}),
        ({"presence": "registered"}, {"stranger"}),
        ({"revoked": "1"}, {"gone"}),
    ],
)
def test_the_filter_leaves_those_that_fit(world, query, shown):
    page = Page(html(world, **query))
    found = {fact.document.partition("agent_id=")[2] for fact in page.facts if fact.document.startswith("member.show")}
    assert found == shown


def test_two_hundred_members_come_a_page_at_a_time():
    members = [{"member_id": f"m{number:03d}", "kind": "agent", "display_name": "X"} for number in range(200)]
    seen, after, pages = [], "", 0
    while True:
        page = page_of(members, Choice(after=after), {}, "agent")
        assert not isinstance(page, Refusal)
        assert page.first == len(seen) + 1
        seen += [one.member["member_id"] for one in page.rows]
        pages += 1
        if page.next_after is None:
            break
        after = page.next_after
    assert (len(seen), len(set(seen)), pages) == (200, 200, 200 // PAGE_MAX)
    second = page_of(members, Choice(after=f"m{PAGE_MAX - 1:03d}"), {}, "agent")
    assert not isinstance(second, Refusal)
    assert second.previous_after == ""
    assert choice_of({"q": " x "}) == Choice(words="x")


def test_a_private_goals_words_are_withheld_from_the_page():
    world = World()
    world.activate(private=True, title="Who is let go", approver=["ann"])
    world.add("todo_secret", text="Write the letters of dismissal")
    world.lease("todo_secret", by="builder")
    for path in ("agents", "agents/builder", "agents/ann"):
        made = html(world, path)
        assert "dismissal" not in made
        assert "let go" not in made


def test_a_lease_that_somebody_else_ended_is_drawn_as_ended():
    world = World()
    world.activate()
    world.add("todo_one")
    world.lease("todo_one", by="builder", ttl_seconds=3_600)
    world.do(OPERATOR, "member.revoke", member_id="builder")
    world.now_ms += 60_000
    made = html(world, "agents/builder")
    assert re.findall(r'class="bar" data-ended="(\w+)" data-todo="todo_one"', made) == ["released"]
    assert Page(made).text.count("Revoked: every right") == 1


def test_each_line_is_its_actions_own_and_one_that_is_not_finished_cannot_run(world):
    made = Page(html(world, "agents/builder"))
    lines = [given["data-copy"] for _, given in made.elements if "data-copy" in given]
    assert "frontstage member revoke --member-id builder" in lines
    assert "frontstage todo release --goal-id docs --todo-id todo_two" in lines
    assert "frontstage todo delegate --goal-id docs --on-behalf-of builder" in made.text
    # What is still to be filled in can be read and not be copied by a button.
    assert all("<" not in line and "delegate" not in line for line in lines)


def test_a_count_says_where_something_may_be_missing_in_it():
    shown = {"agent_id": "a", "display_name": "A", "goals_total": 3, "last_action": {"seq": 7}, "goals": [
        {"goal_id": "g", "last_action": {"seq": 7}, "current_claims": []}]}  # fmt: skip
    books = {"g": Books(quota={"receipts": []}, runs={"runs": []}, artifacts={"artifacts": []})}
    none_refused = Refused({}, partly=False)
    everything = {"claims", "leases", "in_review", "spent", "without_progress"}
    assert load_of(shown, books, none_refused).at_least == everything
    assert load_of(shown | {"goals_total": 1}, books, none_refused).at_least == set()
    assert load_of(shown | {"last_action": None}, books, none_refused).at_least == {"claims", "leases"}
    assert load_of(shown | {"goals_total": 1}, {}, none_refused).at_least == everything - {"claims", "leases"}
    cut = {"g": books["g"]._replace(runs={"runs": [], "total": 5})}
    assert "without_progress" in load_of(shown | {"goals_total": 1}, cut, none_refused).at_least
    partly = refused_in({"refusals": [{"actor": "a", "times": 3}], "next_after": 1})
    counted = load_of(shown | {"goals_total": 1}, books, partly)
    assert (counted.refused, counted.at_least) == (3, {"refused"})


def test_turns_without_progress_are_the_latest_in_a_row_and_each_counts_once():
    def run(turn, outcome, agent="a"):
        return {"agent_id": agent, "turn_instance_id": turn, "delivery_outcome": outcome}

    runs = [run("t5", "observed"), run("t4", "surface_only"), run("t4", "no_progress"), run("x", "no_progress", "b"),
            run("t3", "outcome_gap"), run("t2", "outcome_progress"), run("t1", "no_progress")]  # fmt: skip
    assert turns_without_progress(runs, "a") == 2
    assert turns_without_progress(runs, "b") == 1
    assert turns_without_progress([], "a") == 0


def test_where_asking_has_an_end_nothing_is_claimed(world, monkeypatch):
    monkeypatch.setattr(agent_reads, "ASKED_MAX", 0)
    (panel,) = re.findall(r'data-panel="unplaced_work".*?</section>', html(world), re.DOTALL)
    assert "#todo-" not in panel
    assert "Of 1 active goals it is not known." in panel


def test_an_earlier_moment_is_folded_once_for_all_goals_of_a_page():
    asked = []

    class Past:
        async def state(self, seq, goal_id):
            asked.append((seq, goal_id))
            return refuse(GeneralRefusal.SEQ_NOT_REACHED, seq=seq, head=1)

    reads = Reads(None, Past(), None, None, "en", 7)
    for each in (reads, reads.of_many_goals()):
        asyncio.run(each.document("quota.status", goal_id="docs"))
    assert asked == [(7, "docs"), (7, None)]
