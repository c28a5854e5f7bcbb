"""Cards: pure functions from a view to Lark card JSON 2.0."""
