"""What the simulated platform takes as a card: for each limit N is accepted and N + 1 refused, with its code."""

import copy

import pytest

from bot.simulator.cardcheck import check_card, check_update
from bot.simulator.errors import CardRefusedError
from tests.api.simulator_helpers import button, card, div, entry, form, plain

HEADER = {"title": plain("Title"), "template": "blue"}


def refusal(built):
    with pytest.raises(CardRefusedError) as caught:
        check_card(built)
    assert caught.value.code == 230099
    assert f"ErrCode: {caught.value.sub_code};" in caught.value.msg
    return caught.value.sub_code, caught.value.where


def column_set(*elements, **more):
    return {"tag": "column_set", "columns": [{"tag": "column", "elements": list(elements)}], **more}


def nested(depth):
    inner = div()
    for _ in range(depth):
        inner = column_set(inner)
    return inner


def tags(count):
    return [{"tag": "text_tag", "text": plain(f"tag {index}"), "color": "blue"} for index in range(count)]


def select(count=2, **more):
    options = [{"text": plain(f"option {index}"), "value": f"v{index}"} for index in range(count)]
    return {"tag": "select_static", "name": "choice", "options": options, **more}


def panel(*elements, **more):
    return {"tag": "collapsible_panel", "header": {"title": plain("More")}, "elements": list(elements), **more}


def table(**more):
    return {"tag": "table", "columns": [{"name": "a", "display_name": "A", "data_type": "text"}], "rows": [], **more}


ACCEPTED = {
    "smallest": card(),
    "200 elements": card(*[div() for _ in range(100)]),
    "5 deep": card(nested(5)),
    "3 header tags": card(header={**HEADER, "text_tag_list": tags(3)}),
    "100 characters on a button": card(button("x" * 100)),
    "max_length 1": card(form(entry(max_length=1))),
    "max_length 1000": card(form(entry(max_length=1000))),
    "placeholder of 100": card(form(entry(placeholder=plain("x" * 100)))),
    "element_id of 20": card({**div(), "element_id": "a" * 20}),
    "5 tables": card(*[table() for _ in range(5)]),
    "page_size 10": card(table(page_size=10)),
    "weight 5": card(
        {"tag": "column_set", "columns": [{"tag": "column", "width": "weighted", "weight": 5, "elements": [div()]}]}
    ),
    "form in both spellings": card(form(entry(), submit=button(name="s", action_type="form_submit"))),
    "lark_md in a div": card({"tag": "div", "text": {"tag": "lark_md", "content": "**b**"}}),
    "markdown with two languages": card(
        {"tag": "markdown", "content": "a", "i18n_content": {"zh_cn": "甲", "en_us": "a"}}
    ),
    "overflow and select": card(select(), {"tag": "overflow", "options": [{"text": plain("Pause"), "value": "p"}]}),
    "panel with a border": card(panel(div(), border={"color": "grey", "corner_radius": "5px"}, expanded=True)),
    "button in a column in a form": card(form(entry(), submit=column_set(button(name="s", form_action_type="submit")))),
    "string value": card({**button(), "behaviors": [{"type": "callback", "value": "text"}]}),
    "link and callback": card(
        {
            **button(),
            "behaviors": [
                {"type": "open_url", "default_url": "https://example.com"},
                {"type": "callback", "value": {}},
            ],
        }
    ),
}


