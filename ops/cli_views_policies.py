"""Validation policies for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, WARN, counted, line, plain


def many(said: JsonObject) -> Iterator[Text]:
    """A line for each policy."""
    for item in said["items"]:
        yield _head(item)
    yield line(counted(len(said["items"]), "policy", "policies"))


def one(said: JsonObject) -> Iterator[Text]:
    """What it is, then a line for each of its rules that is not at its default."""
    yield _head(said)
    for name, value in said["definition"].items():
        yield line(name, plain(value), indent=1)
    yield line((f"digest {said['digest']}", DIM), indent=1)


def _head(said: JsonObject) -> Text:
    by = "shipped" if said["actor_id"] is None else f"by {plain(said['actor_id'])}"
    since = "" if said["recorded_at"] is None else (said["recorded_at"], DIM)
    end = said["retired"]
    gone = "" if end is None else (f"retired: {plain(end['reason'])}", WARN)
    return line((said["name"], ID), by, since, gone)
