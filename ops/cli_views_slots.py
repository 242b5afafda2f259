"""Slots for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, content, counted, line, pairs, plain


def one(said: JsonObject) -> Iterator[Text]:
    """What is selected in a slot, then what disagrees and what was left out."""
    for item in said["items"]:
        recorded = (f"recorded {item['recorded_at']}", DIM)
        yield line((f"{item['id']}@{item['version']}", ID), plain(item["kind"]), recorded)
        yield from content(item["content"])
    for conflict in said["conflicts"]:
        yield line(("conflict", WARN), pairs(conflict))
    if said["excluded"]:
        yield line(("left out", STRONG))
    for left in said["excluded"]:
        by = f"by {left['by']}" if left["by"] is not None else ""
        yield line((f"{left['id']}@{left['version']}", ID), left["reason"], by, indent=1)
    yield line(f"{len(said['selected'])} selected", _basis(said))


def changes(said: JsonObject) -> Iterator[Text]:
    """A line for each event that changed the answer, and one for each interval after it."""
    for entry in said["entries"]:
        recorded = (f"recorded {entry['recorded_at']}", DIM)
        yield line((f"position {entry['position']}", STRONG), (entry["event"], ID), recorded)
        for part in entry["answers"]:
            until = part["until"] or "on"
            conflict = ("conflict", WARN) if part["conflicts"] else ""
            selected = (_versions(part["selected"]), ID)
            yield line(f"{part['from']} – {until}", selected, conflict, indent=1)
        if not entry["answers"]:
            yield line("no answer", indent=1)
    yield line(counted(len(said["entries"]), "change"), (said["policy"], DIM))
    if said["next_after"] is not None:
        yield line((f"more: --after {said['next_after']}", DIM), indent=1)


def many(said: JsonObject) -> Iterator[Text]:
    """A line for each slot, and what was selected before where that is asked."""
    for item in said["items"]:
        name = (plain(item["slot"]), STRONG) if item["slot"] is not None else ("(erased)", DIM)
        conflict = ("conflict", WARN) if item["conflict"] is not None else ""
        candidates = counted(len(item["candidates"]), "candidate")
        yield line(name, (_versions(item["selected"]), ID), candidates, conflict)
        if "before" in item:
            yield line((f"before: {_versions(item['before'])}", DIM), indent=1)
    yield line(counted(len(said["items"]), "slot"), _basis(said))
    if said["next_cursor"] is not None:
        yield line((f"more: --cursor {said['next_cursor']}", DIM), indent=1)


def _versions(selected: Iterable[JsonObject]) -> str:
    return ", ".join(f"{seat['id']}@{seat['version']}" for seat in selected) or "nothing"


def _basis(said: JsonObject) -> tuple[str, str]:
    basis = said["basis"]
    return f"as of {basis['as_of']}, position {basis['position']}, {said['policy']}", DIM
