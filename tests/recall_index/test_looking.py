"""Looking through the log for what is new, beside others who do the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from projections import index_news as news


@pytest.fixture
def told(any_site):
    """A site of three memories of which nobody has looked for news."""
    for number in range(3):
        any_site.world.remember(f"otter {number}")
    return any_site


def pending(site):
    with site.store.reading() as connection:
        return news.due(connection, 3, 0), news.due(connection, 4, 0)


def test_others_may_write_while_the_log_is_read(told):
    """A long log would keep them out for longer than they wait."""

    def grown(*asked):
        with told.store.writing() as connection:
            news.suspect(connection, "elsewhere", found=False)
        return told.grown(*asked)

    replace(told.rounds, grown=grown, idle_seconds=60).due()

    assert pending(told) == (["w"], [])


def test_what_somebody_else_has_counted_meanwhile_is_counted_once(told):
    def grown(*asked):
        found = told.grown(*asked)
        told.rounds.due()
        return found

    slower = replace(told.rounds, grown=grown, idle_seconds=60)

    assert slower.due() == []
    assert pending(told) == (["w"], [])
