"""A memory at one of its versions."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from domain.canonical import JsonObject, copied
from domain.event_bases import Lifecycle
from domain.instants import Micros
from domain.visibility import Bounds, Home, Viewer, recallable

ERASED_KIND: Final = "erased"
UNKNOWN: Final = "unknown"
Forgotten: TypeAlias = Literal["tombstone", "application_delete", "unknown"]
"""Why nobody may address a memory any more, or with `UNKNOWN` not yet: of what was remembered
elsewhere only later events have come."""


class MemoryState(NamedTuple):
    """A memory at one version. `content` is None where its text was erased or forgotten.

    `slot` is the slot as text (None where there is none, or where version 1 was erased);
    `slot_ref` outlives the text. `forgotten` is set for good by a tombstone; where that was one of
    scope `key`, `slot_forgotten_us` is its recording time. `root_us` is when the memory was first
    recorded, `retained` when and in which version its retention bound was set, None while it is
    that of the first. `tangle` is only there where the stream holds what no command makes: what
    this version means there (`domain.tangled_versions`).
    """

    id: str
    version: int
    kind: str
    schema_version: str
    content: JsonObject | None
    provenance: tuple[JsonObject, ...]
    confidence: float | None
    bounds: Bounds
    recorded_at: str
    recorded_us: Micros
    lifecycle: Lifecycle
    tags: tuple[str, ...]
    identity_key: str | None
    home: Home
    slot: str | None
    slot_ref: str | None
    forgotten: Forgotten | None = None
    dead_versions: frozenset[int] = frozenset()
    slot_forgotten_us: Micros | None = None
    root_us: Micros = 0
    retained: tuple[Micros, int] | None = None
    tangle: JsonObject | None = None

    @property
    def shows(self) -> int:
        """The version whose text this is, as a correction of it would name it."""
        version: int | None = None if self.tangle is None else self.tangle["shows"]
        return self.version if version is None else version

    @property
    def erased(self) -> bool:
        """Whether the text is gone: forgotten with its key, or never readable here."""
        return self.content is None

    def addressable_by(self, viewer: Viewer) -> bool:
        """Not forgotten for good, and visible to who looks."""
        return self.forgotten is None and self.home.visible_to(viewer)

    def recallable(self, as_of_us: Micros) -> bool:
        """May be the answer to a recall at that instant (visibility apart)."""
        return (
            self.forgotten is None
            and self.content is not None
            and recallable(self.lifecycle, self.bounds, as_of_us)
        )

    def as_shown(self) -> MemoryState:
        """The state without what its record hides: an erased version shows no text at all."""
        if not self.erased:
            return self
        hidden = self.without_text()
        return self if hidden == self else hidden

    def as_record(self) -> JsonObject:
        """The record of spec/operations.md §4; `erased: true` where the text is gone."""
        shown = self.as_shown()
        if shown is not self:
            return shown.as_record()
        record: JsonObject = {
            "id": self.id,
            "identity_key": self.identity_key,
            "kind": self.kind,
            "schema_version": self.schema_version,
            "content": copied(self.content),
            "provenance": copied(list(self.provenance)),
            "confidence": self.confidence,
            "valid_from": self.bounds.valid_from,
            "valid_until": self.bounds.valid_until,
            "recorded_at": self.recorded_at,
            "expires_at": self.bounds.expires_at,
            "lifecycle": self.lifecycle,
            "version": self.version,
            "tags": list(self.tags),
        }
        if self.erased:
            record["erased"] = True
        return record

    def without_text(self) -> MemoryState:
        """The same version as it shows after a tombstone: structure only."""
        return self._replace(
            kind=ERASED_KIND,
            schema_version=ERASED_KIND,
            content=None,
            provenance=(),
            confidence=None,
            tags=(),
            identity_key=None,
            slot=None,
        )
