"""What the suites of the stores have in common."""

LIFE = "life-1"
"""The incarnation of a ledger whose first term a test opens."""