@pytest.mark.parametrize("built", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(built):
    check_card(built)


REFUSED = {
    "schema 1.0": ({**card(), "schema": "1.0"}, 200621, "/schema"),
    "no schema": ({key: value for key, value in card().items() if key != "schema"}, 200621, "/schema"),
    "update_multi false": (card(update_multi=False), 200621, "/config/update_multi"),
    "no config": ({"schema": "2.0", "body": card()["body"]}, 200621, "/config/update_multi"),
    "empty body": ({**card(), "body": {"elements": []}}, 200621, "/body/elements"),
    "unknown root property": ({**card(), "i18n_elements": {}}, 200621, "/i18n_elements"),
    "unknown config property": (card(wide_screen_mode=True), 200621, "/config/wide_screen_mode"),
    "unknown element property": (card({**div(), "colour": "red"}), 200621, "/body/elements/0/colour"),
    "unknown text property": (card(div(bold=True)), 200621, "/body/elements/0/text/bold"),
    "1.0 fields in a div": (card({**div(), "fields": []}), 200621, "/body/elements/0/fields"),
    "action": (card({"tag": "action", "actions": []}), 200861, "/body/elements/0"),
    "note": (card({"tag": "note", "elements": []}), 200861, "/body/elements/0"),
    "at": (card({"tag": "at", "user_id": "all"}), 200861, "/body/elements/0"),
    "column outside a set": (card({"tag": "column", "elements": []}), 200861, "/body/elements/0"),
    "no tag": (card({"text": plain("a")}), 200861, "/body/elements/0"),
    "201 elements": (card(*[div() for _ in range(100)], {"tag": "hr"}), 11310, "/body"),
    "6 deep": (card(nested(6)), 200621, "/body" + "/elements/0/columns/0" * 5 + "/elements/0"),
    "4 header tags": (card(header={**HEADER, "text_tag_list": tags(4)}), 200621, "/header/text_tag_list"),
    "4 header tags in one language": (
        card(header={**HEADER, "i18n_text_tag_list": {"zh_cn": tags(4)}}),
        200621,
        "/header/i18n_text_tag_list/zh_cn",
    ),
    "header without title": (card(header={"template": "blue"}), 200621, "/header/title"),
    "unknown template": (card(header={**HEADER, "template": "pink"}), 200621, "/header/template"),
    "101 characters on a button": (card(button("x" * 101)), 200621, "/body/elements/0/text/content"),
    "101 characters in one language": (
        card(button(plain("x", i18n_content={"zh_cn": "x" * 101}))),
        200621,
        "/body/elements/0/text/content",
    ),
    "markdown on a button": (
        card({**button(), "text": {"tag": "lark_md", "content": "x"}}),
        200621,
        "/body/elements/0/text/tag",
    ),
    "markdown in a placeholder": (
        card(form(entry(placeholder={"tag": "lark_md", "content": "x"}))),
        200621,
        "/body/elements/0/elements/0/placeholder/tag",
    ),
    "markdown in a confirmation": (
        card(button(confirm={"title": plain("a"), "text": {"tag": "lark_md", "content": "x"}})),
        200621,
        "/body/elements/0/confirm/text/tag",
    ),
    "confirmation without title": (card(button(confirm={"text": plain("a")})), 200621, "/body/elements/0/confirm"),
    "unknown button type": (card(button(type="huge")), 200621, "/body/elements/0/type"),
    "unknown behavior": (
        card({**button(), "behaviors": [{"type": "open_door"}]}),
        200621,
        "/body/elements/0/behaviors/0/type",
    ),
    "number as value": (
        card({**button(), "behaviors": [{"type": "callback", "value": 7}]}),
        200621,
        "/body/elements/0/behaviors/0/value",
    ),
    "max_length 0": (card(form(entry(max_length=0))), 200621, "/body/elements/0/elements/0/max_length"),
    "max_length 1001": (card(form(entry(max_length=1001))), 200621, "/body/elements/0/elements/0/max_length"),
    "form in a column": (card(column_set(form(entry()))), 200621, "/body/elements/0/columns/0/elements/0"),
    "form in a form": (card(form(form(entry()), name="g")), 200621, "/body/elements/0/elements/0"),
    "table in a panel": (card(panel(table())), 200621, "/body/elements/0/elements/0"),
    "6 tables": (card(*[table() for _ in range(6)]), 11310, "/body/elements/5"),
    "page_size 11": (card(table(page_size=11)), 200621, "/body/elements/0/page_size"),
    "nameless form": (card({**form(entry()), "name": ""}), 200530, "/body/elements/0/name"),
    "nameless input": (card(form(entry(name=""))), 200530, "/body/elements/0/elements/0/name"),
    "two inputs of one name": (card(form(entry(), entry())), 200530, "/body/elements/0/elements/1/name"),
    "two forms of one name": (
        card(form(entry("a")), form(entry("b"), submit=button(name="other", form_action_type="submit"))),
        200530,
        "/body/elements/1/name",
    ),
    "form nobody can send": (
        card(form(entry(), submit=button(name="r", form_action_type="reset"))),
        200530,
        "/body/elements/0",
    ),
    "button in a form without a type": (
        card(form(entry(), button(name="b"))),
        200621,
        "/body/elements/0/elements/1/form_action_type",
    ),
    "required outside a form": (card({**entry(), "required": True}), 200621, "/body/elements/0"),
    "no options": (card(select(0)), 200621, "/body/elements/0/options"),
    "two options of one value": (
        card(select(options=[{"text": plain(x), "value": "v"} for x in "ab"])),
        200621,
        "/body/elements/0/options",
    ),
    "unknown language": (card(div(i18n_content={"xx_xx": "a"})), 200621, "/body/elements/0/text/i18n_content"),
    "element_id of 21": (card({**div(), "element_id": "a" * 21}), 200621, "/body/elements/0"),
    "element_id from a digit": (card({**div(), "element_id": "1a"}), 200621, "/body/elements/0"),
    "element_id twice": (card({**div(), "element_id": "a"}, {**div(), "element_id": "a"}), 300301, "/body/elements/1"),
    "weight 6": (
        card({"tag": "column_set", "columns": [{"tag": "column", "weight": 6, "elements": [div()]}]}),
        200621,
        "/body/elements/0/columns/0/weight",
    ),
    "panel without title": (card(panel(div(), header={})), 200621, "/body/elements/0/header"),
    "text in place of an element": ({**card(), "body": {"elements": ["hello"]}}, 200621, "/body/elements/0"),
}


@pytest.mark.parametrize(("built", "sub_code", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(built, sub_code, where):
    found, at = refusal(copy.deepcopy(built))
    assert found == sub_code
    assert at.startswith(where)


@pytest.mark.parametrize("which", ["old", "new"])
def test_an_update_needs_both_cards_shared(which):
    cards = {"old": card(), "new": card()}
    check_update(cards["old"], cards["new"])
    cards[which] = card(update_multi=False)
    with pytest.raises(CardRefusedError, match=f"the {which} card is not shared"):
        check_update(cards["old"], cards["new"])
