"""What forgets take from the read model `bundles`: the words that name what was forgotten.

The rule is that of erasures (`ErasureState.answered_with`, `Reach.quoting`), and it holds for
tombstones as well: what was said before a memory was forgotten, and names it, loses its words;
later words stay, but for those of a window, which are the same each time that it is sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, delete, select

from domain.event_bases import Target
from domain.events import MemoryForgotten
from domain.ids import MEMORY, WINDOW
from domain.instants import FOREVER
from domain.recorded import RecordedEvent
from projections.bundle_tables import BUNDLE_FORGOTTEN, BUNDLE_NAMING, NAME, VERSION
from projections.columns import Words
from projections.dialects import Selection, replacing
from projections.lineages import Lineage, lineage_of
from projections.schema import PARKED

_W: Final = bindparam("w", type_=Words)
_M: Final = bindparam("m", type_=Words)
_ROW: Final = BUNDLE_FORGOTTEN.c
_PUT: Final = replacing(BUNDLE_FORGOTTEN)
_OF: Final = Selection(BUNDLE_FORGOTTEN, _ROW.memory_id, _ROW.workspace == _W)
_DELETE: Final = delete(BUNDLE_FORGOTTEN).where(_ROW.workspace == _W, _ROW.memory_id == _M)
_UNHANDLED: Final = Selection(
    PARKED,
    PARKED.c.stream,
    PARKED.c.workspace == _W,
    PARKED.c.projection == NAME,
    PARKED.c.version == VERSION,
    PARKED.c.state != "skipped",
)
_NAMING: Final = Selection(
    BUNDLE_NAMING, BUNDLE_NAMING.c.memory_id, BUNDLE_NAMING.c.workspace == _W
)
_PUT_NAMING: Final = replacing(BUNDLE_NAMING)
_STREAMS_OF: Final = select(BUNDLE_NAMING.c.stream).where(
    BUNDLE_NAMING.c.workspace == _W, BUNDLE_NAMING.c.memory_id == _M
)


class Forget(NamedTuple):
    """What was said before `position` and names `from_version` or a later one is covered."""

    position: int
    from_version: int


def learn(connection: Connection, events: Iterable[RecordedEvent]) -> list[Lineage]:
    """Keep the forgets among the events; the memories that they cover, each once."""
    rows = {}
    for event in events:
        workspace = event.context.workspace
        for memory, first in _covered(event):
            key = (workspace, memory, event.position, first)
            rows[key] = dict(zip(_ROW.keys(), key, strict=True))
    if rows:
        _PUT.put(connection, rows.values())
    return list(dict.fromkeys((workspace, memory) for workspace, memory, _, _ in rows))


def _covered(event: RecordedEvent) -> list[Target]:
    """The memories of a forget, each with the first version that it covers; 0 for all."""
    covered: list[Target] = []
    for fact in event.facts:
        if not isinstance(fact, MemoryForgotten) or fact.mode == "expire":
            continue
        if fact.scope == "event":
            covered += [one for one in fact.targets or () if one[0] == event.stream]
        else:
            covered.append((event.stream, 0))
    return covered


def unlearn(connection: Connection, workspace: str, memory_id: str) -> list[str]:
    """Keep no forget of a memory; the streams that name it."""
    named = {"w": workspace, "m": memory_id}
    connection.execute(_DELETE, named)
    return list(connection.execute(_STREAMS_OF, named).scalars())


def streams_naming(connection: Connection, memories: Iterable[Lineage]) -> set[Lineage]:
    """The streams that name one of the memories."""
    return {
        (workspace, row["stream"])
        for workspace, ids in _by_workspace(memories).items()
        for row in _NAMING.of(connection, ids, {"w": workspace})
    }


def note_naming(connection: Connection, events: Iterable[RecordedEvent]) -> None:
    """Keep which memories the events name."""
    rows = {
        (workspace, memory, stream): {"workspace": workspace, "memory_id": memory, "stream": stream}
        for event in events
        for workspace, stream in [lineage_of(event)]
        for memory, _ in _targets(event)
    }
    if rows:
        _PUT_NAMING.put(connection, rows.values())


class Forgets:
    """What is known to be forgotten of the memories that some events name.

    What is parked of a memory here is a forget: nobody knows what it covers, so it covers all.
    """

    def __init__(self, connection: Connection, events: Sequence[RecordedEvent]) -> None:
        named = {(one.context.workspace, memory) for one in events for memory, _ in _targets(one)}
        self._known: defaultdict[Lineage, list[Forget]] = defaultdict(list)
        for workspace, ids in _by_workspace(named).items():
            for row in _OF.of(connection, ids, {"w": workspace}):
                forget = Forget(row["position"], row["from_version"])
                self._known[workspace, row["memory_id"]].append(forget)
            for row in _UNHANDLED.of(connection, ids, {"w": workspace}):
                self._known[workspace, row["stream"]].append(Forget(FOREVER, 0))

    def hidden(self, events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
        """The events of one stream, without the words that are covered.

        Each event of a window may have the words of all, so they go together, whenever it was sent.
        """
        covered = [self._covers(event) for event in events]
        if events[0].stream.startswith(WINDOW):
            covered = [any(covered)] * len(events)
        return [
            event.without_payload() if gone else event
            for event, gone in zip(events, covered, strict=True)
        ]

    def _covers(self, event: RecordedEvent) -> bool:
        workspace = event.context.workspace
        return any(
            event.position < forget.position and version >= forget.from_version
            for memory, version in _targets(event)
            for forget in self._known.get((workspace, memory), ())
        )


def _targets(event: RecordedEvent) -> list[Target]:
    """The memories that an event names, with their versions."""
    return [
        (key, version)
        for fact in event.facts
        for key, version in getattr(fact, "targets", None) or ()
        if key.startswith(MEMORY)
    ]


def _by_workspace(lineages: Iterable[Lineage]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for workspace, stream in sorted(lineages):
        found.setdefault(workspace, []).append(stream)
    return found
