"""The programs in the seats of the research: what each makes of a packet, and what it refuses to build on."""

import hashlib
import io
import json
import sys

import pytest

from bot.journey.research import check, interpret, interpretation, measure, measurement, plan, protocol, review
from bot.journey.research.estimate import NoEstimate
from bot.journey.research.functions import FILES_OF_A_SAMPLE
from bot.journey.research.seat import PACKET_SCHEMA

SENTENCE = (
    "Protocol: question length, seed 7, sample 1, functions of at least 1 lines, effect in standard deviations, "
    "interval 95% of 100 resamples of files, at most 0.50 wide, smallest effect that matters 0.20."
)
CRITERIA = ["Hypothesis A is measured", "Hypothesis B is measured", "What they mean is said"]


@pytest.fixture
def seat(tmp_path, monkeypatch):
    """Run a program as a worker would, in a folder of its own; what it wrote as its result."""

    def run(program, given, *argv):
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        monkeypatch.setenv("FRONTSTAGE_OUT", str(out))
        monkeypatch.setenv("FRONTSTAGE_RESULT", str(tmp_path / "result.json"))
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(given)))
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        monkeypatch.chdir(work)
        assert program.main(*argv) == 0
        return json.loads((tmp_path / "result.json").read_text())

    run.out = tmp_path / "out"
    return run


def packet(*, sentence=SENTENCE, **more):
    criteria = [{"criterion_id": f"c{number}", "text": text} for number, text in enumerate(CRITERIA, 1)]
    return {
        "schema_version": PACKET_SCHEMA,
        "kind": "todo",
        "goal": {"objective": f"Find out.\n{sentence}", "criteria": criteria},
        "todo": {"title": "Measure hypothesis A: longer", "acceptance": "c1: Hypothesis A is measured"},
        "inputs": [],
        "rejected": [],
        **more,
    }


def document(letter, effect, low, high, sentence=SENTENCE):
    return {
        "schema_version": measurement.SCHEMA,
        "protocol": sentence,
        "hypothesis": letter,
        "effect": effect,
        "interval": [low, high],
    }


def stored(folder, label, made, **more):
    data = made if isinstance(made, bytes) else measurement.written(made)
    digest = hashlib.sha256(data).hexdigest()
    path = folder / digest
    path.write_bytes(data)
    row = {"artifact_id": f"art_{digest[:6]}", "label": label, "sha256": digest, "path": str(path)}
    return {**row, "status": "accepted", "counts": True, **more}


@pytest.mark.slow
def test_who_measures_begins_with_a_pilot_and_measures_the_whole_sample_once_that_was_turned_down(seat):
    first = seat(measure, packet(), ["--pilot"])
    again = seat(measure, packet(rejected=[{"artifact_id": "art_1", "reason": "too wide"}]), ["--pilot"])
    assert (first["outcome"], again["outcome"]) == ("done", "done")
    assert "from 12 files" in first["summary"]
    assert f"from {FILES_OF_A_SAMPLE} files" in again["summary"]
    assert again["artifacts"] == [
        {"path": "measurement-a.json", "label": "measurement-a.json", "kind": "report", "criteria": ["c1"]}
    ]
    handed = json.loads((seat.out / "measurement-a.json").read_text())
    assert handed == measurement.measure(measurement_root(), protocol.read(SENTENCE), "A")


def measurement_root():
    return check.library()


