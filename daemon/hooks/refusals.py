"""Refusals of what is asked about hooks, in order of precedence."""

from enum import StrEnum


class HookRefusal(StrEnum):
    """Why a hook was not tried again."""

    HOOK_NOT_FOUND = "hook_not_found"
