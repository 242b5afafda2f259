"""Any sequence of appends leaves the log as a plain list would be."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands.store_errors import StreamConflictError
from tests.store.building import PostgresAdapter, SetClock, SqliteAdapter, new_id, row

STREAMS = [new_id("mem_") for _ in range(3)]
IDENTITIES = st.tuples(st.sampled_from(STREAMS), st.integers(1, 3))
APPENDS = st.lists(
    st.tuples(st.lists(IDENTITIES, min_size=1, max_size=3), st.integers(0, 50)), max_size=8
)


@contextmanager
def new_sqlite():
    with tempfile.TemporaryDirectory() as folder:
        yield SqliteAdapter(Path(folder) / "log.db")


def stores(name: str, databases):
    """Makes an empty store for each example."""

    @contextmanager
    def new_postgres():
        with databases.fresh(migrated=True) as url:
            yield PostgresAdapter(url)

    return {"sqlite": new_sqlite, "postgres": new_postgres}[name]


@settings(max_examples=40)
@given(appends=APPENDS)
@pytest.mark.parametrize("name", ["sqlite", "postgres"])
def test_appends_are_all_or_nothing_and_in_order(name, databases, appends):
    with stores(name, databases)() as adapter:
        clock = SetClock()
        log = adapter.open(clock)
        expected: list[tuple[str, int, int]] = []

        for identities, clock.now in appends:
            taken = {(stream, version) for stream, version, _ in expected}
            try:
                at = log.append([row(*identity) for identity in identities], []).appended_us
            except StreamConflictError:
                assert taken & set(identities) or len(set(identities)) < len(identities)
            else:
                assert not taken & set(identities)
                assert len(set(identities)) == len(identities)
                expected += [(stream, version, at) for stream, version in identities]

        states = [f"{stream}@{version}".encode() for stream, version, _ in expected]
        everything = log.rows_after(0, 100)
        assert [stored.state for stored in everything] == states
        assert [stored.appended_us for stored in everything] == [at for _, _, at in expected]
        for asked in range(4):
            loaded = log.load(dict.fromkeys(STREAMS, asked))
            for stream in STREAMS:
                versions = [v for s, v, _ in expected if s == stream and v > asked]
                found = [stored.version for stored in loaded.get(stream, [])]
                assert sorted(found) == sorted(versions)
        for at in {at for _, _, at in expected}:
            known = log.position_at(at)
            assert known == max(p.position for p in everything if p.appended_us <= at)
        adapter.close()
