"""What erasures have to destroy: the keys of the covered versions, and of what quotes them.

Everything here is read off heads: no payload is opened, so an erasure can be carried out, and
carried out again, whatever of it was destroyed before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from commands.log_store import LogStore
from domain.bundle_events import (
    CitationAdded,
    TakeawayAdded,
    TakeawayMoved,
    WindowRecorded,
    WindowResolved,
)
from domain.envelope import Head, head_of
from domain.erasure import ErasureState
from domain.events import (
    ConsolidationProposed,
    ConsolidationRejected,
    MemoryForgotten,
    RecallRecorded,
)
from domain.ids import MEMORY

STREAMS_AT_ONCE: Final = 500
POSITIONS_AT_ONCE: Final = 20_000
"""Positions that one statement looks through."""
IDS_AT_ONCE: Final = 3
"""With more ids than this it costs less to read every head than to look for each id in each row."""

_QUOTING: Final = {
    RecallRecorded.TOPIC: "recalls",
    ConsolidationProposed.TOPIC: "proposals",
    ConsolidationRejected.TOPIC: "rejections",
    TakeawayAdded.TOPIC: "takeaways",
    TakeawayMoved.TOPIC: "takeaways",
    CitationAdded.TOPIC: "citations",
    WindowRecorded.TOPIC: "windows",
    WindowResolved.TOPIC: "windows",
}
"""Topics whose payload may quote the memories that their structure names."""
_REPEATING: Final = frozenset({WindowRecorded.TOPIC, WindowResolved.TOPIC})
"""Topics of streams whose every event may hold the same words, also one that names no memory."""


@dataclass(slots=True)
class Reached:
    """Keys to destroy, the streams that they seal, and what may be counted of them.

    What somebody asked in private is erased like all else, but in no count: others see those.
    """

    keys: list[str] = field(default_factory=list)
    streams: set[str] = field(default_factory=set)
    repeating: set[str] = field(default_factory=set)
    """Streams of which all other events are erased as well."""
    counts: Counter[str] = field(default_factory=lambda: Counter(keys=0))

    def add(self, head: Head) -> None:
        """An event that is erased; one without a payload has nothing to destroy."""
        if head.key is not None:
            self.keys.append(head.key)
            self.streams.add(head.stream)
            if head.topic in _REPEATING:
                self.repeating.add(head.stream)
            quoting = _QUOTING.get(head.topic)
            if quoting is None:
                self.counts["keys"] += 1
            elif head.structure.get("visibility") == "workspace":
                self.counts.update(("keys", quoting))


class Reach:
    """Finds what belongs to erasures, for many at once."""

    def __init__(self, store: LogStore) -> None:
        self._store = store

    def versions(self, erasures: Sequence[ErasureState]) -> list[Reached]:
        """The covered versions of each erasure. A forget's own reason stays (operations.md §5)."""
        found: dict[str, Reached] = {one.id: Reached() for one in erasures}
        by_memory = _by_memory(erasures)
        for row_head, _ in self._streams(by_memory):
            for one in by_memory[row_head.stream]:
                covered = one.erases(row_head.stream, row_head.version)
                if covered and row_head.topic != MemoryForgotten.TOPIC:
                    found[one.id].add(row_head)
        return [found[one.id] for one in erasures]

    def quoting(self, erasures: Sequence[ErasureState]) -> list[Reached]:
        """The recalls that gave a covered version; proposals about one, and their rejections."""
        found: dict[str, Reached] = {one.id: Reached() for one in erasures}
        workspaces: defaultdict[str, list[ErasureState]] = defaultdict(list)
        for one in erasures:
            workspaces[one.context.workspace].append(one)
        for workspace, group in workspaces.items():
            by_memory = _by_memory(group)
            first = min((position for _, position in self._streams(by_memory)), default=0)
            for head, position in self._naming(workspace, list(by_memory), first - 1):
                targets = head.structure.get("targets", ())
                # A recall says what stood at its basis, however late it was recorded.
                known = head.structure.get("counts", {}).get("position", position)
                named = {one.id: one for key, _ in targets for one in by_memory.get(key, ())}
                for one in named.values():
                    if one.answered_with(targets, known):
                        found[one.id].add(head)
        for reached in found.values():
            self._add_repeating(reached)
        return [found[one.id] for one in erasures]

    def _add_repeating(self, reached: Reached) -> None:
        """The other times that a window was sent: one that failed held the words, too."""
        known = set(reached.keys)
        for head, _ in self._streams(sorted(reached.repeating)):
            if head.key not in known and head.topic in _REPEATING:
                reached.add(head)

    def _streams(self, ids: Iterable[str]) -> Iterator[tuple[Head, int]]:
        """The events of streams, with their positions."""
        wanted = list(ids)
        for start in range(0, len(wanted), STREAMS_AT_ONCE):
            part = dict.fromkeys(wanted[start : start + STREAMS_AT_ONCE], 0)
            for rows in self._store.load(part).values():
                for row in rows:
                    yield head_of(row.state), row.position

    def _naming(
        self, workspace: str, memories: list[str], after: int
    ) -> Iterator[tuple[Head, int]]:
        """Recalls and proposals that may name one of the memories, by position."""
        # Every id of a memory begins alike: all that name any memory are read then.
        ids = memories if len(memories) <= IDS_AT_ONCE else [MEMORY]
        head = self._store.head()
        while after < head:
            until = min(head, after + POSITIONS_AT_ONCE)
            for row in self._store.naming(workspace, list(_QUOTING), ids, after, until):
                yield head_of(row.state), row.position
            after = until


def _by_memory(erasures: Iterable[ErasureState]) -> dict[str, list[ErasureState]]:
    found: defaultdict[str, list[ErasureState]] = defaultdict(list)
    for one in erasures:
        for memory in one.targets:
            found[memory].append(one)
    return dict(found)
