"""What the auditor knows of identities and chats."""

from dataclasses import dataclass, field


@dataclass
class Asked:
    """An invitation as it was offered."""

    member_id: str
    open_digest: str
    roles: tuple[str, ...]
    until_ms: int
    by: str
    open: bool = True


@dataclass
class Known:
    """Who is known by what, as the events say."""

    asked: dict[str, Asked] = field(default_factory=dict)
    behind: dict[str, str] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    shown: set[tuple[str, str]] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
