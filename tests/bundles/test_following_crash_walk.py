"""A fault at every point where following the log can fail: what is told is as without it.

The points are enumerated by the databases themselves: each BEGIN, each change and each COMMIT of
whoever folds the log into rows, and of whoever makes the recall index. The n-th fails, until n
is never reached; who followed goes on by itself, or begins anew.
"""

from __future__ import annotations

import functools
from contextlib import closing
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import DBAPIError

import workers.runner
from domain.canonical import canonical
from ops.settings import ServerMode
from ops.wiring import open_memoranda, open_server
from projections.catalogue import CATALOGUE
from projections.database import open_views, part_in
from projections.index_schema import METADATA
from projections.index_store import IndexStore, open_manifest
from read_api.bundle_markdown import concept_markdown
from read_api.bundle_questions import CompletenessQuestion, ConceptFilters
from read_api.bundles import Bundles
from tests.bundles.scribes import Scribe
from tests.bundles.test_crash_walk import story as tell
from tests.projections.databases import Postgres, Sqlite
from tests.projections.failing_views import Fault, failing
from tests.projections.views import positions, tables
from tests.recall.world import FixedClock
from tests.recall_index.builders import Site, hits
from tests.server_mode.conftest import MASTER_KEY
from tests.workers.failing import no_pause
from workers.catch_up import catch_up
from workers.indexing import Indexer
from workers.runner import InProcessRunner

LONG = 60.0
"""Seconds that no try takes."""
FEW = 4
"""Events of a batch, so that there are several."""
POINTS_MAX = 1_000
NEVER = 10**9
"""A point that is never reached."""
WHEN = ("before", "after")
pytestmark = pytest.mark.timeout(600)


@dataclass(frozen=True)
class Told:
    """A store in which the story was told, and a memory of it forgotten."""

    scribe: Scribe
    views: Sqlite | Postgres

    @property
    def log(self):
        return self.scribe.store.log


@pytest.fixture(scope="module")
def sqlite_story(tmp_path_factory):
    with closing(open_memoranda(tmp_path_factory.mktemp("story") / "data")) as store:
        yield Told(told(store), Sqlite())


@pytest.fixture(scope="module")
def postgres_story(tmp_path_factory, postgres_module_url, redis_server_url):
    mode = ServerMode(postgres_module_url, redis_server_url, bytes.fromhex(MASTER_KEY))
    opened = open_server(mode, tmp_path_factory.mktemp("story") / "data")
    with closing(opened) as store, closing(Postgres(postgres_module_url)) as views:
        yield Told(told(store), views)


def told(store):
    scribe = Scribe(store)
    tell(scribe)
    first = min(scribe.found("oars hang door"))
    scribe.forget(first, "tombstone")
    return scribe


def answers(engine, story):
    """What is told of read models that followed the whole log."""
    head = story.log.head()
    return answers_of(Bundles(engine, lambda _: b"secret", lambda _: head, lambda who: who), story)


def answers_of(read, story):
    """Every answer that is read of the rows, as bytes."""
    context = story.scribe.context
    listed = read.concepts(context, ConceptFilters())
    concepts = [read.concept(context, one["id"]) for one in listed["items"]]
    claims = [read.claim(context, one["id"]) for concept in concepts for one in concept["claims"]]
    windows = dict.fromkeys(one["window_id"] for claim in claims for one in claim["citations"])
    return canonical(
        {
            "concepts": listed,
            "each": concepts,
            "markdown": [concept_markdown(one) for one in concepts],
            "claims": claims,
            "windows": [read.window(context, one) for one in windows],
            "completeness": read.completeness(context, CompletenessQuestion()),
        }
    )


def by_runner(engine, story):
    """The thread of an embedded store, which tries again by itself; at its start, by whom asked."""
    runner = InProcessRunner(
        story.log, engine, retry_seconds=(0.001, 0.001), truncate_after_seconds=LONG
    )
    try:
        runner.start()
        assert runner.wait_for("w", story.log.head(), LONG) == story.log.head()
    finally:
        runner.stop()


def by_workers(engine, story):
    """Jobs of workers: one that fails is given up, its connections with it."""
    part = part_in(engine, "w")
    for projection in CATALOGUE:
        catch_up(projection, part, story.log, engine, FEW, pause=no_pause)


def again(engine, follow):
    """`follow`, as somebody does who is started anew where it fails."""
    try:
        follow()
    except DBAPIError:
        engine.dispose()
        follow()


