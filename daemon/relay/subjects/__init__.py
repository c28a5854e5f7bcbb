"""What there are cards of: one file a kind, each with its slots, its view, its buttons and what its name stands for."""
