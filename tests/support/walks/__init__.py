"""The moves of a random walk, one family of rules a module; `tests.support.walk` puts them together."""
