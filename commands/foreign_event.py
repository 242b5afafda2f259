"""One event of another store, and what the events that are here say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from commands.opening import Opened, checked, parsed_payload
from commands.sealing import Sealed
from commands.store_rows import NewRow, Place, StoredRow, part_of
from domain.envelope import Head, StoredState
from domain.errors import Code, MemorandaError
from domain.events import (
    REGISTRY,
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    RelationshipRelated,
    RelationshipRevised,
)
from domain.exports import QUOTING, Grave, grave_of
from domain.ids import MEMORY
from domain.registry import Event, RawEvent

_KEYED: Final = (MemoryRemembered, MemoryRevised, RelationshipRelated, RelationshipRevised)


@dataclass(frozen=True, slots=True)
class ForeignEvent:
    """An event as an export has it; `opened` is None without a payload, or where it was left out.

    `facts` are what it says. `alive` is false for a record that is forgotten further on, `buried`
    names the forgets in the file of the memories that it names.
    """

    head: Head
    place: Place
    head_bytes: bytes
    body_sha256: bytes
    opened: Opened | None
    facts: tuple[Event, ...]
    alive: bool = True
    buried: frozenset[str] = frozenset()

    @property
    def named(self) -> list[tuple[str, int]]:
        """The other records that it is about, at versions: nothing of it is theirs alone."""
        said = self.head.structure
        if self.head.stream.startswith(MEMORY):
            return []
        ends = [(said[end], 1) for end in ("source_id", "target_id") if end in said]
        return [*ends, *((stream, version) for stream, version in said.get("targets") or ())]

    @property
    def name(self) -> str:
        """`<stream>@<version>`."""
        return f"{self.head.stream}@{self.head.version}"

    @property
    def hash(self) -> bytes:
        """The event's hash, which an import does not change."""
        return StoredState(self.head_bytes, b"", self.body_sha256).hash

    def is_about(self, version: int, grave: Grave) -> bool:
        """Whether a forget takes it with the memory that it names; one in the file has done so."""
        if grave.name in self.buried:
            return False
        return grave.versions is None or (
            self.head.topic in QUOTING and any(version >= one for one in grave.versions)
        )

    def follows(self, version: int, last: bytes | None) -> bool:
        """Whether it comes next in a stream that ends with a version and its hash."""
        prev = None if last is None else last.hex()
        return self.head.version == version + 1 and self.head.prev == prev

    @property
    def identity(self) -> tuple[str, str | None, str] | None:
        """(identity key, owner if private, session) that it claims for a record that lives.

        A later version names it, too, where the text of the first one was destroyed.
        """
        first = self.facts[0]
        if not isinstance(first, _KEYED) or not self.alive:
            return None
        if first.payload is None or first.payload.identity_key is None:
            return None
        owner = first.owner if first.visibility == "private" else None
        return first.payload.identity_key, owner, first.session


def facts_of(head: Head, opened: Opened | None) -> tuple[Event, ...]:
    """What an event says; raises CorruptEventError, UnknownTopicError of a newer program."""
    payload = None if opened is None else parsed_payload(opened.payload)
    return REGISTRY.decode(RawEvent(head.topic, head.v, head.structure, payload))


def graves_in(rows: Sequence[StoredRow]) -> list[Grave]:
    """The forgets among the events of a memory."""
    forgets = (row for row in rows if row.topic == MemoryForgotten.TOPIC)
    found = (grave_of(checked(row).head, row.position) for row in forgets)
    return [grave for grave in found if grave is not None]


def is_forgotten(rows: Sequence[StoredRow]) -> bool:
    """Whether a memory is forgotten for good."""
    return any(grave.versions is None for grave in graves_in(rows))


def new_row(sealed: Sealed, parts: int) -> NewRow:
    """A sealed event as the log takes it."""
    part = part_of(sealed.stream, sealed.workspace, parts)
    return NewRow(
        sealed.stream,
        sealed.version,
        sealed.topic,
        sealed.state,
        sealed.hash,
        sealed.workspace,
        part,
    )


def conflict(reason: str, said: str) -> MemorandaError:
    """The refusal of an import that does not fit what is stored."""
    return MemorandaError(
        Code.VERSION_CONFLICT, f"{said}; nothing was imported", field="FILE", reason=reason
    )
