"""The makes of index that the contract suite runs against: an empty one of each."""

from __future__ import annotations

from projections.lexical.memtable import Memtable

ADAPTERS = {"memtable": Memtable}
