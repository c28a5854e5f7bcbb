"""The HTTP API: routes made from the table of actions."""
