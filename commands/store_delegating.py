"""What the recorders of all databases do alike: they hand on to their writer and their reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from eventsourcing.persistence import IntegrityError, StoredEvent

from commands.log_store import LogReads
from commands.store import rows_to_append
from commands.store_errors import StreamConflictError
from commands.store_rows import (
    ApiKeyChange,
    ApiKeyRow,
    Appended,
    Growth,
    NewRow,
    Place,
    RefRow,
    StoredRef,
    StoredRow,
)
from domain.instants import Micros


class LogAppends(Protocol):
    """The one that appends."""

    def append(
        self,
        rows: Sequence[NewRow],
        refs: Sequence[RefRow],
        api_keys: Sequence[ApiKeyChange],
        *,
        durable: bool,
        not_before_us: Micros,
    ) -> Appended:
        """See `commands.log_store.LogStore.append`."""
        ...

    def append_placed(
        self, rows: Sequence[NewRow], refs: Sequence[RefRow], places: Sequence[Place]
    ) -> None:
        """See `commands.log_store.LogStore.append_placed`."""
        ...


AppendsT = TypeVar("AppendsT", bound=LogAppends)
ReadsT = TypeVar("ReadsT", bound=LogReads)


class DelegatingRecorder(Generic[AppendsT, ReadsT]):
    """A `LogStore` of a writer and reads, which the adapter makes."""

    _writer: AppendsT
    _reads: ReadsT

    def append(
        self,
        rows: Sequence[NewRow],
        refs: Sequence[RefRow],
        *,
        api_keys: Sequence[ApiKeyChange] = (),
        durable: bool = True,
        not_before_us: Micros = 0,
    ) -> Appended:
        return self._writer.append(
            rows, refs, api_keys, durable=durable, not_before_us=not_before_us
        )

    def append_placed(
        self, rows: Sequence[NewRow], refs: Sequence[RefRow], places: Sequence[Place]
    ) -> None:
        self._writer.append_placed(rows, refs, places)

    def load(self, wanted: Mapping[str, int]) -> dict[str, list[StoredRow]]:
        return self._reads.load(wanted)

    def rows_after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[StoredRow]:
        return self._reads.rows_after(
            position, limit, part=part, workspace=workspace, topics=topics
        )

    def naming(
        self, workspace: str, topics: Sequence[str], ids: Sequence[str], after: int, until: int
    ) -> list[StoredRow]:
        return self._reads.naming(workspace, topics, ids, after, until)

    def grown(self, after: int, until: int, topics: Sequence[str]) -> list[Growth]:
        return self._reads.grown(after, until, topics)

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        return self._reads.references(workspace, kind, ref)

    def references_to(
        self, workspace: str, kind: str, refs: Sequence[str]
    ) -> list[tuple[str, str, int]]:
        return self._reads.references_to(workspace, kind, refs)

    def references_between(self, after: int, until: int) -> list[StoredRef]:
        return self._reads.references_between(after, until)

    def head(self) -> int:
        return self._reads.head()

    def appended_at(self, position: int) -> Micros:
        return self._reads.appended_at(position)

    def position_at(self, known_at: Micros) -> int:
        return self._reads.position_at(known_at)

    def api_keys(self) -> list[ApiKeyRow]:
        return self._reads.api_keys()

    def api_key(self, digest: str) -> ApiKeyRow | None:
        return self._reads.api_key(digest)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int]:
        """Append what `SealingMapper` made; raises the library's IntegrityError for a clash."""
        rows, refs = rows_to_append(stored_events)
        try:
            return self.append(rows, refs).positions
        except StreamConflictError as error:
            raise IntegrityError(error) from error
