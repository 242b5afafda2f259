"""The makes of index that the contract suite runs against: an empty one of each."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from projections.lexical.base import Base
from projections.lexical.memtable import Memtable
from projections.lexical.segment import Segment
from projections.lexical.segment_writer import write_segment


class Segmented:
    """What is added goes to disk before each question; nothing of it stays in memory."""

    def __init__(self, *, merged=False):
        folder = tempfile.mkdtemp(prefix="segments-")
        self._folder = Path(folder)
        weakref.finalize(self, shutil.rmtree, folder)
        self._merged = merged
        self._dead = {}
        self.segments = []
        self.index = Memtable()

    def add(self, document):
        self.index.add(document)

    def bury(self, memory_id, version=None):
        self._dead[memory_id, version] = "bury"
        self.index.bury(memory_id, version)

    def purge(self, memory_id, version=None):
        self._dead[memory_id, version] = "purge"
        self.index.purge(memory_id, version)

    def eligible(self, basis, filters):
        self.settle()
        return self.index.eligible(basis, filters)

    def settle(self):
        if self.index.tail:
            tail = Memtable()
            self._forget(tail)
            for document in self.index.added_after(-1):
                tail.add(document)
            self.segments.append(self._written(tail))
        if self._merged and self.segments:
            merged = Memtable(Base(self.segments))
            self._forget(merged)
            self.segments = [self._written(merged)]
        self.index = Memtable(Base(self.segments))
        self._forget(self.index)

    def _forget(self, index):
        for (memory_id, version), how in self._dead.items():
            getattr(index, how)(memory_id, version)

    def _written(self, index):
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        return Segment.open(folder, write_segment(folder, index))

    def __getattr__(self, name):
        return getattr(self.index, name)


ADAPTERS = {
    "memtable": Memtable,
    "segments": Segmented,
    "merged segments": lambda: Segmented(merged=True),
}
