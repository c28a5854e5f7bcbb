"""The page of the API lists the routes there are, and each status that a refusal can have."""

import re

from ledger.refusals import STATUS
from tests.docs.api_page import PAGE, table, with_table


def test_the_table_of_routes_is_what_the_description_says():
    text = PAGE.read_text(encoding="utf-8")
    assert with_table(text) == text
    assert len(table().splitlines()) > 10


def test_every_status_of_a_refusal_is_explained():
    rows = re.findall(r"^\| ([0-9, ]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {int(status) for row in rows for status in row.split(",")}
    assert listed == {status.http_status for status in STATUS.values()}
