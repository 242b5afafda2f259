"""The lines of a log that may be growing, one after the other, in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final, NoReturn

from domain.canonical import Json, JsonObject

LINE_BYTES_MAX: Final = 8 * 1024 * 1024
"""A longer line is skipped and counted: it is a picture or a dump, nothing that somebody said."""
_PIECE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where in a log something stands: before this byte and line, and this event of the line.

    `line` counts from 1, `index` from 0.
    """

    offset: int
    line: int
    index: int = 0


START: Final = Place(0, 1)


@dataclass(frozen=True, slots=True)
class Line:
    """A whole line: where it begins, and the object in it."""

    place: Place
    value: JsonObject


@dataclass(slots=True)
class Lines:
    """What is read of a log from a place on; `file` can be sought in.

    `unreadable` counts lines that hold no JSON object, blank ones apart; `too_long` those over
    `LINE_BYTES_MAX`. `end` is behind the last line that has its end: a torn one waits for the next
    run. `torn` says whether there is one.
    """

    file: BinaryIO
    end: Place = START
    unreadable: int = 0
    too_long: int = 0
    torn: bool = False

    def __iter__(self) -> Iterator[Line]:
        self.file.seek(self.end.offset)
        while text := self.file.readline(LINE_BYTES_MAX + 1):
            place = replace(self.end, index=0)
            size = len(text)
            long = size > LINE_BYTES_MAX
            while long and not text.endswith(b"\n"):
                text = self.file.readline(_PIECE)
                if not text:
                    break
                size += len(text)
            if not text.endswith(b"\n"):
                self.torn = True
                return
            self.end = Place(place.offset + size, place.line + 1)
            if long:
                self.too_long += 1
            elif text.strip():
                value = object_in(text)
                if value is None:
                    self.unreadable += 1
                else:
                    yield Line(place, value)


def object_in(text: bytes) -> JsonObject | None:
    """The JSON object that a line holds, fit to be sent on; None for anything else.

    Clients are written in languages whose strings may hold half a character of UTF-16, which is
    no text and cannot be sent: U+FFFD takes its place.
    """
    try:
        said = text.decode("utf-8")
        value = json.loads(said, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    # Only an escape makes half a character: bytes that are one were refused above.
    whole: JsonObject = mended(value) if "\\u" in said else value
    return whole


def mended(value: Json) -> Json:
    """The same value with U+FFFD for each half of a character, at any depth, in keys too."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {mended(key): mended(item) for key, item in value.items()}
    return [mended(item) for item in value] if isinstance(value, list) else value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")
