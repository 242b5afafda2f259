"""What every adapter of the log offers; one contract suite holds them to it (tests/store)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

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


class LogReads(Protocol):
    """What is asked of a log. From any thread; errors are `StoreError`s."""

    def load(self, wanted: Mapping[str, int]) -> dict[str, list[StoredRow]]:
        """Events of public stream ids after a version each, by version, in one SELECT.

        A stream without such events is left out, as is what is no id of a stream.
        """
        ...

    def rows_after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[StoredRow]:
        """At most `limit` events after a position, in order; restricted where asked."""
        ...

    def naming(
        self, workspace: str, topics: Sequence[str], ids: Sequence[str], after: int, until: int
    ) -> list[StoredRow]:
        """Events of the topics at positions in (after, until] in whose bytes an id stands.

        The head of such an event may name it or not; no event whose head does is left out.
        """
        ...

    def grown(self, after: int, until: int, topics: Sequence[str]) -> list[Growth]:
        """How many events of each workspace and topic are at positions in (after, until].

        No event is decoded.
        """
        ...

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        """(stream, position) of the references of a kind to `ref`, by position."""
        ...

    def references_to(
        self, workspace: str, kind: str, refs: Sequence[str]
    ) -> list[tuple[str, str, int]]:
        """(ref, stream, position) of the references of a kind to any of `refs`, by position.

        One statement, however many they are.
        """
        ...

    def references_between(self, after: int, until: int) -> list[StoredRef]:
        """All references of the events in (after, until], by position, kind and ref."""
        ...

    def head(self) -> int:
        """The last position; 0 for an empty log."""
        ...

    def appended_at(self, position: int) -> Micros:
        """Append time of the last event at or before a position; 0 for none."""
        ...

    def position_at(self, known_at: Micros) -> int:
        """The largest position with every event up to it appended at or before that time."""
        ...

    def api_keys(self) -> list[ApiKeyRow]:
        """All API keys, the revoked ones too, oldest first."""
        ...

    def api_key(self, digest: str) -> ApiKeyRow | None:
        """The API key with a digest; None where there is none."""
        ...


class LogStore(LogReads, Protocol):
    """One log. Appends and reads may come from any thread; errors are `StoreError`s.

    `parts` is into how many parts its events are divided (`part_of`); it never changes.
    """

    @property
    def parts(self) -> int: ...

    def append(
        self,
        rows: Sequence[NewRow],
        refs: Sequence[RefRow],
        *,
        api_keys: Sequence[ApiKeyChange] = (),
        durable: bool = True,
        not_before_us: Micros = 0,
    ) -> Appended:
        """Store all of it in one transaction, at positions after all earlier ones.

        All rows get one append time: the clock's, but not before `not_before_us`, and later than
        every earlier one. Without `durable` the commit does not wait for the disk: a power cut may
        take the last fraction of a second. Nothing to append is no transaction, and no time (0).

        Raises StreamConflictError where a version of a stream is taken, StoreBusyError,
        StoreFullError or StoreError else: nothing is written then. Raises OutcomeUnknownError
        where the connection failed at the commit.
        """
        ...

    def append_placed(
        self, rows: Sequence[NewRow], refs: Sequence[RefRow], places: Sequence[Place]
    ) -> None:
        """Store events of another log where they stand there, and since when; all, or none.

        Places increase, times do not decrease. Raises PlacesTakenError where the log has a
        position or a time that is not before the first of them, and else as `append` does.
        """
        ...

    def close(self) -> None:
        """Close all connections."""
        ...
