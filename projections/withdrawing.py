"""Taking a record out of the read models: what they say of it could be wrong.

The event that could not be handled may have been a forget. So a record that is not up to date is
not shown at all, and its text is not kept.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, select, update

from projections.schema import DEGREE, EDGE_VERSION, MEMORY_SOURCE, MEMORY_TAG, MEMORY_VERSION

_OF_MEMORIES: Final = (MEMORY_VERSION, MEMORY_TAG, MEMORY_SOURCE)
_EDGE: Final = EDGE_VERSION.c


def withdraw_memory(connection: Connection, workspace: str, memory_id: str) -> None:
    """Leave nothing of a memory."""
    for table in _OF_MEMORIES:
        connection.execute(
            delete(table).where(
                table.c.workspace == workspace,
                table.c.memory_id == memory_id,
            )
        )


def withdraw_edge(connection: Connection, workspace: str, relationship_id: str) -> None:
    """Leave nothing of a relationship; its ends count one less."""
    mine = (_EDGE.workspace == workspace, _EDGE.relationship_id == relationship_id)
    first = connection.execute(
        select(_EDGE.source_id, _EDGE.target_id, _EDGE.visibility, _EDGE.owner).where(
            *mine, _EDGE.version == 1
        )
    ).first()
    if first is None:
        return
    connection.execute(delete(EDGE_VERSION).where(*mine))
    ends = (
        DEGREE.c.workspace == workspace,
        DEGREE.c.node.in_({first.source_id, first.target_id}),
        DEGREE.c.scope == (first.owner if first.visibility == "private" else ""),
    )
    connection.execute(update(DEGREE).where(*ends).values(edges=DEGREE.c.edges - 1))
    connection.execute(delete(DEGREE).where(*ends, DEGREE.c.edges == 0))
