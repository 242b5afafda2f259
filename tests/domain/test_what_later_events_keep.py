"""What an event leaves as earlier ones made it: sources, an expiry, what was forgotten before."""

from __future__ import annotations

from domain.decisions import Fact
from domain.memory import MemoryState
from domain.relationship import RelationshipState
from tests.builders import (
    link,
    memory_forgotten,
    memory_remembered,
    memory_revised,
    memory_updated,
    properties,
    relationship_related,
    relationship_revised,
    relationship_updated,
    said,
    source,
    text,
)
from tests.circumstances import EDGE, MEMORY, START_US, ref_of, time_of
from tests.specification import given

MINUTE_US = 60_000_000
FAR = time_of(1000)


def memory(*events: object) -> MemoryState:
    state = given(*(Fact(MEMORY, event) for event in events)).memory()  # type: ignore[arg-type]
    assert state is not None
    return state


def edge(*events: object) -> RelationshipState:
    state = given(*(Fact(EDGE, event) for event in events)).edge()  # type: ignore[arg-type]
    assert state is not None
    return state


def test_an_upsert_appends_its_sources_to_those_that_were_there() -> None:
    state = memory(
        memory_remembered(payload=said(provenance=[source("s1"), source("s2")])),
        memory_revised(payload=said(provenance=[source("s3"), source("s1")])),
    )
    assert [reference["source_id"] for reference in state.provenance] == ["s1", "s2", "s3"]


def test_an_upsert_of_an_edge_appends_its_sources_too() -> None:
    state = edge(
        relationship_related(payload=link(provenance=[source("s1"), source("s2")])),
        relationship_revised(payload=link(provenance=[source("s3"), source("s1")])),
    )
    assert [reference["source_id"] for reference in state.provenance] == ["s1", "s2", "s3"]


def test_what_is_expired_once_more_has_ended_when_it_was_expired_first() -> None:
    # Given a memory that was hidden at minute 2, and touched again while hidden at minute 4
    expiry = memory_forgotten(mode="expire", lifecycle="expired", expires_at=FAR)
    state = memory(memory_remembered(), expiry, memory_updated(payload={"confidence": 0.5}), expiry)
    # Then it answers until minute 2, and for no time between
    assert state.recallable(START_US + 2 * MINUTE_US - 1)
    assert not state.recallable(START_US + 3 * MINUTE_US)


def test_a_memory_knows_all_versions_that_were_forgotten() -> None:
    def forgotten(version: int) -> object:
        return memory_forgotten(scope="event", lifecycle=None, targets=[(MEMORY, version)])

    state = memory(
        memory_remembered(),
        memory_updated(payload={"content": text("two")}),
        memory_updated(payload={"content": text("three")}),
        forgotten(1),
        forgotten(3),
    )
    assert state.dead_versions == {1, 3}


def test_a_slot_stays_forgotten_when_its_memory_is_destroyed_later() -> None:
    slotted = said(content=properties(slot="a", object=1))
    state = memory(
        memory_remembered(slot_ref=ref_of("a"), payload=slotted),
        memory_forgotten(slot_ref=ref_of("a"), scope="key"),
        memory_forgotten(slot_ref=ref_of("a"), mode="application_delete"),
    )
    assert state.slot_forgotten_us == START_US + 2 * MINUTE_US


def test_the_text_of_a_forgotten_version_stays_hidden_from_all_later_ones() -> None:
    state = memory(
        memory_remembered(payload=said(content=text("canary"), tags=["canary"])),
        memory_forgotten(scope="event", lifecycle=None, targets=[(MEMORY, 1)]),
        memory_updated(payload={"confidence": 0.5}),
        memory_updated(payload={"add_tags": ["t"]}),
    )
    assert (state.version, state.content, state.tags) == (4, None, ("t",))
    assert "canary" not in repr(state)


def test_an_edge_whose_correction_was_erased_is_not_followed_as_it_was_before() -> None:
    state = edge(relationship_related(), relationship_updated(payload=None))
    assert state.erased
    assert not state.recallable(START_US + 10 * MINUTE_US)


def test_a_version_whose_text_is_gone_shows_nothing_that_earlier_ones_said() -> None:
    first = said(identity_key="K", tags=["canary"], provenance=[source("canary")], confidence=1)
    record = memory(memory_remembered(payload=first), memory_updated(payload=None)).as_record()
    shown = {name: record[name] for name in ("kind", "tags", "provenance", "confidence")}
    assert shown == {"kind": "erased", "tags": [], "provenance": [], "confidence": None}
    assert (record["identity_key"], record["content"], record["erased"]) == (None, None, True)
