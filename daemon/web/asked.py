"""What a reader asks of the page: a place in it, a language, an appearance, a moment. All of it is in the address.

There are no cookies: what a reader chose is carried from one address to the next, so that a link says everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args
from urllib.parse import quote, urlencode

from ledger.refusals import GeneralRefusal, Refusal
from ledger.rules.common import refuse
from ledger.text.say import LOCALES, Locale

Theme = Literal["light", "dark"]
CARRIED = ("lang", "theme", "at")
"""What a link takes along unless it says otherwise."""
SEQ_DIGITS_MAX = 16
VALUE_CHARS_MAX = 500
VALUES_MAX = 24


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request for a page, parsed."""

    base: str
    """What every address of this page begins with: `/` and its key."""
    path: str
    """Below the base, without a slash at its beginning."""
    locale: Locale = "en"
    theme: Theme | None = None
    at: int | None = None
    """The seq as of which the page is wanted; None for now."""
    chosen: Mapping[str, str] = field(default_factory=dict)
    """What of `CARRIED` the address says."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Everything else that it says."""

    def url(self, path: str, /, **changed: object) -> str:
        """The address of a page of ours, with what the reader chose; None takes a choice back."""
        said = {**self.chosen, **changed}
        words = {name: str(value) for name, value in said.items() if value is not None and value != ""}
        return f"{self.base}/{quote(path)}" + (f"?{urlencode(words)}" if words else "")

    def here(self, **changed: object) -> str:
        """This page's own address, with something else in its query."""
        return self.url(self.path, **{**self.query, **changed})


def parse(base: str, path: str, query: Mapping[str, str], languages: str, *, twice: bool) -> Asked | Refusal:
    """What is asked, or why it cannot be told. `languages` is the browser's Accept-Language."""
    if twice:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="query", problem="given more than once")
    if len(query) > VALUES_MAX:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="query", problem="has too many names")
    too_long = next((name for name, value in query.items() if len(value) > VALUE_CHARS_MAX), None)
    if too_long is not None:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field=too_long[:64], problem="is too long")
    lang, theme, at = query.get("lang", ""), query.get("theme", ""), query.get("at", "")
    if lang and lang not in LOCALES:
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="lang", problem="must be one of " + ", ".join(LOCALES))
    if theme and theme not in get_args(Theme):
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="theme", problem="must be light or dark")
    if at and not (at.isascii() and at.isdigit() and len(at) <= SEQ_DIGITS_MAX):
        return refuse(GeneralRefusal.MALFORMED_PARAMS, field="at", problem="must be the seq of an event")
    return Asked(
        base=base,
        path=path,
        locale=lang or preferred(languages),
        theme=cast("Theme", theme) if theme else None,
        at=int(at) if at else None,
        chosen={name: query[name] for name in CARRIED if query.get(name)},
        query={name: value for name, value in query.items() if name not in CARRIED},
    )


def preferred(languages: str) -> Locale:
    """The first of the browser's languages that we speak; English where there is none."""
    weighed: list[tuple[float, int, str]] = []
    for at, part in enumerate(languages[:VALUE_CHARS_MAX].split(",")):
        tag, _, weight = part.strip().partition(";q=")
        try:
            weighed.append((-float(weight or 1), at, tag.strip().lower()))
        except ValueError:
            continue
    spoken: dict[str, Locale] = {locale: locale for locale in LOCALES}
    for least, _, tag in sorted(weighed):
        found = spoken.get(tag.partition("-")[0])
        if least < 0 and found is not None:
            return found
    return "en"
