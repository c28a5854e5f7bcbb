"""Settings: one TOML file in the home, parsed once; what it does not say has a default that works."""

import tomllib
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from daemon.hook_settings import HOOKS_MAX, HookSection
from daemon.paths import Home

PROBLEMS_MAX = 8


class ConfigError(ValueError):
    """The settings cannot be used; says where and why."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DaemonSection(_Section):
    """`[daemon]`."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"


class _SharedSection(_Section):
    """A section of which the bot reads the most: its keys are known here, and their values are not looked at."""

    read_by_the_bot: ClassVar[frozenset[str]]

    @model_validator(mode="before")
    @classmethod
    def _without_what_the_bot_reads(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if key not in cls.read_by_the_bot}


class LarkSection(_SharedSection):
    """`[lark]`: the daemon needs the app's id, and never sees its secret."""

    read_by_the_bot = frozenset(
        {
            "app_secret", "app_secret_file", "domain", "encrypt_key_file", "listen", "locale", "path", "tenant_key",
            "transport", "verification_token_file",
        }
    )  # fmt: skip
    app_id: Annotated[str, Field(min_length=1, max_length=160)] | None = None


class BotSection(_SharedSection):
    """`[bot]` is the bot's alone."""

    read_by_the_bot = frozenset({"log_level"})


class PageSection(_Section):
    """`[page]`: where the local page listens. Without a port any that is free is taken, and kept."""

    port: Annotated[int, Field(ge=1, le=65_535)] | None = None


class Config(_Section):
    """The settings. What nobody reads, daemon or bot, is a mistake in the file: what it meant to set goes unset."""

    daemon: DaemonSection = DaemonSection()
    lark: LarkSection = LarkSection()
    bot: BotSection = BotSection()
    page: PageSection = PageSection()
    hooks: Annotated[tuple[HookSection, ...], Field(max_length=HOOKS_MAX)] = ()

    @field_validator("hooks")
    @classmethod
    def _named_once(cls, given: tuple[HookSection, ...]) -> tuple[HookSection, ...]:
        """A name is a place in the ledger; two hooks would take it from each other."""
        names = [hook.name for hook in given]
        if len(set(names)) < len(names):
            raise ValueError("two hooks have one name")
        return given


def load(home: Home) -> Config:
    """Read the settings; a file that is not there means the defaults. Raises ConfigError."""
    path = Path(home.config)
    try:
        return Config.model_validate(tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name}: not TOML: {error}") from error
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(part) for part in problem['loc'])}: {_said(problem['type'], problem['msg'])}"
            for problem in error.errors(include_url=False, include_input=False)[:PROBLEMS_MAX]
        ]
        raise ConfigError(f"{path.name}: {'; '.join(problems)}") from error


def _said(kind: str, message: str) -> str:
    return "nothing is called so here; see config/frontstage.toml.example" if kind == "extra_forbidden" else message
