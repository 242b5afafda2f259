"""What holds for whole answers, whatever is on the disk and whatever was limited."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from domain import limits
from projections.index_store import IndexStore, open_manifest
from tests.recall.asking import edges, ids, new_world, outcomes
from tests.recall.test_laws import HISTORIES, NUMBERS, History, masked
from tests.recall_index.builders import Site

FEW = settings(max_examples=10)
MOST = {name: bound or 10**9 for name, bound in limits.BUDGETS.items()}


@contextmanager
def new_site():
    """A site whose world answers from segments, as far as somebody makes them."""
    with tempfile.TemporaryDirectory() as name, new_world() as world:
        engine = open_manifest(Path(name) / "index.db")
        site = Site(Path(name), IndexStore(engine), world)
        world.memtables = site.reader()
        world.answers = world.recalling()
        yield site
        engine.dispose()


@FEW
@given(HISTORIES, HISTORIES, st.lists(NUMBERS, max_size=2), st.integers(1, 3))
def test_an_answer_is_the_same_before_and_after_the_worker_runs(first, then, seeds, depth):
    with new_site() as site:
        world = site.world
        history = History(world).run(first)
        now = {"as_of": "2026-01-01T00:00:00Z", "explain": True}

        def answers():
            chosen = [history.memories[at] for at in seeds if at < len(history.memories)]
            return [
                masked(world.recall(words, chosen, more=now, max_depth=depth))
                for words in ("otter river", "stone")
            ]

        for commands in ([], then):
            history.run(commands)
            in_memory = answers()

            site.indexer.flush("w")
            on_disk = answers()
            site.rounds.work("w")
            if site.live():
                assert site.indexer.merge("w", site.live())

            assert in_memory == on_disk == answers()
        assert world.memtables.of("w").version == site.source().version("w")


LIMITED = st.fixed_dictionaries(
    {
        "max_depth": st.integers(1, 3),
        "max_cost": st.integers(1, 12),
        "supernode_threshold": st.integers(1, 4),
    }
)


@FEW
@given(HISTORIES, LIMITED, st.lists(NUMBERS, max_size=2))
def test_an_answer_with_the_limits_raised_that_it_names_is_the_unlimited_one(
    commands, limited, seeds
):
    with new_world() as world:
        history = History(world).run(commands)
        chosen = [history.memories[at] for at in seeds if at < len(history.memories)]

        def ask(**budgets):
            return world.recall("otter", chosen, more={"explain": True}, **{**MOST, **budgets})

        whole, found = ask(), ask(**limited)
        for _ in limited:  # raising one limit may meet the next, and each is met once
            named = {one["raise"] for one in found["skipped_expansions"]}
            limited = {name: most for name, most in limited.items() if name not in named}
            found = ask(**limited)

        assert found["skipped_expansions"] == whole["skipped_expansions"] == []
        assert ids(found) == ids(whole)
        assert edges(found) == edges(whole)
        assert outcomes(found) == outcomes(whole) == []
