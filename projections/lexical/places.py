"""Where the versions of a memory stand in an index."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from projections.lexical.columns import Rows
from projections.lexical.frozen import Frozen

_OF: Final = "@"

Names: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bytes_]]
"""Ids of memories, or of stand-ins of one."""


def stand_in_id(memory_id: str, version: int, turn: int) -> str:
    """What the documents of a branch of a fork are called that answers in some turns of its memory
    (`domain.stand_ins`): each turn is a row of documents by itself.
    """
    return f"{memory_id}{_OF}{version}.{turn}"


def memory_of(document_id: str) -> str:
    """The memory that a document is of."""
    return document_id.partition(_OF)[0]


class Place(NamedTuple):
    """Where a version of a memory stands, and since when it is the known one."""

    version: int
    from_position: int
    row: int


class FrozenPlaces:
    """The places in the rows of a segment, which never change. Safe to share between threads."""

    def __init__(self, frozen: Frozen) -> None:
        self._ids = frozen.ids
        self._versions = frozen.versions
        self._positions = frozen.columns.from_position
        # Stable: the versions of a memory stay in the order of the log.
        self._order: Rows = np.argsort(frozen.ids, kind="stable")
        self._sorted = frozen.ids[self._order]
        # Ids are made in the order of time, so most segments are passed over by their ends alone.
        self._ends = (
            (b"", b"") if not len(self) else (bytes(self._sorted[0]), bytes(self._sorted[-1]))
        )
        self.stand_ins: Rows = np.flatnonzero(np.char.find(frozen.ids, _OF.encode()) >= 0)
        """The rows of stand-ins."""

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._ids)

    def of(self, memory_id: bytes, offset: int) -> list[Place]:
        """The places of a memory, their rows counted from an offset."""
        if not self._ends[0] <= memory_id <= self._ends[1]:
            return []
        first = int(np.searchsorted(self._sorted, memory_id))
        places: list[Place] = []
        while first < len(self._sorted) and self._sorted[first] == memory_id:
            row = int(self._order[first])
            version, position = int(self._versions[row]), int(self._positions[row])
            places.append(Place(version, position, row + offset))
            first += 1
        return places

    def known(self, ids: Names, position: int) -> tuple[Rows, Rows]:
        """The rows of the versions that are known at a log position, of memories that have one.

        With each row goes the place of its memory in `ids`.
        """
        first = np.searchsorted(self._sorted, ids, side="left")
        counts = np.searchsorted(self._sorted, ids, side="right") - first
        which = np.repeat(np.arange(len(ids)), counts)
        turn = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = self._order[np.repeat(first, counts) + turn]
        there = self._positions[rows] <= position
        which, rows = which[there], rows[there]
        last = np.append(which[1:] != which[:-1], True)[: len(which)]
        return which[last], rows[last]

    def name(self, row: int) -> tuple[str, int]:
        """The memory and the version of a row."""
        return bytes(self._ids[row]).decode(), int(self._versions[row])

    def successions(self) -> tuple[Rows, Rows]:
        """Rows with a later version among these, and the rows of the next ones."""
        same = self._sorted[1:] == self._sorted[:-1]
        return self._order[:-1][same], self._order[1:][same]

    def firsts(self) -> Rows:
        """The rows that no earlier version stands before, among these, but perhaps elsewhere."""
        first = np.ones(len(self._sorted), dtype=np.bool_)
        first[1:] = self._sorted[1:] != self._sorted[:-1]
        rows = self._order[first]
        return rows[self._versions[rows] > 1]

    def ids_of(self, rows: Rows) -> Names:
        """The memories of rows."""
        return self._ids[rows]

    def lasts(self, ids: Names) -> Rows:
        """The row of the last version of each memory; -1 where none is here."""
        if not len(self._sorted):
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.searchsorted(self._sorted, ids, side="right") - 1
        found = self._sorted[np.maximum(at, 0)] == ids
        return np.where((at >= 0) & found, self._order[np.maximum(at, 0)], -1)


class Places:
    """All versions of an index: those of its segments, then what was added. Only grows."""

    def __init__(self, begin: Sequence[FrozenPlaces] = ()) -> None:
        self._begin: list[tuple[int, FrozenPlaces]] = []
        self._first = 0
        for one in begin:
            self._begin.append((self._first, one))
            self._first += len(one)
        self._own: dict[str, list[Place]] = {}
        self._names: list[tuple[str, int]] = []
        self._stand_ins: dict[str, list[str]] = {}
        self._stand_in_rows: list[int] = []
        for offset, frozen in self._begin:
            for row in frozen.stand_ins:
                self._stand_in(frozen.name(int(row))[0], int(row) + offset)

    def __len__(self) -> int:
        """How many rows there are."""
        return self._first + len(self._names)

    def add(self, memory_id: str, version: int, from_position: int) -> int:
        """Add the next row; its number."""
        row = len(self)
        self._names.append((memory_id, version))
        if _OF in memory_id:
            self._stand_in(memory_id, row)
        self._own.setdefault(memory_id, []).append(Place(version, from_position, row))
        return row

    def of(self, memory_id: str) -> list[Place]:
        """The places of a memory, in the order of its versions."""
        found: list[Place] = []
        if self._begin:
            wanted = memory_id.encode()
            for offset, frozen in self._begin:
                found += frozen.of(wanted, offset)
        return found + self._own.get(memory_id, [])

    def at(self, memory_id: str, position: int) -> Place | None:
        """The version that is known at a log position; None before the first."""
        places = self.of(memory_id)
        known = bisect_right(places, position, key=lambda place: place.from_position)
        return places[known - 1] if known else None

    def stand_ins(self, memory_id: str) -> list[str]:
        """What the documents of a memory's stand-ins are called, those that are none any more
        included.
        """
        return list(self._stand_ins.get(memory_id, ()))

    @property
    def stand_in_rows(self) -> Rows:
        """The rows of all stand-ins."""
        return np.array(self._stand_in_rows, dtype=np.int64)

    def rows_at(self, memory_id: str, position: int) -> list[int]:
        """The rows of the version that is known at a log position, those of stand-ins last."""
        places = (self.at(one, position) for one in [memory_id, *self.stand_ins(memory_id)])
        return [place.row for place in places if place is not None]

    def rows_of(self, memories: Iterable[str], position: int) -> Rows:
        """`rows_at` of many memories at once, in any order."""
        names = [name for one in memories for name in (one, *self._stand_ins.get(one, ()))]
        last = np.full(len(names), -1, dtype=np.int64)
        ids = np.array([name.encode() for name in names], dtype=np.bytes_)
        for offset, frozen in self._begin:
            which, rows = frozen.known(ids, position)
            last[which] = rows + offset  # a later segment has the later versions
        for at, name in enumerate(names):
            known = [one for one in self._own.get(name, ()) if one.from_position <= position]
            if known:
                last[at] = known[-1].row
        return last[last >= 0]

    def _stand_in(self, document_id: str, row: int) -> None:
        self._stand_in_rows.append(row)
        known = self._stand_ins.setdefault(memory_of(document_id), [])
        if document_id not in known:
            known.append(document_id)

    def name(self, row: int) -> tuple[str, int]:
        """The memory, or the stand-in of one, and the version of a row."""
        if row >= self._first:
            return self._names[row - self._first]
        at = bisect_right(self._begin, row, key=lambda one: one[0]) - 1
        offset, frozen = self._begin[at]
        return frozen.name(row - offset)

    def own_rows(self) -> range:
        """The rows that were added."""
        return range(self._first, len(self))

    def own_names(self) -> list[tuple[str, int]]:
        """Memory and version of the rows that were added."""
        return self._names

    def closings(self) -> tuple[Rows, Rows]:
        """Rows of segments that a later version in any segment stands behind, and its row."""
        closed: list[Rows] = [np.zeros(0, dtype=np.int64)]
        closing: list[Rows] = [np.zeros(0, dtype=np.int64)]
        for at, (offset, frozen) in enumerate(self._begin):
            inside, following = frozen.successions()
            closed.append(inside + offset)
            closing.append(following + offset)
            waiting = frozen.firsts()
            for earlier_offset, earlier in reversed(self._begin[:at]):
                found = earlier.lasts(frozen.ids_of(waiting))
                here = found >= 0
                closed.append(found[here] + earlier_offset)
                closing.append(waiting[here] + offset)
                waiting = waiting[~here]
        return np.concatenate(closed), np.concatenate(closing)
