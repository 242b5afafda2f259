"""Rebuild = live projections, column by column, in whatever batches the log is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ops.rebuild import rebuild
from ops.wiring import Memoranda
from projections.database import open_views
from tests.laws.choices import Step
from tests.laws.worlds import Group, caught_up, random_steps
from tests.projections.views import tables


def live(memoranda: Memoranda) -> dict[str, list[tuple[object, ...]]]:
    return tables(caught_up(memoranda).runner._engine)


def rebuilt(memoranda: Memoranda, path: Path, batch: int) -> dict[str, list[tuple[object, ...]]]:
    rebuild(memoranda.log, path, lambda _done, _head: None, batch=batch)
    engine = open_views(path)
    try:
        return tables(engine)
    finally:
        engine.dispose()


def test_every_batch_size_rebuilds_what_the_live_tables_hold(
    fresh: Memoranda, tmp_path: Path
) -> None:
    # Given two workspaces of two actors each, whose commands took turns
    groups = [Group(fresh, name, prefix=name) for name in ("one", "two")]
    for at, step in enumerate(random_steps(seed=7, count=160)):
        groups[at % 2].do(step)
    # When the read models are rebuilt with batches of 1, 7 and 500 events
    expected = live(fresh)
    found = {batch: rebuilt(fresh, tmp_path / f"{batch}.db", batch) for batch in (1, 7, 500)}
    # Then every column of every row is the same
    assert expected["memory_version"]
    assert expected["edge_version"]
    for batch, there in found.items():
        for name, rows in expected.items():
            assert there[name] == rows, (batch, name)


REPAIRED = [
    Step(0, "remember", 1, 1, 8),
    Step(0, "update", 1, 1, 1),
    Step(0, "forget", 1, 1, 1),
    Step(0, "update", 1, 1, 2),
    Step(0, "update", 1, 1, 3),
]
EXPIRED = [
    Step(0, "remember", 1, 1, 1),
    Step(0, "forget", 0, 0, 1),
    Step(0, "forget", 0, 0, 0),
    Step(0, "update", 0, 1, 3),
    Step(0, "forget", 0, 0, 1),
]


def one_by_one(memoranda: Memoranda, steps: list[Step]) -> Group:
    """Each step is projected before the next is taken."""
    group = Group(memoranda, "w", actors=("ana", "ana"), visibility="workspace")
    for step in steps:
        group.do(step)
        live(memoranda)
    return group


@pytest.mark.parametrize("steps", [REPAIRED, EXPIRED])
def test_a_fold_that_goes_on_from_its_rows_is_the_whole_fold(
    fresh: Memoranda, tmp_path: Path, steps: list[Step]
) -> None:
    """A tip that was forgotten and repaired; an expiry that was moved."""
    group = one_by_one(fresh, steps)
    assert all(asked.mutated for asked in group.asked), [asked.answer for asked in group.asked]
    assert rebuilt(fresh, tmp_path / "again.db", 500) == live(fresh)


def test_a_rebuild_that_was_stopped_goes_on_where_it_was(fresh: Memoranda, tmp_path: Path) -> None:
    Group(fresh, "w").play(random_steps(seed=3, count=30))
    calls = iter(range(5))
    stop: Callable[[], bool] = lambda: next(calls, None) is None  # noqa: E731
    path = tmp_path / "again.db"
    assert rebuild(fresh.log, path, lambda _done, _head: None, stop=stop, batch=3) is None
    assert rebuilt(fresh, path, 7) == live(fresh)
