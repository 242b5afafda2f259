"""What a term counts in some rows is the same, whichever way it is looked up."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from projections.lexical.context import NOBODY
from projections.lexical.counting import Chosen, Counted

ROWS = 400
SOME_ROWS = st.sets(st.integers(0, ROWS - 1), min_size=1)


@given(
    chosen=SOME_ROWS | st.sets(st.integers(0, ROWS - 1), min_size=1, max_size=3),
    having=st.lists(SOME_ROWS, min_size=1, max_size=3),
)
def test_each_row_has_what_the_term_counts_in_it_and_nobody_has_nothing(chosen, having):
    mask = np.zeros(ROWS, dtype=np.bool_)
    mask[list(chosen)] = True
    asked = np.array([*sorted(chosen), NOBODY, min(chosen)])
    together = Chosen(mask)
    places = together.places(asked)

    for rows in having:
        counted = Counted(np.array(sorted(rows)), np.array([row + 0.5 for row in sorted(rows)]))

        found = together.counts(counted)[places]

        assert found.tolist() == [row + 0.5 if row in rows else 0.0 for row in asked.tolist()]
