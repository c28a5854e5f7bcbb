"""The ledger: events, the rules that make them, and the state folded from them. No input or output here."""
