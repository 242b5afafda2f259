"""The log as the write side uses it, and the one `eventsourcing` application around it.

Of the library we use streams, versions, recorders and notifications. The engine talks to the
recorder itself, as `LogStore`; its snapshots, caches, runners and subscriptions are not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import (
    ApplicationRecorder,
    JSONTranscoder,
    Mapper,
    Notification,
    StoredEvent,
)
from eventsourcing.utils import Environment, EnvType

from commands.log_store import LogStore
from commands.sealing import Sealer
from commands.store_errors import (
    KeyMissingError,
    OutcomeUnknownError,
    StoreBusyError,
    StoreError,
    StoreFormatError,
    StoreFullError,
    StreamConflictError,
    WrongMasterKeyError,
)
from commands.store_rows import (
    ApiKeyChange,
    ApiKeyRow,
    Appended,
    NewRow,
    RefRow,
    StoredRef,
    StoredRow,
    part_of,
)
from domain.envelope import EventContext, Head, unpack_state
from domain.recorded import RecordedEvent
from domain.references import event_refs
from domain.registry import Event

__all__ = [
    "ApiKeyChange",
    "ApiKeyRow",
    "Appended",
    "KeyMissingError",
    "LogApplication",
    "LogEvent",
    "LogStore",
    "NewRow",
    "OutcomeUnknownError",
    "RefRow",
    "SealedStoredEvent",
    "SealingMapper",
    "StoreBusyError",
    "StoreError",
    "StoreFormatError",
    "StoreFullError",
    "StoredRef",
    "StoredRow",
    "StreamConflictError",
    "WrongMasterKeyError",
    "rows_to_append",
]


@dataclass(frozen=True)
class LogEvent:
    """An event of ours as the library handles it: one fact to be stored, or all facts read.

    `originator_id` are the 16 bytes of `stream`, `prev` is the hex hash of the version before.
    """

    originator_id: UUID
    originator_version: int
    stream: str
    facts: tuple[Event, ...]
    context: EventContext
    recorded_at: str
    prev: str | None


@dataclass(frozen=True)
class SealedStoredEvent(StoredEvent):
    """What the mapper hands to our recorders: the row with all columns, and its references."""

    row: NewRow
    refs: tuple[tuple[str, str], ...]


class SealingMapper(Mapper[UUID]):
    """Maps through the sealer: topics are looked up in our registry, nothing is imported."""

    def __init__(self, sealer: Sealer, parts: int = 1) -> None:
        super().__init__(JSONTranscoder())
        self._sealer = sealer
        self._parts = parts

    def to_stored_event(self, domain_event: DomainEventProtocol[UUID]) -> SealedStoredEvent:
        """Seal a `LogEvent` that holds one fact."""
        said = cast("LogEvent", domain_event)
        (fact,) = said.facts
        sealed = self._sealer.seal(
            stream=said.stream,
            version=said.originator_version,
            event=fact,
            context=said.context,
            recorded_at=said.recorded_at,
            prev=said.prev,
        )
        plain = StoredEvent(said.originator_id, sealed.version, sealed.topic, sealed.state)
        row = NewRow(
            stream=sealed.stream,
            version=sealed.version,
            topic=sealed.topic,
            state=sealed.state,
            event_hash=sealed.hash,
            workspace=sealed.workspace,
            part=part_of(sealed.stream, sealed.workspace, self._parts),
        )
        recorded, _ = self._opened(plain)
        return SealedStoredEvent(**vars(plain), row=row, refs=tuple(event_refs(recorded)))

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[UUID]:
        """Open a stored event; raises what `Sealer.open_many` does."""
        recorded, prev = self._opened(stored_event)
        event = LogEvent(
            originator_id=_uuid(stored_event),
            originator_version=recorded.version,
            stream=recorded.stream,
            facts=recorded.facts,
            context=recorded.context,
            recorded_at=recorded.recorded_at,
            prev=prev,
        )
        return cast("DomainEventProtocol[UUID]", event)

    def _opened(self, stored: StoredEvent) -> tuple[RecordedEvent, str | None]:
        """The library does not know our further columns; they are taken from the bytes."""
        state = unpack_state(stored.state)
        head = Head.from_bytes(state.head)
        row = StoredRow(
            position=stored.id if isinstance(stored, Notification) else 0,
            originator_id=_uuid(stored).hex,
            version=stored.originator_version,
            topic=stored.topic,
            state=stored.state,
            event_hash=state.hash,
            workspace=head.context.workspace,
            part=None,
            appended_us=0,
        )
        return self._sealer.open(row), head.prev


def rows_to_append(
    stored_events: Sequence[StoredEvent],
) -> tuple[list[NewRow], list[RefRow]]:
    """What `LogStore.append` takes, for the `insert_events` of our recorders."""
    rows: list[NewRow] = []
    refs: list[RefRow] = []
    for index, event in enumerate(stored_events):
        if not isinstance(event, SealedStoredEvent):
            raise TypeError("events are appended as the application's mapper made them")
        rows.append(event.row)
        refs.extend(
            RefRow(event.row.workspace, kind, ref, event.row.stream, index)
            for kind, ref in event.refs
        )
    return rows, refs


def _uuid(stored: StoredEvent) -> UUID:
    known = stored.originator_id
    return known if isinstance(known, UUID) else UUID(known)


class LogApplication(Application[UUID]):
    """The log as an application of the library, over one of our recorders with its `parts`.

    It reads no environment and makes no tables: the recorder is given, open.
    """

    name = "memoranda"

    def __init__(self, recorder: ApplicationRecorder, sealer: Sealer, parts: int = 1) -> None:
        self._given = recorder
        self._sealer = sealer
        self._parts = parts
        super().__init__()

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Nothing of the process's environment."""
        return Environment(name, env)

    def construct_mapper(self) -> Mapper[UUID]:
        """Ours, through the sealer."""
        return SealingMapper(self._sealer, self._parts)

    def construct_recorder(self) -> ApplicationRecorder:
        """The one given."""
        return self._given
