"""What the simulated platform answers when it refuses, and what the chat interface says to its caller."""

from bot.simulator.wire import JsonObject


class PlatformError(Exception):
    """A refusal with the platform's own code; `status` is the HTTP status it travels with."""

    def __init__(self, code: int, msg: str, *, status: int = 400, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{code} {msg}")
        self.code = code
        self.msg = msg
        self.status = status
        self.headers = headers or {}


class CardRefusedError(PlatformError):
    """A card the platform does not accept: code 230099 with the sub code inside the message, as it does."""

    def __init__(self, sub_code: int, reason: str, where: str) -> None:
        super().__init__(
            230099, f"Failed to create card content, ext=ErrCode: {sub_code}; ErrMsg: {reason}; ErrorValue: {where};"
        )
        self.sub_code = sub_code
        self.reason = reason
        self.where = where


class ChatRefusedError(Exception):
    """The chat interface cannot do what was asked, as a person could not either: HTTP 4xx with a code."""

    def __init__(self, status: int, code: str, message: str, **details: object) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details

    def body(self) -> JsonObject:
        """The JSON answer."""
        return {"error": {"code": self.code, "message": self.message, **self.details}}
