"""The history's page of a real daemon: it says what the history says, leads on, and tells a broken ledger."""

import json
import re
import urllib.error
import urllib.request

import apsw
import pytest

from daemon.client import Client
from tests.api.simulator_browser import CHROMIUM
from tests.support.daemons import DaemonProcess, fresh_home
from tests.web.page_facts import Page, differing

EVENTS = 60
LONG = "x" * 500
HOSTILE = '"><script>alert(1)</script> \u202egnp.exe needle'


def seed(scribe):
    """A goal, more events than a page has, and words that would do harm if they could."""
    scribe.do("ann", "goal.propose", goal_id="docs", title="Links", objective=HOSTILE, criterion=("It works",))
    scribe.do("ann", "goal.confirm", goal_id="docs", basis=str(scribe.state.goals["docs"].intents[-1].basis))
    for number in range(EVENTS):
        scribe.do("ann", "todo.add", goal_id="docs", todo_id=f"todo_{number:03d}", text=f"Do part {number} {HOSTILE}")
    scribe.do("ann", "todo.add", goal_id="docs", todo_id="todo_long", text=LONG)
    scribe.do("builder", "todo.claim", goal_id="docs", todo_id="todo_000")
    scribe.do("ann", "goal.propose", goal_id="pay", title="Pay", objective="Pay", criterion=("It works",), private=True)
    scribe.do("ann", "goal.confirm", goal_id="pay", basis=str(scribe.state.goals["pay"].intents[-1].basis))
    scribe.do("ann", "todo.add", goal_id="pay", todo_id="todo_pay", text="Nobody else may read peppercorn")


