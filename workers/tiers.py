"""Which segments are merged: neighbours of about one size, when there are enough of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from projections.index_manifest import Live

TIER_DOCUMENTS: Final = (64, 512, 4_096, 32_768)
"""Up to how many documents a segment belongs to a tier; one that is larger is left alone."""
MERGED_MIN: Final = 8
"""So many neighbours of a tier, or of smaller ones, become one segment."""
MERGED_DOCUMENTS_MAX: Final = 50_000


def to_merge(live: Sequence[Live]) -> list[Live]:
    """The next neighbours to merge, smallest tier first; none where all is well.

    A memory is written again about once a tier, and a workspace has at most some seven segments of
    each tier, and one for each 50 000 memories.
    """
    for bound in TIER_DOCUMENTS:
        run: list[Live] = []
        for one in live:
            documents = sum(each.documents for each in run) + one.documents
            if one.documents <= bound and documents <= MERGED_DOCUMENTS_MAX:
                run.append(one)
                continue
            if len(run) >= MERGED_MIN:
                return run
            run = [one] if one.documents <= bound else []
        if len(run) >= MERGED_MIN:
            return run
    return []
