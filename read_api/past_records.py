"""A memory as it was known at a basis, and whether it is an answer there (spec/policy.md §2.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Connection, Engine, bindparam, select

from domain.canonical import JsonObject
from domain.context import Context
from domain.ports import Clock, LogReader
from projections.columns import Words
from projections.database import reading
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, shown
from read_api.exclusion_view import ExclusionView
from read_api.past_basis import AskedBasis, PastBases, told
from read_api.record_doors import MEMORIES, missing, seen_position, shown_records
from read_api.standing import standing_row

_ONE: Final = select(MEMORY_VERSION).where(
    shown(MEMORY_VERSION),
    MEMORY_VERSION.c.memory_id == bindparam("memory_id", type_=Words),
    # Forgotten for good is forgotten at every basis (spec/policy.md §2.5).
    MEMORY_VERSION.c.forgotten.is_(None),
)


class PastRecords:
    """Reads memories at a basis; safe to share between threads. `seen` as for `Records`."""

    def __init__(
        self, views: Engine, log: LogReader, clock: Clock, seen: Callable[[str], int] = lambda _: 0
    ) -> None:
        self._views = views
        self._bases = PastBases(log, clock)
        self._seen = seen

    def memory(self, context: Context, memory_id: str, asked: AskedBasis) -> JsonObject:
        """The version that was known, `basis`, and in `excluded` why it is no answer there.

        NOT_FOUND for what was not known by then, or is not addressable today.
        """
        seen = self._seen(context.workspace)
        with reading(self._views) as connection:
            position = seen_position(connection, MEMORIES, context, seen)
            basis = self._bases.choose(context, asked, position)
            binds = {**basis.binds, "memory_id": memory_id}
            row = connection.execute(_ONE, binds).mappings().first()
            if row is None:
                raise missing(connection, MEMORIES, context, memory_id)
            told_then = standing_row(row, basis.as_of_us)
            [body] = shown_records(connection, MEMORIES, context, [told_then])
            return {
                **body,
                "basis": told(basis),
                "excluded": _excluded(connection, basis, row),
                "position": position,
            }


def _excluded(connection: Connection, basis: Basis, row: Any) -> JsonObject | None:
    view = ExclusionView(connection, basis, Filters())
    found = view.of([(row["memory_id"], row["version"])])
    return {"reason": found[0].reason} if found else None