class Reader:
    """Somebody with a browser and no script in it."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon = daemon
        self.url = str(daemon.client("ann").post("/v1/page", {}).or_raise().body["url"])

    def get(self, query: str) -> tuple[int, str]:
        """The page at an address below the history."""
        try:
            with urllib.request.urlopen(f"{self.url}history{query}") as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def page(self, query: str = "") -> str:
        """One that is there."""
        status, html = self.get(query)
        assert status == 200, html
        return html

    def follow(self, html: str, rel: str) -> str | None:
        """The page that a link leads to, or None where there is no such link."""
        found = re.search(rf'rel="{rel}" href="[^"]*/history([^"]*)"', html)
        return None if found is None else self.page(found[1].replace("&amp;", "&"))


def seqs(html: str) -> list[int]:
    return [int(seq) for seq in re.findall(r'<li class="event" id="event-(\d+)"', html)]


@pytest.fixture(scope="module")
def reader():
    with fresh_home(seed) as made, DaemonProcess(made) as daemon:
        refused = daemon.client("builder").act("goal.stop", {"goal_id": "docs", "basis": "b1:" + "0" * 32})
        assert refused.code == "not_permitted"
        yield Reader(daemon)


@pytest.fixture
def client(reader) -> Client:
    return reader.daemon.client("ann")


def test_every_fact_of_every_event_is_the_one_in_the_document(reader, client):
    html = reader.page("?goal_id=docs")
    events = client.read("history.list", {"goal_id": "docs", "limit": 40}).body["events"]
    documents = {f"history.list from_seq={one['seq']} to_seq={one['seq']}": {"events": [one]} for one in events}
    page = Page(html, "history")
    assert differing(page, documents) == []
    told = [fact.document for fact in page.facts if fact.path == "events[0].sentence"]
    assert told == list(documents)
    assert len(page.ids) == len(set(page.ids))


def test_pages_lead_to_the_beginning_and_back_and_nothing_is_lost(reader, client):
    head = client.read("status.show", {}).seq
    pages = [reader.page()]
    while (older := reader.follow(pages[-1], "next")) is not None:
        pages.append(older)
    assert [seq for page in pages for seq in seqs(page)] == list(range(head, 0, -1))
    back = reader.follow(pages[-1], "prev")
    assert seqs(back) == seqs(pages[-2])
    assert seqs(reader.follow(back, "next")) == seqs(pages[-1])


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ("?goal_id=docs&kind=goal", {"goal_id": "docs", "kind": "goal"}),
        ("?actor=builder", {"actor": "builder"}),
        ("?todo_id=todo_000&goal_id=docs", {"todo_id": "todo_000", "goal_id": "docs"}),
        ("?from_seq=3&to_seq=6&order=oldest", {"from_seq": 3, "to_seq": 6, "order": "oldest"}),
        ("?kind=&actor=&from_seq=7&to_seq=7", {"from_seq": 7, "to_seq": 7}),
    ],
)
def test_filters_are_in_the_address_and_mean_what_they_mean_elsewhere(reader, client, query, params):
    there = [event["seq"] for event in client.read("history.list", params).body["events"]]
    assert there
    assert seqs(reader.page(query)) == there


def test_as_of_an_earlier_event_nothing_later_is_told(reader):
    html = reader.page("?at=30&actor=ann")
    assert seqs(html)[0] == 30
    assert "frontstage history list --actor ann --limit 40 --at 30" in html
    assert reader.get("?at=100000")[0] == 404


@pytest.mark.parametrize(
    ("query", "status"), [("?kind=!!&actor=ann", 400), ("?goal_id=nowhere", 404), ("?why=todo&goal_id=docs", 400)]
)
def test_a_question_that_cannot_be_answered_is_said_beside_the_form_that_keeps_it(reader, query, status):
    answered, html = reader.get(query)
    assert (answered, 'role="alert"' in html) == (status, True)
    assert 'data-code="' in html
    for value in re.findall(r"=([a-z]+)", query.replace("why=todo", "")):
        assert f'value="{value}"' in html


def test_what_is_found_is_marked_and_leads_to_where_it_is(reader):
    html = reader.page("?query=part+needle&goal_id=docs")
    assert "<mark>part</mark>" in html
    assert "<mark>needle</mark>" in html
    assert re.search(r'href="[^"]*/goals/docs#todo-todo_059"', html)


def test_words_do_no_harm_and_long_ones_are_there(reader):
    html = reader.page("?query=needle") + reader.page()
    assert "<script>alert" not in html
    assert "\u202e" not in html
    assert not re.search(r"\son\w+=|\sstyle=|javascript:", html)


def test_what_people_wrote_for_a_private_goal_is_neither_told_nor_found(reader):
    html = reader.page("?goal_id=pay")
    assert seqs(html)
    assert "peppercorn" not in html + reader.page() + reader.page("?goal_id=pay&todo_id=todo_pay&why=todo")
    assert "[withheld]" in html
    assert "<mark>" not in reader.page("?query=peppercorn")


def test_it_says_why_a_todo_is_held(reader, client):
    html = reader.page("?goal_id=docs&todo_id=todo_000&why=todo")
    said = client.read("history.explain", {"goal_id": "docs", "todo_id": "todo_000"}).body
    assert said["sentence"] in html
    assert [f'id="because-{event["seq"]}"' in html for event in said["chain"]] == [True] * len(said["chain"])


def test_refused_attempts_are_told_with_their_reason(reader, client):
    (row,) = client.read("refusal.list", {}).body["refusals"]
    assert row["statement"] in reader.page()
    assert row["statement"] in reader.page("?refused=1")
    assert reader.daemon.client("builder").read("refusal.list", {}).code == "not_permitted"


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
async def test_a_proof_that_is_under_way_is_looked_at_again_and_days_are_told_in_the_readers_language(tab, reader):
    tab.errors.clear()
    await tab.open(f"{reader.url}history?lang=zh")
    await tab.until("document.querySelector('time[data-day]').textContent.includes('年')")
    # As if it had begun: what is there now takes its place, and the lines to copy can be copied again.
    await tab.run("""(() => {
        const panel = document.querySelector('[data-panel="verify"]');
        panel.querySelector('div').dataset.running = '';
        panel.querySelector('p').textContent = 'before';
        document.dispatchEvent(new CustomEvent('page:changed'));
    })()""")
    await tab.until("!document.querySelector('[data-panel=\"verify\"]').textContent.includes('before')")
    assert await tab.run("document.querySelector('[data-panel=\"verify\"] .copy').textContent") == "复制"
    assert tab.errors == []


def test_the_whole_chain_is_proved_on_request_and_a_changed_row_is_named(reader, client):
    status = client.read("status.show", {})
    assert "data-verified" not in reader.page()
    page = Page(reader.page(f"?verify={status.seq}"), "history")
    said = {fact.path: fact.value for fact in page.facts if fact.document == "ledger.verify"}
    assert (said["seq"], said["events"], said["refusals"]) == (str(status.seq), str(status.seq), "1")
    (last,) = client.read("history.list", {"limit": 1}).body["events"]
    assert said["head"].startswith(last["hash"])

    client.act("todo.add", {"goal_id": "docs", "text": "One more"}).or_raise()
    _change(reader.daemon.made.home.ledger, 20)
    assert 'data-verified="holds"' in reader.page("?verify=1"), "what was found stands until a later event is asked for"
    again = re.search(r'href="[^"]*history(\?verify=[^"#]*)#panel-verify"', reader.page("?verify=1"))
    html = reader.page(again[1].replace("&amp;", "&"))
    assert 'data-verified="broken"' in html, "whoever asks again has it proved again"
    assert re.search(r"Event 20:", html)
    assert 'data-verified="broken"' in reader.page(), "and whoever comes later is told of it"


def _change(ledger, seq):
    """What no program of ours does: another body under the same hash."""
    connection = apsw.Connection(str(ledger))
    try:
        triggers = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        (body,) = connection.execute("SELECT body FROM event WHERE seq = ?", (seq,)).fetchone()
        changed = {**json.loads(body), "actor": "bob"}
        connection.execute("UPDATE event SET body = ? WHERE seq = ?", (json.dumps(changed).encode(), seq))
    finally:
        connection.close()
