"""The bot's settings: the `[lark]` part of the home's `config.toml`, parsed once.

The app's secret is read from a file that only its owner can read, or from the settings themselves if those are such a
file. The domain is configuration and never follows from anything that was received.
"""

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from bot.lark_settings import LarkSettings, WebhookSettings

CONFIG_BYTES_MAX: Final = 256 * 1024
SECRET_BYTES_MAX: Final = 4_096
_HTTPS_ORIGIN: Final = re.compile(r"https://[A-Za-z0-9.-]+(:\d{1,5})?")
_LOOPBACK_ORIGIN: Final = re.compile(r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
_HOST: Final = re.compile(r"[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:]{2,45}\]")
_PATH: Final = re.compile(r"/[A-Za-z0-9._~/-]{0,199}")
PORT_MAX: Final = 65_535
_NAME: Final = "config.toml"


class ConfigError(ValueError):
    """The settings cannot be used; says where and why, and quotes nothing."""


def _origin(domain: str) -> str:
    if _HTTPS_ORIGIN.fullmatch(domain) or _LOOPBACK_ORIGIN.fullmatch(domain):
        return domain
    raise ValueError(
        "must be a bare origin, https or on this machine: https://open.feishu.cn, https://open.larksuite.com"
    )


def _address(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not _HOST.fullmatch(host) or not (port.isascii() and port.isdigit()) or not 0 <= int(port) <= PORT_MAX:
        raise ValueError("must be HOST:PORT, such as 127.0.0.1:8787")
    return text


def _path(text: str) -> str:
    if not _PATH.fullmatch(text):
        raise ValueError("must begin with / and hold letters, digits and . _ ~ / - alone")
    return text


class LarkSection(BaseModel):
    """`[lark]`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    app_id: Annotated[str, Field(min_length=1, max_length=160, description="The app's id, cli_…")]
    app_secret: Annotated[SecretStr | None, Field(description="Its secret, if the settings are a private file")] = None
    app_secret_file: Annotated[str | None, Field(description="A private file with the secret in it")] = None
    domain: Annotated[str, AfterValidator(_origin)] = "https://open.feishu.cn"
    transport: Literal["ws", "webhook"] = "ws"
    listen: Annotated[str | None, AfterValidator(_address), Field(description="By webhook: HOST:PORT")] = None
    path: Annotated[str, AfterValidator(_path), Field(description="By webhook: the address's path")] = "/lark"
    encrypt_key_file: Annotated[str | None, Field(description="By webhook: a private file with the Encrypt Key")] = None
    verification_token_file: Annotated[str | None, Field(description="By webhook: a private file with the token")] = (
        None
    )
    tenant_key: Annotated[str, Field(max_length=160, description="By webhook: the only tenant to hear")] = ""
    locale: Annotated[Literal["en", "zh"], Field(description="What to assume of people whose client does not say")] = (
        "en"
    )

    @model_validator(mode="after")
    def _one_secret(self) -> Self:
        if (self.app_secret is None) == (self.app_secret_file is None):
            raise ValueError("needs app_secret_file or app_secret, and not both")
        return self

    @model_validator(mode="after")
    def _webhook_whole_or_not_at_all(self) -> Self:
        only_there = ("listen", "encrypt_key_file", "verification_token_file")
        if self.transport == "webhook":
            missing = [name for name in only_there if getattr(self, name) is None]
            if missing:
                # Without either of the two nothing that comes in could be told from anybody's request.
                raise ValueError(f"the webhook needs {', '.join(missing)}")
        else:
            stray = [name for name in (*only_there, "path", "tenant_key") if name in self.model_fields_set]
            if stray:
                raise ValueError(f'{", ".join(stray)}: for transport = "webhook" alone')
        return self


class BotSection(BaseModel):
    """`[bot]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"


class Config(BaseModel):
    """The settings; sections of others are theirs."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    lark: LarkSection
    bot: BotSection = BotSection()


def load(home: Path) -> Config:
    """Read `config.toml` of a home. Raises ConfigError."""
    path = home / "config.toml"
    raw = _read(path, CONFIG_BYTES_MAX)
    try:
        config = check(raw.decode())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path.name} is not TOML") from error
    if config.lark.app_secret is not None:
        _private(path, "it holds app_secret")
    return config


def check(text: str) -> Config:
    """The settings that this text is. Raises ConfigError."""
    try:
        return Config.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        # The parser's own words may quote the line, and the line may be the secret.
        raise ConfigError(f"{_NAME} is not TOML") from error
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in problem["loc"]) or "lark"
        raise ConfigError(f"{_NAME}: {where}: {problem['msg'].removeprefix('Value error, ')}") from None


def app_secret(home: Path, lark: LarkSection) -> str:
    """The app's secret. Raises ConfigError."""
    if lark.app_secret is not None:
        secret = lark.app_secret.get_secret_value()
    else:
        secret = private_line(home, lark.app_secret_file or "", "it holds the app's secret")
    if not secret or not secret.isprintable():
        raise ConfigError("lark: the app's secret is empty or not one line of text")
    return secret


def lark_settings(home: Path, lark: LarkSection) -> LarkSettings:
    """What the gateway is opened with, secrets read. Raises ConfigError."""
    return LarkSettings(
        app_id=lark.app_id,
        app_secret=app_secret(home, lark),
        domain=lark.domain,
        locale=lark.locale,
        webhook=_webhook(home, lark) if lark.transport == "webhook" else None,
    )


def _webhook(home: Path, lark: LarkSection) -> WebhookSettings:
    host, _, port = (lark.listen or "").rpartition(":")
    secrets = {}
    for name, file in (("Encrypt Key", lark.encrypt_key_file), ("Verification Token", lark.verification_token_file)):
        secrets[name] = private_line(home, file or "", f"it holds the {name}")
        if not secrets[name] or not secrets[name].isprintable():
            raise ConfigError(f"lark: the {name} is empty or not one line of text")
    return WebhookSettings(
        host=host.strip("[]"),
        port=int(port),
        path=lark.path,
        encrypt_key=secrets["Encrypt Key"],
        verification_token=secrets["Verification Token"],
        tenant_key=lark.tenant_key,
    )


def bot_token(home: Path) -> str:
    """The bot's own credential for the daemon. Raises ConfigError."""
    path = home / "bot.token"
    try:
        token = _read(path, SECRET_BYTES_MAX).decode("ascii").strip()
    except UnicodeDecodeError:
        raise ConfigError(f"{path.name} is no credential") from None
    _private(path, "it is the bot's credential")
    if not token:
        raise ConfigError(f"{path.name} is empty")
    return token


def _read(path: Path, bytes_max: int) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(bytes_max + 1)
    except OSError as error:
        raise ConfigError(f"{path.name} cannot be read: {os.strerror(error.errno or 0)}") from None
    if len(raw) > bytes_max:
        raise ConfigError(f"{path.name} is larger than {bytes_max} bytes")
    return raw


def private_line(home: Path, file: str, why: str) -> str:
    """The one line of a private file, by its path or its name in the home. Raises ConfigError."""
    path = home / Path(file).expanduser()
    raw = _read(path, SECRET_BYTES_MAX)
    _private(path, why)
    return raw.decode(errors="replace").strip()


def _private(path: Path, why: str) -> None:
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(f"{path.name} can be read by others, and {why}: chmod 600 {path.name}")
