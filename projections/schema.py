"""The tables of the read models. They hold a fold over the log and can be thrown away.

`*_us` columns are microseconds since 1970 UTC; an open end is `domain.instants.FOREVER`. Times,
ids, kinds and contexts are stored as the log has them; `position` is that of the event which made
the version, `to_position` that of the next version's (NULL for the current one).
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Float,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    text,
)

from projections.columns import BIG, JSON_TEXT, integer, json_or_null, words, words_or_null

FORMAT: Final = 4
"""Of the file. Raise it with any change of a table or of a projection's version."""

METADATA: Final = MetaData()


def _index(name: str, *columns: ColumnElement[Any], where: str, unique: bool = False) -> None:
    """An index of the rows for which a condition holds."""
    only = text(where)
    Index(name, *columns, unique=unique, sqlite_where=only, postgresql_where=only)


MEMORY_VERSION: Final = Table(
    "memory_version",
    METADATA,
    words("workspace"),
    words("memory_id"),
    integer("version"),
    integer("position"),
    Column("to_position", BIG),
    Column("record", JSON_TEXT, nullable=False),  # canonical JSON of MemoryState.as_record()
    words("topic"),
    words("kind"),
    words_or_null("identity_key"),
    words("lifecycle"),
    words_or_null("forgotten"),  # on all versions: tombstone | application_delete; or unknown yet
    Column("erased", Boolean, nullable=False),
    words("visibility"),
    words("owner"),
    words("session"),
    words_or_null("slot"),
    words_or_null("slot_ref"),
    integer("from_us"),
    integer("until_us"),
    integer("expires_us"),  # the earlier of expires_at and expired_us
    integer("expired_us"),  # when the lifecycle became expired
    integer("recorded_us"),
    Column("confidence", Float),
    words_or_null("epistemic_status"),
    words_or_null("repo"),
    json_or_null("dead_versions"),  # JSON array of versions that a forget of scope event covers
    Column("slot_forgotten_us", BIG),  # when a forget of scope key came
    json_or_null("kept"),  # JSON: what an erased version does not show, but a later one may again
    words("actor"),
    words_or_null("agent"),
    words("event_session"),
    words("request"),
    words("correlation"),
    words("created_by"),
    integer("root_us"),  # when the memory was first recorded
    Column("retained_us", BIG),  # recording time of the event that set the retention bound,
    Column("retained_by", BIG),  # and its version; NULL: the bound is that of the first version
    json_or_null("tangle"),  # JSON: of a tangled stream, what this version means in it
    words_or_null("stray_slot_ref"),  # what a statement names where that is not the memory's slot
    PrimaryKeyConstraint("workspace", "memory_id", "version"),
)
"""Every version of every memory. Of a forgotten memory no version holds text."""

_index(
    "memory_current",
    MEMORY_VERSION.c.workspace,
    MEMORY_VERSION.c.memory_id,
    where="to_position IS NULL",
    unique=True,
)
_index(
    "memory_by_identity_key",
    MEMORY_VERSION.c.workspace,
    MEMORY_VERSION.c.identity_key,
    where="identity_key IS NOT NULL",
)
_index(
    "memory_by_slot",
    MEMORY_VERSION.c.workspace,
    MEMORY_VERSION.c.slot_ref,
    where="slot_ref IS NOT NULL",
)
_index("memory_tangled", MEMORY_VERSION.c.workspace, where="tangle IS NOT NULL")
_index(
    "memory_by_stray_slot",
    MEMORY_VERSION.c.workspace,
    MEMORY_VERSION.c.stray_slot_ref,
    where="stray_slot_ref IS NOT NULL",
)
MEMORY_TAG: Final = Table(
    "memory_tag",
    METADATA,
    words("workspace"),
    words("memory_id"),
    words("tag"),
    PrimaryKeyConstraint("workspace", "memory_id", "tag"),
    sqlite_with_rowid=False,
)
"""Distinct tags of the current version of each memory that is not forgotten."""

Index("memory_by_tag", MEMORY_TAG.c.workspace, MEMORY_TAG.c.tag)

