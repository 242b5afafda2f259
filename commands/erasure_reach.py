"""What an erasure has to destroy: the keys of the covered versions, and of what was said of them.

Everything here is read off heads: no payload is opened, so an erasure can be carried out, and
carried out again, whatever of it was destroyed before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from commands.log_store import LogStore
from domain.envelope import Head, unpack_state
from domain.erasure import ErasureState
from domain.events import ConsolidationProposed, MemoryForgotten, RecallRecorded

POSITIONS_AT_ONCE: Final = 20_000
"""Positions that one statement looks through."""
IDS_AT_ONCE: Final = 16
"""With more ids than this it costs less to read every head than to look for each id in each row."""

_NAMES: Final = {RecallRecorded.TOPIC: "recalls", ConsolidationProposed.TOPIC: "proposals"}
"""Topics whose payload may hold the text of memories that their structure names."""


@dataclass(slots=True)
class Reached:
    """Keys to destroy, the streams that they seal, and how many of them seal what was said."""

    keys: list[str] = field(default_factory=list)
    streams: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, head: Head) -> None:
        """An event that is erased; one without a payload has nothing to destroy."""
        if head.key is not None:
            self.keys.append(head.key)
            self.streams.add(head.stream)
            if head.topic in _NAMES:
                self.counts[_NAMES[head.topic]] += 1


class Reach:
    """Finds what belongs to an erasure."""

    def __init__(self, store: LogStore) -> None:
        self._store = store

    def everything(self, erasure: ErasureState) -> Reached:
        """The covered versions, and what was said of them since the first one."""
        reached = Reached()
        first = erasure.requested_at
        for stream, rows in self._store.load(dict.fromkeys(erasure.targets, 0)).items():
            first = min(first, rows[0].position)
            for row in rows:
                # A forget's own reason stays (spec/operations.md §5, forget).
                if erasure.erases(stream, row.version) and row.topic != MemoryForgotten.TOPIC:
                    reached.add(_head(row.state))
        self._add_said(reached, erasure, first)
        return reached

    def said_since(self, erasure: ErasureState) -> Reached:
        """What was said of the covered versions, and recorded only after the request."""
        reached = Reached()
        self._add_said(reached, erasure, erasure.requested_at)
        return reached

    def _add_said(self, reached: Reached, erasure: ErasureState, after: int) -> None:
        for head, position in self._naming(erasure, after):
            said = head.structure
            # A recall says what stood at its basis, however late it was recorded.
            known = said.get("counts", {}).get("position", position)
            if erasure.answered_with(said.get("targets", ()), known):
                reached.add(head)

    def _naming(self, erasure: ErasureState, after: int) -> Iterator[tuple[Head, int]]:
        """Recalls and proposals that may name a covered memory, by position."""
        ids = list(erasure.targets)
        # Every id begins like this: all of the topics are read then.
        wanted = ids if len(ids) <= IDS_AT_ONCE else [ids[0][:4]]
        head = self._store.head()
        while after < head:
            until = min(head, after + POSITIONS_AT_ONCE)
            workspace = erasure.context.workspace
            for row in self._store.naming(workspace, list(_NAMES), wanted, after, until):
                yield _head(row.state), row.position
            after = until


def _head(state: bytes) -> Head:
    return Head.from_bytes(unpack_state(state)[0])
