"""What events refer to, as `event_ref` keeps it."""

from __future__ import annotations

import pytest

from domain.envelope import CorruptEventError
from domain.events import (
    CommandRecorded,
    MemoryForgotten,
    MemorySuperseded,
    Related,
    RelationshipRelated,
    RelationshipRevised,
)
from domain.recorded import RecordedEvent
from domain.references import event_refs
from tests.store.building import context, new_id, remembered

HOME = {"session": "s", "visibility": "workspace", "owner": "ann"}
OPEN = {"valid_from": None, "valid_until": None, "expires_at": None, "lifecycle": "active"}


def recorded(stream: str, *facts) -> RecordedEvent:
    return RecordedEvent(
        position=1,
        appended_us=1,
        stream=stream,
        version=1,
        topic=facts[0].TOPIC,
        recorded_at="2026-03-01T09:30:00.250000Z",
        recorded_us=1,
        context=context(),
        facts=facts,
        erased=False,
        key=None,
        hash="",
    )


def edge(kind: type, source: str, target: str):
    said = Related(kind="k", properties={}, provenance=[])
    return kind(**HOME, **OPEN, source_id=source, target_id=target, payload=said)


def forgotten(scope: str, slot_ref: str | None = "ab") -> MemoryForgotten:
    return MemoryForgotten(**HOME, mode="tombstone", scope=scope, slot_ref=slot_ref, payload=None)


def test_a_new_relationship_refers_to_both_of_its_ends():
    event = recorded(new_id("rel_"), edge(RelationshipRelated, "mem_a", "mem_b"))

    assert event_refs(event) == [("endpoint", "mem_a"), ("endpoint", "mem_b")]


def test_a_self_loop_refers_to_its_end_once():
    event = recorded(new_id("rel_"), edge(RelationshipRelated, "mem_a", "mem_a"))

    assert event_refs(event) == [("endpoint", "mem_a")]


def test_a_revision_of_a_relationship_refers_to_nothing_again():
    assert event_refs(recorded(new_id("rel_"), edge(RelationshipRevised, "mem_a", "mem_b"))) == []


def test_a_receipt_refers_to_its_correlation():
    event = recorded(new_id("receipt_"), CommandRecorded(targets=[], payload=None))

    assert event_refs(event) == [("correlation", "req-1")]


def test_a_memory_refers_to_its_slot_where_it_has_one():
    assert event_refs(recorded(new_id("mem_"), remembered(slot_ref="ab"))) == [("slot", "ab")]
    assert event_refs(recorded(new_id("mem_"), remembered())) == []


@pytest.mark.parametrize(
    ("fact", "refs"),
    [
        (forgotten("key"), [("slot", "ab")]),
        (forgotten("key", None), []),
        (forgotten("lineage"), []),
        (forgotten("event"), []),
    ],
)
def test_only_a_forgetting_of_the_whole_slot_refers_to_it(fact, refs):
    assert event_refs(recorded(new_id("mem_"), fact)) == refs


def test_a_superseded_memory_refers_to_its_canonical_one():
    fact = MemorySuperseded(**HOME, slot_ref="ab", lifecycle="superseded", target_id="mem_c")

    assert event_refs(recorded(new_id("mem_"), fact)) == [("supersedes", "mem_c")]


def test_all_facts_of_an_event_count_and_the_same_reference_counts_once():
    facts = [remembered(slot_ref="ab"), remembered(slot_ref="cd"), remembered(slot_ref="ab")]

    assert event_refs(recorded(new_id("mem_"), *facts)) == [("slot", "ab"), ("slot", "cd")]


def test_an_erased_event_refers_to_what_it_referred_to_before():
    event = recorded(new_id("mem_"), remembered(slot_ref="ab"))

    assert event_refs(event.without_payload()) == event_refs(event)


def test_a_fact_in_a_stream_of_another_kind_is_corrupt():
    with pytest.raises(CorruptEventError, match="another kind"):
        event_refs(recorded(new_id("mem_"), edge(RelationshipRelated, "mem_a", "mem_b")))