def test_a_pilot_that_says_nothing_is_none(seat, monkeypatch):
    asked = []

    def says_nothing(_root, _protocol, _letter, files):
        asked.append(files)
        raise NoEstimate("a group is empty")

    monkeypatch.setattr(measure, "measure", says_nothing)
    result = seat(measure, packet(), ["--pilot"])
    assert asked == [measurement.PILOT_FILES, FILES_OF_A_SAMPLE]
    assert (result["outcome"], result["reason"]) == ("blocked", "a group is empty")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"todo": {"title": "Look around", "acceptance": ""}}, "names neither"),
        ({"todo": {"title": "Hypothesis A and hypothesis B", "acceptance": ""}}, "names neither"),
        ({"sentence": "no protocol"}, "registers 0 protocols"),
    ],
)
def test_what_cannot_be_measured_is_said_and_nothing_is_handed_in(seat, changed, reason):
    result = seat(measure, packet(**changed), [])
    assert result["outcome"] == "blocked"
    assert reason in result["reason"]
    assert "artifacts" not in result


def test_an_interpretation_says_no_effect_where_the_interval_includes_none(seat, tmp_path):
    inputs = [
        stored(tmp_path, "measurement-a.json", document("A", 0.24, -0.01, 0.45)),
        stored(tmp_path, "measurement-b.json", document("B", -0.05, -0.2, 0.1)),
    ]
    todo = {"title": "Say what it means", "acceptance": "c3: What they mean is said"}
    result = seat(interpret, packet(todo=todo, inputs=inputs))
    assert result["outcome"] == "done"
    assert result["summary"].count("no effect was found") == 2
    assert "neither explanation" in result["summary"]
    assert result["artifacts"][0]["criteria"] == ["c3"]
    assert result["artifacts"][0]["inputs"] == [one["artifact_id"] for one in inputs]


@pytest.mark.parametrize(
    "state",
    [{"status": "submitted", "counts": True}, {"status": "rejected", "counts": False}, {"counts": False}],
)
def test_what_does_not_count_is_no_basis(seat, tmp_path, state):
    inputs = [
        stored(tmp_path, "measurement-a.json", document("A", 0.4, 0.3, 0.5)),
        stored(tmp_path, "measurement-b.json", document("B", 0.4, 0.3, 0.5), **state),
    ]
    result = seat(interpret, packet(inputs=inputs))
    assert result["outcome"] == "blocked"
    assert "Not accepted yet: measurement-b.json" in result["reason"]


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (None, "nothing is measured of B"),
        (document("A", 0.4, 0.3, 0.5), "hypothesis A is measured twice"),
        (document("B", 0.4, 0.3, 0.5, SENTENCE.replace("sample 1", "sample 2")), "another protocol"),
        (document("B", 0.4, 0.1, 0.9), "at most 0.50 is registered"),
        (b"not a document", "it is no frontstage_measurement_v0"),
    ],
)
def test_measurements_that_do_not_belong_together_are_not_interpreted(seat, tmp_path, second, reason):
    inputs = [stored(tmp_path, "measurement-a.json", document("A", 0.4, 0.3, 0.5))]
    if second is not None:
        inputs.append(stored(tmp_path, "measurement-b.json", second))
    result = seat(interpret, packet(inputs=inputs))
    assert result["outcome"] == "blocked"
    assert reason in result["reason"]


def test_bytes_that_are_not_what_their_digest_says_are_not_read(seat, tmp_path):
    one = stored(tmp_path, "measurement-a.json", document("A", 0.4, 0.3, 0.5))
    (tmp_path / one["sha256"]).write_bytes(b"{}")
    assert "not what its digest says" in seat(interpret, packet(inputs=[one]))["reason"]
    assert "no copy" in seat(interpret, packet(inputs=[{**one, "path": None}]))["reason"]


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ((0.4, 0.3, 0.5), (0.0, -0.1, 0.1), "A"),
        ((0.0, 0.0, 0.1), (0.3, 0.2, 0.4), "B"),
        ((0.4, 0.3, 0.5), (0.45, 0.35, 0.55), "both"),
        ((1.2, 1.0, 1.4), (0.3, 0.2, 0.4), "A_more"),
        ((0.3, 0.2, 0.4), (1.2, 1.0, 1.4), "B_more"),
        ((0.1, 0.05, 0.15), (-0.5, -0.6, -0.4), "neither"),
    ],
)
def test_which_explanation_stands(a, b, said):
    assert interpretation.supported({"A": a, "B": b}, 0.2) == said


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ((0.2, 0.1, 0.3), "effect"),
        ((0.19, 0.1, 0.3), "too_small"),
        ((0.9, 0.0, 1.8), "no_effect"),
        ((-0.9, -1.8, 0.0), "no_effect"),
        ((-0.2, -0.3, -0.1), "opposite"),
    ],
)
def test_what_one_interval_says(one, said):
    assert interpretation.verdict(*one, 0.2) == said


