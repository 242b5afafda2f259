"""Words for people: what is stored is shown as it is, and can do nothing to a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.text import Text

from domain.canonical import Json, JsonObject

DIM: Final = "dim"
ID: Final = "cyan"
WARN: Final = "yellow"
STRONG: Final = "bold"
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
"""Categories that move the cursor, turn the writing direction, or cannot be seen."""
_JOINERS: Final = frozenset("\u200c\u200d")
"""Two of them that words of some scripts, and emoji, are written with."""
_INDENT: Final = "   "


def plain(said: Json) -> str:
    """One line: a string as it is, else JSON; control characters shown as escapes."""
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character in _JOINERS or unicodedata.category(character) not in _UNSEEN:
        return character
    return character.encode("unicode_escape").decode()


def line(*parts: str | tuple[str, str], indent: int = 0) -> Text:
    """A line of parts, each alone or with a style; empty parts are left out."""
    kept = [part for part in parts if (part if isinstance(part, str) else part[0])]
    spaced: list[str | tuple[str, str]] = []
    for part in kept:
        spaced += ["  ", part] if spaced else [part]
    return Text.assemble(_INDENT * indent, *spaced)


def paragraph(text: str, indent: int = 1) -> Iterable[Text]:
    """A text over the lines that it has."""
    for part in text.split("\n"):
        yield Text(_INDENT * indent + plain(part.removesuffix("\r")))


def pairs(said: JsonObject) -> str:
    """`name value` of everything that is there, parted by commas."""
    return ", ".join(
        f"{plain(name)} {plain(value)}" for name, value in said.items() if value not in (None, [])
    )


def damaged(positions: Sequence[int]) -> Iterator[Text]:
    """What could not be read; nothing where there is none such."""
    if positions:
        at = ", ".join(map(str, positions))
        yield line(("cannot be read", WARN), f"position {at}: see memoranda verify")


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 item`, `2 items`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def content(said: JsonObject | None) -> Iterable[Text]:
    """Text of a content, then its properties."""
    if said is None:
        yield line(("(the text is gone)", DIM), indent=1)
        return
    value = said["value"]
    if said["format"] == "text_and_properties":
        yield from paragraph(value["text"])
        value = value["properties"]
    elif said["format"] == "text":
        yield from paragraph(value)
        return
    shown = pairs(value) if isinstance(value, dict) else plain(value)
    if shown:
        yield line((shown, DIM), indent=1)


def source(reference: JsonObject) -> str:
    """A provenance reference as it was given on the command line."""
    locator = reference["locator"]
    return plain(reference["source_id"] + (f"#{locator}" if locator is not None else ""))
