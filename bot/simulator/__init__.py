"""A loopback Lark Open Platform, good enough for the unmodified SDK, and a chat page for people."""
