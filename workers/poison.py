"""What is the fault of an event, and what is not (design.md §4, Poison)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from domain.envelope import CorruptEventError
from domain.errors import MemorandaError
from domain.ids import encode_id
from domain.ports import UnavailableError
from domain.recorded import RecordedEvent
from domain.registry import UnknownTopicError
from projections.catalogue import Projection
from projections.checkpoints import BusyError, ViewsAheadError
from projections.parking import Culprit
from projections.unusable import ViewsFormatError

_NEVER: Final = (
    OSError,
    MemoryError,
    UnavailableError,
    PoolTimeoutError,
    BusyError,
    ViewsAheadError,
    ViewsFormatError,
    # Of a newer program: it is whole, and not for us.
    UnknownTopicError,
)


def blames_event(error: Exception) -> bool:
    """Whether an error tells of the event that was handled.

    Errors of disk, connection, locks and tables never do: every event would be parked for them.
    """
    if isinstance(error, MemorandaError):
        return not error.retryable
    if isinstance(error, DBAPIError):
        return isinstance(error, (DataError, IntegrityError)) and not error.connection_invalidated
    return not isinstance(error, _NEVER)


def culprit_of(event: RecordedEvent, error: Exception) -> Culprit:
    """An event that was read, and what its handler raised."""
    lineage = (event.context.workspace, event.stream)
    return Culprit(event.position, (lineage,), type(error).__name__)


def unreadable(projection: Projection, error: CorruptEventError) -> Culprit | None:
    """An event that cannot be opened; None where nobody knows which one it is.

    A damaged column may name another stream than the event did: then both are meant. Where it
    names none at all, the stream is '': readers are told, and only a rebuild ends it. Nor does it
    say of which kind its record is, where a projection has several.
    """
    if error.position is None or error.workspace is None:
        return None
    streams = _ids(projection.prefixes, error.originator_ids) or [""]
    lineages = tuple((error.workspace, stream) for stream in streams)
    return Culprit(error.position, lineages, type(error).__name__)


def _ids(prefixes: Sequence[str], originator_ids: Sequence[str]) -> list[str]:
    found = []
    for name in originator_ids:
        try:
            number = UUID(hex=name)
        except ValueError:
            # The damage is in the column that names the stream.
            continue
        found += [encode_id(prefix, number) for prefix in prefixes]
    return found
