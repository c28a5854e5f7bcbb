"""Reads across goals: search, history, digest, overview: numbers 140 to 149."""

from ledger.actions.base import Action

ROWS: tuple[Action, ...] = ()
