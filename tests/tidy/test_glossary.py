"""One word per thing: what the glossary says is not used for a thing is not used for it anywhere people read."""

import re
from typing import get_args

from babel.messages.pofile import read_po

from daemon.agents.steward_words import LANGUAGES
from ledger.records import GoalState
from ledger.refusals import Outcome, RefusalClass
from tests.tidy.sources import ROOT, documents, shown

GLOSSARY = ROOT / "docs" / "glossary.md"
ROW = re.compile(r"^\| (?P<word>[^|]+) \| (?P<meaning>[^|]+) \|(?P<instead>[^|]*)\|$", re.MULTILINE)


def rows():
    found = [row for row in ROW.finditer(GLOSSARY.read_text(encoding="utf-8")) if row["word"] not in {"Word", "---"}]
    assert len(found) > 40
    return found


def avoided():
    """Every word that stands for something else, with the word that is used."""
    return {other.strip(): row["word"] for row in rows() for other in row["instead"].split(",") if other.strip()}


def sentences():
    """What people read: documents and message catalogues, in English."""
    for path in documents():
        if path != GLOSSARY:
            yield shown(path), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "ledger" / "text" / "locale" / "en").rglob("*.po")):
        with path.open("rb") as file:
            yield from ((f"{path.name}: {message.id}", message.string) for message in read_po(file) if message.id)


def test_a_thing_goes_by_one_name():
    patterns = {word: re.compile(rf"\b{re.escape(word)}s?\b", re.IGNORECASE) for word in avoided()}
    found = [
        f"{where}: {word!r} instead of {avoided()[word]!r}"
        for where, text in sentences()
        for word, pattern in patterns.items()
        if pattern.search(text)
    ]
    assert found == []


def chinese():
    """What is kept out of the Chinese texts, with the word that is used."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in _lines() if line.count("|") == 5]
    found = {other.strip(): row[1] for row in rows[2:] for other in row[3].split(",")}
    assert len(found) > 5
    return found


def _lines():
    return GLOSSARY.read_text(encoding="utf-8").partition("## In Chinese")[2].splitlines()


def test_a_thing_goes_by_one_name_in_chinese_too():
    texts = {shown(path): path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "zh").glob("*.md")}
    for path in (ROOT / "ledger" / "text" / "locale" / "zh").rglob("*.po"):
        with path.open("rb") as file:
            texts |= {f"{path.name}: {message.id}": message.string for message in read_po(file) if message.id}
    texts |= {f"the steward: {key}": text for key, text in LANGUAGES["zh"].items()}
    found = [
        f"{where}: {word!r} instead of {used!r}"
        for where, text in texts.items()
        for word, used in chinese().items()
        if word in text
    ]
    assert found == []


def test_no_word_is_explained_twice_or_avoided_and_used():
    words = [row["word"] for row in rows()]
    assert len(words) == len(set(words))
    assert set(words) & set(avoided()) == set()


def test_the_glossary_names_what_is_closed():
    text = GLOSSARY.read_text(encoding="utf-8")
    assert [outcome for outcome in get_args(Outcome) if outcome not in text] == []


def test_states_and_classes_are_single_words_of_the_wire():
    names = (*get_args(GoalState), *RefusalClass)
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)] == []
