"""Journeys: what a team does from a goal to its acceptance, with real processes, and the measured report about it."""
