"""Servers and workers that share a folder, and a server that does not have it."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from commands.clock import SystemClock
from ops.recall_index import over
from ops.server_site import open_site
from ops.settings import ServerMode
from ops.wiring import open_server
from ops.worker_process import periodic
from projections.index_store import IndexStore
from tests.erasure.world import WORDS, Talk, tell
from workers import jobs
from workers.doorbell import Doorbell, open_redis, queue_of


@pytest.fixture
def mode(postgres_url, redis_url):
    return ServerMode(postgres_url, redis_url, bytes(range(32)))


@pytest.fixture
def root(tmp_path):
    return tmp_path / "shared"


@contextmanager
def working(mode, root):
    """A worker of this process that finds everything due, however new it is."""
    with open_site(mode) as site:
        doorbell = Doorbell(open_redis(mode.redis_url))
        rounds = over(IndexStore(site.views), root, site.log, site.grown, SystemClock()).rounds
        rounds = replace(rounds, idle_seconds=-60)
        jobs.serve(jobs.Bench(site, doorbell, index=rounds))
        yield rounds, doorbell
        doorbell.close()


def test_a_server_opens_what_a_worker_wrote_and_both_forget_it(mode, root):
    with (
        closing(open_server(mode, None, index_root=root)) as memoranda,
        working(mode, root) as (rounds, _),
    ):
        talk = Talk(memoranda)
        told = tell(talk)
        before = talk.recall("heron otter")["items"]
        jobs.make_segments()
        jobs.merge_segments()
        assert WORDS.found_under(root)
        assert rounds.due() == []

        after = talk.recall("heron otter")["items"]
        index = memoranda.memtables.of("w")
        assert index._base.rows == memoranda.memtables.of("w")._fold.index.counts().documents
        assert [(one["record"]["id"], one["score"]) for one in after] == [
            (one["record"]["id"], one["score"]) for one in before
        ]

        assert talk.forget(told.memory)["erasure"]["completed"] is True
        assert WORDS.found_under(root) == {}
        assert [one["record"]["id"] for one in talk.recall("says otter")["items"]] == [told.other]


def test_a_server_without_the_folder_waits_for_a_worker_that_has_it(mode, root):
    with closing(open_server(mode, None)) as memoranda, working(mode, root):
        talk = Talk(memoranda)
        told = tell(talk)
        jobs.make_segments()
        assert WORDS.found_under(root)

        assert talk.forget(told.memory)["erasure"]["completed"] is False
        assert told.memory not in str(talk.recall("says otter")["items"])
        jobs.make_segments()

    assert WORDS.found_under(root) == {}
    for _ in range(10):
        # A start resumes it, and its end waits for it: the files are clean now.
        with closing(open_server(mode, None)) as memoranda:
            again = Talk(memoranda)
            if memoranda.log.after(0, 10_000, topics=["erasure.completed"]):
                break
    with closing(open_server(mode, None)) as memoranda:
        again = Talk(memoranda)
        assert len(memoranda.log.after(0, 10_000, topics=["erasure.completed"])) == 1
        assert again.recall("heron")["items"]


def test_a_sweep_rings_for_segments_and_makes_one_itself_while_redis_is_away(mode, root):
    with closing(open_server(mode, None)) as memoranda, working(mode, root) as (rounds, doorbell):
        Talk(memoranda).remember()
        make = periodic(rounds, doorbell)[0].work

        make()
        queue = queue_of(open_redis(mode.redis_url))
        assert "workers.jobs.make_segments" in {job.func_name for job in queue.jobs}

        away = Doorbell(open_redis("redis://127.0.0.1:1/0"))
        periodic(rounds, away)[0].work()
        assert rounds.indexer.builds.known("w").live
        away.close()
        queue.connection.close()


def test_a_worker_without_the_folder_leaves_it_to_others(mode):
    with open_site(mode) as site:
        doorbell = Doorbell(open_redis(mode.redis_url))
        jobs.serve(jobs.Bench(site, doorbell))
        jobs.make_segments()
        jobs.merge_segments()
        assert periodic(None, doorbell) == []
        doorbell.close()
