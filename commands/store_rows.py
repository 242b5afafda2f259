"""The rows of the log as they go in and come out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from domain.ids import GUARD, RECALL, RECEIPT, hex_of_id
from domain.instants import Micros
from domain.parts import part_of_workspace


# To make an object that is frozen takes a call for each field: the rows of the hot paths are not.
@dataclass(slots=True)
class NewRow:
    """A sealed event to append. `part` is None for receipts, recalls and guards."""

    stream: str
    version: int
    topic: str
    state: bytes
    event_hash: bytes
    workspace: str
    part: int | None


class Place(NamedTuple):
    """Where an event stands in a log, and since when."""

    position: int
    appended_us: Micros


@dataclass(slots=True)
class RefRow:
    """An `event_ref` row of the appended event with index `row_index`."""

    workspace: str
    kind: str
    ref: str
    stream: str
    row_index: int


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row of the event table, undecoded. `originator_id` is the 32 hex digits of the stream."""

    position: int
    originator_id: str
    version: int
    topic: str
    state: bytes
    event_hash: bytes
    workspace: str
    part: int | None
    appended_us: Micros


@dataclass(frozen=True, slots=True)
class StoredRef:
    """A row of the reference table."""

    workspace: str
    kind: str
    ref: str
    stream: str
    position: int


@dataclass(frozen=True, slots=True)
class Growth:
    """How many events of a topic a workspace has in a part of the log, and the last one's place."""

    workspace: str
    topic: str
    events: int
    position: int


@dataclass(frozen=True, slots=True)
class Appended:
    """Where the rows of one append stand, in their order, and when they were appended."""

    positions: tuple[int, ...]
    appended_us: Micros


@dataclass(frozen=True, slots=True)
class ApiKeyRow:
    """An API key. `permissions` is a JSON array; the bearer token is known by its digest alone."""

    key_id: str
    digest: str
    name: str
    workspace: str | None
    actor: str | None
    agent: str | None
    permissions: str
    expires_at: str | None
    created_at: str
    revoked_at: str | None


@dataclass(frozen=True, slots=True)
class ApiKeyChange:
    """What an append does to the API keys: a new row, or (key_id, revoked_at)."""

    issued: ApiKeyRow | None = None
    revoked: tuple[str, str] | None = None


@lru_cache(maxsize=16_384)
def originator_id(stream: str) -> str | None:
    """The library's id of a public stream id; None for what is none of our ids."""
    return hex_of_id(stream)


def part_of(stream: str, workspace: str, parts: int = 1) -> int | None:
    """The unit of scale that follows an event: crc32 of the workspace, modulo the parts.

    None for receipts, recalls and guards, which no projection folds (design.md §3). An embedded
    store has one part.
    """
    if stream.startswith((RECEIPT, RECALL, GUARD)):
        return None
    return part_of_workspace(workspace, parts)
