"""The tags of rows: those that an index began with, and those that were added."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from projections.lexical.columns import BoolArray, Rows
from projections.lexical.frozen import FrozenTags
from projections.lexical.postings import Postings


def tagged(begun: Sequence[FrozenTags], lengths: Sequence[int], tag: str) -> Rows:
    """The rows with a tag in parts that stand one behind the other; `lengths` are their rows."""
    found: list[Rows] = [np.zeros(0, dtype=np.int64)]
    offset = 0
    for one, length in zip(begun, lengths, strict=True):
        at = bisect_left(one.labels, tag)
        if at < len(one.labels) and one.labels[at] == tag:
            found.append(one.rows[one.starts[at] : one.starts[at + 1]] + offset)
        offset += length
    return np.concatenate(found)


def frozen_tags(
    begun: Sequence[FrozenTags], lengths: Sequence[int], added: Postings, kept: BoolArray
) -> FrozenTags:
    """All tags of the kept rows."""
    labels: list[str] = []
    rows: list[Rows] = []
    for tag in sorted({label for one in begun for label in one.labels}.union(added)):
        found = np.concatenate([tagged(begun, lengths, tag), added.rows(tag)])
        found = found[kept[found]]
        if len(found):
            labels.append(tag)
            rows.append(found)
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return FrozenTags(labels, starts, np.concatenate([np.zeros(0, dtype=np.int64), *rows]))
