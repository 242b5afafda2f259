"""The tables of the read model `bundles`: concepts, claims, citations and windows.

A claim here is a takeaway of the domain. `position` is that of the newest event that a row tells
of, `opened` that of the first one. What a `record` holds says `bundle_rows`.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Boolean, Column, Index, PrimaryKeyConstraint, Table

from projections.columns import JSON_TEXT, integer, words, words_or_null
from projections.schema import METADATA

NAME: Final = "bundles"
VERSION: Final = 1
"""Of the projection, as its checkpoints and parked streams name it."""


def _home() -> tuple[Column[Any], ...]:
    return words("visibility"), words("owner"), words("session")


def _record() -> Column[Any]:
    return Column("record", JSON_TEXT, nullable=False)


BUNDLE_CONCEPT: Final = Table(
    "bundle_concept",
    METADATA,
    words("workspace"),
    words("concept_id"),
    integer("opened"),
    *_home(),
    words_or_null("repo_identifier"),
    words_or_null("concept_type"),  # NULL: its words are gone
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
    words("workspace"),
    words("claim_id"),
    words("concept_id"),
    integer("version"),
    integer("position"),
    integer("opened"),
    integer("changed_us"),  # when it came to say what it says now
    words("memory_id"),  # the current one
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
    words("workspace"),
    words("claim_id"),
    integer("version"),  # of the claim, whose event brought it
    integer("position"),
    words("memory_id"),
    words("window_id"),
    words("cited_as"),
    Column("erased", Boolean, nullable=False),
    _record(),
    PrimaryKeyConstraint("workspace", "claim_id", "version"),
)
"""Every citation of every claim."""

BUNDLE_WINDOW: Final = Table(
    "bundle_window",
    METADATA,
    words("workspace"),
    words("window_id"),
    integer("version"),
    integer("position"),
    integer("opened"),
    integer("decided"),  # the position of the attempt that its result is of
    *_home(),
    words_or_null("session_id"),  # of the agent's session; NULL: erased
    words_or_null("client"),
    words_or_null("repo_identifier"),
    words("mode"),
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
    words("workspace"),
    words("stream"),
    integer("version"),
    integer("position"),
    PrimaryKeyConstraint("workspace", "stream"),
    sqlite_with_rowid=False,
)
"""How far the stream of each concept, claim and window is folded."""

BUNDLE_NAMING: Final = Table(
    "bundle_naming",
    METADATA,
    words("workspace"),
    words("memory_id"),
    words("stream"),
    PrimaryKeyConstraint("workspace", "memory_id", "stream"),
    sqlite_with_rowid=False,
)
"""Which streams have an event that names a memory, and so loses its words with it."""

Index("bundle_naming_by_stream", BUNDLE_NAMING.c.workspace, BUNDLE_NAMING.c.stream)

BUNDLE_FORGOTTEN: Final = Table(
    "bundle_forgotten",
    METADATA,
    words("workspace"),
    words("memory_id"),
    integer("position"),  # of the forget
    integer("from_version"),  # what named this version or a later one; 0: any
    PrimaryKeyConstraint("workspace", "memory_id", "position", "from_version"),
    sqlite_with_rowid=False,
)
"""Every forget that is no expiry, whether or not something names its memory by then."""
