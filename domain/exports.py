"""The form of an export: rows, their chain, and which payloads it leaves out (policy.md §2.11).

A file is JSON Lines, each line canonical JSON: a header, a row for each event in the order of the
log, the later forgets that say why an older payload is missing, and the manifest.

    header   = {format, workspace, session, sanitized, settings, slot_secret,
                position of the last row}
    row      = {n, position, appended_at, structure, commitment, body_sha256, hash,
                payload?, salt?, erased_by?}
    head     = structure with commitment (domain.envelope.Head)
    leaf     = SHA-256(0x00 ‖ position u64be ‖ appended_at in µs i64be ‖ event_hash)
    hash n   = SHA-256(0x01 ‖ n u64be ‖ hash n-1 ‖ leaf), 32 zero bytes before row 1
    manifest = {count, later, head, structure_sha256, export_sha256}

`structure_sha256` is over the heads, a line each, so that it is the same for every export of the
same events, wherever they are and whatever was erased since; `export_sha256` is over all bytes
before the manifest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from domain.bundle_events import (
    CitationAdded,
    TakeawayAdded,
    TakeawayMoved,
    WindowRecorded,
    WindowResolved,
)
from domain.canonical import Json, JsonObject
from domain.envelope import Head
from domain.events import (
    REGISTRY,
    ConsolidationProposed,
    ConsolidationRejected,
    ForgetMode,
    ForgetScope,
    MemoryForgotten,
    RecallRecorded,
)
from domain.ids import MEMORY, RELATIONSHIP
from domain.instants import Micros, parse_instant

FORMAT: Final = "memoranda.export/1"
START: Final = bytes(32)
"""What stands before the first row in the chain."""
LINE_BYTES_MAX: Final = 64 * 1024 * 1024
"""The longest line that is read: a recorded recall of the largest budgets fits."""

_FAMILIES: Final = ("memory.", "relationship.", "consolidation.", "recall.", "erasure.")
TOPICS: Final = tuple(topic for topic in REGISTRY.topics if topic.startswith(_FAMILIES))
"""What is exported. Receipts are not: their fingerprints would let a reader test guesses of what
was erased. Guards are made again by the import, settings stand in the header."""
QUOTING: Final = frozenset(
    {
        RecallRecorded.TOPIC,
        ConsolidationProposed.TOPIC,
        ConsolidationRejected.TOPIC,
        TakeawayAdded.TOPIC,
        TakeawayMoved.TOPIC,
        CitationAdded.TOPIC,
        WindowRecorded.TOPIC,
        WindowResolved.TOPIC,
    }
)
"""Topics whose payload may quote the memories that their structure names."""


def leaf(position: int, appended_us: Micros, event_hash: bytes) -> bytes:
    """What an event is in a log: where it stands, since when, and what it is (design.md §2)."""
    placed = position.to_bytes(8, "big") + appended_us.to_bytes(8, "big", signed=True)
    return hashlib.sha256(b"\x00" + placed + event_hash).digest()


def chained(before: bytes, number: int, row_leaf: bytes) -> bytes:
    """The hash of row `number`, given that of the row before it."""
    return hashlib.sha256(b"\x01" + number.to_bytes(8, "big") + before + row_leaf).digest()


class Grave(NamedTuple):
    """A forget that is no expiry: what it takes the text from. `versions` None means all."""

    name: str
    stream: str
    position: int
    mode: ForgetMode
    scope: ForgetScope
    session: str
    recorded_us: Micros
    versions: Sequence[int] | None

    def covers(self, version: int, session: str, recorded_us: Micros) -> bool:
        """Whether a version of its memory is covered, of that session and recording time."""
        if self.session != session:
            return False
        if self.versions is not None:
            return version in self.versions
        return self.scope != "key" or recorded_us <= self.recorded_us

    def quoted_by(self, version: int, known: int) -> bool:
        """Whether what was said of a version, at a position, may hold what is gone."""
        reached = self.versions is None or any(version >= one for one in self.versions)
        return known < self.position and reached


def grave_of(head: Head, position: int) -> Grave | None:
    """The grave that an event is; None for every other event."""
    said = head.structure
    if head.topic != MemoryForgotten.TOPIC or said["mode"] == "expire":
        return None
    named = said.get("targets")
    return Grave(
        name=f"{head.stream}@{head.version}",
        stream=head.stream,
        position=position,
        mode=said["mode"],
        scope=said["scope"],
        session=said["session"],
        recorded_us=parse_instant(head.recorded_at, "recorded_at"),
        versions=None if said["scope"] != "event" else [version for _, version in named or ()],
    )


def graves_asked(head: Head) -> list[str]:
    """The memories whose graves decide whether the payload of an event may be shown."""
    if head.stream.startswith(MEMORY):
        return [head.stream]
    if head.stream.startswith(RELATIONSHIP):
        return [head.structure["source_id"], head.structure["target_id"]]
    if head.topic in QUOTING:
        return [stream for stream, _ in head.structure["targets"]]
    return []


def left_out_by(
    head: Head, position: int, graves: Mapping[str, Sequence[Grave]], *, sanitized: bool
) -> Grave | None:
    """The forget because of which an export has no payload of an event; None where it has one.

    Text that was erased is in no export. A sanitized one leaves out what was only hidden, too, the
    reasons given with such forgets, and relationships of what was forgotten.
    """
    counting = [
        grave
        for stream in graves_asked(head)
        for grave in graves.get(stream, ())
        if sanitized or grave.mode == "application_delete"
    ]
    return next((one for one in counting if _takes(one, head, position, sanitized)), None)


def _takes(grave: Grave, head: Head, position: int, sanitized: bool) -> bool:  # noqa: FBT001
    said = head.structure
    if head.stream.startswith(MEMORY):
        recorded_us = parse_instant(head.recorded_at, "recorded_at")
        covered = grave.covers(head.version, said["session"], recorded_us)
        if head.topic != MemoryForgotten.TOPIC:
            return covered
        # The reason of an expiry goes with the memory that it was given for.
        return sanitized and (covered or grave.name == f"{head.stream}@{head.version}")
    if head.stream.startswith(RELATIONSHIP):
        return sanitized and grave.versions is None
    # A recall says what stood at its basis, however late it was recorded.
    known = (said.get("counts") or {}).get("position", position)
    return any(
        stream == grave.stream and grave.quoted_by(version, known)
        for stream, version in said["targets"]
    )


def row_of(
    head: Head, position: int, appended_at: str, body_sha256: bytes, number: int | None
) -> JsonObject:
    """A row without hash and payload; without `number` one of the later forgets."""
    structure: dict[str, Json] = {
        "v": head.v,
        "stream": head.stream,
        "version": head.version,
        "topic": head.topic,
        "recorded_at": head.recorded_at,
        "ctx": head.context.as_json(),
        "s": head.structure,
        "key": head.key,
        "prev": head.prev,
    }
    return {
        **({"later": True} if number is None else {"n": number}),
        "position": position,
        "appended_at": appended_at,
        "structure": structure,
        "commitment": head.commitment,
        "body_sha256": body_sha256.hex(),
    }
