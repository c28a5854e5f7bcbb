"""What each event changes in the state, one family a file; `ledger.reduce` calls them."""
