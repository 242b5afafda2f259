"""What speaks against an item: contested, stale sources; and what is recorded of an answer."""

from __future__ import annotations

import pytest

from domain.canonical import canonical
from domain.decisions import Fact
from domain.ids import RELATIONSHIP
from domain.resolver.meaning import meaning_of
from domain.resolver.policies import SURFACE_ALL
from projections.lexical.fingerprint import ANALYZER
from tests.recall.asking import edges, ids

PROGRAM = {"analyzer": ANALYZER, "meaning": meaning_of(SURFACE_ALL)}
"""What a recall is recorded with of the program that answered it."""


def flags(answer, name="contested"):
    return {item["record"]["id"]: item[name] for item in answer["items"]}


# --- Contested ------------------------------------------------------------------------------------


def test_another_value_in_the_slot_makes_both_contested(world):
    rome = world.claim(note="otter", slot="city", object="Rome")
    oslo = world.claim(slot="city", object="Oslo")
    other = world.claim(note="otter", slot="town", object="Bergen")

    assert flags(world.recall("otter", [oslo])) == {oslo: True, rome: True, other: False}


def test_equal_values_corroborate(world):
    one = world.claim(note="otter", slot="city", object="Rome")
    two = world.claim(slot="city", object="Rome", note="another note, another otter")

    assert flags(world.recall("otter", [two])) == {one: False, two: False}


def test_a_value_that_does_not_hold_now_contests_nothing(world):
    rome = world.claim(note="otter", slot="city", object="Rome")
    world.claim(slot="city", object="Oslo", more={"valid_until": "2020-01-01T00:00:00Z"})
    gone = world.claim(slot="city", object="Paris")
    world.forget(gone)

    assert flags(world.recall("otter")) == {rome: False}


def test_a_filter_settles_no_dispute(world):
    rome = world.claim(note="otter", slot="city", object="Rome", more={"tags": ["t"]})
    world.claim(slot="city", object="Oslo")

    assert flags(world.recall("otter", more={"tags": ["t"]})) == {rome: True}


def test_a_contradicts_relationship_makes_both_ends_contested(world):
    a, b, c = world.remember("otter a"), world.remember("otter b"), world.remember("otter c")
    edge = world.relate(a, b, kind="contradicts")
    world.relate(b, c)
    assert flags(world.recall("otter")) == {a: True, b: True, c: False}

    world.update(edge, lifecycle="superseded")

    assert flags(world.recall("otter")) == {a: False, b: False, c: False}


def test_a_contradiction_by_something_hidden_contests_nothing(world):
    a, b = world.remember("otter a"), world.remember("b")
    world.relate(a, b, kind="contradicts")
    world.relate(a, a, kind="contradicts")
    assert flags(world.recall("otter")) == {a: True, b: True}

    world.update(b, lifecycle="superseded")

    assert flags(world.recall("otter")) == {a: False}


def test_what_others_keep_private_contests_nothing(world):
    rome = world.claim(note="otter", slot="city", object="Rome")
    bob = {"actor": "bob"}
    oslo = world.claim(bob, slot="city", object="Oslo", more={"visibility": "private"})
    world.relate(rome, oslo, bob, kind="contradicts")

    assert flags(world.recall("otter")) == {rome: False}
    assert flags(world.recall("otter", (), bob)) == {rome: True, oslo: True}


# --- Stale sources --------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["tombstone", "application_delete", "expire", "superseded", "late"])
def test_a_source_that_no_longer_stands_is_named(world, how):
    source, kept = world.remember("source"), world.remember("kept")
    references = [{"source_id": one} for one in (kept, source, "elsewhere", source)]
    references[3]["locator"] = "again"
    memory = world.remember("otter", provenance=references)
    assert flags(world.recall("otter"), "stale_sources") == {memory: []}

    if how == "superseded":
        world.update(source, lifecycle="superseded")
    elif how == "late":
        world.update(source, expires_at="2020-01-01T00:00:00Z")
    else:
        late = {"expires_at": "2999-01-01T00:00:00Z"} if how == "expire" else {}
        world.forget(source, how, **late)

    assert flags(world.recall("otter"), "stale_sources") == {memory: [source]}


