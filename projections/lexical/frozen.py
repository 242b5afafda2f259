"""The rows of an index as plain arrays: what a segment's own files hold, and an index begins with.

No words of the text are here: those are in the postings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from projections.lexical.columns import BoolArray, FrozenTexts, Rows


class FrozenTags(NamedTuple):
    """The rows of each tag: those of `labels[i]` are `rows[starts[i]:starts[i + 1]]`.

    Labels are in code-point order, the rows of each ascend.
    """

    labels: list[str]
    starts: NDArray[np.int64]
    rows: Rows


@dataclass(frozen=True, slots=True)
class FrozenColumns:
    """What decides whether a row may be an answer; one value a row, as in `Eligibility`.

    `gone`: the words and strings of the row were taken out. Positions are those of the log,
    instants microseconds since 1970 UTC.
    """

    from_position: NDArray[np.int64]
    valid_from: NDArray[np.int64]
    valid_until: NDArray[np.int64]
    expires_at: NDArray[np.int64]
    active: BoolArray
    gone: BoolArray
    confidence: NDArray[np.float64]
    owner: FrozenTexts
    session: FrozenTexts
    kind: FrozenTexts
    status: FrozenTexts
    slot: FrozenTexts
    repo: FrozenTexts
    tags: FrozenTags


@dataclass(frozen=True, slots=True)
class Frozen:
    """The rows of an index in the order of the log.

    `ids` are the ids of the memories in UTF-8, `lengths` the exact sums of the term frequencies.
    """

    ids: NDArray[np.bytes_]
    versions: NDArray[np.int64]
    lengths: NDArray[np.float64]
    columns: FrozenColumns

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.versions)
