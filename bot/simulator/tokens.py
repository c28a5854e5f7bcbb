"""Tenant access tokens: two hours each, a new one only when the last has less than half an hour left."""

from dataclasses import dataclass

from bot.simulator.documented import TOKEN_LIFE_MS, TOKEN_RENEW_BELOW_MS
from bot.simulator.errors import PlatformError
from bot.simulator.ids import Ids


@dataclass(frozen=True)
class IssuedToken:
    """A token, whose it is and until when."""

    token: str
    app_id: str
    expires_at_ms: int


class Tokens:
    """Issues, checks and revokes."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._issued: dict[str, IssuedToken] = {}
        self._latest: dict[str, IssuedToken] = {}

    def issue(self, app_id: str, now_ms: int) -> IssuedToken:
        """The current token while it has half an hour left, else a new one beside it."""
        latest = self._latest.get(app_id)
        if latest is not None and latest.expires_at_ms - now_ms >= TOKEN_RENEW_BELOW_MS:
            return latest
        self._issued = {key: token for key, token in self._issued.items() if token.expires_at_ms > now_ms}
        fresh = IssuedToken(self._ids.fresh("t-"), app_id, now_ms + TOKEN_LIFE_MS)
        self._issued[fresh.token] = self._latest[app_id] = fresh
        return fresh

    def revoke_all(self, app_id: str | None = None) -> int:
        """Invalidate the tokens of one app, or of all; say how many there were."""
        gone = [key for key, token in self._issued.items() if app_id in {None, token.app_id}]
        for key in gone:
            self._latest.pop(self._issued.pop(key).app_id, None)
        return len(gone)

    def app_of(self, authorization: str, now_ms: int) -> str:
        """The app behind an `Authorization` header, or the platform's refusal."""
        if not authorization:
            raise PlatformError(99991661, "Missing access token for authorization. Please make a request with token.")
        scheme, _, token = authorization.partition(" ")
        if scheme != "Bearer" or not token.startswith("t-"):
            raise PlatformError(99991671, "Invalid access token for authorization: the format is not a tenant token's.")
        known = self._issued.get(token)
        if known is None:
            raise PlatformError(99991663, "Invalid access token for authorization. Please make a test attempt.")
        if known.expires_at_ms <= now_ms:
            raise PlatformError(99991663, "Invalid access token for authorization: the token has expired.")
        return known.app_id
