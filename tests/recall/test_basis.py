"""What was known, and when: the basis of an answer (spec/operations.md §6.1 and §6.7)."""

from __future__ import annotations

import time

import pytest

from domain.contract import RecallInput
from domain.instants import server_time
from read_api.deadlines import Deadline
from tests.recall.asking import ids, outcomes
from tests.recall.recordings import LIMITS

FAR = Deadline.after(86_400)  # made when tests are collected
QUESTION = RecallInput(objective="otter", seed_ids=[], limits=LIMITS)


def test_the_answer_names_its_basis(world):
    world.remember("otter")
    head = world.log.head()

    basis = world.recall("otter")["basis"]

    assert basis == {
        "position": head,
        "as_of": server_time(world.clock.now),
        "policy": "surface-all/v1",
        "ranker": "bm25-context/1",
        "adapter": "memtable/1",
    }


def test_what_was_stored_is_never_in_the_future(world):
    world.clock.now = world.log._appended_us - 10**9
    memory = world.remember("otter")
    world.clock.now -= 10**9

    answer = world.recall("otter")

    assert ids(answer) == [memory]
    stored = world.log.appended_at(answer["basis"]["position"])
    assert answer["basis"]["as_of"] == server_time(stored)


def test_as_of_asks_for_an_instant(world):
    early = world.remember(
        "otter", valid_until="2020-01-01T00:00:00Z", valid_from="2019-01-01T00:00:00Z"
    )
    late = world.remember("otter", valid_from="2020-01-01T00:00:00Z")

    assert ids(world.recall("otter", more={"as_of": "2019-06-01T00:00:00Z"})) == [early]
    assert ids(world.recall("otter", more={"as_of": "2020-01-01T01:00:00+01:00"})) == [late]


def test_an_expired_memory_still_answers_for_earlier_times(world):
    memory = world.remember("otter", valid_from="2020-01-01T00:00:00Z")
    edge = world.relate(memory, memory, valid_from="2020-01-01T00:00:00Z")
    world.update(edge, lifecycle="expired")
    world.forget(memory, "expire", expires_at="2999-01-01T00:00:00Z")

    then = world.recall("otter", more={"as_of": "2021-01-01T00:00:00Z"})

    assert ids(world.recall("otter", [memory])) == []
    assert ids(then) == [memory]
    assert [one["id"] for one in then["relationships"]] == [edge]


def test_as_known_asks_for_what_the_log_held(world):
    memory = world.remember("first otter")
    position, moment = world.log.head(), world.log.appended_at(world.log.head())
    world.update(memory, content={"format": "text", "value": "second otter"})
    world.remember("another otter")

    by_position = world.recall("otter", more={"as_known_position": position})
    by_time = world.recall("otter", more={"as_known_at": server_time(moment)})

    for answer in (by_position, by_time):
        assert ids(answer) == [memory]
        assert answer["items"][0]["record"]["content"]["value"] == "first otter"
        assert answer["basis"]["position"] == position
    assert ids(world.recall("second", more={"as_known_position": position})) == []
    assert len(ids(world.recall("otter", more={"as_known_position": 10**30}))) == 2


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_was_forgotten_after_the_basis_is_never_shown(world, mode):
    memory, neighbour = world.remember("otter"), world.remember("x")
    world.relate(neighbour, memory)
    position = world.log.head()
    world.recall("otter")
    world.forget(memory, mode)

    answer = world.recall("otter", [memory, neighbour], more={"as_known_position": position})

    assert ids(answer) == [neighbour]
    assert answer["relationships"] == []


def test_what_is_forgotten_while_a_recall_runs_is_not_shown(world):
    memory, other = world.remember("otter"), world.remember("otter")
    world.recall("otter")

    def forget_meanwhile(workspace, position, timeout_s):
        world.memtables.of("w").follow(position, FAR)
        world.forget(memory)
        return world.wait_for(workspace, world.log.head(), timeout_s)

    answer = world.recalling(wait_for=forget_meanwhile).answer(world.context(), QUESTION)

    assert ids(answer) == [other]


def test_a_recall_sees_every_mutation_whose_receipt_was_given(world):
    for word in ("otter", "panda", "koala", "gecko", "heron"):
        memory = world.remember(word)
        assert ids(world.recall(word)) == [memory]


def test_projections_that_lag_make_a_partial_answer_that_says_how_far_it_saw(world):
    first = world.remember("otter")
    seen = world.log.head()
    world.recall("otter")
    world.follows = False
    world.reached = seen
    world.remember("otter")

    answer = world.recall("otter")

    assert ids(answer) == [first]
    assert outcomes(answer) == ["partial_page_in"]
    assert answer["basis"]["position"] == seen
    assert answer["completeness"]["complete"] is False


def test_of_what_was_stored_at_once_all_is_seen_or_nothing(world):
    """Originals and their canonical memory, wherever the projections stand: never both."""
    originals = {world.remember("otter one"), world.remember("otter two")}
    canonical = world.remember("heron")
    world.recall("otter")
    before = world.log.head()
    world.consolidate([*originals], canonical)
    head = world.log.head()
    world.wait_for("w", head, 60)
    world.follows = False

    seen = []
    for world.reached in range(before, head + 1):
        answer = world.recall("otter heron")
        seen.append((answer["basis"]["position"], originals & set(ids(answer))))

    positions = [position for position, _ in seen]
    assert positions[0] == before
    assert positions[-1] == head
    assert len(set(positions)) < head + 1 - before, "some stand within an append"
    assert all(not found or found == originals for _, found in seen)
    assert seen[-1][1] == set()


def test_a_position_that_is_not_there_yet_is_awaited(world):
    asked = []

    def wait_for(workspace, position, timeout_s):
        asked.append((position, timeout_s))
        world.remember("otter late")
        return world.wait_for(workspace, position, timeout_s)

    wanted = world.log.head() + 2
    answer = world.recalling(wait_for=wait_for).answer(
        world.context(), QUESTION.model_copy(update={"min_position": wanted})
    )

    assert asked[0][0] == wanted
    assert 0 < asked[0][1] <= QUESTION.limits.timeout_ms / 2000
    assert len(ids(answer)) == 1
    assert outcomes(answer) == []


def test_a_position_that_never_comes_makes_a_partial_answer(world):
    memory = world.remember("otter")

    answer = world.recall("otter", more={"min_position": 10**30})

    assert ids(answer) == [memory]
    assert outcomes(answer) == ["partial_page_in"]


def test_a_recall_that_runs_out_of_time_says_so(world):
    world.remember("otter")

    def wait_too_long(workspace, position, timeout_s):
        end = time.monotonic() + 0.005
        while time.monotonic() < end:
            pass
        return world.wait_for(workspace, position, timeout_s)

    question = QUESTION.model_copy(
        update={"limits": QUESTION.limits.model_copy(update={"timeout_ms": 1})}
    )
    answer = world.recalling(wait_for=wait_too_long).answer(world.context(), question)

    assert answer["items"] == []
    assert outcomes(answer) == ["timeout"]
    assert answer["completeness"]["truncated"] is True
    assert answer["usage"]["elapsed_ms"] >= 5


def test_an_unknown_workspace_is_empty_and_complete(world):
    world.remember("otter")

    answer = world.recall("otter", by={"workspace": "unknown"})

    assert answer["items"] == []
    assert answer["completeness"]["complete"]
