"""The tables of the read model `bundles`: concepts, claims, citations and windows.

A claim here is a takeaway of the domain. `position` is that of the newest event that a row tells
of, `opened` that of the first one. What a `record` holds says `bundle_rows`.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Boolean, Column, Index, PrimaryKeyConstraint, Table

from projections.columns import BIG, JSON_TEXT, Words
from projections.schema import METADATA

NAME: Final = "bundles"
VERSION: Final = 1
"""Of the projection, as its checkpoints and parked streams name it."""


def _text(name: str) -> Column[Any]:
    return Column(name, Words, nullable=False)


def _text_or_null(name: str) -> Column[Any]:
    return Column(name, Words)


def _integer(name: str) -> Column[Any]:
    return Column(name, BIG, nullable=False)


def _home() -> tuple[Column[Any], ...]:
    return _text("visibility"), _text("owner"), _text("session")


def _record() -> Column[Any]:
    return Column("record", JSON_TEXT, nullable=False)


BUNDLE_CONCEPT: Final = Table(
    "bundle_concept",
    METADATA,
    _text("workspace"),
    _text("concept_id"),
    _integer("opened"),
    *_home(),
    _text_or_null("repo_identifier"),
    _text_or_null("concept_type"),  # NULL: its words are gone
    _record(),
    PrimaryKeyConstraint("workspace", "concept_id"),
)
"""Every concept."""

Index(
    "bundle_concept_by_owner",
    BUNDLE_CONCEPT.c.workspace,
    BUNDLE_CONCEPT.c.owner,
    BUNDLE_CONCEPT.c.opened,
)

BUNDLE_CLAIM: Final = Table(
    "bundle_claim",
    METADATA,
    _text("workspace"),
    _text("claim_id"),
    _text("concept_id"),
    _integer("version"),
    _integer("position"),
    _integer("opened"),
    _integer("changed_us"),  # when it came to say what it says now
    _text("memory_id"),  # the current one
    *_home(),
    Column("erased", Boolean, nullable=False),  # what it says now
    _record(),
    PrimaryKeyConstraint("workspace", "claim_id"),
)
"""Every claim with all that it said."""

Index(
    "bundle_claim_by_concept",
    BUNDLE_CLAIM.c.workspace,
    BUNDLE_CLAIM.c.concept_id,
    BUNDLE_CLAIM.c.opened,
)

BUNDLE_CITATION: Final = Table(
    "bundle_citation",
    METADATA,
    _text("workspace"),
    _text("claim_id"),
    _integer("version"),  # of the claim, whose event brought it
    _integer("position"),
    _text("memory_id"),
    _text("window_id"),
    _text("cited_as"),
    Column("erased", Boolean, nullable=False),
    _record(),
    PrimaryKeyConstraint("workspace", "claim_id", "version"),
)
"""Every citation of every claim."""

BUNDLE_WINDOW: Final = Table(
    "bundle_window",
    METADATA,
    _text("workspace"),
    _text("window_id"),
    _integer("version"),
    _integer("position"),
    _integer("opened"),
    _integer("decided"),  # the position of the attempt that its result is of
    *_home(),
    _text_or_null("session_id"),  # of the agent's session; NULL: erased
    _text_or_null("client"),
    _text_or_null("repo_identifier"),
    _text("mode"),
    Column("failures", JSON_TEXT),  # JSON: [{index, outcome, reason}]; NULL: none, or erased
    Column("erased", Boolean, nullable=False),
    _record(),
    PrimaryKeyConstraint("workspace", "window_id"),
)
"""Every window with all of its attempts."""

Index(
    "bundle_window_by_owner",
    BUNDLE_WINDOW.c.workspace,
    BUNDLE_WINDOW.c.owner,
    BUNDLE_WINDOW.c.session_id,
)

BUNDLE_STREAM: Final = Table(
    "bundle_stream",
    METADATA,
    _text("workspace"),
    _text("stream"),
    _integer("version"),
    _integer("position"),
    PrimaryKeyConstraint("workspace", "stream"),
    sqlite_with_rowid=False,
)
"""How far the stream of each concept, claim and window is folded."""

BUNDLE_NAMING: Final = Table(
    "bundle_naming",
    METADATA,
    _text("workspace"),
    _text("memory_id"),
    _text("stream"),
    PrimaryKeyConstraint("workspace", "memory_id", "stream"),
    sqlite_with_rowid=False,
)
"""Which streams have an event that names a memory, and so loses its words with it."""

Index("bundle_naming_by_stream", BUNDLE_NAMING.c.workspace, BUNDLE_NAMING.c.stream)

BUNDLE_FORGOTTEN: Final = Table(
    "bundle_forgotten",
    METADATA,
    _text("workspace"),
    _text("memory_id"),
    _integer("position"),  # of the forget
    _integer("from_version"),  # what named this version or a later one; 0: any
    PrimaryKeyConstraint("workspace", "memory_id", "position", "from_version"),
    sqlite_with_rowid=False,
)
"""Every forget that is no expiry, whether or not something names its memory by then."""
