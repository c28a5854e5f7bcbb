"""Settings: one TOML file in the home, parsed once; what it does not say has a default that works."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from daemon.paths import Home


class ConfigError(ValueError):
    """The settings cannot be used; says where and why."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DaemonSection(_Section):
    """`[daemon]`."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"


class LarkSection(_Section):
    """The part of `[lark]` that the daemon needs; the bot reads the rest."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    app_id: Annotated[str, Field(min_length=1, max_length=160)] | None = None


class Config(BaseModel):
    """The settings."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    daemon: DaemonSection = DaemonSection()
    lark: LarkSection = LarkSection()


def load(home: Home) -> Config:
    """Read the settings; a file that is not there means the defaults. Raises ConfigError."""
    path = Path(home.config)
    try:
        return Config.model_validate(tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name}: not TOML: {error}") from error
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise ConfigError(f"{path.name}: {where}: {problem['msg']}") from error
