"""Many rows as one JSON document, which PostgreSQL reads as if they stood in a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sqlalchemy import (
    JSON,
    TableValuedAlias,
    Text,
    bindparam,
    cast,
    column,
    func,
)
from sqlalchemy.types import TypeEngine

from domain.canonical import canonical
from projections.columns import Words, escaped

CHARACTERS_MAX: Final = 4 * 1024 * 1024
"""Of one document. Whole batches of the largest memories would be a quarter of a gigabyte."""


class Documents:
    """Rows of some columns. A statement for each would cost several times as much."""

    def __init__(self, types: Mapping[str, TypeEngine[Any]]) -> None:
        self._words = [name for name, kind in types.items() if isinstance(kind, Words)]
        self.rows: Final[TableValuedAlias] = (
            func.json_to_recordset(cast(bindparam("offered", type_=Text), JSON))
            .table_valued(*(column(name, kind) for name, kind in types.items()))
            .render_derived(name="offered", with_types=True)
        )

    def of(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
        """What to bind, for one execution after another."""
        chunk: list[str] = []
        size = 0
        for row in rows:
            chunk.append(self._encoded(row))
            size += len(chunk[-1])
            if size > CHARACTERS_MAX:
                yield {"offered": f"[{','.join(chunk)}]"}
                chunk, size = [], 0
        if chunk:
            yield {"offered": f"[{','.join(chunk)}]"}

    def _encoded(self, row: Mapping[str, Any]) -> str:
        said = canonical(row).decode()
        if "\\u0000" in said or "\\u0001" in said:
            # Perhaps in a text of the row, perhaps in JSON within it, which is escaped already.
            words = {name: escaped(row[name]) for name in self._words}
            said = canonical({**row, **words}).decode()
        return said
