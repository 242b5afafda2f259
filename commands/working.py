"""What one batch of commands sees: loaded streams, and the events decided so far in the batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from commands.aggregates import Aggregate, Cache, fold_whole, folded
from domain.bundles.concepts import ConceptState
from domain.bundles.takeaways import TakeawayState
from domain.bundles.windows import WindowState
from domain.guards import GuardState
from domain.ids import (
    CLAIM,
    CONCEPT,
    GUARD,
    MEMORY,
    PROPOSAL,
    RECEIPT,
    RELATIONSHIP,
    SYSTEM,
    WINDOW,
)
from domain.memory import MemoryState
from domain.proposals import ProposalState
from domain.receipts import ReceiptState
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState
from domain.validation.policies import SHIPPED_ONLY, PoliciesState
from domain.workspace_settings import UNCHANGED, SettingsState

_Ref: TypeAlias = tuple[str, str, str]


class Loader(Protocol):
    """The part of the store that a batch reads."""

    def load(self, wanted: Mapping[str, int]) -> dict[str, list[RecordedEvent]]:
        """The events of streams after a version each, in one round trip."""
        ...

    def references(self, workspace: str, kind: str, ref: str) -> Sequence[tuple[str, int]]:
        """(stream, position) rows of the log's reference table."""
        ...

    def references_to(
        self, workspace: str, kind: str, refs: Sequence[str]
    ) -> Sequence[tuple[str, str, int]]:
        """(ref, stream, position) rows of the log's reference table, in one round trip."""
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A `Working` at one moment."""

    streams: dict[str, Aggregate | None]
    refs: dict[_Ref, list[tuple[str, int]]]
    decided: dict[str, list[RecordedEvent]]


class Working:
    """The streams of one batch. Later commands of the batch see what earlier ones decided."""

    def __init__(self, loader: Loader, cache: Cache) -> None:
        self.loader = loader
        self._cache = cache
        self._streams: dict[str, Aggregate | None] = {}
        self._stored_refs: dict[_Ref, Sequence[tuple[str, int]]] = {}
        self._refs: defaultdict[_Ref, list[tuple[str, int]]] = defaultdict(list)
        self._decided: defaultdict[str, list[RecordedEvent]] = defaultdict(list)
        self._presumed: set[str] = set()

    def require(self, streams: Iterable[str]) -> None:
        """Load the streams that are not here yet, all in one SELECT."""
        missing = {stream for stream in streams if stream not in self._streams}
        if not missing:
            return
        known = {stream: self._cache.get(stream) for stream in missing}
        found = self.loader.load({s: a.version if a else 0 for s, a in known.items()})
        for stream, aggregate in known.items():
            events = found.get(stream, [])
            if not events or aggregate is None:
                self._put(stream, aggregate or fold_whole(events))
                continue
            self._put(stream, folded(aggregate, events) or fold_whole(self._whole(stream)))

    def current(self, stream: str) -> Aggregate | None:
        """A stream, loaded if it is not here yet; None where it has no events."""
        if stream not in self._streams:
            self.require([stream])
        return self._streams[stream]

    def expect_nothing(self, stream: str) -> None:
        """Take a stream as new without a look; the append refuses it if it is not."""
        self._streams[stream] = None

    def presume_new(self, streams: Iterable[str]) -> None:
        """`expect_nothing` of streams that may be there after all, unless they are known."""
        for stream in streams:
            known = self._cache.get(stream)
            self._streams[stream] = known
            if known is None:
                self._presumed.add(stream)

    def look_again(self, stream: str) -> bool:
        """Look for a stream that was presumed new; whether it is there."""
        if stream not in self._presumed or self._streams[stream] is not None:
            return False
        self._presumed.discard(stream)
        del self._streams[stream]
        self.require([stream])
        return self._streams[stream] is not None

    def _whole(self, stream: str) -> list[RecordedEvent]:
        return self.loader.load({stream: 0})[stream]

    def _put(self, stream: str, aggregate: Aggregate | None) -> None:
        self._streams[stream] = aggregate
        if aggregate is not None:
            self._cache.keep(stream, aggregate)

    def has(self, stream: str) -> bool:
        """Whether the stream was asked for in this batch."""
        return stream in self._streams

    def get(self, stream: str) -> Aggregate | None:
        """A stream that was required; None where it has no events."""
        return self._streams[stream]

    def apply(self, event: RecordedEvent, refs: Sequence[tuple[str, str]]) -> None:
        """Let later commands of the batch see an event that is about to be appended."""
        stream = event.stream
        self._decided[stream].append(event)
        known = folded(self._streams[stream], [event])
        if known is None:
            whole = [*self.loader.load({stream: 0}).get(stream, []), *self._decided[stream]]
            known = fold_whole(whole)
        self._streams[stream] = known
        for kind, ref in refs:
            self._refs[event.context.workspace, kind, ref].append((stream, 0))

    def place_receipt(self, stream: str, position: int) -> None:
        """Give a receipt of this batch the position that it was appended at."""
        aggregate = self._streams[stream]
        if aggregate is not None:
            was = aggregate.state
            state = ReceiptState(was.said, was.targets, was.correlation, position)
            self._streams[stream] = Aggregate(
                aggregate.workspace, aggregate.version, aggregate.hash, state
            )

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        """Rows of the log's reference table, and those that this batch adds."""
        key = (workspace, kind, ref)
        if key not in self._stored_refs:
            self._stored_refs[key] = self.loader.references(workspace, kind, ref)
        return [*self._stored_refs[key], *self._refs[key]]

    def references_to(self, workspace: str, kind: str, refs: Iterable[str]) -> list[str]:
        """The streams that refer to any of these, each once; all in one SELECT."""
        wanted = list(dict.fromkeys(refs))
        missing = [ref for ref in wanted if (workspace, kind, ref) not in self._stored_refs]
        if missing:
            found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
            for ref, stream, position in self.loader.references_to(workspace, kind, missing):
                found[ref].append((stream, position))
            self._stored_refs.update({(workspace, kind, ref): found[ref] for ref in missing})
        rows = (row for ref in wanted for row in self.references(workspace, kind, ref))
        return list(dict.fromkeys(stream for stream, _ in rows))

    def snapshot(self) -> Snapshot:
        """All as it is now, to be put back if an atomic group is refused."""
        return Snapshot(
            dict(self._streams),
            {key: list(rows) for key, rows in self._refs.items()},
            {stream: list(events) for stream, events in self._decided.items()},
        )

    def restore(self, saved: Snapshot) -> None:
        """Put all back as it was; what was loaded since is loaded again."""
        self._streams = saved.streams
        self._refs = defaultdict(list, saved.refs)
        self._decided = defaultdict(list, saved.decided)

    def commit(self, streams: Iterable[str]) -> None:
        """After the append: what was decided is what is known."""
        for stream in streams:
            aggregate = self._streams[stream]
            if aggregate is not None:
                self._cache.keep(stream, aggregate)


