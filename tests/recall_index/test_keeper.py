"""The embedded server keeps its index by itself, and a start finds it again."""

from __future__ import annotations

import shutil
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from ops.wiring import open_memoranda
from projections.index_folder import new_name
from projections.lexical.fingerprint import INDEX_FORMAT
from tests.circumstances import context
from tests.erasure.world import Talk
from workers.index_keeper import IndexKeeper


class Rounds:
    """What the keeper calls, and when it has."""

    def __init__(self, site):
        self.inner = site.rounds
        self.indexer = site.indexer
        self.worked, self.compacted = threading.Event(), threading.Event()

    def due(self):
        return self.inner.due()

    def work(self, workspace, stop):
        self.inner.work(workspace, stop)
        self.worked.set()

    def compact(self, workspace, stop):
        self.inner.compact(workspace, stop)
        self.compacted.set()

    def compactable(self):
        return self.inner.compactable()

    def tidy(self, *, alone=False):
        self.inner.tidy(alone=alone)


def test_it_makes_and_merges_what_is_due(any_site):
    site = any_site
    for number in range(20):
        site.world.remember(f"otter {number}")
        site.indexer.flush("w")
    site.world.remember("the last otter")
    site.rounds = replace(site.rounds, idle_seconds=-60)
    rounds = Rounds(site)
    keeper = IndexKeeper(rounds, every_seconds=0.01)
    keeper.start()
    try:
        assert rounds.worked.wait(30)
        assert rounds.compacted.wait(30)
    finally:
        keeper.stop()

    assert keeper.failing is None
    assert len(site.live()) < 8
    assert site.index()._base.rows == 21
    assert site.directories() == {one.name for one in site.live()}


def test_what_is_nobodys_is_removed_at_the_start(any_site):
    site = any_site
    site.world.remember("an otter")
    site.indexer.flush("w")
    stranger = site.folder.root / f"v{INDEX_FORMAT}" / ("0" * 32) / "x"
    stranger.mkdir(parents=True)
    (site.folder.root / "v0").mkdir()
    (site.folder.workspace("w") / new_name()).mkdir()
    others = site.folder.root / "pictures"
    others.mkdir()

    site.rounds.tidy(alone=True)

    assert not stranger.exists()
    assert {path.name for path in site.folder.root.iterdir()} == {f"v{INDEX_FORMAT}", "pictures"}
    assert site.directories() == {one.name for one in site.live()}


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def flushed(memoranda):
    rounds = replace(memoranda.index.rounds, idle_seconds=-60)
    rounds.work_off()
    return rounds


def answers(talk):
    items = talk.recall("heron lake otter")["items"]
    return [(one["record"]["id"], one["record"]["version"], one["score"]) for one in items]


def test_recall_gives_the_same_items_and_scores_before_and_after_and_after_a_start(data):
    with closing(open_memoranda(data)) as memoranda:
        talk = Talk(memoranda)
        made = [
            talk.remember(content={"format": "text", "value": f"a heron at lake {number} {kind}"})
            for number, kind in enumerate(["otter", "fox", "otter otter", "bear"])
        ]
        talk.update(made[1], content={"format": "text", "value": "an otter instead"})
        before = answers(talk)
        assert len(before) == 4
        flushed(memoranda)
        assert answers(talk) == before
        assert memoranda.memtables.of("w")._base.rows == 5
    with closing(open_memoranda(data)) as memoranda:
        again = Talk(memoranda)
        assert answers(again) == before
        assert memoranda.memtables.of("w")._base.rows == 5


def test_a_folder_that_is_removed_under_a_running_server_is_made_again(data):
    with closing(open_memoranda(data)) as memoranda:
        talk = Talk(memoranda)
        talk.remember(content={"format": "text", "value": "a heron"})
        flushed(memoranda)
        before = answers(talk)
        shutil.rmtree(data / "index")
        assert answers(talk) == before
        talk.remember(content={"format": "text", "value": "a fox"}, who=context(workspace="w2"))
    with closing(open_memoranda(data)) as memoranda:
        assert answers(Talk(memoranda)) == before
        flushed(memoranda)
        assert memoranda.index.rounds.indexer.check("w") == 0
        assert answers(Talk(memoranda)) == before
