"""What the gateway is opened with: one app on one domain and, by webhook, what a request proves itself with."""

from dataclasses import dataclass, field

from bot.lark import Locale


@dataclass(frozen=True, kw_only=True, slots=True)
class WebhookSettings:
    """Where to listen, and what the platform and we both know. The rest of the way (TLS) is a proxy's."""

    host: str
    port: int
    path: str
    encrypt_key: str = field(repr=False)
    verification_token: str = field(repr=False)
    tenant_key: str = ""
    """If it is known: events of any other tenant are refused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LarkSettings:
    """One app on one domain. The domain is configuration and never derived from anything that was received."""

    app_id: str
    app_secret: str = field(repr=False)
    domain: str
    locale: Locale = "en"
    """What to assume of people whose client does not say."""
    webhook: WebhookSettings | None = None
    """None: the long connection."""
