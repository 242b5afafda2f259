"""Bug reports 1, 2, 6, 7, 26, 27, 28: updates keep, attribute, and never guess."""

from __future__ import annotations

import pytest
from hypothesis import given

from domain.canonical import Json, JsonObject
from ops.wiring import Memoranda
from tests.builders import properties, source, text
from tests.circumstances import an_id, context
from tests.laws.choices import Step
from tests.laws.conftest import new_workspace, store
from tests.laws.worlds import MUTATIONS, Group, caught_up, every_trace, law, steps
from tests.projections.views import rows
from tests.reports.asking import done, found, memory, refused, traced, updated

__all__ = ["store"]

UNTIL = "2999-01-01T02:00:00+02:00"
BOTH: JsonObject = {
    "format": "text_and_properties",
    "value": {"text": "the text A", "properties": {"p": 1}},
}


@pytest.mark.parametrize(
    ("patch", "changed"),
    [
        ({"content": text("B")}, {"content": text("B")}),
        ({"content": properties()}, {"content": properties()}),
        ({"confidence": 0}, {"confidence": 0}),
        ({"clear": ["confidence"]}, {"confidence": None}),
        ({"add_tags": [""]}, {"tags": ["x", ""]}),
        ({"add_tags": []}, {}),
        ({"add_provenance": [source("s2")]}, {"provenance": [source("s1"), source("s2")]}),
        ({"lifecycle": "superseded"}, {"lifecycle": "superseded"}),
        ({"clear": ["valid_until"]}, {"valid_until": None}),
        ({"expires_at": UNTIL}, {"expires_at": UNTIL}),
    ],
)
def test_report_01_an_update_keeps_what_it_does_not_say(
    memoranda: Memoranda, patch: JsonObject, changed: JsonObject
) -> None:
    # Given a memory with all that a caller can say
    said: dict[str, Json] = {
        "content": BOTH,
        "tags": ["x"],
        "confidence": 0.7,
        "valid_until": UNTIL,
        "provenance": [source("s1")],
    }
    first = done(memoranda, "remember", **said)["record"]
    # When one field alone is patched
    second = updated(memoranda, first["id"], patch)
    # Then it alone is another one
    assert second == {**first, **changed, "version": 2, "recorded_at": second["recorded_at"]}
    # And version 1 stays readable, word for word
    shown = caught_up(memoranda).read.memory(context(), first["id"], 1)
    assert shown.body["content"] == BOTH
    versions = traced(memoranda, first["id"])["versions"]
    assert versions[0]["record"] == first
    assert versions[1]["record"] == second


def test_report_02_a_second_author_does_not_replace_the_first(memoranda: Memoranda) -> None:
    # Given what ana remembered and bea changed
    name = memory(memoranda, context(actor="ana", session="sa"))
    updated(memoranda, name, {"confidence": 0.5}, context(actor="bea", session="sb"))
    # Then each version has its own author
    versions = traced(memoranda, name)["versions"]
    assert [(v["actor_id"], v["session_id"]) for v in versions] == [("ana", "sa"), ("bea", "sb")]
    # And the trace is attributed to the author of the latest, whoever asks
    asked = traced(memoranda, name, context(actor="cleo", session="sc"))
    assert (asked["actor_id"], asked["session_id"]) == ("bea", "sb")
    # And the read model keeps who made it beside who changed it
    current = rows(caught_up(memoranda).runner._engine, memory_id=name, to_position=None)
    assert [(row["created_by"], row["actor"]) for row in current] == [("ana", "bea")]


def test_report_06_all_doors_show_the_same_version(memoranda: Memoranda) -> None:
    name = memory(memoranda, content=text("the old otter"))
    second = updated(memoranda, name, {"content": text("the new otter")})
    caught_up(memoranda)
    recalled = done(memoranda, "recall", objective="otter")
    assert [item["record"] for item in recalled["items"]] == [second]
    shown = memoranda.read.memory(context(), name).body
    assert {field: shown[field] for field in second} == second
    assert traced(memoranda, name)["versions"][-1]["record"] == second
    assert found(memoranda, "old") == []


def test_report_07_a_new_memory_came_from_nothing(memoranda: Memoranda) -> None:
    name = memory(memoranda)
    assert traced(memoranda, name)["versions"][0]["from"] is None
    done(memoranda, "forget", memory_id=name)
    moves = [(v["from"], v["lifecycle"]) for v in traced(memoranda, name)["versions"]]
    assert moves == [(None, "active"), ("active", "tombstoned")]


@given(steps(MUTATIONS))
@law(8)
def test_report_07_the_chain_of_transitions_links_up(
    store: Memoranda, sequence: list[Step]
) -> None:
    group = Group(store, new_workspace(), actors=("ana", "ana")).play(sequence)
    for kind, name in every_trace(group):
        if kind not in ("memory", "relationship"):
            continue
        who = context(workspace=group.workspace)
        answer = done(store, "trace", who, target={"kind": kind, "id": name})
        before = None
        for version in answer["versions"]:
            assert version["from"] == before
            before = version["lifecycle"]


def test_report_26_an_upsert_is_a_new_version_and_says_so(memoranda: Memoranda) -> None:
    # Given a day of notes under a title
    title = {"identity_key": "2031-05-01"}
    first = done(memoranda, "remember", content=text("a day of notes"), **title)["record"]
    # When another one of the same title comes
    answer = done(memoranda, "remember", content=text("one line"), **title)
    # Then the answer says that it is a second version of the same memory
    assert (answer["record"]["id"], answer["record"]["version"]) == (first["id"], 2)
    assert answer["slot"]["key"] == "2031-05-01"
    # And the day of notes is readable for ever
    assert traced(memoranda, first["id"])["versions"][0]["record"] == first


def near_misses(name: str) -> list[str]:
    return [
        an_id("mem_", 12345),
        name[:-1],
        name[:12],
        name.upper(),
        name.capitalize(),
        name + " ",
        " " + name,
        name + "0",
        name.removeprefix("mem_"),
        "rel_" + name.removeprefix("mem_"),
        "notes",
    ]


def test_report_27_a_near_miss_changes_nothing(memoranda: Memoranda) -> None:
    # Given a memory, and its most similar names
    name = memory(memoranda, identity_key="notes")
    head = memoranda.log.head()
    for miss in near_misses(name):
        # When they are changed, forgotten, related or consolidated
        target = {"kind": "memory", "id": miss}
        errors = [
            refused(memoranda, "update", target=target, patch={"content": text("gone")}),
            refused(memoranda, "forget", memory_id=miss),
            refused(memoranda, "relate", source_id=miss, target_id=name),
            refused(memoranda, "relate", source_id=name, target_id=miss),
            refused(memoranda, "consolidate", memory_ids=[name, miss]),
            refused(memoranda, "trace", target=target),
        ]
        # Then none of them is there, and nothing was written
        assert {error["code"] for error in errors} == {"NOT_FOUND"}
        assert not [error for error in errors if miss in error["message"]]
    assert memoranda.log.head() == head


def test_report_28_names_that_look_alike_are_other_names(memoranda: Memoranda) -> None:
    keys = ["a-b", "a b", "a/b", "A-B", "a_b", "a-b ", "a\u2010b", "", " ", "á", "a\u0301"]
    names = [memory(memoranda, identity_key=key) for key in keys]
    assert len(set(names)) == len(keys)
    again = [done(memoranda, "remember", identity_key=key)["record"] for key in keys]
    assert [record["id"] for record in again] == names
    assert {record["version"] for record in again} == {2}
