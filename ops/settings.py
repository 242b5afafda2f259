"""What an operator sets; the only reader of the environment (design.md §8).

Every setting has a default that suits one person on one machine. Names in the environment are
those of the fields in capitals after `MEMORANDA_`: `MEMORANDA_DATA`, `MEMORANDA_HOST_KEY`, …
"""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ops.logs import LogFormat

HOST_KEY_CHARACTERS_MIN: Final = 32
MASTER_KEY_BYTES: Final = 32
_DATABASE: Final = ("postgresql://", "postgres://")
_REDIS: Final = ("redis://", "rediss://", "unix://")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_VISIBLE_ASCII: Final = frozenset(chr(code) for code in range(0x21, 0x7F))


class SettingsError(Exception):
    """A setting that cannot be used; the message names it and the remedy, never its value."""


class Settings(BaseSettings):
    """Read once at the start, never changed.

    `data` is the data folder. `host` and `port` are where `serve` listens; anything but a
    loopback address has to be asked for. `allowed_hosts` are further names that clients may use
    in the Host header. `host_key` is a host key of an unattended start, in no store.
    """

    model_config = SettingsConfigDict(env_prefix="MEMORANDA_", frozen=True, extra="ignore")

    data: Path = Path(".memoranda")
    index_dir: Path | None = None
    """Where the recall index is: embedded `index` in the data folder by default; in the server mode
    a folder that servers and workers share, without which each server reads the log instead."""
    database_url: SecretStr | None = None
    """PostgreSQL, `postgresql://user:password@host/database`: with it the server mode."""
    redis_url: SecretStr | None = None
    """The doorbell of the workers, `redis://…`; goes with `database_url`."""
    master_key: SecretStr | None = None
    """64 hexadecimal digits that open the key store of the server mode. Without it no data can be
    read, by anybody: keep a copy where the database's backups are not."""
    new_master_key: SecretStr | None = None
    """What `memoranda keys rotate-master` puts in place of `master_key`; nothing else looks."""
    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8420
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    host_key: SecretStr | None = None
    rate_per_second: Annotated[float, Field(ge=0, le=1_000_000)] = 0
    """Requests a second that a key may send, a host key in each workspace; 0 is no limit."""
    rate_burst: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    """Requests that it may send at once after a pause; by default those of one second."""
    workers: Annotated[int, Field(ge=1, le=1000)] = 64
    """Requests that may be at work at once; the rest wait."""
    requests_max: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """Requests that may be waiting or at work at once; of connections twice as many may be open."""
    lag_events_max: Annotated[int, Field(ge=1)] = 5000
    """How far the read models may lie behind before `/health/ready` says 503."""
    wait_seconds_max: Annotated[float, Field(gt=0, le=60)] = 5.0
    """How long a read waits for its `min_position`."""
    drain_seconds_max: Annotated[int, Field(ge=0, le=600)] = 10
    """How long a stopping server waits for the requests that it has begun."""
    extractor: Literal["proposal", "openai", "none"] = "proposal"
    """Who proposes on windows that come without proposals: nobody, or with `openai` a model."""
    extractor_url: str | None = None
    """The base URL of an endpoint that speaks OpenAI's chat completions, as `https://host/v1`."""
    extractor_model: str | None = None
    extractor_key: SecretStr | None = None
    """What the endpoint takes as bearer token; none is sent without it."""
    extractor_timeout: Annotated[float, Field(gt=0, le=600)] = 60.0
    """Seconds that one request may take."""
    extractor_tries: Annotated[int, Field(ge=1, le=10)] = 3
    """How often a request is sent where the endpoint is away, busy or failing."""
    log_format: LogFormat = "text"
    """`json` writes one object a line, for machines."""
    debug: bool = False
    """Show the stack trace of an unexpected error on the command line."""

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value

    @field_validator("database_url", "redis_url")
    @classmethod
    def _address(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        said = "" if value is None else value.get_secret_value()
        if not said:
            return None
        kinds = _DATABASE if info.field_name == "database_url" else _REDIS
        if not said.startswith(kinds):
            raise ValueError(f"an address that begins with {' or '.join(kinds)}")
        return value

    @field_validator("master_key", "new_master_key")
    @classmethod
    def _whole(cls, value: SecretStr | None) -> SecretStr | None:
        said = "" if value is None else value.get_secret_value().strip()
        if not said:
            return None
        if len(said) != 2 * MASTER_KEY_BYTES or not _HEX.issuperset(said):
            raise ValueError(
                f"{2 * MASTER_KEY_BYTES} hexadecimal digits, as `openssl rand -hex 32` prints them"
            )
        return SecretStr(said)

    @field_validator("host_key")
    @classmethod
    def _strong(cls, value: SecretStr | None) -> SecretStr | None:
        secret = "" if value is None else value.get_secret_value()
        if value is None or not secret:
            return None
        if len(secret) < HOST_KEY_CHARACTERS_MIN or not _VISIBLE_ASCII.issuperset(secret):
            raise ValueError(
                f"at least {HOST_KEY_CHARACTERS_MIN} visible ASCII characters without blanks, "
                "as `openssl rand -hex 32` prints them"
            )
        return value


@dataclass(frozen=True, slots=True)
class ServerMode:
    """What the server mode needs: addresses with their passwords, and the master key."""

    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    master_key: bytes = field(repr=False)


def server_mode(settings: Settings) -> ServerMode | None:
    """The server mode that the settings ask for; None for the embedded one.

    Raises SettingsError where a part of it is missing.
    """
    parts = {
        "MEMORANDA_DATABASE_URL": settings.database_url,
        "MEMORANDA_REDIS_URL": settings.redis_url,
    }
    given = {name: value.get_secret_value() for name, value in parts.items() if value is not None}
    if not given:
        return None
    for name in parts:
        if name not in given:
            raise SettingsError(f"{name} is missing: the server mode needs {' and '.join(parts)}")
    if settings.master_key is None:
        raise SettingsError(
            "MEMORANDA_MASTER_KEY is missing: everything that is stored is sealed under it. For a "
            "new database make one with `openssl rand -hex 32`, and KEEP A COPY where the "
            "database's backups are not: NO MASTER KEY MEANS NO DATA, for ever"
        )
    key = bytes.fromhex(settings.master_key.get_secret_value())
    database_url, redis_url = (given[name] for name in parts)
    return ServerMode(database_url, redis_url, key)


def load_settings(**given: Any) -> Settings:
    """The settings of the environment, with those of the command line put over them.

    A value of None means that the command line does not say. Raises SettingsError.
    """
    said = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**said)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise SettingsError(_refusal(str(first["loc"][0]), str(first["msg"]), said)) from None


def _refusal(name: str, message: str, given: dict[str, Any]) -> str:
    where = f"--{name.replace('_', '-')}" if name in given else f"MEMORANDA_{name.upper()}"
    said = message.removeprefix("Value error, ").replace("Input should be", "it must be")
    return f"{where} cannot be used: {said}"


def state_folder() -> Path:
    """What this person's runs remember: `memoranda` in the state folder of their machine.

    As the XDG Base Directory Specification has it: a relative XDG_STATE_HOME does not count.
    """
    said = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = said if said.is_absolute() else Path.home() / ".local" / "state"
    return base / "memoranda"


def local_actor() -> str:
    """Who acts on the local store: `cli:<user>` (spec/operations.md §10)."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        return "cli:unknown"
