"""Requests: what one peer asks of another, and the answer that comes back exactly once."""
