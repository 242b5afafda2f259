"""The tables that say what the recall index on disk consists of (docs/adr/0025).

They are no read model: a rebuild of those leaves them, and they have a file (`index.db`) or a
schema of PostgreSQL to themselves. They hold ids, numbers and digests, and never content. Losing
them costs the time to make the index anew from the log.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Boolean, Column, Index, MetaData, PrimaryKeyConstraint, Table

from projections.columns import BIG, Words

FORMAT: Final = 1
"""Of the tables. An index of another one is thrown away."""

SCHEMA: Final = "memoranda_index"
"""Where they are in PostgreSQL."""

METADATA: Final = MetaData()


def _text(name: str) -> Column[Any]:
    return Column(name, Words, nullable=False)


def _integer(name: str) -> Column[Any]:
    return Column(name, BIG, nullable=False)


WORKSPACE: Final = Table(
    "index_workspace",
    METADATA,
    _text("workspace"),
    _integer("format"),  # of the segments: one of another format is made anew
    _integer("version"),  # counts every change of what readers have to know
    _integer("position"),  # all events up to here are in the segments
    _integer("tip_position"),  # the last of these, and its name: another log has another one
    _text("tip"),
    _integer("head"),  # the last event that is known to be there
    _integer("pending"),  # how many are there behind `position`, as far as is known
    _integer("changed_us"),  # when `head` moved last
    Column("urgent", Boolean, nullable=False),  # something behind `position` is to be forgotten
    Column("suspect", Boolean, nullable=False),  # somebody could not use one of the segments
    PrimaryKeyConstraint("workspace"),
    sqlite_with_rowid=False,
)
"""How far the index of each workspace has come, and how far it has to."""

SEGMENT: Final = Table(
    "index_segment",
    METADATA,
    _text("name"),
    _text("workspace"),
    _text("state"),  # building | live | condemned
    _integer("after_position"),
    _integer("until_position"),
    _integer("documents"),
    _integer("bytes"),
    _text("digest"),
    _integer("applied"),  # the version of the index up to whose marks its words are gone
    _integer("changed_us"),
    PrimaryKeyConstraint("name"),
    sqlite_with_rowid=False,
)
"""Every directory that is there, or may be: one is named here before it is made, and until it is
gone. Live ones hold the events in (after_position, until_position] and follow each other."""

Index("segment_by_workspace", SEGMENT.c.workspace, SEGMENT.c.state)

MARK: Final = Table(
    "index_mark",
    METADATA,
    _text("workspace"),
    _text("memory_id"),
    _integer("memory_version"),  # 0: all of them, also those to come
    _text("reason"),  # forgotten | lost
    _integer("since"),  # the version of the index that first had it
    PrimaryKeyConstraint("workspace", "memory_id", "memory_version"),
    sqlite_with_rowid=False,
)
"""What segments may hold and no recall may give any more."""

DAMAGE: Final = Table(
    "index_damage",
    METADATA,
    _text("workspace"),
    _integer("position"),
    PrimaryKeyConstraint("workspace", "position"),
    sqlite_with_rowid=False,
)
"""Events that could not be read when they were folded."""

SCAN: Final = Table(
    "index_scan",
    METADATA,
    Column("part", BIG, nullable=False, autoincrement=False),
    _integer("position"),
    PrimaryKeyConstraint("part"),
    sqlite_with_rowid=False,
)
"""How far the log was looked through for what is new. One row."""