def walk(when, run):
    """`run` with each point failing once, as without a fault; how many points of which kind."""
    calm = run(Fault(NEVER, when))
    for point in range(POINTS_MAX):
        fault = Fault(point, when)
        assert run(fault) == calm, f"point {point}"
        if not fault.came:
            return fault.met
    raise AssertionError("the points do not end")


def followed(story, follow, fault):
    """What new read models tell that were followed so."""
    with story.views.new_views() as views:
        with failing(views, fault):
            again(views, functools.partial(follow, views, story))
        return tables(views), positions(views), answers(views, story)


@pytest.mark.parametrize("when", WHEN)
def test_a_fault_at_any_point_of_the_runner_changes_nothing_that_is_told(
    sqlite_story, monkeypatch, when
):
    monkeypatch.setattr(workers.runner, "BATCH_EVENTS", FEW)

    met = walk(when, functools.partial(followed, sqlite_story, by_runner))

    assert met["COMMIT"] >= len(CATALOGUE) * 3  # it begins, and has two batches at least
    assert when == "after" or met["INSERT"] >= len(CATALOGUE) * 6


def test_what_is_told_after_the_walk_is_what_the_store_itself_tells(sqlite_story):
    with sqlite_story.views.new_views() as views:
        by_workers(views, sqlite_story)
        walked = answers(views, sqlite_story)

    sqlite_story.scribe.store.runner.wait_for("w", sqlite_story.log.head(), LONG)
    bundles = sqlite_story.scribe.store.read.bundles
    assert answers_of(bundles, sqlite_story) == walked
    assert all(words in walked for words in (b"tubes", b"racks", b"thrown away"))
    assert b"Oars" not in walked  # as it was forgotten


@pytest.mark.parametrize("when", WHEN)
def test_a_fault_at_any_point_of_a_worker_changes_nothing_that_is_told(postgres_story, when):
    met = walk(when, functools.partial(followed, postgres_story, by_workers))

    assert met["COMMIT"] >= len(CATALOGUE) * 3
    assert when == "after" or met["INSERT"] >= len(CATALOGUE) * 6


class Until:
    """A log as it was at a position."""

    def __init__(self, log, head):
        self._log, self._head = log, head

    def __getattr__(self, name):
        return getattr(self._log, name)

    def head(self):
        return self._head

    def after(self, position, limit, **asked):
        events = self._log.after(position, limit, **asked)
        return [event for event in events if event.position <= self._head]


def make_index(site, story):
    """Two segments, one after the other; then the first anew, without what is forgotten."""
    end = story.log.head()
    for head in (end // 2, end - 1):
        Indexer(Until(story.log, head), site.builds).flush("w")
    assert site.indexer.clear("w", end)
    site.rounds.tidy(alone=True)


def manifest_in(url):
    """An empty manifest in PostgreSQL."""
    engine = open_views(url)
    with IndexStore(engine).writing() as connection:
        for table in METADATA.sorted_tables:
            connection.execute(table.delete())
    return engine


def indexed(root, story, fault, url=None):
    """Of which events a new index is that was made so, and what it finds.

    Its manifest is in a file, or in the database of a URL.
    """
    folder = root / f"{fault.when} {fault.point}"
    folder.mkdir()
    manifest = open_manifest(folder / "index.db") if url is None else manifest_in(url)
    site = Site(folder, IndexStore(manifest), SimpleNamespace(log=story.log, clock=FixedClock()))
    with failing(manifest, fault):
        again(manifest, functools.partial(make_index, site, story))
    known = site.builds.known("w")
    assert site.directories() == {one.name for one in known.live}
    index = site.index()
    found = [hits(index, words, actor="ana") for words in ("charts stored", "oars", "scanned")]
    manifest.dispose()
    return known.position, sum(one.documents for one in known.live), found


@pytest.mark.parametrize("when", WHEN)
def test_a_fault_at_any_point_of_the_manifest_changes_nothing_that_is_found(
    sqlite_story, tmp_path, when
):
    met = walk(when, functools.partial(indexed, tmp_path, sqlite_story))

    assert met["COMMIT"] >= 10  # three segments are begun and take their places, and one goes
    assert when == "after" or met["UPDATE"] >= 8


def test_a_lost_answer_to_any_commit_of_a_shared_manifest_changes_nothing_that_is_found(
    sqlite_story, postgres_module_url, tmp_path
):
    run = functools.partial(indexed, tmp_path, sqlite_story, url=postgres_module_url)

    assert walk("after", run)["COMMIT"] >= 10
