"""Refusals of who asks for the page, in order of precedence."""

from enum import StrEnum


class PageRefusal(StrEnum):
    """Why the page was not opened, or not closed for good."""

    PAGE_PORT_TAKEN = "page_port_taken"
    PAGE_NOT_KEPT = "page_not_kept"
