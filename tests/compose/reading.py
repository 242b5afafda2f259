"""docker-compose.yml as Compose reads it: interpolated, one service after the other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[2] / "docker-compose.yml"
_VARIABLE = re.compile(r"\$\{(\w+):([?-])([^}]*)\}")


class MissingError(Exception):
    """A variable that the file asks for is not set; the message is the file's."""


@dataclass(frozen=True)
class Service:
    """What a container would run: its command, its environment, and how its health is asked."""

    command: list[str]
    environment: dict[str, str]
    health: list[str]
    grace_seconds: int


def service(name: str, given: dict[str, str]) -> Service:
    """A service of the file, with these variables."""
    said = _interpolated(yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"][name], given)
    kind, *health = said.get("healthcheck", {}).get("test", ["CMD"])
    assert kind == "CMD"
    grace = said.get("stop_grace_period", "10s")
    return Service(
        said["command"],
        said.get("environment", {}),
        health,
        int(grace[:-1]) * {"s": 1, "m": 60}[grace[-1]],
    )


def _interpolated(value: Any, given: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _interpolated(item, given) for key, item in value.items()}
    if isinstance(value, list):
        return [_interpolated(item, given) for item in value]
    if not isinstance(value, str):
        return value

    def known(match: re.Match[str]) -> str:
        name, kind, said = match.groups()
        if given.get(name):
            return given[name]
        if kind == "?":
            raise MissingError(f"{name}: {said}")
        return said

    return _VARIABLE.sub(known, value)