MEMORY_SOURCE: Final = Table(
    "memory_source",
    METADATA,
    words("workspace"),
    words("memory_id"),
    words("source_id"),
    PrimaryKeyConstraint("workspace", "memory_id", "source_id"),
    sqlite_with_rowid=False,
)
"""Distinct sources that the current version of each memory that is not forgotten cites."""

Index("memory_by_source", MEMORY_SOURCE.c.workspace, MEMORY_SOURCE.c.source_id)

EDGE_VERSION: Final = Table(
    "edge_version",
    METADATA,
    words("workspace"),
    words("relationship_id"),
    integer("version"),
    integer("position"),
    Column("to_position", BIG),
    Column("record", JSON_TEXT, nullable=False),  # canonical JSON of RelationshipState.as_record()
    words("source_id"),
    words("target_id"),
    words("kind"),
    words_or_null("identity_key"),
    words("lifecycle"),
    Column("erased", Boolean, nullable=False),
    words("visibility"),
    words("owner"),
    words("session"),
    integer("from_us"),
    integer("until_us"),
    integer("expires_us"),  # the earlier of expires_at and expired_us
    integer("expired_us"),  # when the lifecycle became expired
    integer("recorded_us"),
    Column("confidence", Float),
    words("actor"),
    words("correlation"),
    words("created_by"),
    PrimaryKeyConstraint("workspace", "relationship_id", "version"),
)
"""Every version of every relationship, whatever became of its ends."""

_index(
    "edge_current",
    EDGE_VERSION.c.workspace,
    EDGE_VERSION.c.relationship_id,
    where="to_position IS NULL",
    unique=True,
)
Index("edge_by_source", EDGE_VERSION.c.workspace, EDGE_VERSION.c.source_id, EDGE_VERSION.c.kind)
Index("edge_by_target", EDGE_VERSION.c.workspace, EDGE_VERSION.c.target_id, EDGE_VERSION.c.kind)

DEGREE: Final = Table(
    "degree",
    METADATA,
    words("workspace"),
    words("node"),
    words("scope"),
    integer("edges"),
    PrimaryKeyConstraint("workspace", "node", "scope"),
    sqlite_with_rowid=False,
)
"""Distinct relationships that ever touched a node, a self-loop once.

`scope` is '' for those that the workspace sees, else the owner of private ones; an upper bound of
the degree at every basis.
"""

CHECKPOINT: Final = Table(
    "checkpoint",
    METADATA,
    words("projection"),
    integer("version"),
    integer("part"),
    integer("position"),
    integer("updated_us"),
    PrimaryKeyConstraint("projection", "version", "part"),
    sqlite_with_rowid=False,
)
"""How far each projection has seen the log: everything up to `position`, and nothing after it."""

ATTEMPT: Final = Table(
    "attempt",
    METADATA,
    words("projection"),
    integer("version"),
    integer("part"),
    integer("position"),
    integer("tries"),
    words("error"),  # the name of its class: a message could quote content
    integer("updated_us"),
    PrimaryKeyConstraint("projection", "version", "part", "position"),
    sqlite_with_rowid=False,
)
"""Events whose handler failed, and how often. A row goes when its event is handled or parked."""

PARKED: Final = Table(
    "parked",
    METADATA,
    words("projection"),
    integer("version"),
    integer("part"),
    words("workspace"),
    words("stream"),
    integer("position"),
    words("state"),  # parked | passed (by an operator) | skipped (by the projection's policy)
    words("error"),  # the name of its class: a message could quote content
    integer("parked_us"),
    Column("blocked_by", BIG),  # the position that its stream is parked for; NULL: this one
    PrimaryKeyConstraint("projection", "version", "part", "workspace", "stream", "position"),
    sqlite_with_rowid=False,
)
"""Events that a projection could not handle, and the later ones of their streams.

A stream with rows `parked` or `passed` has no rows in the projection's own tables.
"""

Index("parked_by_workspace", PARKED.c.workspace, PARKED.c.projection, PARKED.c.position)
