"""The templates of the pictures, drawn without a page around them and read back as XML."""

from xml.etree import ElementTree as ET

from daemon.web.frame import _templates
from ledger.text.pieces import label, named
from ledger.text.say import say

SVG = "{http://www.w3.org/2000/svg}"


def drawn(call, locale="en", **values):
    """What a call of a macro draws."""
    source = (
        "{% import 'graph.html' as graphs with context %}{% import 'time_line.html' as lines with context %}{{ "
        + call
        + " }}"
    )
    return (
        _templates()
        .from_string(source)
        .render(
            t=lambda key, **said: say(key, locale, **said),
            label=lambda name: label(name, locale),
            url=lambda path, **query: f"/{path}?" + "&".join(f"{name}={value}" for name, value in query.items()),
            named=lambda family, name: named(family, name, locale),
            **values,
        )
    )


def read(html):
    """The same as a tree: an element that is not closed, or a letter that is not escaped, fails here."""
    return ET.fromstring("<div>" + html.replace(" data-when>", ">") + "</div>")


def of_class(tree, name):
    """Elements of a class."""
    return [one for one in tree.iter() if name in one.get("class", "").split()]
