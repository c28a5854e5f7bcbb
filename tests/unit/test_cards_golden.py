"""Every state of every card, as it is sent.

`UPDATE_GOLDENS=1 pytest tests/unit/test_cards_golden.py` draws them anew.
"""

import os
from pathlib import Path

import orjson
import pytest

from bot.simulator.cardcheck import check_card
from bot.simulator.mentions import of_card
from cards.draw import draw, encode
from tests.golden.card_views import NOW_MS, SAMPLES

FOLDER = Path(__file__).parents[1] / "golden" / "cards"
UPDATE = os.environ.get("UPDATE_GOLDENS") == "1"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_card_is_drawn_as_it_was(name):
    drawn = orjson.loads(encode(draw(SAMPLES[name], locale="en", now_ms=NOW_MS)))
    file = FOLDER / f"{name}.json"
    if UPDATE:
        file.write_bytes(orjson.dumps(drawn, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    assert drawn == orjson.loads(file.read_bytes())


@pytest.mark.parametrize("name", SAMPLES)
def test_the_simulated_platform_takes_the_card_and_finds_no_mention(name):
    golden = orjson.loads((FOLDER / f"{name}.json").read_bytes())
    check_card(golden)
    assert of_card(golden) == []


def led_by(node, language):
    """The same card as drawn for another language: every two-language text leads with it."""
    if isinstance(node, list):
        return [led_by(item, language) for item in node]
    if not isinstance(node, dict):
        return node
    turned = {key: led_by(value, language) for key, value in node.items()}
    if "i18n_content" in node:
        turned["content"] = node["i18n_content"][language]
    return turned


@pytest.mark.parametrize("name", SAMPLES)
def test_the_chinese_card_is_the_same_card_led_by_chinese(name):
    golden = orjson.loads((FOLDER / f"{name}.json").read_bytes())
    assert led_by(golden, "en_us") == golden
    assert orjson.loads(encode(draw(SAMPLES[name], locale="zh", now_ms=NOW_MS))) == led_by(golden, "zh_cn")


def test_there_is_no_golden_without_a_card():
    assert {file.stem for file in FOLDER.glob("*.json")} == set(SAMPLES)
