"""Every limit that the platform documents and this simulator keeps, in one place.

A bot that is tested against a platform which allows too much learns the limits from its users. So each number here is
one that the validators use, and a test takes every one of them to the limit, where it must be accepted, and one beyond,
where it must be refused with the platform's code. Sizes are bytes, times are milliseconds.
"""

from typing import Final

_MINUTE_MS: Final = 60_000
_HOUR_MS: Final = 60 * _MINUTE_MS
_DAY_MS: Final = 24 * _HOUR_MS

# Messages.
CARD_BYTES_MAX: Final = 30 * 1024  # of the serialised request
TEXT_BYTES_MAX: Final = 150 * 1024
UUID_CHARS_MAX: Final = 50
UUID_LIFE_MS: Final = _HOUR_MS
PATCH_LIFE_MS: Final = 14 * _DAY_MS
PRESS_LIFE_MS: Final = 14 * _DAY_MS
RECALL_LIFE_MS: Final = _DAY_MS
MEMBERS_PAGE_MAX: Final = 100
MESSAGES_PAGE_MAX: Final = 50

# Cards.
ELEMENTS_MAX: Final = 200
NESTING_MAX: Final = 5
TABLES_MAX: Final = 5
TABLE_COLUMNS_MAX: Final = 50
TABLE_PAGE_ROWS_MAX: Final = 10
MARKDOWN_TABLES_MAX: Final = 4
CHARTS_MAX: Final = 5
HEADER_TAGS_MAX: Final = 3
LABEL_CHARS_MAX: Final = 100
INPUT_CHARS_MAX: Final = 1000
OPTIONS_MAX: Final = 100
ELEMENT_ID_CHARS_MAX: Final = 20
COLUMN_WEIGHT_MAX: Final = 5

# Calls.
CALLS_PER_SECOND_MAX: Final = 50  # of one app to one endpoint
CALLS_PER_MINUTE_MAX: Final = 1000
CALLS_PER_CHAT_MAX: Final = 5  # a second, of all bots together
CALLS_PER_PERSON_MAX: Final = 5  # a second, in the direct chat
CALLS_PER_MESSAGE_MAX: Final = 5  # a second
TOKEN_LIFE_MS: Final = 2 * _HOUR_MS
TOKEN_RENEW_BELOW_MS: Final = 30 * _MINUTE_MS

# Callbacks and events.
ACK_WITHIN_MS: Final = 3_000
REPUSH_AFTER_MS: Final = (15_000, 5 * _MINUTE_MS, _HOUR_MS, 6 * _HOUR_MS)
UPDATE_TOKEN_LIFE_MS: Final = 30 * _MINUTE_MS
UPDATE_TOKEN_USES_MAX: Final = 2
CONNECTIONS_MAX: Final = 50  # of one app
