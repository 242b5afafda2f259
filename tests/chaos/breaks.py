"""Faults that `make chaos` must see: each breaks what keeps the real thing right.

`skip_recheck`: a follower that has got the checkpoint does not look again whether it still is where
it was when the page was read. `double_apply`: now and then a batch is committed without its
checkpoint, and so done once more. `lose_receipt`: now and then a command's events are appended
without its receipt, and the caller is answered as if it were there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

from sqlalchemy import Connection

from commands.store_postgres_writer import LogWriter
from commands.store_rows import Appended, NewRow, RefRow
from domain.ids import RECEIPT
from projections import checkpoints
from projections.database import writing

PAUSE_SECONDS: Final = 0.02
EVERY: Final = 20
"""Which of the batches a fault befalls that does not befall all."""


def install(name: str) -> None:
    """Break this process; the empty name breaks nothing."""
    if name:
        BREAKS[name]()


def _skip_recheck() -> None:
    from workers.catch_up import Follower

    pausing = threading.Event()

    @contextmanager
    def held(self: Follower, position: int) -> Iterator[Connection]:
        if position == 0:
            with writing(self.engine) as connection:
                checkpoints.begin(connection, self.projection, self.part)
        # Others get there first more often than a quick machine lets them.
        pausing.wait(PAUSE_SECONDS)
        with writing(self.engine) as connection:
            checkpoints.take(connection, self.projection, self.part)
            yield connection

    Follower._held = held  # type: ignore[method-assign]


def _double_apply() -> None:
    move, calls = checkpoints.move, count(1)

    def sometimes(*arguments: Any) -> None:
        if next(calls) % EVERY:
            move(*arguments)

    checkpoints.move = sometimes  # type: ignore[assignment]


def _lose_receipt() -> None:
    append, calls = LogWriter.append, count(1)

    def without_receipt(
        self: LogWriter, rows: Sequence[NewRow], refs: Sequence[RefRow], *others: Any, **more: Any
    ) -> Appended:
        lost = [row for row in rows if row.stream.startswith(RECEIPT)]
        if lost != list(rows[-1:]) or len(rows) == 1 or next(calls) % EVERY:
            return append(self, rows, refs, *others, **more)
        last = len(rows) - 1
        kept = [ref for ref in refs if ref.row_index != last]
        told = append(self, rows[:-1], kept, *others, **more)
        return Appended((*told.positions, told.positions[-1] + 1), told.appended_us)

    LogWriter.append = without_receipt  # type: ignore[method-assign]


BREAKS: Final[dict[str, Callable[[], None]]] = {
    "skip_recheck": _skip_recheck,
    "double_apply": _double_apply,
    "lose_receipt": _lose_receipt,
}
