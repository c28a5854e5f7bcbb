"""The local page: the ledger as a person sees it in a browser, read-only."""
