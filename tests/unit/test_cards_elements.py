"""Elements refuse what the platform would refuse: N is made, N + 1 raises."""

import pytest

from cards.budget import Clipper, Limits, envelope_bytes, fit, problem_of
from cards.elements import Button, Card, Columns, Form, Header, Input, Mentions, Panel, Paragraph, PersonPicker, Select
from cards.text import Copy, Moment, Words, people

TITLE = Copy("Title", "标题")


def button(**changes):
    values = {"label": TITLE, "action": "goal.confirm", "token": "t"} | changes
    return Button(**values)


def field(**changes):
    values = {"name": "reason", "label": TITLE, "placeholder": TITLE, "chars_max": 10} | changes
    return Input(**values)


def card(*parts):
    header = Header(title=TITLE, subtitle=TITLE, template="blue")
    return Card(locale="en", header=header, parts=parts, summary=TITLE)


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (lambda n: button(label=Copy("x" * n, "y")), 100),
        (lambda n: button(token="x" * n), 512),
        (lambda n: field(placeholder=Copy("x", "y" * n)), 100),
        (lambda n: field(chars_max=n), 1000),
        (lambda n: field(value=Words("x" * n)), 10),
        (lambda n: Columns(columns=((Paragraph(text=TITLE),),) * n), 5),
        (lambda n: Header(title=TITLE, subtitle=TITLE, template="blue", tags=((TITLE, "neutral"),) * n), 3),
        (lambda n: field(name="x" * n), 40),
        (lambda n: Select(name="until", placeholder=TITLE, options=(("1h", TITLE),) * n), 50),
        (lambda n: Select(name="until", placeholder=TITLE, options=(("1h", Copy("x" * n, "y")),)), 100),
        (lambda n: PersonPicker(name="person_delegate", placeholder=Copy("x" * n, "y")), 100),
        (lambda n: Mentions(open_ids=("ou_1",) * n), 20),
        (lambda n: Mentions(open_ids=("ou_" + "x" * n,)), 64),
    ],
)
def test_the_most_is_made_and_one_more_raises(make, most):
    make(most)
    with pytest.raises(ValueError):
        make(most + 1)


@pytest.mark.parametrize("name", ["", "Reason", "a b", "1st", "naïve"])
def test_parts_of_a_form_have_plain_names(name):
    with pytest.raises(ValueError):
        field(name=name)


@pytest.mark.parametrize("changes", [{"label": Copy("", "")}, {"token": ""}])
def test_a_button_has_a_label_and_a_token(changes):
    with pytest.raises(ValueError):
        button(**changes)


@pytest.mark.parametrize("forged", ["all", "ou_1></at><at id=all", "on_1", "ou_", "ou_1 ou_2"])
def test_nobody_is_named_but_by_a_persons_own_id(forged):
    with pytest.raises(ValueError):
        Mentions(open_ids=(forged,))


def test_a_form_without_a_submit_button_raises():
    with pytest.raises(ValueError):
        Form(name="proposal", parts=(field(), button()))


def test_two_parts_of_one_name_are_found():
    twice = Form(name="proposal", parts=(field(), field(), button(submits=True)))
    assert problem_of(card(twice).json()) == "two parts are named reason"


def test_a_form_inside_a_container_is_found():
    inner = Form(name="proposal", parts=(field(), button(submits=True)))
    assert problem_of(card(Panel(title=TITLE, parts=(inner,))).json()) == "a form stands only at the root"


@pytest.mark.parametrize(("levels", "problem"), [(2, None), (3, "nested too deep")])
def test_nesting_beyond_five_is_found(levels, problem):
    inner = Paragraph(text=TITLE)
    for _ in range(levels):
        inner = Columns(columns=((inner,),))
    assert problem_of(card(inner).json()) == problem


@pytest.mark.parametrize("at_ms", ["1", "1' link='http://x", 1.5, True, None])
def test_only_an_integer_becomes_markup(at_ms):
    with pytest.raises(TypeError):
        Moment(at_ms).markup()


def test_a_copy_shows_both_languages_and_leads_with_the_asked_one():
    native = {"zh_cn": "标题", "en_us": "Title"}
    assert TITLE.json("zh") == {"tag": "plain_text", "content": "标题", "i18n_content": native}
    assert TITLE.json("en") == {"tag": "plain_text", "content": "Title", "i18n_content": native}


def test_the_envelope_counts_bytes_of_the_string_inside_the_request():
    assert envelope_bytes(b'{"a":"b"}') - envelope_bytes(b"") == len('{\\"a\\":\\"b\\"}')
    assert envelope_bytes("目".encode()) - envelope_bytes(b"") == 3


def test_what_is_clipped_is_counted():
    clip = Clipper(Limits(10, 2))
    assert clip.text("x" * 10).text == "x" * 10
    assert clip.note("goal-3") == ()
    assert clip.text("x" * 13).text == "x" * 10 + " […+3]"
    assert clip.rows(("a", "b", "c")) == (("a", "b"), 1)
    assert clip.note("goal-3")[0].text.en.endswith("In full: frontstage goal show --goal-id goal-3")


def test_rows_left_out_alone_need_no_word_about_characters():
    clip = Clipper(Limits(10, 2))
    clip.rows(("a", "b", "c"))
    assert clip.note("goal-3")[0].text.en == "In full: frontstage goal show --goal-id goal-3"


def test_a_card_that_cannot_fit_raises_instead_of_being_sent():
    with pytest.raises(ValueError, match="does not fit"):
        fit(lambda _: card(*(Paragraph(text=Words("x" * 200)) for _ in range(200))))


def test_the_most_generous_fitting_limits_are_taken():
    drawn = fit(lambda clip: card(Paragraph(text=clip.text("目" * 10_000))))
    assert drawn.parts[0].text.text == "目" * 2000 + " […+8000]"


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ((), Copy("", "")),
        (("Ann",), Copy("Ann", "Ann")),
        (("a", "b", "c"), Copy("a, b, c", "a、b、c")),
        (("a", "b", "c", "d", "e"), Copy("a, b, c +2", "a、b、c +2")),
    ],
)
def test_people_beyond_three_are_counted(names, shown):
    assert people(names) == shown
