"""The manifest says the same in both databases, and changes all at once or not at all."""

from __future__ import annotations

import pytest
from sqlalchemy import inspect, select

from projections import index_changes as changes
from projections import index_manifest as manifest
from projections.index_changes import Advance
from projections.index_manifest import Live, Tip
from projections.index_schema import METADATA, SCHEMA, WORKSPACE
from tests.recall_index.builders import found, hits
from workers.tiers import MERGED_DOCUMENTS_MAX, MERGED_MIN, to_merge


def live(name="a", after=0, until=10, documents=5):
    return Live(name, after, until, documents, 1, "digest", 0)


def advanced(site, after, until, name=None):
    segment = None
    with site.store.writing() as connection:
        if name is not None:
            changes.begin_build(connection, "w", name, 0)
            segment = live(name, after, until)
        done = Advance(after, until, Tip(until, "x@1"), segment, [], [], 1)
        return changes.advance(connection, "w", done)


def test_the_index_goes_through_its_whole_life(any_site):
    site = any_site
    memory = site.world.remember("an otter")
    other = site.world.remember("another otter")
    assert site.rounds.due() == []
    site.world.clock.now += 61_000_000
    assert site.rounds.due() == ["w"]
    site.rounds.work("w")
    assert site.rounds.due() == []
    before = site.log.head()
    site.world.update(other, content={"format": "text", "value": "a changed otter"})
    site.indexer.flush("w")
    site.world.forget(memory, "application_delete")
    assert site.rounds.due() == ["w"]
    site.rounds.work("w")
    assert site.indexer.merge("w", site.live())

    index, plain = site.index(), site.index(segments=False)
    assert found(index, "otter") == [other]
    for position in (before, None):
        assert hits(index, "otter another", position) == hits(plain, "otter another", position)
    assert site.directories() == {one.name for one in site.live()}
    assert len(site.live()) == 1


def test_only_the_first_of_two_flushes_counts(any_site):
    assert advanced(any_site, 0, 10, "a")
    assert not advanced(any_site, 0, 12, "b")
    assert advanced(any_site, 10, 12)

    known = any_site.builds.known("w")
    assert [one.name for one in known.live] == ["a"]
    assert (known.position, known.version) == (12, 2)


def test_segments_are_replaced_once(any_site):
    site = any_site
    advanced(site, 0, 10, "a")
    advanced(site, 10, 20, "b")
    for name in ("c", "d"):
        with site.store.writing() as connection:
            changes.begin_build(connection, "w", name, 0)
            done = changes.replace(connection, "w", ["a", "b"], live(name, 0, 20))
            assert done is (name == "c")

    assert [one.name for one in site.builds.known("w").live] == ["c"]
    with site.store.reading() as connection:
        assert sorted(changes.condemned(connection, "w")) == ["a", "b"]
        assert changes.unfinished(connection, "w") == ["d"]


def test_what_was_given_up_cannot_become_a_segment(any_site):
    site = any_site
    with site.store.writing() as connection:
        changes.begin_build(connection, "w", "a", 0)
        changes.condemn(connection, ["a"])
        done = Advance(0, 10, Tip(10, "x@1"), live("a"), [], [], 1)
        assert not changes.advance(connection, "w", done)
    assert any_site.builds.known("w") is manifest.NOTHING


def test_an_exception_undoes_all_of_a_change(any_site):
    def fails():
        with any_site.store.writing() as connection:
            changes.begin_build(connection, "w", "a", 0)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    with any_site.store.reading() as connection:
        assert not changes.is_building(connection, "a")


def test_an_index_of_another_format_is_made_anew(any_site):
    site = any_site
    memory = site.world.remember("an otter")
    site.indexer.flush("w")
    with site.store.writing() as connection:
        connection.execute(WORKSPACE.update().values(format=0))
    assert found(site.index(), "otter") == [memory]
    assert site.index()._base.rows == 0

    site.indexer.flush("w")
    site.builds.sweep("w")

    assert site.index()._base.rows == 1
    assert len(site.directories()) == 1


def test_the_migration_makes_the_tables_that_the_program_has(postgres_manifest):
    inspector = inspect(postgres_manifest)
    for table in METADATA.sorted_tables:
        columns = {
            column["name"]: (str(column["type"]).split(" ")[0], column["nullable"])
            for column in inspector.get_columns(table.name, schema=SCHEMA)
        }
        dialect = postgres_manifest.dialect
        expected = {
            column.name: (
                column.type.dialect_impl(dialect).compile(dialect).split(" ")[0],
                column.nullable,
            )
            for column in table.columns
        }
        assert columns == expected
        key = inspector.get_pk_constraint(table.name, schema=SCHEMA)["constrained_columns"]
        assert key == [column.name for column in table.primary_key.columns]


def test_a_manifest_that_cannot_be_used_is_made_anew(tmp_path):
    from projections.index_store import IndexStore, open_manifest

    path = tmp_path / "index.db"
    path.write_bytes(b"no database" * 1000)
    engine = open_manifest(path)
    with IndexStore(engine).reading() as connection:
        assert connection.execute(select(WORKSPACE)).all() == []
    engine.dispose()


def test_neighbours_of_a_size_are_merged_and_large_ones_left_alone():
    def sizes(*documents):
        return [live(str(at), at, at + 1, size) for at, size in enumerate(documents)]

    assert to_merge(sizes(*[10] * (MERGED_MIN - 1))) == []
    assert to_merge(sizes(*[10] * MERGED_MIN)) == sizes(*[10] * MERGED_MIN)
    assert to_merge(sizes(*[10] * 3, 1_000, *[10] * 3)) == []
    assert to_merge(sizes(*[10] * 4, 40_000, *[10] * 4)) == []
    run = sizes(5_000, *[10] * MERGED_MIN)
    assert to_merge(run) == run[1:]
    assert to_merge(sizes(*[400] * 4, 10, *[400] * 4)) == sizes(*[400] * 4, 10, *[400] * 4)
    most = sizes(*[30_000] * 9)
    assert to_merge(most) == []
    assert sum(one.documents for one in to_merge(sizes(*[5_000] * 20))) <= MERGED_DOCUMENTS_MAX
