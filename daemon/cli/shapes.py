"""What the catalogue is made of, for the type checker alone; nothing imports this when the program runs."""

from typing import Literal, NotRequired, TypedDict


class Parameter(TypedDict):
    """One flag. What is absent is false, none or empty."""

    help: str
    kind: NotRequired[Literal["integer", "switch", "file", "folder"]]
    """Text when absent, and so are the names of files and folders. A switch takes no value."""
    repeat: NotRequired[bool]
    required: NotRequired[bool]
    needed: NotRequired[bool]
    """Whether the daemon refuses without it, once it has been seen who asks and for what."""
    choices: NotRequired[tuple[str, ...]]
    default: NotRequired[str]
    """As a person would type it; shown, never sent."""


class Verb(TypedDict):
    """One command."""

    summary: str
    example: str
    parameters: dict[str, Parameter]
    """By field name; the flag is the same with dashes."""
    writes: NotRequired[bool]
    mints: NotRequired[str]
    """The parameter that holds the digest of a secret which is made here."""
    run: NotRequired[str]
    """The module that runs a local command; absent for what the daemon does."""
    takes: NotRequired[dict[str, str]]
    """Which common flags a local command takes beside --locale and --help; what one means there, if not the usual."""
    about: NotRequired[str]
    """More than the summary, for the manual."""


class Page(TypedDict):
    """What the manual says of an action beside what the catalogue knows."""

    who: str
    shapes: dict[str, str]
    """What a value may be, by field name."""
    refusals: tuple[str, ...]
    """In order of precedence; those of every command aside."""
    summary: NotRequired[str]
    """In the page's language; the catalogue's when absent."""
    helps: NotRequired[dict[str, str]]


class LocalPage(TypedDict):
    """What a local command says of itself, in the page's language."""

    summary: str
    about: str
    helps: dict[str, str]
    takes: dict[str, str]


Nouns = dict[str, dict[str, Verb]]
Value = str | int | bool | list[str | int]
