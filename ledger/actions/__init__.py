"""The rows of the table of actions, one family a file; `ledger.catalogue` puts them together."""
