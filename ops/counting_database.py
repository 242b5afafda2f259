"""How much is in the database of the server mode."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, func, select, text

from domain.canonical import JsonObject
from ops.counting import by_workspace, summed
from ops.server_site import open_site
from ops.settings import ServerMode
from projections.database import reading
from projections.schema import MEMORY_VERSION

_EVENTS: Final = text(
    "SELECT workspace, topic, count(*) FROM memoranda_log.event"
    " WHERE CAST(:workspace AS text) IS NULL OR workspace = :workspace GROUP BY workspace, topic"
    " ORDER BY workspace, topic"
)
_SIZES: Final = text(
    "SELECT nspname, sum(pg_total_relation_size(pg_class.oid))::bigint FROM pg_class"
    " JOIN pg_namespace ON pg_namespace.oid = relnamespace"
    " WHERE relkind = 'r' AND starts_with(nspname, 'memoranda_') GROUP BY nspname ORDER BY nspname"
)


def measured_database(mode: ServerMode, workspace: str | None = None) -> JsonObject:
    """`ops.counting.measured` for a database; `files` are its schemas, and `data` is None.

    Raises StoreError where it does not answer.
    """
    with open_site(mode) as site, reading(site.views) as views:
        head = site.log.head()
        behind = {one.projection.name: one.position for one in reversed(site.laggards())}
        positions = {one.name: behind.get(one.name, head) for one in site.catalogue}
        events = views.execute(_EVENTS, {"workspace": workspace})
        workspaces = by_workspace((name, topic, count) for name, topic, count in events)
        forgotten = _forgotten(views, workspace)
        sizes: dict[str, int] = {name: size for name, size in views.execute(_SIZES)}  # noqa: C416
    return summed(workspaces, head, positions, forgotten, None if workspace else (None, sizes))


def _forgotten(views: Connection, workspace: str | None) -> int:
    counted = select(func.count()).where(
        MEMORY_VERSION.c.to_position.is_(None), MEMORY_VERSION.c.forgotten.is_not(None)
    )
    if workspace is not None:
        counted = counted.where(MEMORY_VERSION.c.workspace == workspace)
    return views.execute(counted).scalar_one()
