"""The one bot that sends: a lease in memory. When the daemon restarts, whoever asks first leads again."""


class Leader:
    """Who leads, until when."""

    def __init__(self) -> None:
        self._holder = ""
        self._expires_at_ms = 0

    def claim(self, holder: str, ttl_ms: int, now_ms: int) -> dict[str, object]:
        """Take or keep the lead if nobody else has it."""
        if self._holder == holder or now_ms >= self._expires_at_ms:
            self._holder, self._expires_at_ms = holder, now_ms + ttl_ms
        return {"leader": self._holder == holder, "holder": self._holder, "expires_at_ms": self._expires_at_ms}
