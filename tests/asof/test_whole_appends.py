"""Whoever asks while read models follow sees all of what was stored at once, or nothing of it."""

from __future__ import annotations

from contextlib import closing, contextmanager

import pytest

from domain.parts import part_of_workspace
from ops.wiring import open_memoranda
from projections.catalogue import CATALOGUE
from projections.database import open_views, parts_in
from read_api.evidence_graph import EvidenceGraph, GraphQuestion
from read_api.slot_questions import SlotQuestion
from read_api.slots import Slots
from tests.claims.stories import Story
from workers.catch_up import Follower

SLOT = "the store of the app"


@contextmanager
def views_of_its_own(folder):
    views = open_views(folder / "views.db")
    try:
        yield views
    finally:
        views.dispose()


@pytest.fixture
def consolidated(tmp_path):
    """A story in which two memories of a slot and of a graph gave way to one, at once."""
    with closing(open_memoranda(tmp_path / "data")) as store:
        story = Story(store)
        one, two, canonical = (
            story.remember(text, properties={"slot": SLOT}) for text in ("one", "two", "both")
        )
        for member in (one, two):
            story.relate(canonical, member)
        said = {
            "memory_ids": [one, two, canonical],
            "canonical_id": canonical,
            "reason": "the same",
            "preserve_disagreements": True,
        }
        made = story._execute("consolidate", {**said, "mode": {"mode": "propose"}}, "ann")
        before = store.log.head()
        mode = {"mode": "apply_approved", "proposal_id": made["proposal_id"]}
        apply = {**said, "mode": {**mode, "approval_policy": "p"}}
        story._execute("consolidate", apply, "ann")
        yield story, {one, two}, canonical, before


def test_slots_and_graphs_tell_no_half_of_an_append(tmp_path, consolidated):
    # Given read models that follow the log event by event
    story, members, canonical, before = consolidated
    store, log = story.store, story.store.log
    with views_of_its_own(tmp_path) as views:
        part = part_of_workspace("w", parts_in(views))
        followers = [Follower(one, part, log, views) for one in CATALOGUE]
        slots = Slots(views, log, store.read._slots.clock, store.read._slots.secrets, lambda _: 0)
        graph = EvidenceGraph(views, log, slots.clock, lambda _: 0)
        told = []

        # When somebody asks wherever they stand
        for reached in range(1, log.head() + 1):
            for follower in followers:
                while (at := follower.position()) < reached and follower.advance(at, 1) != at:
                    pass
            if reached < before:
                continue
            slot = slots.one(story.by("ann"), SLOT, SlotQuestion())
            around = graph.around(story.by("ann"), GraphQuestion(seed=canonical))
            stand = {one["id"] for one in around["nodes"] if one["stands"]}
            told += [(slot, set(slot["selected"])), (around, stand)]

    # Then the originals are there, or what they gave way to, whatever the place
    assert {answer["basis"]["position"] for answer, _ in told} == {before, log.head()}
    for answer, standing in told:
        is_before = answer["basis"]["position"] == before
        assert standing == ({*members, canonical} if is_before else {canonical})
