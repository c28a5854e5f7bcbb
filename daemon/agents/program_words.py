"""A command that somebody writes as one text: its words, as a shell would cut them, though no shell reads it."""

import shlex

from daemon.cli.parse import UsageError


def program_words(text: str, field: str) -> tuple[str, ...]:
    """The program and its words. Raises UsageError, which names the parameter."""
    option = f"--{field.replace('_', '-')}"
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option} cannot be read: {error}", field=field) from error
    if not words or not words[0].strip():
        raise UsageError(f"{option} names no program", field=field)
    return words
