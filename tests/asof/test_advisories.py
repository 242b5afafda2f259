"""What was known on a date of a real history, by the store and by the history itself."""

from __future__ import annotations

from tests.asof.advisories import compare, history, remembered


def test_what_was_known_on_a_date_is_what_the_history_says():
    revisions = history(None)

    with remembered(revisions) as store:
        found = compare(store, revisions, dates=20, advisories=10)

    assert (found.pairs, found.different) == (200, 0)
    assert found.unlike_today >= 30