class View(NamedTuple):
    """The streams of one workspace; a stream of another workspace is absent."""

    working: Working
    workspace: str

    def missing(self, streams: Iterable[str]) -> set[str]:
        """Those that must be loaded first."""
        return {stream for stream in streams if not self.working.has(stream)}

    def memory(self, stream: str) -> MemoryState | None:
        """A memory; None for an id that is no memory of this workspace."""
        return self._state(stream, MEMORY)  # type: ignore[no-any-return]

    def relationship(self, stream: str) -> RelationshipState | None:
        """A relationship of this workspace."""
        return self._state(stream, RELATIONSHIP)  # type: ignore[no-any-return]

    def proposal(self, stream: str) -> ProposalState | None:
        """A consolidation proposal of this workspace."""
        return self._state(stream, PROPOSAL)  # type: ignore[no-any-return]

    def receipt(self, stream: str) -> ReceiptState | None:
        """A recorded command."""
        return self._state(stream, RECEIPT)  # type: ignore[no-any-return]

    def concept(self, stream: str) -> ConceptState | None:
        """A concept of a bundle, of this workspace."""
        return self._state(stream, CONCEPT)  # type: ignore[no-any-return]

    def takeaway(self, stream: str) -> TakeawayState | None:
        """A takeaway of this workspace."""
        return self._state(stream, CLAIM)  # type: ignore[no-any-return]

    def window(self, stream: str) -> WindowState | None:
        """A window of a session, of this workspace."""
        return self._state(stream, WINDOW)  # type: ignore[no-any-return]

    def settings(self, stream: str) -> SettingsState:
        """The settings of the workspace, in the stream that holds them."""
        return self._state(stream, SYSTEM) or UNCHANGED

    def policies(self, stream: str) -> PoliciesState:
        """The validation policies of the workspace, in the stream that holds them."""
        return self._state(stream, SYSTEM) or SHIPPED_ONLY

    def holder(self, guard: str) -> str | None:
        """The id that holds an identity key."""
        state: GuardState | None = self._state(guard, GUARD)
        return None if state is None else state.holder

    def references(self, kind: str, ref: str) -> Sequence[tuple[str, int]]:
        """Rows of the log's reference table."""
        return self.working.references(self.workspace, kind, ref)

    def references_to(self, kind: str, refs: Iterable[str]) -> list[str]:
        """The streams that refer to any of these, each once; all in one SELECT."""
        return self.working.references_to(self.workspace, kind, refs)

    def _state(self, stream: str, prefix: str) -> Any:
        if not stream.startswith(prefix) or not self.working.has(stream):
            return None
        aggregate = self.working.get(stream)
        if aggregate is None or aggregate.workspace != self.workspace:
            return None
        return aggregate.state
