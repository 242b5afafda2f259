"""What else stands in the slot that a command wrote to: duplicates and contradictions are seen
when writing (spec/operations.md §4). Computed after the commit, never part of a stored answer.
"""

from __future__ import annotations

from typing import Final

from domain.canonical import JsonObject
from domain.instants import Micros
from domain.memory import MemoryState
from domain.memory_streams import fold_memory
from domain.ports import LogReader
from domain.slots import properties_of, value_of
from domain.visibility import Viewer

OTHERS_MAX: Final = 20
LOOKED_AT_MAX: Final = 200
"""A slot with more memories than this is answered from its newest ones."""


def epistemic_status(state: MemoryState) -> str | None:
    """The status that the content itself claims; the store never judges."""
    properties = properties_of(state.content)
    for name in ("epistemic_status", "status"):
        if isinstance(properties.get(name), str):
            return str(properties[name])
    return None


def slot_advice(
    log: LogReader, workspace: str, viewer: Viewer, state: MemoryState, now_us: Micros
) -> JsonObject | None:
    """The other visible memories of the slot of `state`; None where it has no slot."""
    if state.slot_ref is None:
        return None
    others = [
        other
        for other in _newest(log, workspace, viewer, state)
        if other.addressable_by(viewer) and other.recallable(now_us)
    ]
    value = value_of(state.content)
    listed = [
        {
            "id": other.id,
            "version": other.version,
            "status": epistemic_status(other),
            "same_value": value_of(other.content) == value,
        }
        for other in sorted(others, key=lambda other: other.id)
    ]
    advice: JsonObject = {
        "key": state.slot if state.forgotten is None else None,
        "others": listed[:OTHERS_MAX],
        "conflicts": sum(not other["same_value"] for other in listed),
    }
    if len(listed) > OTHERS_MAX:
        advice["more"] = len(listed) - OTHERS_MAX
    return advice


def _newest(
    log: LogReader, workspace: str, viewer: Viewer, state: MemoryState
) -> list[MemoryState]:
    """The newest other memories of the slot that may be seen.

    What others keep private does not count, so that it changes no byte of an answer.
    """
    rows = log.references(workspace, "slot", state.slot_ref or "")
    streams = dict.fromkeys(stream for stream, _ in reversed(rows))
    streams.pop(state.id, None)
    waiting, seen = list(streams), list[MemoryState]()
    while waiting and len(seen) < LOOKED_AT_MAX:
        page, waiting = waiting[:LOOKED_AT_MAX], waiting[LOOKED_AT_MAX:]
        found = log.streams(workspace, page)
        folded = (fold_memory(found[stream]) for stream in page if stream in found)
        seen += [other for other in folded if other and other.home.visible_to(viewer)]
    return seen[:LOOKED_AT_MAX]