def test_a_source_of_another_workspace_or_owner_is_no_memory_here(world):
    foreign = world.remember("source", {"workspace": "w2"})
    private = world.remember("source", {"actor": "bob"}, visibility="private")
    world.forget(foreign, by={"workspace": "w2"})
    world.forget(private, by={"actor": "bob"})
    memory = world.remember("otter", provenance=[{"source_id": foreign}, {"source_id": private}])

    assert flags(world.recall("otter"), "stale_sources") == {memory: []}


# --- Recorded -------------------------------------------------------------------------------------


def test_an_answer_is_recorded_with_ids_versions_scores_and_reasons(world):
    a, b = world.remember("otter"), world.remember("x")
    edge = world.relate(a, b)
    world.update(a, add_tags=["t"])

    answer = world.recall("otter", [b], more={"kinds": ["observation"]})

    event = world.recorder.recorded[-1]
    fact = event.facts[0]
    assert event.stream == answer["recall_id"]
    assert fact.targets == [(b, 1), (a, 2), (edge, 1)]
    assert (fact.counts["items"], fact.counts["edges"], fact.counts["skipped"]) == (2, 1, 0)
    assert fact.counts["position"] == answer["basis"]["position"]
    assert fact.counts["max_cost"] == 100
    assert fact.payload.filters == {"kinds": ["observation"]}
    assert fact.payload.items == [
        {
            "id": item["record"]["id"],
            "version": item["record"]["version"],
            "score": item["score"],
            "reasons": item["selection_reasons"],
        }
        for item in answer["items"]
    ]
    assert fact.payload.basis == {**answer["basis"], **PROGRAM}
    assert fact.payload.usage == answer["usage"]
    assert (fact.visibility, fact.owner, fact.session) == ("workspace", "ann", "monday")


def test_no_text_of_a_record_is_recorded(world):
    world.remember("otter and a canary", tags=["canary"], provenance=[{"source_id": "canary"}])

    world.recall("otter")

    assert "canary" not in repr(world.recorder.recorded[-1].facts)


def test_an_answer_with_something_private_is_private_itself(world):
    world.recall("otter")
    world.remember("otter", visibility="private")
    world.recall("otter")
    # Scores and outcomes tell of what is not returned, too.
    world.recall("nothing")
    world.recall("otter", (), {"actor": "bob"})

    seen = [event.facts[0].visibility for event in world.recorder.recorded]

    assert seen == ["workspace", "private", "private", "workspace"]


def test_an_imported_private_edge_makes_an_answer_private(world):
    a, b = world.remember("otter"), world.remember("otter")
    edge = world.relate(a, b)
    related = world.log.stream("w", edge)[0]
    private = related.facts[0].model_copy(update={"visibility": "private"})
    fact = Fact(world.new_id(RELATIONSHIP), private)
    world.log.append([fact], related.context, related.recorded_us)

    answer = world.recall("otter")

    assert edges(answer) == [edge, fact.stream]
    assert world.recorder.recorded[-1].facts[0].visibility == "private"
    assert edges(world.recall("otter", (), {"actor": "bob"})) == [edge]


def test_a_page_that_skips_something_private_is_private_too(world):
    world.remember("otter", visibility="private")

    list(world.pages("otter", max_payload_bytes=1))

    assert [event.facts[0].visibility for event in world.recorder.recorded] == [
        "private",
        "private",
    ]


def test_a_recorded_recall_can_be_traced(world):
    a, b = world.remember("otter one"), world.remember("otter two")
    world.relate(a, b, provenance=[{"source_id": "s1"}])
    answer = world.recall("otter", max_items=1)
    world.update(a, add_tags=["t"])

    told = world.trace("recall", answer["recall_id"])

    assert [(v["record_id"], v["version"]) for v in told["versions"]] == [(a, 1)]
    assert told["paths"] == []
    assert told["details"]["completeness"] == "truncated"
    assert told["details"]["usage"] == answer["usage"]
    assert told["details"]["basis"] == {**answer["basis"], **PROGRAM}


def test_the_payload_bytes_are_the_canonical_bytes_of_items_and_relationships(world):
    a, b = world.remember("otter one"), world.remember("otter two")
    world.relate(a, b)

    answer = world.recall("otter")

    shown = [*answer["items"], *answer["relationships"]]
    assert answer["usage"]["payload_bytes"] == sum(len(canonical(one)) for one in shown)
    assert ids(answer) == [a, b]
