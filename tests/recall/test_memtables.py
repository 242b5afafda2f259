"""Indexes follow the log by themselves, each under its own lock."""

from __future__ import annotations

import threading

import pytest

from projections import log_pages
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from read_api.deadlines import Deadline
from read_api.lookups import Question
from read_api.memtables import Memtables
from tests.recall.world import World

FAR = Deadline.after(86_400)  # made when tests are collected
PAST = Deadline(0.0, 0.0)


@pytest.fixture
def world():
    return World()


def found(index, text, position=None, actor="ann"):
    basis = Basis(index.position if position is None else position, 2**60, actor)
    question = Question(query_terms(text), None, Filters())
    return [hit.memory_id for hit in index.look(basis, question, FAR).hits]


def test_an_index_is_brought_to_a_position_and_no_further_than_the_log(world):
    memory = world.remember("otter")
    head = world.log.head()
    index = Memtables(world.log).of("w")

    assert index.follow(head, FAR) == head
    assert index.follow(head + 100, FAR) == head
    assert found(index, "otter") == [memory]


def test_events_of_other_workspaces_move_an_index_too(world):
    index = Memtables(world.log).of("w")
    world.remember("otter", {"workspace": "w2"})

    assert index.follow(world.log.head(), FAR) == world.log.head()
    assert found(index, "otter") == []


def test_a_short_time_reads_one_event_and_the_next_question_goes_on(world, monkeypatch):
    monkeypatch.setattr(log_pages, "EVENTS_AT_ONCE", 2)
    made = [world.remember("otter") for _ in range(5)]
    head = world.log.head()
    index = Memtables(world.log).of("w")

    reached = [index.follow(head, PAST) for _ in made]

    assert reached == sorted(set(reached))
    assert reached[0] < head
    assert reached[-1] == head
    assert found(index, "otter") == made


def test_an_older_basis_sees_what_was_known_then(world):
    memory = world.remember("first")
    before = world.log.head()
    world.update(memory, content={"format": "text", "value": "second"})
    index = Memtables(world.log).of("w")
    index.follow(world.log.head(), FAR)

    assert found(index, "first", before) == [memory]
    assert found(index, "second", before) == []
    assert found(index, "first") == []
    assert found(index, "second") == [memory]


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
@pytest.mark.parametrize("followed_before", [True, False])
def test_a_forgotten_memory_is_found_at_no_basis(world, mode, followed_before):
    memory = world.remember("otter")
    before = world.log.head()
    index = Memtables(world.log).of("w")
    if followed_before:
        index.follow(before, FAR)
    world.forget(memory, mode)
    index.follow(world.log.head(), FAR)

    basis = Basis(index.position, 2**60, "ann")
    assert found(index, "otter", before) == []
    assert found(index, "otter") == []
    assert index.ineligible(basis, query_terms("otter"), FAR) == []


def test_a_deleted_text_leaves_no_word_in_the_index(world):
    memory = world.remember("a canary")
    index = Memtables(world.log).of("w")
    index.follow(world.log.head(), FAR)
    world.forget(memory, "application_delete")
    index.follow(world.log.head(), FAR)

    assert index._fold.index.counts().terms == 0
    assert "canary" not in repr(index._fold._states)


def test_a_tombstone_after_a_tombstone_is_followed(world):
    memory = world.remember("otter")
    index = Memtables(world.log).of("w")
    world.forget(memory)
    index.follow(world.log.head(), FAR)
    world.forget(memory, "application_delete")

    assert index.follow(world.log.head(), FAR) == world.log.head()
    assert found(index, "otter") == []


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
@pytest.mark.parametrize("followed_before", [True, False])
def test_a_forgotten_version_takes_its_words_out_of_every_basis(world, mode, followed_before):
    memory = world.remember("first", tags=["kept"])
    index = Memtables(world.log).of("w")
    before = world.log.head()
    world.update(memory, content={"format": "text", "value": "a leak"})
    during = world.log.head()
    if followed_before:
        index.follow(during, FAR)
    world.forget(memory, mode, scope="event", version=2)
    index.follow(world.log.head(), FAR)
    tip = world.log.head()
    world.update(memory, content={"format": "text", "value": "mended"})
    index.follow(world.log.head(), FAR)

    assert found(index, "first", before) == [memory]
    assert [found(index, "leak", at) for at in (before, during, tip, None)] == [[], [], [], []]
    assert found(index, "kept", tip) == []
    assert found(index, "mended") == [memory]
    assert found(index, "kept") == [memory]


def test_the_index_that_was_unused_for_longest_is_dropped(world):
    tables = Memtables(world.log, limit=2)
    first, second = tables.of("w1"), tables.of("w2")

    assert tables.of("w1") is first
    tables.of("w3")

    assert tables.of("w1") is first
    assert tables.of("w2") is not second


def test_an_index_at_work_holds_up_no_other(world):
    tables = Memtables(world.log)
    busy, free = tables.of("busy"), tables.of("w")
    memory = world.remember("otter")

    with busy._lock:
        head = world.log.head()
        assert busy.follow(head, PAST) == 0
        assert busy.look(Basis(head, 0, "ann"), Question((), None, Filters()), PAST).stopped
        assert busy.ineligible(Basis(head, 0, "ann"), (), PAST) == []
        assert tables.of("w") is free
        assert free.follow(head, FAR) == head

    assert found(free, "otter") == [memory]


def test_a_search_that_is_out_of_time_is_told(world):
    world.remember("otter")
    index = Memtables(world.log).of("w")
    index.follow(world.log.head(), FAR)
    question = Question(query_terms("otter"), None, Filters())

    look = index.look(Basis(index.position, 2**60, "ann"), question, PAST)

    assert look.stopped
    assert look.hits == []


def test_threads_that_ask_while_others_write_see_each_memory_whole(world):
    index = Memtables(world.log).of("w")
    made = []
    missing = []

    def write():
        made.extend(world.remember(f"otter{number}") for number in range(100))

    def ask():
        while writer.is_alive():
            known = list(made)
            index.follow(world.log.head(), FAR)
            missing.extend(set(known) - set(found(index, "otter")))

    writer = threading.Thread(target=write)
    askers = [threading.Thread(target=ask) for _ in range(3)]
    for thread in (writer, *askers):
        thread.start()
    for thread in (writer, *askers):
        thread.join()
    index.follow(world.log.head(), FAR)

    assert missing == []
    assert found(index, "otter") == made


def test_an_index_that_can_follow_stays_and_holds_nothing_of_what_was_forgotten(world):
    memtables = Memtables(world.log)
    memory = world.remember("otter")
    index = memtables.of("w")
    index.follow(world.log.head(), FAR)
    world.forget(memory, "application_delete")

    memtables.let_go("w", world.log.head(), 600)

    assert memtables.of("w") is index
    assert (index.position, found(index, "otter")) == (world.log.head(), [])


def test_an_index_that_cannot_follow_in_time_is_dropped(world, monkeypatch):
    monkeypatch.setattr(log_pages, "EVENTS_AT_ONCE", 2)
    memtables = Memtables(world.log)
    for _ in range(5):
        world.remember("otter")
    index = memtables.of("w")

    memtables.let_go("w", world.log.head(), 0)
    memtables.let_go("somewhere else", world.log.head(), 0)

    assert memtables.of("w") is not index
    assert memtables.of("w").position == 0
