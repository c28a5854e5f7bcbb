"""Languages as the platform names them; one card carries both, and the reader's client picks."""

from ledger.text.say import Locale

LANGUAGE_TAGS: tuple[tuple[Locale, str], ...] = (("zh", "zh_cn"), ("en", "en_us"))
