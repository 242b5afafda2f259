"""The fold behind recall: what the log says of the memories of a workspace, as documents.

Readers fold what came after the segments, workers fold what becomes the next segment; so both say
the same of an event.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from domain.envelope import CorruptEventError
from domain.events import MemoryForgotten
from domain.memory import MemoryState
from domain.memory_events import apply_memory
from domain.memory_streams import memory_versions, tangles
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.registry import UnknownTopicError
from domain.stand_ins import stand_ins
from domain.tangled_versions import forgotten_texts
from projections.index_manifest import Tip
from projections.lexical.memtable import Memtable
from projections.lexical.versions import document_of, stand_in_documents, stand_in_names
from projections.log_pages import Damage, LogPages


class RecallFold:
    """Folds the events of a workspace after a position into an index.

    `lost` are memories of which an event was damaged before: nothing is said of them any more.
    `until` is a position at which it ends although the log goes on. Not thread-safe.
    """

    def __init__(
        self,
        log: LogReader,
        workspace: str,
        index: Memtable,
        *,
        position: int = 0,
        lost: Collection[str] = (),
        damaged: Collection[int] = (),
        until: int | None = None,
    ) -> None:
        self._log = log
        self._workspace = workspace
        self._pages = LogPages(log, workspace)
        self._states: dict[str, MemoryState] = {}
        self._until = until
        self._forgets: list[tuple[int, str, int | None]] = []
        self.index = index
        self.position = position
        """Every event of the workspace up to this log position is in the index."""
        self.tip = Tip()
        """The last event that was folded here."""
        self.events = 0
        """How many were."""
        self.lost = set(lost)
        self.damaged = list(damaged)
        """Positions of events that could not be read; their memories are not answered with."""

    def moved_to(
        self, index: Memtable, position: int, lost: Collection[str], damaged: Collection[int]
    ) -> RecallFold:
        """This fold going on with an index that holds all up to a position, from segments.

        What was folded here since is put into it. `lost` and `damaged` are of up to that position.
        """
        index.purge_all((one, version) for at, one, version in self._forgets if at > position)
        for document in self.index.added_after(position):
            index.add(document)
        moved = RecallFold(
            self._log,
            self._workspace,
            index,
            position=max(position, self.position),
            lost=self.lost.union(lost),
            damaged=sorted({*self.damaged, *damaged}),
        )
        moved._forgets = [one for one in self._forgets if one[0] > position]
        return moved

    def read_page(self, enough: Callable[[], bool]) -> bool:
        """Fold the next events until `enough` says so, at least one; False at the head of the log.

        Raises UnknownTopicError for an event of a newer program, which is whole and not for us.
        """
        head = self._log.head()
        page = self._pages.after(self.position)
        events = [event for event in page.events if not self._is_beyond(event.position)]
        self._learn(events)
        for event in events:
            self._fold(event)
            self.position = event.position
            self.tip = Tip(event.position, event.name)
            self.events += 1
            if enough() and event is not page.events[-1]:
                return True
        if len(events) < len(page.events):
            return self._end()
        if page.damage is not None:
            if self._is_beyond(page.damage.position):
                return self._end()
            self._lose(page.damage)
        if not page.last:
            return True
        self.position = max(self.position, head)
        return False if self._until is None else self._end()

    def _is_beyond(self, position: int) -> bool:
        return self._until is not None and position > self._until

    def _end(self) -> bool:
        """All is folded up to where it was to end."""
        self.position = self._until or self.position
        return False

    def _learn(self, events: Sequence[RecordedEvent]) -> None:
        """The states of memories whose first events were folded by somebody else."""
        first = {
            event.stream: event.version
            for event in reversed(events)
            if event.stream not in self._states and event.stream not in self.lost
        }
        unknown = [stream for stream, version in first.items() if version > 1]
        for stream, events_of in self._streams(unknown).items():
            earlier = [event for event in events_of if event.version < first[stream]]
            if earlier:
                self._states[stream] = memory_versions(earlier)[-1]

    def _streams(self, streams: list[str]) -> dict[str, list[RecordedEvent]]:
        if not streams:
            return {}
        try:
            return self._log.streams(self._workspace, streams)
        except CorruptEventError as error:
            if isinstance(error, UnknownTopicError):
                raise
            if len(streams) == 1:
                self._hide_lost(streams[0])
                return {}
        return {
            stream: events for one in streams for stream, events in self._streams([one]).items()
        }

    def _lose(self, damage: Damage) -> None:
        """Nobody knows what the event said, it may have been a forget: so its memory is hidden."""
        self.damaged.append(damage.position)
        self.position = damage.position
        for memory in damage.memories:
            self._hide_lost(memory)

    def _hide_lost(self, memory: str) -> None:
        self.lost.add(memory)
        self._forget(self.position, memory)

    def _forget(self, position: int, memory: str, version: int | None = None) -> None:
        self._forgets.append((position, memory, version))
        self.index.purge(memory, version)

    def _fold(self, event: RecordedEvent) -> None:
        known = self._states.get(event.stream)
        if event.stream in self.lost or (known is not None and event.version <= known.version):
            return
        if tangles(known, event):
            self._fold_tangled(event)
            return
        dead = _covered(event)
        state = self._refolded(event, min(dead)) if dead else apply_memory(known, event)
        if state.forgotten is not None:
            state = state.without_text()
        self._states[event.stream] = state
        self.index.add(document_of(event, state))
        if state.forgotten is None:
            return
        if any(isinstance(fact, MemoryForgotten) and fact.scope == "key" for fact in event.facts):
            # What is recorded later than the tombstone of a slot may still come (policy.md §2.5).
            self._forget_all(event, range(1, event.version + 1))
        else:
            self._forget(event.position, state.id)

    def _fold_tangled(self, event: RecordedEvent) -> None:
        """A version of a memory whose stream holds what no command makes: told from all of it."""
        events = self._until_event(event)
        states = memory_versions(events)
        if any(isinstance(fact, MemoryForgotten) for fact in event.facts):
            self._forget_texts(events, states)
        state = states[-1]
        documents = [] if state.forgotten else list(stand_in_documents(event, state))
        if state.forgotten is not None:
            state = state.without_text()
        self._states[event.stream] = state
        self.index.add(document_of(event, state))
        for document in documents:
            self.index.add(document)
        going = {document.memory_id for document in documents}
        for name in stand_in_names(states[-2]) if len(states) > 1 else ():
            if name not in going:  # its last one, wherever the one before it is
                self.index.add(replace(document_of(event, state.without_text()), memory_id=name))

    def _forget_all(self, event: RecordedEvent, versions: Iterable[int]) -> None:
        for version in versions:
            self._forget(event.position, event.stream, version)

    def _until_event(self, event: RecordedEvent) -> list[RecordedEvent]:
        stream = self._log.stream(self._workspace, event.stream)
        return [one for one in stream if one.version <= event.version]

    def _refolded(self, event: RecordedEvent, first: int) -> MemoryState:
        """A memory after one of its versions was forgotten.

        The versions since are taken out of older bases with it: their text was made from it.
        """
        self._forget_all(event, range(first, event.version))
        return memory_versions(self._until_event(event))[-1]

    def _forget_texts(self, events: Sequence[RecordedEvent], states: Sequence[MemoryState]) -> None:
        """The same of a tangled memory: take out of older bases what the last event has forgotten.

        Whether its texts can still be read here does not matter.
        """
        gone = forgotten_texts(events)
        for event, state in zip(events[:-1], states[:-1], strict=True):
            others = zip(stand_in_documents(event, state), stand_ins(state), strict=True)
            said = [(document.memory_id, one.shows) for document, one in others]
            for name, shows in [(state.id, state.shows), *said]:
                if shows in gone:
                    self._forget(events[-1].position, name, event.version)


def _covered(event: RecordedEvent) -> list[int]:
    """The versions that a forget of scope `event` names."""
    return [
        version
        for fact in event.facts
        if isinstance(fact, MemoryForgotten) and fact.scope == "event"
        for _, version in fact.targets or ()
    ]
