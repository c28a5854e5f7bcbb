"""The pages about members as the daemon serves them: the same facts as over its socket, fresh after each event."""

from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.web.page_facts import Page, differing
from tests.web.story import AGENTS, BUSY, PEOPLE


def get(looked, path):
    """A page's status and what stands on it."""
    try:
        with urlopen(looked.url + path) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        return refused.code, refused.read().decode()


def documents(looked, *asked):
    """What the daemon answers over its socket, to whoever runs it."""
    client = looked.daemon.client(None)
    read = {}
    for action, params in asked:
        name = " ".join([action, *(f"{key}={value}" for key, value in params.items())])
        read[name] = client.read(action, params).or_raise().body
    return read


@pytest.mark.parametrize("who", AGENTS)
def test_an_agents_page_says_what_the_socket_says(looked, who):
    status, html = get(looked, f"agents/{who}")
    assert status == 200
    page = Page(html)
    read = documents(looked, ("member.show", {"agent_id": who}), ("token.list", {"member_id": who}))
    assert differing(page, read) == []
    assert {fact.document for fact in page.facts} >= set(read)


def test_the_list_and_the_people_say_what_the_socket_says(looked):
    asked = [("member.show", {"agent_id": who}) for who in AGENTS]
    read = documents(looked, ("member.list", {}), *asked)
    assert differing(Page(get(looked, "agents")[1]), read) == []
    for who in ("ann", *PEOPLE):
        status, html = get(looked, f"agents/{who}")
        assert status == 200
        assert differing(Page(html), documents(looked, ("member.list", {}))) == []


def test_what_was_refused_an_agent_stands_on_its_page(looked):
    refused = looked.daemon.client(None).read("refusal.list", {"actor": "checker"}).or_raise().body["refusals"]
    assert refused
    html = get(looked, "agents/checker")[1]
    shown = [given["data-value"] for _, given in Page(html).elements if "data-refusal" in given]
    assert shown == [row["code"] for row in refused]


def test_a_member_that_is_not_there_is_said_in_words(looked):
    status, html = get(looked, "agents/nobody")
    assert status == 404
    assert 'data-code="member_not_found"' in html
    assert get(looked, "agents?presence=online")[0] == 400


def test_what_an_agent_takes_is_on_its_page_with_the_next_look(looked):
    client, todo = looked.client("ann"), {"goal_id": BUSY, "todo_id": "todo_new_work"}
    client.act("todo.add", {**todo, "text": "Look once more"}).or_raise()
    before = Page(get(looked, "agents/checker")[1])
    looked.client("checker").act("todo.claim", todo).or_raise()
    after = Page(get(looked, "agents/checker")[1])
    held = [{fact.value for fact in page.facts if fact.path.endswith(".todo_id")} for page in (before, after)]
    assert held[1] - held[0] == {"todo_new_work"}
    assert differing(after, documents(looked, ("member.show", {"agent_id": "checker"}))) == []
