"""What was made from what, and which of it has to be looked at again.

A memory is derived from another one if a relationship `derived_from` leads from it to the other,
if the other was consolidated away behind it (`superseded_by`), or if it cites the other as a
source. A version needs a review if something that it is derived from was forgotten after it was
recorded: by a tombstone, an application_delete, or a forget of one version. That is judged by all
that is known today, whatever the basis of an answer, and only by what the asking actor may see.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, and_, bindparam, func, or_, select, union_all

from domain.canonical import JsonObject
from domain.consolidation import SUPERSEDED_BY
from domain.events import MemoryForgotten
from domain.ids import MEMORY, decode_id
from domain.instants import FOREVER
from domain.visibility import Viewer
from projections.columns import Words
from projections.schema import EDGE_VERSION, MEMORY_SOURCE, MEMORY_VERSION
from read_api.basis import Basis, known, of_ids, parts_of, shown

DERIVED_FROM: Final = "derived_from"
"""The kind of a relationship from a memory to one that it was made from."""

_EDGE: Final = EDGE_VERSION.c
_CITING: Final = MEMORY_SOURCE.c
_MADE_FROM: Final = and_(
    shown(EDGE_VERSION), _EDGE.kind == DERIVED_FROM, _EDGE.lifecycle == "active"
)
# That a memory was consolidated away is no opinion that a later version of the edge could withdraw.
_BEHIND: Final = and_(shown(EDGE_VERSION), _EDGE.kind == SUPERSEDED_BY)
_ORIGINS: Final = union_all(
    select(_EDGE.source_id, _EDGE.target_id).where(_MADE_FROM, of_ids(_EDGE.source_id)),
    select(_EDGE.target_id, _EDGE.source_id).where(_BEHIND, of_ids(_EDGE.target_id)),
)
_DERIVED: Final = union_all(
    select(_EDGE.source_id).where(_MADE_FROM, of_ids(_EDGE.target_id)),
    select(_EDGE.target_id).where(_BEHIND, of_ids(_EDGE.source_id)),
    select(_CITING.memory_id).where(
        _CITING.workspace == bindparam("basis_workspace", type_=Words), of_ids(_CITING.source_id)
    ),
)
_CURRENT: Final = select(
    MEMORY_VERSION.c.memory_id, MEMORY_VERSION.c.position, MEMORY_VERSION.c.record
).where(
    shown(MEMORY_VERSION),
    of_ids(MEMORY_VERSION.c.memory_id),
    MEMORY_VERSION.c.forgotten.is_(None),
)
_ROW: Final = MEMORY_VERSION.alias("version")
_BEFORE: Final = MEMORY_VERSION.alias("before")
_FORGOTTEN: Final = (
    select(_ROW.c.memory_id, func.max(_ROW.c.position))
    .outerjoin(
        _BEFORE,
        and_(
            _BEFORE.c.workspace == _ROW.c.workspace,
            _BEFORE.c.memory_id == _ROW.c.memory_id,
            _BEFORE.c.version == _ROW.c.version - 1,
        ),
    )
    .where(
        known(_ROW),
        of_ids(_ROW.c.memory_id),
        _ROW.c.topic == MemoryForgotten.TOPIC,
        # Not the expiries: they hide, and forget nothing.
        or_(
            and_(_ROW.c.forgotten.is_not(None), _ROW.c.lifecycle == "tombstoned"),
            _ROW.c.dead_versions.is_distinct_from(_BEFORE.c.dead_versions),
        ),
    )
    .group_by(_ROW.c.memory_id)
)
"""When a memory, or a version of it, was forgotten last."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a memory, as far as its derivation goes: where it stands, what it cites."""

    memory: str
    position: int
    cited: Sequence[str]


class Reason(NamedTuple):
    """Why a version needs a review: something was forgotten at a position."""

    position: int
    origin: str


def cited_by(record: JsonObject) -> list[str]:
    """The sources of a memory that may be memories here, each once, in order."""
    sources = dict.fromkeys(reference["source_id"] for reference in record["provenance"])
    return [source for source in sources if decode_id(source, MEMORY) is not None]


class Derivations:
    """Reads the evidence in the transaction of a connection, for who looks."""

    def __init__(self, connection: Connection, workspace: str, viewer: Viewer) -> None:
        self._connection = connection
        self._binds = Basis(workspace, viewer.actor, FOREVER, FOREVER, viewer.session).binds

    def needs_review(self, versions: Iterable[Version]) -> set[str]:
        """The memories of those versions that need a review."""
        return set(self.reasons(versions))

    def reasons(self, versions: Iterable[Version]) -> dict[str, Reason]:
        """The memories of those versions that need a review, and what was forgotten last."""
        asked = list(versions)
        origins: defaultdict[str, set[str]] = defaultdict(set)
        for derived, origin in self._rows(_ORIGINS, (one.memory for one in asked)):
            origins[derived].add(origin)
        for one in asked:
            origins[one.memory].update(one.cited)
            origins[one.memory].discard(one.memory)
        everything = {origin for found in origins.values() for origin in found}
        forgotten: dict[str, int] = dict(self._rows(_FORGOTTEN, everything))
        reasons: dict[str, Reason] = {}
        for one in asked:
            known = [Reason(forgotten.get(origin, 0), origin) for origin in origins[one.memory]]
            newest = max(known, default=None)
            if newest is not None and newest.position > one.position:
                reasons[one.memory] = newest
        return reasons

    def derived(self, memories: Iterable[str]) -> list[str]:
        """The addressable memories that were made from these and need a review, by id."""
        return sorted(self.reasons(self.made_from(memories)))

    def made_from(self, memories: Iterable[str]) -> list[Version]:
        """The addressable memories that were made from these, as they stand."""
        found = {memory for (memory,) in self._rows(_DERIVED, memories)}
        return [
            Version(memory, position, cited_by(json.loads(record)))
            for memory, position, record in self._rows(_CURRENT, found)
        ]

    def _rows(self, query: Any, ids: Iterable[str]) -> Iterable[Any]:
        for part in parts_of(ids):
            yield from self._connection.execute(query, {**self._binds, "ids": part})
