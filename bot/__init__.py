"""The Lark adapter: a client of the daemon's API like any other, with no durable state of its own."""
