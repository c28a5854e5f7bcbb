"""Measuring with known truth: an effect is found where there is one, none where there is none, and twice the same."""

import json
import random
import textwrap
from dataclasses import replace

import pytest

from bot.journey.research import functions, measurement, protocol
from bot.journey.research.estimate import NoEstimate, effect_of, estimate, sums_of
from bot.journey.research.functions import Function, Sample
from bot.journey.research.questions import QUESTIONS

SENTENCE = (
    "Protocol: question length, seed 7, sample 1, functions of at least 1 lines, effect in standard deviations, "
    "interval 95% of 200 resamples of files, at most 0.50 wide, smallest effect that matters 0.20."
)


def made(name="f", *, body_lines=4, documented=False, first_line=1):
    return Function(
        name=name,
        first_line=first_line,
        place=0.1,
        body_lines=body_lines,
        documented=documented,
        in_class=False,
        arguments=1,
        nesting=0,
        choices=0,
        raises=False,
    )


def library_of(files, *, documented_lines, seed):
    """A made-up library: ten functions a file, half of them documented, so much longer on average."""
    dice = random.Random(seed)
    return Sample(
        tuple(
            tuple(
                made(
                    body_lines=max(1, round(dice.gauss(documented_lines if number % 2 else 20, 6))),
                    documented=bool(number % 2),
                )
                for number in range(10)
            )
            for _ in range(files)
        ),
        "0" * 64,
    )


def measured_a(sample):
    return measurement.measured(sample, protocol.read(SENTENCE), "A")


@pytest.mark.parametrize("seed", range(5))
def test_an_effect_is_found_where_there_is_one(seed):
    found = measured_a(library_of(80, documented_lines=30, seed=seed))
    low, high = found["interval"]
    assert low > 0.2
    assert low < found["effect"] < high


@pytest.mark.parametrize("seed", range(5))
def test_an_effect_the_other_way_has_the_other_sign(seed):
    found = measured_a(library_of(80, documented_lines=12, seed=seed))
    assert found["interval"][1] < -0.2


def test_an_interval_of_95_percent_leaves_out_nothing_in_about_one_of_twenty():
    left_out = 0
    for seed in range(60):
        low, high = measured_a(library_of(40, documented_lines=20, seed=seed))["interval"]
        left_out += not low <= 0 <= high
    assert left_out <= 9


def test_more_files_give_a_narrower_interval():
    few = measured_a(library_of(8, documented_lines=25, seed=1))
    many = measured_a(library_of(128, documented_lines=25, seed=1))
    assert many["width"] < few["width"] / 2


def test_the_effect_is_the_difference_of_the_means_in_standard_deviations():
    file = [made(body_lines=one, documented=one > 5) for one in (6, 8, 10, 1, 3, 5)]
    sums = sums_of(file, lambda one: one.body_lines, lambda one: one.documented)
    assert effect_of([sums]) == pytest.approx(5 / 2)


@pytest.mark.parametrize(
    "files",
    [[], [[made()] * 3], [[made(documented=True), made()]], [[made(documented=True)] * 2 + [made()] * 2]],
    ids=["nothing", "one-group", "one-each", "no-variance"],
)
def test_data_that_say_nothing_give_no_estimate(files):
    sums = [sums_of(file, lambda one: one.body_lines, lambda one: one.documented) for file in files]
    with pytest.raises(NoEstimate):
        estimate(sums, resamples=50, seed="x")


def test_one_file_with_both_groups_among_many_without_is_no_basis_for_an_interval():
    both = [made(body_lines=n, documented=n % 2 == 0) for n in range(1, 9)]
    sums = [
        sums_of(file, lambda one: one.body_lines, lambda one: one.documented) for file in [both] + [[made()] * 3] * 9
    ]
    with pytest.raises(NoEstimate):
        estimate(sums, resamples=200, seed="x")


def test_a_file_is_drawn_again_as_a_whole():
    """Copies of a function in one file are no new evidence: an interval over functions would take them for it."""
    sample = library_of(20, documented_lines=25, seed=3)
    copied = Sample(tuple(file * 10 for file in sample.files), sample.sha256)
    assert measured_a(copied)["width"] > 0.9 * measured_a(sample)["width"]


def test_the_docstring_is_no_part_of_the_body_and_inner_functions_count_for_themselves():
    source = textwrap.dedent('''
        class Box:
            def put(self, thing, *, twice=False):
                """Put it.

                Long words.
                """
                if twice:
                    for one in (1, 2):
                        self.thing = thing
                def inner():
                    while True:
                        raise ValueError
                return inner

        async def alone():
            pass
    ''').encode()
    put, inner, alone = sorted(functions.functions_of(source), key=lambda one: one.first_line)
    assert (put.name, put.documented, put.in_class, put.arguments) == ("put", True, True, 2)
    assert (put.body_lines, put.nesting, put.choices, put.raises) == (7, 2, 2, False)
    assert (inner.nesting, inner.choices, inner.raises, inner.in_class) == (1, 1, True, False)
    assert (alone.name, alone.body_lines, alone.documented) == ("alone", 1, False)


