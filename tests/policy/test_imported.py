"""Streams that no command makes mean in the whole system what they mean to the resolver."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.policy.cases import CASES
from tests.policy.imported_histories import (
    KEYS,
    MOMENTS,
    OWN,
    forks,
    histories,
    moment,
    retained_histories,
)
from tests.policy.imported_world import Imported
from tests.policy.over_http import BY_IMPORT
from tests.projections.databases import current, database, views_in_postgres
from tests.projections.store_log import StoreLog
from tests.projections.views import follow, new_views, tables
from tests.recall.asking import Asker, new_world

__all__ = ["database", "views_in_postgres"]


def arrive_in_parts(imported: Imported, data: st.DataObject) -> None:
    """All events come, and are followed every now and then."""
    while len(imported.positions) < len(imported.streams.placed):
        imported.arrive(data.draw(st.integers(1, 4)))
        imported.world.wait_for("w", imported.world.log.head(), 60)


@settings(max_examples=40, deadline=None)
@given(histories() | forks(), st.data())
def test_a_recall_says_of_every_stream_what_the_resolver_says(
    history: list[dict[str, Any]], data: st.DataObject
) -> None:
    with new_world() as world:
        imported = Imported(world, history)
        arrive_in_parts(imported, data)
        for key in KEYS:
            as_of = data.draw(MOMENTS)
            assert imported.answer(OWN, key, as_of) == imported.resolved(OWN, key, as_of)


@settings(max_examples=20, deadline=None)
@given(histories() | forks(), st.data())
def test_read_models_that_followed_event_by_event_are_those_that_are_built_anew(
    history: list[dict[str, Any]], data: st.DataObject
) -> None:
    with new_world() as world, new_views() as anew:
        arrive_in_parts(Imported(world, history), data)
        follow(world.log, anew)

        assert tables(world.followed) == tables(anew)


@settings(max_examples=20, deadline=None)
@given(histories() | forks(forgets=False), st.data())
def test_what_a_recall_selects_at_an_older_position_is_what_the_resolver_selects(
    history: list[dict[str, Any]], data: st.DataObject
) -> None:
    with new_world() as world:
        imported = Imported(world, history)
        arrive_in_parts(imported, data)
        position = data.draw(st.sampled_from(imported.positions or [0]))
        for key in KEYS:
            as_of = data.draw(MOMENTS)
            told = imported.answer(OWN, key, as_of, position)
            expected = imported.resolved(OWN, key, as_of, position)
            assert told["selected"] == expected["selected"]


@settings(max_examples=40, deadline=None)
@given(retained_histories(), st.data())
def test_of_several_expiries_the_one_recorded_last_counts_and_is_named_whatever_came_last(
    history: list[dict[str, Any]], data: st.DataObject
) -> None:
    with new_world() as world:
        imported = Imported(world, history)
        arrive_in_parts(imported, data)
        position = data.draw(st.none() | st.sampled_from(imported.positions))
        as_of = data.draw(MOMENTS)

        told = imported.answer(OWN, KEYS[0], as_of, position)

        assert told == imported.resolved(OWN, KEYS[0], as_of, position)


def test_an_explanation_names_the_expiry_recorded_last_of_equal_ones() -> None:
    common = {"session": OWN, "source": "logbook"}
    berth = {"key": KEYS[0], "value": "x", "recorded_at": moment(0)}
    moves = [
        {"id": f"e{n}", "type": "expiry", "target": "e0", "expires_at": moment(3)}
        | {"recorded_at": moment(at), **common}
        for n, at in ((1, 1), (2, 5), (3, 2))
    ]
    with new_world() as world:
        imported = Imported(world, [{"id": "e0", "type": "assertion", **berth, **common}, *moves])
        imported.arrive()
        assert imported.answer(OWN, KEYS[0], moment(4))["excluded"] == [("e0", "expired", "e2")]


def told_of(case: dict[str, Any], world: Asker) -> dict[str, Any]:
    """The answer to a case, told to the log of a world as imported streams."""
    query = case["query"]
    imported = Imported(world, case["events"])
    imported.arrive()
    position = None
    if "as_known_at" in query:
        stored = [event.get("appended_at", event["recorded_at"]) for event in case["events"]]
        known = sum(at <= query["as_known_at"] for at in stored)
        position = imported.positions[known - 1]
    told = imported.answer(query["session"], query["key"], query["as_of"], position)
    return {**told, "raw": repr(imported.raw)}


def check(case: dict[str, Any], told: dict[str, Any]) -> None:
    expected = case["expected"]
    assert told["selected"] == expected["selected"]
    assert told["excluded"] == [
        (one["id"], one["reason"], one.get("by")) for one in expected["excluded"]
    ]
    assert told["conflicts"] == expected["conflicts"]
    assert [word for word in case["must_not_contain"] if word in told["raw"]] == []


MADE_BY_NO_COMMAND = [case for case in CASES if case["id"] in BY_IMPORT]


@pytest.mark.parametrize("case", MADE_BY_NO_COMMAND, ids=lambda case: case["id"])
def test_a_case_that_no_command_makes_is_answered(case: dict[str, Any]) -> None:
    with new_world() as world:
        check(case, told_of(case, world))


@pytest.mark.parametrize("case", MADE_BY_NO_COMMAND, ids=lambda case: case["id"])
def test_it_is_answered_alike_where_the_events_are_sealed(case: dict[str, Any], tmp_path) -> None:
    with new_world() as made, closing(StoreLog(tmp_path)) as log:
        log.parts = current().parts
        world = Asker(made.followed)
        world.log = log
        world.memtables = type(made.memtables)(log)
        world.answers = world.recalling()
        check(case, told_of(case, world))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_case_about_a_slot_is_answered_alike_from_imported_streams(
    case: dict[str, Any],
) -> None:
    if "key" in case["query"]:
        with new_world() as world:
            check(case, told_of(case, world))
