"""A branch of a fork answers while the preferred one does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.resolver.policies import NEWEST_RECORDED, POLICIES, SURFACE_ALL
from read_api.past_basis import AskedBasis
from read_api.past_records import PastRecords
from read_api.slot_questions import SlotQuestion
from tests.policy.imported_histories import KEYS, OWN, SECONDS, forks, histories, moment
from tests.policy.imported_world import STRICT, Imported
from tests.recall.asking import Asker, new_world
from tests.recall.test_slot_history import said

BY = {"session": OWN, "settings": STRICT}


def event(name: str, kind: str, second: int, **said: Any) -> dict[str, Any]:
    common = {"session": OWN, "source": "logbook", "recorded_at": moment(second)}
    return {"id": name, "type": kind, **common, **said}


FORK = [
    event("root", "assertion", 0, key="berth", value="heron", valid_from=moment(0)),
    event("early", "correction", 1, key="berth", value="otter", target="root"),
    event("late", "correction", 2, key="berth", value="eider", target="root")
    | {"valid_from": moment(4), "valid_until": moment(5)},
]


@pytest.fixture
def forked() -> Iterator[Imported]:
    with new_world() as world:
        imported = Imported(world, FORK)
        imported.arrive()
        yield imported


def answered(world: Asker, words: str, second: int, **more: Any) -> list[str]:
    """What the items of a recall say."""
    said = {"as_of": moment(second), "explain": True, **more}
    found = world.recall(words, by=BY, more=said)
    for item, why in zip(found["items"], found["explained"], strict=True):
        assert sum(part["score"] for part in why["parts"]) == item["score"]
        terms = [part for part in why["parts"] if part["part"] == "term"]
        assert all(part["fields"] for part in terms)
        assert {part["memory_id"] for part in terms} <= {item["record"]["id"]}
    return [item["record"]["content"]["value"]["text"] for item in found["items"]]


@pytest.mark.parametrize("policy", POLICIES)
def test_the_branch_that_holds_is_found_by_its_words_and_by_no_other(
    forked: Imported, policy: str
) -> None:
    told = {
        (words, second): answered(forked.world, words, second, policy=policy)
        for words in ("otter", "eider", "heron")
        for second in (3, 4, 5)
    }
    assert {asked: said for asked, said in told.items() if said} == {
        ("otter", 3): ["otter"],
        ("eider", 4): ["eider"],
        ("otter", 5): ["otter"],
    }


@pytest.mark.parametrize("policy", POLICIES)
def test_it_is_the_answer_about_its_slot_and_the_record_at_that_instant(
    forked: Imported, policy: str
) -> None:
    world = forked.world
    memory = forked.streams.placed[0].stream
    records = PastRecords(world.views, world.log, world.clock)
    for second, version in ((3, 2), (4, 3), (5, 2)):
        word = {2: "otter", 3: "eider"}[version]
        asked = SlotQuestion(as_of=moment(second), policy=policy)
        slot = world.slots.one(world.context(BY), "berth", asked)
        record = records.memory(world.context(BY), memory, AskedBasis(as_of=moment(second)))

        assert [one["content"]["value"]["text"] for one in slot["items"]] == [word]
        assert record["content"]["value"]["text"] == word
        assert record["excluded"] is None


def test_a_seed_leads_to_the_branch_that_holds(forked: Imported) -> None:
    memory = forked.streams.placed[0].stream
    found = forked.world.recall("nothing", [memory], by=BY, more={"as_of": moment(3)})
    assert [one["record"]["content"]["value"]["text"] for one in found["items"]] == ["otter"]
    why = forked.world.why_not(found["recall_id"], memory, BY)
    assert why["reason"] == "returned"


def test_a_branch_that_was_forgotten_is_found_at_no_basis(forked: Imported) -> None:
    gone = event("gone", "tombstone", 6, target="early", scope="event")
    imported = Imported(forked.world, [*FORK, gone])
    imported.arrive()
    before = imported.positions[2]
    for second in (3, 5):
        assert answered(forked.world, "otter", second) == ["otter"]  # that of the other memory
        assert answered(forked.world, "otter", second, as_known_position=before) == ["otter"]


def test_a_history_tells_what_each_branch_says_when_and_where_they_disagree(
    forked: Imported,
) -> None:
    memory = forked.streams.placed[0].stream
    told = forked.world.slot_history("berth", BY, policy=NEWEST_RECORDED)
    last = told["entries"][-1]
    conflict = {
        "winner": memory,
        "losers": [f"{memory}@2"],
        "candidates": [memory, f"{memory}@2"],
        "decided_by": "correction_order",
    }
    assert [
        (one["from"], one["until"], one["selected"], one["conflicts"]) for one in last["answers"]
    ] == [
        (moment(0), moment(4), [{"id": memory, "version": 2}], []),
        (moment(4), moment(5), [{"id": memory, "version": 3}], [conflict]),
        (moment(5), None, [{"id": memory, "version": 2}], []),
    ]
    surfaced = forked.world.slot_history("berth", BY, policy=SURFACE_ALL)["entries"][-1]
    assert [one["conflicts"] for one in surfaced["answers"]] == [[], [], []]  # it answers once


@settings(max_examples=25, deadline=None)
@given(histories() | forks(), st.sampled_from(sorted(POLICIES)), st.data())
def test_a_history_says_of_imported_streams_what_is_answered_at_every_basis(
    history: list[dict[str, Any]], policy: str, data: st.DataObject
) -> None:
    with new_world() as world:
        imported = Imported(world, history)
        imported.arrive()
        for key in KEYS:
            page = world.slot_history(key, BY, policy=policy, limit=100)
            for _ in range(4):
                position = data.draw(st.sampled_from(imported.positions or [0]))
                at = moment(data.draw(SECONDS), 1)
                basis = {"as_known_position": position, "as_of": at}
                answer = world.slot(key, BY, policy=policy, **basis)
                told = said(page["entries"], position, at)
                assert told == (answer["selected"], answer["conflicts"])


def test_a_replay_of_a_recall_that_gave_it_is_identical(forked: Imported) -> None:
    found = forked.world.recall("otter", by=BY, more={"as_of": moment(3), "explain": True})
    assert forked.world.replay(found["recall_id"], BY)["verdict"] == "identical"
