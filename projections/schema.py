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

from projections.columns import BIG, JSON_TEXT, Words

FORMAT: Final = 4
"""Of the file. Raise it with any change of a table or of a projection's version."""

METADATA: Final = MetaData()


def _text(name: str) -> Column[Any]:
    return Column(name, Words, nullable=False)


def _text_or_null(name: str) -> Column[Any]:
    return Column(name, Words)


def _json_or_null(name: str) -> Column[Any]:
    return Column(name, JSON_TEXT)


def _integer(name: str) -> Column[Any]:
    return Column(name, BIG, nullable=False)


def _index(name: str, *columns: ColumnElement[Any], where: str, unique: bool = False) -> None:
    """An index of the rows for which a condition holds."""
    only = text(where)
    Index(name, *columns, unique=unique, sqlite_where=only, postgresql_where=only)


MEMORY_VERSION: Final = Table(
    "memory_version",
    METADATA,
    _text("workspace"),
    _text("memory_id"),
    _integer("version"),
    _integer("position"),
    Column("to_position", BIG),
    Column("record", JSON_TEXT, nullable=False),  # canonical JSON of MemoryState.as_record()
    _text("topic"),
    _text("kind"),
    _text_or_null("identity_key"),
    _text("lifecycle"),
    _text_or_null("forgotten"),  # on all versions: tombstone | application_delete; or unknown yet
    Column("erased", Boolean, nullable=False),
    _text("visibility"),
    _text("owner"),
    _text("session"),
    _text_or_null("slot"),
    _text_or_null("slot_ref"),
    _integer("from_us"),
    _integer("until_us"),
    _integer("expires_us"),  # the earlier of expires_at and expired_us
    _integer("expired_us"),  # when the lifecycle became expired
    _integer("recorded_us"),
    Column("confidence", Float),
    _text_or_null("epistemic_status"),
    _text_or_null("repo"),
    _json_or_null("dead_versions"),  # JSON array of versions that a forget of scope event covers
    Column("slot_forgotten_us", BIG),  # when a forget of scope key came
    _json_or_null("kept"),  # JSON: what an erased version does not show, but a later one may again
    _text("actor"),
    _text_or_null("agent"),
    _text("event_session"),
    _text("request"),
    _text("correlation"),
    _text("created_by"),
    _integer("root_us"),  # when the memory was first recorded
    Column("retained_us", BIG),  # recording time of the event that set the retention bound,
    Column("retained_by", BIG),  # and its version; NULL: the bound is that of the first version
    _json_or_null("tangle"),  # JSON: of a tangled stream, what this version means in it
    _text_or_null("stray_slot_ref"),  # what a statement names where that is not the memory's slot
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
    _text("workspace"),
    _text("memory_id"),
    _text("tag"),
    PrimaryKeyConstraint("workspace", "memory_id", "tag"),
    sqlite_with_rowid=False,
)
"""Distinct tags of the current version of each memory that is not forgotten."""

Index("memory_by_tag", MEMORY_TAG.c.workspace, MEMORY_TAG.c.tag)

MEMORY_SOURCE: Final = Table(
    "memory_source",
    METADATA,
    _text("workspace"),
    _text("memory_id"),
    _text("source_id"),
    PrimaryKeyConstraint("workspace", "memory_id", "source_id"),
    sqlite_with_rowid=False,
)
"""Distinct sources that the current version of each memory that is not forgotten cites."""

Index("memory_by_source", MEMORY_SOURCE.c.workspace, MEMORY_SOURCE.c.source_id)

EDGE_VERSION: Final = Table(
    "edge_version",
    METADATA,
    _text("workspace"),
    _text("relationship_id"),
    _integer("version"),
    _integer("position"),
    Column("to_position", BIG),
    Column("record", JSON_TEXT, nullable=False),  # canonical JSON of RelationshipState.as_record()
    _text("source_id"),
    _text("target_id"),
    _text("kind"),
    _text_or_null("identity_key"),
    _text("lifecycle"),
    Column("erased", Boolean, nullable=False),
    _text("visibility"),
    _text("owner"),
    _text("session"),
    _integer("from_us"),
    _integer("until_us"),
    _integer("expires_us"),  # the earlier of expires_at and expired_us
    _integer("expired_us"),  # when the lifecycle became expired
    _integer("recorded_us"),
    Column("confidence", Float),
    _text("actor"),
    _text("correlation"),
    _text("created_by"),
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
    _text("workspace"),
    _text("node"),
    _text("scope"),
    _integer("edges"),
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
    _text("projection"),
    _integer("version"),
    _integer("part"),
    _integer("position"),
    _integer("updated_us"),
    PrimaryKeyConstraint("projection", "version", "part"),
    sqlite_with_rowid=False,
)
"""How far each projection has seen the log: everything up to `position`, and nothing after it."""

ATTEMPT: Final = Table(
    "attempt",
    METADATA,
    _text("projection"),
    _integer("version"),
    _integer("part"),
    _integer("position"),
    _integer("tries"),
    _text("error"),  # the name of its class: a message could quote content
    _integer("updated_us"),
    PrimaryKeyConstraint("projection", "version", "part", "position"),
    sqlite_with_rowid=False,
)
"""Events whose handler failed, and how often. A row goes when its event is handled or parked."""

PARKED: Final = Table(
    "parked",
    METADATA,
    _text("projection"),
    _integer("version"),
    _integer("part"),
    _text("workspace"),
    _text("stream"),
    _integer("position"),
    _text("state"),  # parked | passed (by an operator) | skipped (by the projection's policy)
    _text("error"),  # the name of its class: a message could quote content
    _integer("parked_us"),
    Column("blocked_by", BIG),  # the position that its stream is parked for; NULL: this one
    PrimaryKeyConstraint("projection", "version", "part", "workspace", "stream", "position"),
    sqlite_with_rowid=False,
)
"""Events that a projection could not handle, and the later ones of their streams.

A stream with rows `parked` or `passed` has no rows in the projection's own tables.
"""

Index("parked_by_workspace", PARKED.c.workspace, PARKED.c.projection, PARKED.c.position)
