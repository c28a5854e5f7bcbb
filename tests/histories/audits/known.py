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
class Told:
    """A summary: what it told of, what was material then, which chats wait for it and which have it or will."""

    key: str
    material: str
    waiting: set[str]
    reached: set[str]

    def state(self, channel_id: str) -> bool:
        """Whether this chat was told by it, as far as is known."""
        return channel_id in self.reached


@dataclass
class Known:
    """Who is known by what, as the events say."""

    asked: dict[str, Asked] = field(default_factory=dict)
    behind: dict[str, str] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    shown: set[tuple[str, str]] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    told: dict[str, Told] = field(default_factory=dict)
    schedules: dict[str, int] = field(default_factory=dict)
    """By chat: the last time of its schedule that was decided on, or when it was planned."""