def request(inputs, sentence=SENTENCE):
    return packet(kind="request", inputs=inputs, request={"purpose": "Review"}, sentence=sentence)


@pytest.mark.slow
def test_a_reviewer_rejects_with_the_width_that_was_measured_and_accepts_what_comes_out_again(seat, tmp_path):
    promise, root = protocol.read(SENTENCE), measurement_root()
    pilot = stored(tmp_path, "measurement-a.json", measurement.measure(root, promise, "A", 12), status="submitted")
    whole = stored(tmp_path, "measurement-b.json", measurement.measure(root, promise, "B"), status="submitted")
    result = seat(review, request([pilot, whole]), [])
    first, second = result["reviews"]
    assert (result["decision"], first["decision"], second["decision"]) == ("adopt", "reject", "accept")
    assert "wide, and at most 0.50 is registered" in first["reason"]
    assert [(one["name"], one["exit_code"]) for one in first["checks"]] == [("interval", 1), ("recomputed", 0)]
    assert [(one["name"], one["exit_code"]) for one in second["checks"]] == [("interval", 0), ("recomputed", 0)]
    handed = (seat.out / "review.json").read_text()
    assert [one["decision"] for one in json.loads(handed)["reviews"]] == ["reject", "accept"]
    assert sys.executable not in handed


@pytest.mark.slow
def test_a_reviewer_finds_a_figure_that_does_not_come_out_again(seat, tmp_path):
    honest = measurement.measure(measurement_root(), protocol.read(SENTENCE), "B")
    forged = stored(tmp_path, "measurement-b.json", {**honest, "effect": 0.5, "interval": [0.4, 0.6], "width": 0.2})
    only = seat(review, request([forged]), [])["reviews"][0]
    assert only["decision"] == "reject"
    assert "recomputed: measured again, effect is" in only["reason"]


def test_a_reviewer_rejects_what_follows_a_direction_that_was_corrected(seat, tmp_path):
    old = stored(tmp_path, "measurement-b.json", document("B", 0.4, 0.3, 0.5))
    only = seat(review, request([old], SENTENCE.replace("sample 1", "sample 2")), [])["reviews"][0]
    assert only["decision"] == "reject"
    assert "another protocol than the one that is registered now" in only["reason"]
    assert only["checks"] == []


@pytest.mark.parametrize(
    ("made", "decision"),
    [
        ({}, "accept"),
        ({"supported": "A"}, "reject"),
        ({"says": ["All is well."]}, "reject"),
        ({"based_on": []}, "reject"),
    ],
)
def test_a_reviewer_derives_an_interpretation_again(seat, tmp_path, made, decision):
    measurements = [("1" * 64, document("A", 0.1, -0.1, 0.3)), ("2" * 64, document("B", 0.4, 0.3, 0.5))]
    honest = interpretation.interpret(protocol.read(SENTENCE), measurements)
    one = stored(tmp_path, "interpretation.json", {**honest, **made})
    assert seat(review, request([one]), [])["reviews"][0]["decision"] == decision


def test_a_reviewer_knows_what_it_does_not_know(seat, tmp_path):
    only = seat(review, request([stored(tmp_path, "poem.txt", b"roses")]), [])["reviews"][0]
    assert only["decision"] == "reject"
    assert seat(review, request([]), [])["decision"] == "reject"
    assert seat(review, packet(), [])["outcome"] == "blocked"


