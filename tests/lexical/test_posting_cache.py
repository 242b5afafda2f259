"""The cache of posting lists holds what was asked for last, and never more than it may."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from projections.lexical.posting_cache import PostingCache
from projections.lexical.postings import Found

TERMS = st.sampled_from("abcdefgh")
MOST = 100


def found(rows):
    return Found(np.arange(rows), np.ones(rows))


@given(st.lists(st.tuples(TERMS, st.integers(1, 120)), max_size=40))
def test_it_keeps_what_was_used_last_and_no_more_than_it_may(asked):
    cache = PostingCache(MOST)
    used: dict[str, int] = {}

    for term, rows in asked:
        known = cache.get(term)
        if known is None:
            cache.keep(term, found(rows))
            used.pop(term, None)
            used[term] = rows
        else:
            used[term] = used.pop(term)
            assert len(known.rows) == used[term]

        kept = [name for name in used if name in cache]
        assert kept == list(used)[len(used) - len(kept) :]
        assert sum(16 + used[name] for name in kept) <= MOST
        assert (term in cache) is (16 + used[term] <= MOST)


def test_a_list_that_is_too_large_by_itself_is_not_kept():
    cache = PostingCache(MOST)

    cache.keep("large", found(MOST))

    assert "large" not in cache
    assert cache.get("large") is None