@pytest.mark.parametrize("source", [b"def broken(:\n", b"\0", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_as_source_has_no_functions(source):
    assert list(functions.functions_of(source)) == []


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A library of forty small files, of which a sample takes twenty."""
    monkeypatch.setattr(functions, "FILES_OF_A_SAMPLE", 20)
    for number in range(40):
        body = "\n".join(f"    x{line} = {line}" for line in range(1 + number % 5))
        documented = f'def one():\n    """Says."""\n{body}\n    y = 1\n'
        (tmp_path / f"m{number:02}.py").write_text(f"{documented}\ndef two():\n{body}\n\ndef three():\n    pass\n")
    return tmp_path


def test_two_samples_of_a_seed_share_no_file_and_a_seed_draws_its_own(shelf):
    first, second, other = (functions.draw(shelf, seed, number) for seed, number in ((7, 1), (7, 2), (8, 1)))
    assert len(first.files) == len(second.files) == 20
    assert len({first.sha256, second.sha256, other.sha256}) == 3
    assert first == functions.draw(shelf, 7, 1)
    by_name = sorted(path.read_bytes() for path in shelf.iterdir())
    assert sum(first.functions for _ in by_name[:1]) + second.functions == 40 * 3


def test_a_library_with_too_few_files_is_refused_with_the_figures(shelf):
    (shelf / "m00.py").unlink()
    with pytest.raises(functions.NoData, match="39 source files here, and 40 are needed"):
        functions.draw(shelf, 7, 1)


def test_what_is_left_out_is_not_drawn(shelf):
    (shelf / "test").mkdir()
    (shelf / "test" / "test_it.py").write_text("def t():\n    pass\n")
    (shelf / "empty.py").write_text("")
    assert len(functions.source_files(shelf)) == 40


def test_a_measurement_made_again_is_the_same_to_the_digit_and_a_changed_one_is_told(shelf):
    promise = protocol.read(SENTENCE)
    document = measurement.measure(shelf, promise, "A", 20)
    assert measurement.again(shelf, json.loads(measurement.written(document))) == document
    forged = {**document, "effect": document["effect"] + 0.000001}
    told = measurement.different(forged, measurement.again(shelf, forged))
    assert told.startswith("measured again, effect is")
    (shelf / "m03.py").write_text("def other():\n    return 1\n")
    assert measurement.different(document, measurement.again(shelf, document))


@pytest.mark.parametrize(
    "change",
    [
        {"data": {"files": 0}},
        {"data": {"files": 10**9}},
        {"data": {"files": True}},
        {"data": None},
        {"hypothesis": "C"},
    ],
)
def test_a_document_that_cannot_be_measured_again_is_no_measurement(shelf, change):
    document = measurement.measure(shelf, protocol.read(SENTENCE), "A", 5)
    with pytest.raises(measurement.NotAMeasurement):
        measurement.again(shelf, {**document, **change})


@pytest.mark.parametrize(
    ("interval", "told"),
    [([0.0, 0.5], ""), ([0.0, 0.51], "the interval is 0.51 wide, and at most 0.50 is registered")],
)
def test_the_width_that_is_registered_is_the_bound(interval, told):
    document = {"protocol": SENTENCE, "effect": 0.2, "interval": interval}
    assert measurement.too_wide(document) == told


@pytest.mark.parametrize("interval", [None, [], [0.1], [0.2, 0.1], ["0", "1"], [True, False], [0.1, 0.2, 0.3]])
def test_an_interval_is_two_ends_in_order(interval):
    with pytest.raises(measurement.NotAMeasurement):
        measurement.interval_of({"effect": 0.1, "interval": interval})


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"schema_version": "other"}', b" " * 70_000, b"[" * 50_000])
def test_bytes_that_are_no_measurement_are_told(data):
    with pytest.raises(measurement.NotAMeasurement):
        measurement.parsed(data, measurement.SCHEMA)


def test_the_sentence_reads_as_it_was_written_also_where_a_form_broke_its_lines():
    promise = protocol.read(SENTENCE)
    assert promise.sentence == SENTENCE
    assert protocol.read("Find out.\n" + SENTENCE.replace(", ", ",\n ")) == promise
    assert replace(promise, sample=2).sentence == SENTENCE.replace("sample 1", "sample 2")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Find out.", "0 protocols"),
        (SENTENCE + SENTENCE, "2 protocols"),
        (SENTENCE.replace("sample 1", "sample 3"), "0 protocols"),
        (SENTENCE.replace("length", "beauty"), "no question beauty"),
        (SENTENCE.replace("seed 7", "seed 9999999999"), "beyond"),
        (SENTENCE.replace("200 resamples", "99999 resamples"), "beyond"),
    ],
)
def test_what_is_not_one_protocol_within_bounds_is_refused(text, told):
    with pytest.raises(protocol.NotRegistered, match=told):
        protocol.read(text)


def test_the_seed_draws_the_question():
    first = [protocol.candidates(seed)[0].question.name for seed in range(60)]
    assert set(first) == set(QUESTIONS)
    assert first == [protocol.candidates(seed)[0].question.name for seed in range(60)]
    for seed in range(60):
        assert protocol.read(protocol.candidates(seed)[0].sentence) == protocol.candidates(seed)[0]


@pytest.mark.parametrize("seed", range(1, 6))
def test_on_the_real_library_a_pilot_leaves_the_drawn_question_open(seed):
    promise = measurement.drawn(functions.library(), seed, lines_min=3)
    for lines_min in (1, 3):
        asked = replace(promise, lines_min=lines_min)
        pilot = measurement.measure(functions.library(), asked, "A", measurement.PILOT_FILES)
        assert "wide, and at most" in measurement.too_wide(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 13))
def test_on_the_real_library_a_whole_sample_answers_it_before_and_after_the_correction(seed):
    promise = measurement.drawn(functions.library(), seed, lines_min=3)
    for sample, lines_min in ((1, 1), (1, 3), (2, 3)):
        asked = replace(promise, sample=sample, lines_min=lines_min)
        drawn = functions.draw(functions.library(), seed, sample)
        for letter in "AB":
            assert measurement.too_wide(measurement.measured(drawn, asked, letter)) == ""