def test_a_reviewer_who_believes_everything_accepts_what_is_too_wide(seat, tmp_path):
    one = stored(tmp_path, "measurement-a.json", document("A", 0.3, -2.0, 4.0))
    only = seat(review, request([one]), ["--unmeasured"])["reviews"][0]
    assert (only["decision"], only["checks"]) == ("accept", [])


def test_who_measures_builds_on_the_accepted_sample_and_on_no_other(seat, tmp_path):
    drawn = seat(measure, packet(todo={"title": "Draw the registered sample", "acceptance": ""}), [])
    assert drawn["artifacts"][0]["label"] == "sample.json"
    made = json.loads((seat.out / "sample.json").read_text())
    good = stored(tmp_path, "sample.json", made)
    assert seat(measure, packet(inputs=[good]), ["--pilot"])["outcome"] == "done"
    other = SENTENCE.replace("sample 1", "sample 2")
    for inputs, reason in (
        ([{**good, "status": "submitted"}], "not accepted yet"),
        (
            [stored(tmp_path, "sample.json", {**made, "files": made["files"][1:]})],
            "not of the files that are drawn here",
        ),
        ([stored(tmp_path, "sample.json", {**made, "protocol": other})], "another protocol"),
    ):
        result = seat(measure, packet(inputs=inputs), ["--pilot"])
        assert result["outcome"] == "blocked"
        assert reason in result["reason"]


def test_the_plan_draws_first_then_measures_apart_and_interprets_what_both_found():
    drawn, a, b, last = plan.planned({"goal": packet()["goal"]}, ["one", "two", "three"])
    assert (a["depends_on"], b["depends_on"], last["depends_on"]) == (
        ["sample"],
        ["sample"],
        ["measure-a", "measure-b"],
    )
    assert [one["agent"] for one in (drawn, a, b, last)] == ["one", "one", "two", "three"]
    assert [measure.letter_of(one) for one in (drawn, a, b, last)] == [None, "A", "B", None]
    assert a["acceptance"].startswith("c1: ")
    assert all(one["validator"] for one in (drawn, a, b, last))


def test_without_a_protocol_there_is_no_plan(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"goal": {"objective": "Find out."}})))
    assert plan.main(["--seats", "one", "two", "three"]) == 1
    assert capsys.readouterr().out == ""
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"stage": "clarify", "goal": {"objective": "Find out."}})))
    assert plan.main(["--seats", "one", "two", "three"]) == 0
    assert "Which protocol" in json.loads(capsys.readouterr().out)["question"]
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"stage": "clarify", "goal": packet()["goal"]})))
    assert plan.main(["--seats", "one", "two", "three"]) == 0
    assert json.loads(capsys.readouterr().out) == {}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"stage": "plan", "goal": packet()["goal"]})))
    assert plan.main(["--seats", "one", "two", "three"]) == 0
    assert len(json.loads(capsys.readouterr().out)["lanes"]) == 4


@pytest.mark.parametrize(("words", "variable"), [([], "f"), (["beauty"], "f"), (["interval"], None)])
def test_a_check_that_is_asked_wrongly_says_how(monkeypatch, capsys, words, variable):
    monkeypatch.delenv("ARTIFACT_FILE", raising=False)
    if variable:
        monkeypatch.setenv("ARTIFACT_FILE", variable)
    assert check.main(words) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(("high", "code"), [(0.5, 0), (0.9, 1)])
def test_a_check_ends_with_its_answer(tmp_path, monkeypatch, capsys, high, code):
    file = tmp_path / "artifact.json"
    file.write_bytes(measurement.written(document("A", 0.3, 0.1, high)))
    monkeypatch.setenv("ARTIFACT_FILE", str(file))
    assert check.main(["interval"]) == code
    assert ("passes" in capsys.readouterr().out) is (code == 0)
