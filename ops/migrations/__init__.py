"""The schema of the server mode's database, as a row of revisions (Alembic); see `migrating`.

`REVISIONS` are all of them, oldest first: programs tell by it whether a database is older or newer
than they are, without loading a migration. A released revision is never changed, only followed.
"""

from __future__ import annotations

from typing import Final

REVISIONS: Final = (
    "0001_log_and_keys",
    "0002_read_models",
    "0003_recall_index",
    "0004_tangled_streams",
    "0005_bundles",
)
"""Append the new one here; tests/store/test_migrations.py compares it with the files."""

VERSION_SCHEMA: Final = "memoranda_log"
VERSION_TABLE: Final = "schema_version"
