"""Memories and relationships with all their versions, folded from the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from domain.events import ConsolidationProposed
from domain.ids import MEMORY, PROPOSAL, RELATIONSHIP, decode_id
from domain.memory import MemoryState
from domain.memory_streams import memory_versions
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState, relationship_versions
from domain.visibility import Home, Viewer

STREAMS_AT_ONCE: Final = 500
"""Streams asked of the log in one statement."""

State = TypeVar("State", MemoryState, RelationshipState)


@dataclass(frozen=True, slots=True)
class History(Generic[State]):
    """A record at each of its versions: version n is what the n-th event made of it."""

    events: Sequence[RecordedEvent]
    states: Sequence[State]

    @property
    def last(self) -> State:
        """The record as it is now."""
        return self.states[-1]

    def at(self, version: int) -> State:
        """The record at a version that it has."""
        return self.states[version - 1]


class Histories:
    """The records of one workspace that who looks may see; a memory is read once."""

    def __init__(self, log: LogReader, workspace: str, viewer: Viewer) -> None:
        self._log = log
        self._workspace = workspace
        self._viewer = viewer
        self._read: dict[str, History[MemoryState] | None] = {}

    def memory(self, memory_id: str) -> History[MemoryState] | None:
        """A memory, forgotten or not; None for whatever is no memory here for them."""
        return self.memories([memory_id]).get(memory_id)

    def memories(self, ids: Iterable[str]) -> dict[str, History[MemoryState]]:
        """Those of the ids that are memories here, by id; the others are left out."""
        wanted = list(dict.fromkeys(ids))
        fresh = [key for key in wanted if key not in self._read]
        self._read.update(dict.fromkeys(fresh))
        for key, events in self._events(MEMORY, fresh).items():
            history = History(events, memory_versions(events))
            self._read[key] = history if self._visible(history.last) else None
        return {key: known for key in wanted if (known := self._read[key]) is not None}

    def relationships(self, ids: Iterable[str]) -> dict[str, History[RelationshipState]]:
        """Those of the ids that are relationships here, by id; the others are left out."""
        found = self._events(RELATIONSHIP, ids)
        folded = {
            key: History(events, relationship_versions(events)) for key, events in found.items()
        }
        return {key: one for key, one in folded.items() if self._visible(one.last)}

    def slot(self, slot_ref: str | None) -> list[History[MemoryState]]:
        """The memories that ever belonged to a slot, by id."""
        if slot_ref is None:
            return []
        found = self.memories(self._referring("slot", slot_ref))
        return [found[key] for key in sorted(found) if found[key].last.slot_ref == slot_ref]

    def edges(self, memory_id: str) -> list[History[RelationshipState]]:
        """The relationships that touch a memory, by id."""
        found = self.relationships(self._referring("endpoint", memory_id))
        return [found[key] for key in sorted(found)]

    def among(self, ids: Iterable[str]) -> list[History[RelationshipState]]:
        """The relationships between two of these memories, by id; also those of one to itself."""
        touched = Counter(
            stream
            for key in dict.fromkeys(ids)
            for stream, _ in self._log.references(self._workspace, "endpoint", key)
        )
        found = self.relationships(stream for stream, ends in touched.items() if ends > 1)
        return [found[key] for key in sorted(found)]

    def originals(self, memory_id: str) -> list[History[MemoryState]]:
        """The memories that were superseded by this one, by id."""
        found = self.memories(self._referring("supersedes", memory_id))
        return [found[key] for key in sorted(found)]

    def proposals(self, ids: Iterable[str]) -> set[str]:
        """Those of the ids that are consolidation proposals which may be seen."""
        return {
            key
            for key, events in self._events(PROPOSAL, ids).items()
            for fact in events[0].facts
            if isinstance(fact, ConsolidationProposed)
            and Home(fact.session, fact.visibility, fact.owner).visible_to(self._viewer)
        }

    def _referring(self, kind: str, ref: str) -> list[str]:
        rows = self._log.references(self._workspace, kind, ref)
        return list(dict.fromkeys(stream for stream, _ in rows))

    def _events(self, prefix: str, ids: Iterable[str]) -> dict[str, list[RecordedEvent]]:
        wanted = [key for key in dict.fromkeys(ids) if decode_id(key, prefix) is not None]
        found: dict[str, list[RecordedEvent]] = {}
        for start in range(0, len(wanted), STREAMS_AT_ONCE):
            part = wanted[start : start + STREAMS_AT_ONCE]
            found.update(self._log.streams(self._workspace, part))
        return found

    def _visible(self, state: MemoryState | RelationshipState) -> bool:
        return state.home.visible_to(self._viewer)
