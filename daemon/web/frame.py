"""Drawing: templates with values put into them, escaped, in the reader's language.

Everything of the ledger is text that somebody wrote. It reaches the page escaped and through `plain`, in an element of
its own that keeps its direction to itself, so that no words can leave their place, whatever they are made of.
"""

from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from daemon.web.asked import Asked
from daemon.web.fragments import Fragments
from daemon.web.lines import is_whole
from daemon.web.static_files import versions
from ledger.refusals import Refusal
from ledger.text.explain import explain
from ledger.text.pieces import label, named
from ledger.text.say import LOCALES, Locale, one_line, plain, say
from ledger.text.times import short_utc


@cache
def _templates() -> Environment:
    """The templates, read once. Nothing may be missing in them: an unknown name is a mistake of ours, and raises."""
    environment = Environment(
        loader=PackageLoader("daemon.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.tests.update(whole=is_whole)
    environment.filters.update(words=words, line=one_line, when=when, number=number)
    return environment


def read_templates() -> None:
    """Read all of them, so that no page has to wait for its own."""
    environment = _templates()
    for name in environment.list_templates(extensions=["html"]):
        environment.get_template(name)


def words(text: object) -> Markup:
    """Somebody's words, literally, with their direction kept inside."""
    return Markup(f"<bdi>{escape(plain(str(text)))}</bdi>")  # noqa: S704  (escaped here)


def when(moment: object) -> Markup:
    """A moment, given as RFC 3339: in UTC as it stands, and in the reader's own zone once the script has seen it."""
    if moment is None:
        return Markup("")
    said = f'<time datetime="{escape(moment)}" data-when>{escape(short_utc(str(moment)))}</time>'
    return Markup(said)  # noqa: S704  (escaped here)


def number(count: object) -> str:
    """A count, its thousands apart, as both languages write it."""
    return f"{count:,}" if isinstance(count, int) and not isinstance(count, bool) else str(count)


def draw(template: str, context: Mapping[str, object], asked: Asked, fragments: Fragments) -> bytes:
    """A template as bytes of HTML.

    `piece(name, macro, value, ...)` in a template is what the macro makes of these values, drawn now or before. Such a
    macro uses nothing but its values, the words, and addresses.
    """
    locale: Locale = asked.locale
    place = (template, locale, asked.base, asked.path, *sorted({**asked.query, **asked.chosen}.items()))

    def t(key: str, /, **values: object) -> str:
        return say(key, locale, **values)

    return (
        _templates()
        .get_template(template)
        .render(
            **context,
            asked=asked,
            locale=locale,
            locales=LOCALES,
            t=t,
            asset=lambda name: f"{asked.base}/static/{name}?v={versions()[name]}",
            piece=lambda name, macro, *shown: fragments.piece((name, *place), macro, *shown),
            url=asked.url,
            here=asked.here,
            label=lambda name: label(name, locale),
            named=lambda family, name: named(family, name, locale),
        )
        .encode("utf-8", "replace")
    )


def refusal_context(refusal: Refusal, locale: Locale) -> dict[str, object]:
    """What a page says instead of what it cannot show: what is wrong, and what to do."""
    message, hint = explain(refusal, locale)
    return {"code": refusal.code.value, "message": message, "hint": hint}
