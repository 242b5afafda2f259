"""What was forgotten leaves every file of the index, whoever was writing one at the time."""

from __future__ import annotations

import pytest

from commands.erasure_steps import NotYetError
from ops.recall_index import RecallIndex
from projections import index_changes as changes
from projections.index_folder import new_name
from projections.index_schema import WORKSPACE
from tests.erasure.traces import Words
from tests.recall_index.builders import FAR, found, hits
from workers.index_builds import GivenUpError

SECRET = "xqzywarble"
WORDS = Words(SECRET)


def secret(site, **more):
    return site.world.remember(f"the {SECRET} sings", tags=[f"tag {SECRET}"], **more)


def traces(site):
    return WORDS.found_under(site.root)


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_a_purge_leaves_no_word_in_any_file_and_changes_no_other_answer(site, mode):
    others = [site.world.remember(f"an otter sings {number}") for number in range(3)]
    memory = secret(site)
    site.indexer.flush("w")
    assert [file for file in traces(site) if file.startswith("index/")]

    site.world.forget(memory, mode)
    assert site.indexer.clear("w", site.log.head())

    assert traces(site) == {}
    index = site.index()
    assert hits(index, "otter sings") == hits(site.index(segments=False), "otter sings")
    assert found(index, "sings") == others
    assert site.directories() == {one.name for one in site.live()}


def test_only_segments_that_held_it_are_written_anew(site):
    site.world.remember("an otter")
    site.indexer.flush("w")
    memory = secret(site)
    site.indexer.flush("w")
    untouched = site.live()[0].name

    site.world.forget(memory, "application_delete")
    site.rounds.due()
    site.rounds.work("w")

    assert traces(site) == {}
    assert site.live()[0].name == untouched
    assert not site.builds.known("w").marks


def test_a_forgotten_version_leaves_the_files_and_the_others_stay(site):
    memory = site.world.remember("first otter")
    site.world.update(memory, content={"format": "text", "value": f"a {SECRET}"})
    site.world.update(memory, content={"format": "text", "value": "mended otter"})
    site.indexer.flush("w")
    site.world.forget(memory, "application_delete", scope="event", version=2)

    assert site.indexer.clear("w", site.log.head())

    assert traces(site) == {}
    assert hits(site.index(), "otter mended") == hits(site.index(segments=False), "otter mended")


def test_a_forget_makes_a_workspace_due_at_once(site):
    memory = secret(site)
    site.indexer.flush("w")
    assert site.rounds.due() == []

    site.world.forget(memory, "application_delete")

    assert site.rounds.due() == ["w"]


def test_a_build_that_somebody_died_over_leaves_with_the_purge(site):
    memory = secret(site)
    site.indexer.flush("w")
    name = new_name()
    with site.store.writing() as connection:
        changes.begin_build(connection, "w", name, 0)
    path = site.folder.begin("w", name)
    (path / "half").write_text(SECRET)
    site.world.forget(memory, "application_delete")

    assert site.indexer.clear("w", site.log.head())

    assert traces(site) == {}
    assert not path.exists()


def test_who_merges_while_a_purge_goes_by_gives_up_and_leaves_nothing(site):
    memory = secret(site)
    site.indexer.flush("w")
    site.world.remember("an otter")
    site.indexer.flush("w")
    looked = []

    def meanwhile():
        if not looked:
            looked.append(True)
            site.world.forget(memory, "application_delete")
            assert site.indexer.clear("w", site.log.head())
        return False

    assert not site.indexer.merge("w", site.live(), meanwhile)

    assert looked
    assert traces(site) == {}
    assert site.directories() == {one.name for one in site.live()}


def test_segments_that_were_opened_before_a_purge_are_not_written_after_it(site):
    memory = secret(site)
    site.indexer.flush("w")
    inputs = site.live()

    with site.builds.opened("w", inputs):
        site.world.forget(memory, "application_delete")
        assert site.indexer.clear("w", site.log.head())
        assert not site.indexer._put(
            "w", inputs, lambda _known: pytest.fail("nothing of it may be written"), lambda: False
        )

    assert traces(site) == {}


def test_who_flushes_while_a_purge_goes_by_is_overtaken(site):
    secret(site)
    site.indexer.flush("w")
    memory = secret(site)
    looked = []

    def meanwhile():
        if not looked:
            looked.append(True)
            site.world.forget(memory, "application_delete")
            assert site.indexer.clear("w", site.log.head())
        return False

    assert not site.indexer.flush("w", meanwhile)

    assert looked
    assert len(found(site.index(), SECRET)) == 1
    assert site.directories() == {one.name for one in site.live()}


def test_a_build_whose_name_was_taken_away_is_given_up(site):
    site.world.remember("an otter")

    def removed():
        with site.builds.building("w") as build:
            site.builds.sweep("w", builds=True)
            build.finished(site.index(segments=False)._fold.index, 0, 1)

    with pytest.raises(GivenUpError):
        removed()
    assert site.directories() == set()


def test_a_reader_that_follows_holds_nothing_of_what_was_purged(site):
    memory = secret(site)
    site.indexer.flush("w")
    reader = site.reader()
    index = reader.of("w")
    index.follow(site.log.head(), FAR)
    assert found(index, SECRET) == [memory]
    site.world.forget(memory, "application_delete")
    head = site.log.head()
    assert site.indexer.clear("w", head)

    reader.let_go("w", head, 600)

    index = reader.of("w")
    assert found(index, SECRET) == []
    assert SECRET not in {term for one in index._base.segments for term in one.terms()}
    assert all(SECRET not in one._words._cache for one in index._base.segments)
    assert SECRET not in index._base._cache


def of_another_program(site):
    """Make an index one that another program made."""
    here = site.folder.workspace("w").parent
    here.rename(here.with_name("v1"))
    with site.store.writing() as connection:
        connection.execute(WORKSPACE.update().values(format=1))


def test_what_another_program_wrote_is_cleared_too(site):
    memory = secret(site)
    site.indexer.flush("w")
    of_another_program(site)
    site.world.forget(memory, "application_delete")
    assert [file for file in traces(site) if file.startswith("index/")]

    assert site.indexer.clear("w", site.log.head())

    assert traces(site) == {}
    assert found(site.index(), SECRET) == []


def test_who_has_no_folder_waits_until_the_index_of_another_program_is_made_anew(site):
    memory = secret(site)
    site.indexer.flush("w")
    of_another_program(site)
    site.world.forget(memory, "application_delete")
    without = RecallIndex(site.store, None)

    with pytest.raises(NotYetError):
        without.clear({"w": site.log.head()})
    while site.rounds.work_off():
        pass

    without.clear({"w": site.log.head()})
    assert found(site.index(), SECRET) == []
