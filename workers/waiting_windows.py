"""Windows that wait for their extractor, by the read model of bundles."""

from __future__ import annotations

from sqlalchemy import Engine, select

from projections.bundle_tables import BUNDLE_WINDOW
from projections.database import reading


def waiting_windows(views: Engine, most: int) -> list[tuple[str, str]]:
    """Workspace and id of so many of them, the oldest first."""
    row = BUNDLE_WINDOW.c
    query = (
        select(row.workspace, row.window_id)
        .where(row.mode == "accepted", ~row.erased)
        .order_by(row.opened)
        .limit(most)
    )
    with reading(views) as connection:
        return [(one.workspace, one.window_id) for one in connection.execute(query)]
