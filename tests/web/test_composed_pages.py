"""Every write that people have can be composed: its page is drawn in both languages, with all fields of its command."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from html import unescape

from daemon.cli.catalogue import ACTIONS as COMMANDS
from daemon.web.composing import GROUPS, PRIVATE, drawn, fields_of, offered, rest
from ledger.catalogue import ACTIONS

FIELD = re.compile(r'data-field="([a-z_0-9]+)"')


def read(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_every_action_of_people_is_offered_once_and_agents_own_are_not():
    grouped = [name for names in GROUPS.values() for name in names] + list(rest())
    assert sorted(grouped) == sorted(offered())
    assert {"todo.claim", "quota.spend-slot", "goal.show"}.isdisjoint(offered())


def test_every_page_has_the_fields_of_its_command(looked):
    for name in offered():
        noun, _, verb = name.partition(".")
        expected = set(COMMANDS[noun][verb]["parameters"]) - {ACTIONS[name].mints}
        for lang in ("en", "zh"):
            status, page = read(f"{looked.url}compose?action={name}&goal_id=handbook&lang={lang}")
            assert status == 200, (name, page)
            missing = expected - set(FIELD.findall(page))
            assert missing <= (PRIVATE if ACTIONS[name].takes_code else set()), name
            assert "<form" not in page.split("<main")[1]


def test_without_a_script_the_line_says_what_is_known_and_what_is_still_needed(looked):
    _, page = read(f"{looked.url}compose?action=gate.reject&goal_id=handbook&gate_id=gate_list&reason=it%27s+late")
    basis = looked.client().read("gate.show", {"goal_id": "handbook", "gate_id": "gate_list"}).body["basis"]
    shown = unescape(re.search(r'<code id="line"[^>]*>([^<]*)<', page)[1])
    assert shown.startswith("frontstage gate reject --goal-id=handbook --gate-id=gate_list ")
    assert f"--basis={basis}" in shown
    assert "it'\"'\"'s late" in shown
    other = f"/{looked.key}/compose?action=gate.approve&goal_id=handbook&gate_id=gate_list"
    assert f'href="{other}"' in unescape(page), "another answer is one click away"
    assert drawn("goal.pause", fields_of("goal.pause", "en", {})) == "frontstage goal pause --goal-id <goal-id>"


def test_several_values_in_an_address_are_ticked_and_are_several_in_the_line(looked):
    _, page = read(f"{looked.url}compose?action=member.invite&role=owner%0Aviewer")
    assert re.findall(r'value="(\w+)" checked', page) == ["owner", "viewer"]
    shown = unescape(re.search(r'<code id="line"[^>]*>([^<]*)<', page)[1])
    assert "--role=owner --role=viewer" in shown


def test_a_goal_leads_to_the_lines_about_it(looked):
    _, goal = read(f"{looked.url}goals/handbook")
    assert f'href="/{looked.key}/compose?goal_id=handbook"' in goal
    _, page = read(f"{looked.url}compose?goal_id=handbook")
    assert f'href="/{looked.key}/compose?action=goal.pause&goal_id=handbook"' in unescape(page)


def test_a_past_state_and_a_stale_basis_are_no_basis(looked):
    _, page = read(f"{looked.url}compose?action=goal.pause&goal_id=handbook&at=100")
    assert 'id="f-basis" type="text" autocomplete="off" spellcheck="false" value=""' in page
    assert "data-past" in page
    stale = "b1:" + "0" * 32
    _, page = read(f"{looked.url}compose?action=goal.pause&goal_id=handbook&basis={stale}")
    assert re.search(r'id="moved" role="alert">', page)
    bases = json.loads(unescape(re.search(r"data-bases='([^']*)'", page)[1]))
    assert bases["handbook"] != stale


def test_what_cannot_be_composed_is_refused(looked):
    for query in ("action=goal.show", "action=todo.claim", "action=no.such", "action=goal.pause&goal_id=nowhere"):
        assert read(f"{looked.url}compose?{query}")[0] == 404, query
    for path in (
        "compose?action=goal.pause&goal_id=<script>",
        f"compose?action=goal.pause&goal_id={'x' * 400}",
        "?after=<>",
    ):
        status, page = read(looked.url + urllib.parse.quote(path, safe="=&?"))
        assert status == 400, path
        assert "<script>" not in page.split("<main")[1]
