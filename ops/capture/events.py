"""What a log says, in the words of a window, whichever client wrote it."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

from pydantic import ConfigDict

from domain.canonical import JsonObject
from domain.errors import MemorandaError
from domain.instants import parse_instant, server_time
from ops.capture.lines import Line, Place

USER: Final = "user"
"""Whoever typed at the client. What it says may carry a claim, so nobody else is called so."""
ASSISTANT: Final = "assistant"
SUBAGENT: Final = "subagent"
TOOL: Final = "tool"
CLIENT: Final = "client"
_CALLS_MAX: Final = 1000
_FINER: Final = re.compile(r"(\.\d{6})\d+")


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One event of a log: kind, actor, text and name as in a window.

    `at` is its time in the server's form, None where the log tells none. `begins_turn` where
    somebody asks the agent for something.
    """

    place: Place
    kind: str
    actor: str
    text: str
    name: str | None = None
    at: str | None = None
    begins_turn: bool = False


@dataclass(slots=True)
class Session:
    """What a log says of its session; the first word counts.

    `typed_apart`: this log tells in records of their own what was typed (Codex does). `by_agent`:
    the whole log is of a sub-agent, and what its user says was written by another agent.
    """

    session_id: str | None = None
    cwd: str | None = None
    repository: str | None = None
    branch: str | None = None
    commit: str | None = None
    typed_apart: bool = False
    by_agent: bool = False

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid")


class Reader(Protocol):
    """Reads the lines of one client's logs, in order."""

    session: Session

    def read(self, line: Line) -> Iterable[LogEvent]:
        """The events that are known with this line; their places are of this one or before."""
        ...

    def rest(self) -> Iterable[LogEvent]:
        """What was waiting for a next line, where there is none."""
        ...


class Calls:
    """Which tool was called under an id, for the latest calls."""

    def __init__(self) -> None:
        self._names: OrderedDict[str, str] = OrderedDict()

    def remember(self, call_id: str | None, name: str) -> None:
        """A call; without an id nobody will ask for it."""
        if call_id is not None:
            self._names[call_id] = name
            if len(self._names) > _CALLS_MAX:
                self._names.popitem(last=False)

    def name(self, call_id: str | None) -> str | None:
        """The name of the tool; None for a call that was not seen."""
        return None if call_id is None else self._names.get(call_id)


def time_of(value: JsonObject) -> str | None:
    """The time of a line, in UTC; None where it has none that can be read."""
    text = text_in(value, "timestamp")
    if text is None:
        return None
    try:
        # Some clients write nanoseconds.
        return server_time(parse_instant(_FINER.sub(r"\1", text), "timestamp"))
    except MemorandaError:
        return None


def text_in(value: JsonObject, name: str) -> str | None:
    """A member that is a text with something in it; None for all else."""
    found = value.get(name)
    return found if isinstance(found, str) and found.strip() else None


def object_at(value: JsonObject, name: str) -> JsonObject:
    """A member that is an object; an empty one for all else."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def objects_in(value: object) -> list[JsonObject]:
    """The objects of a list; none for what is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
