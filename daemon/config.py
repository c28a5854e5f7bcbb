"""Settings: one TOML file in the home, parsed once; what it does not say has a default that works."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from daemon.paths import Home

PROBLEMS_MAX = 8


class ConfigError(ValueError):
    """The settings cannot be used; says where and why."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DaemonSection(_Section):
    """`[daemon]`."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"


class LarkSection(_Section):
    """The part of `[lark]` that the daemon needs; the bot reads the rest, and says which keys it knows."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    app_id: Annotated[str, Field(min_length=1, max_length=160)] | None = None


class BotSection(_Section):
    """`[bot]` is the bot's alone: known here so that a section nobody reads can be told from it."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Config(_Section):
    """The settings. A section that nobody reads is a mistake in the file: what it meant to set would go unset."""

    daemon: DaemonSection = DaemonSection()
    lark: LarkSection = LarkSection()
    bot: BotSection = BotSection()


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
