"""The evidence around a memory for people, and what waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from domain.canonical import JsonObject
from ops.cli_text import DIM, ID, STRONG, WARN, counted, damaged, line, plain

_WAITS: Final = {
    "approval": "a claim waits for an approval",
    "contradiction_withdrawn": "a contradiction of a claim was withdrawn",
    "proposal": "a proposal is open",
    "needs_review": "made from something that was forgotten",
    "parked": "is not shown, since an event of it failed",
    "ambiguous_window": "a takeaway of a window is close to several claims",
}


def neighbourhood(said: JsonObject) -> Iterator[Text]:
    """A block for each memory, the nearest first: what it says, and what leads out of it."""
    for node in said["nodes"]:
        gone = "" if node["stands"] else ("does not stand", WARN)
        status = (plain(node["status"]), STRONG) if node["status"] else ""
        yield line((f"{node['id']}@{node['version']}", ID), plain(node["kind"]), status, gone)
        yield line(plain(node["text"]) if node["text"] else ("(the text is gone)", DIM), indent=1)
        for edge in said["edges"]:
            if edge["source_id"] == node["id"]:
                gone = "" if edge["stands"] else ("does not stand", WARN)
                yield line(plain(edge["kind"]), (edge["target_id"], ID), gone, indent=1)
    for path in said["paths"] or ():
        steps = " → ".join(f"{step['kind']} {plain(step['to'])}" for step in path["steps"])
        yield line(("source", STRONG), steps)
    for cut in said["skipped_expansions"]:
        limit = "" if cut["raise"] is None else f"raise --{cut['raise']}"
        yield line(("not followed", WARN), (cut["memory_id"], ID), cut["why"], limit)
    counts = f"{counted(len(said['nodes']), 'memory', 'memories')}, " + counted(
        len(said["edges"]), "relationship"
    )
    basis = said["basis"]
    yield line(counts, (f"as of {basis['as_of']}, position {basis['position']}", DIM))


def inbox(said: JsonObject) -> Iterator[Text]:
    """A block for each thing that waits: what it is, since when, and what settles it."""
    for item in said["items"]:
        version = "" if item["version"] is None else f"@{item['version']}"
        yield line((f"{item['id']}{version}", ID), _WAITS[item["what"]], (item["since"], DIM))
        yield line(plain(item["command"]), indent=1)
    yield line(counted(len(said["items"]), "thing waits", "things wait"))
    yield from damaged(said["damaged"])
    if said["next_cursor"] is not None:
        yield line((f"more: --cursor {said['next_cursor']}", DIM), indent=1)
