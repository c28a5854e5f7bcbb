"""What a status says of the way to Lark: nothing while no bot is meant to run, and nothing good that was not proved."""

import pytest

from daemon.api.meta import BOT_SILENT_MS_MAX, Meta


class Service:
    """A clock is all that is looked at."""

    def __init__(self):
        self.clock, self.ms = self, 1_000_000

    def now_ms(self):
        return self.ms


def line(bot, *, age_ms=0, locale="en"):
    service = Service()
    meta = Meta(service, 0)
    meta.bot, meta.bot_seen_ms = bot, service.ms - age_ms
    return meta.channel_line(locale)


@pytest.mark.parametrize(
    ("bot", "age_ms", "words"),
    [
        (None, 0, ""),
        ({"qualification": "qualified"}, 0, ""),
        ({"qualification": "unqualified"}, 0, "unqualified"),
        ({"qualification": "not_ready"}, 0, "not ready"),
        ({"qualification": "qualified"}, BOT_SILENT_MS_MAX + 1, "half a minute"),
        ({"qualification": "fatal", "fatal": "the other domain"}, 0, "Lark: the other domain"),
        ({"qualification": "qualified", "send_fault": "the token"}, 0, "Lark: the token"),
        ({}, 0, ""),
    ],
)
def test_each_state_has_its_line(bot, age_ms, words):
    said = line(bot, age_ms=age_ms)
    assert words in said
    assert bool(said) is bool(words)
    assert bool(line(bot, age_ms=age_ms, locale="zh")) is bool(words)
