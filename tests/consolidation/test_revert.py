"""`memoranda revert`: an update that says again what an earlier version said."""

from __future__ import annotations

import pytest

from tests.cli_operations.running import Local

FIRST, SECOND = "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"


@pytest.fixture
def memory(tmp_path):
    return Local(tmp_path / "data", actor="ana", workspace="w")


@pytest.fixture
def made(memory):
    """A memory with three versions: said, said otherwise, with less certainty."""
    first = ("--tag", "a", "--valid-from", FIRST, "--slot", "mast", "--source", "log#1")
    done = memory("remember", "12 m", *first, "--json")
    record = done.result["record"]["id"]
    other = ("--tag", "b", "--source", "log#2", "--slot", "mast", "--valid-until", SECOND)
    assert memory("update", record, "13 m", *other, "--confidence", "0.9").code == 0
    assert memory("update", record, "--clear", "valid_from").code == 0
    return record


def record_of(done):
    return done.result["record"]


def test_content_confidence_and_validity_are_those_of_the_version_and_sources_stay(memory, made):
    done = memory("revert", made, "--to", "1", "--json")

    record = record_of(done)
    assert record["version"] == 4
    assert record["content"]["value"] == {"text": "12 m", "properties": {"slot": "mast"}}
    assert (record["valid_from"], record["valid_until"]) == (FIRST, None)
    assert record["confidence"] is None
    assert record["tags"] == ["a", "b"]
    assert [one["locator"] for one in record["provenance"]] == ["1", "2"]


def test_a_revert_can_be_taken_back_by_another_one(memory, made):
    memory("revert", made, "--to", "1")

    record = record_of(memory("revert", made, "--to", "2", "--json"))

    assert record["version"] == 5
    assert record["content"]["value"]["text"] == "13 m"
    assert (record["valid_from"], record["valid_until"]) == (FIRST, SECOND)
    assert record["confidence"] == 0.9


def test_it_happens_once_under_its_key_where_the_version_is_named(memory, made):
    again = ("revert", made, "--to", "1", "--expected-version", "3", "--json")
    first, second = (memory(*again, "--idempotency-key", "k") for _ in range(2))

    assert record_of(first) == record_of(second)
    assert [done.result["receipt"]["replayed"] for done in (first, second)] == [False, True]


def test_it_is_refused_where_somebody_has_changed_the_memory_meanwhile(memory, made):
    done = memory("revert", made, "--to", "1", "--expected-version", "2", "--json")

    assert done.code == 1
    assert (done.error["code"], done.error["current_version"]) == ("VERSION_CONFLICT", 3)


@pytest.mark.parametrize("to", ["3", "4"])
def test_only_an_earlier_version_can_be_gone_back_to(memory, made, to):
    done = memory("revert", made, "--to", to, "--json")

    assert (done.error["field"], done.error["reason"]) == ("--to", "NOT_EARLIER")


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_was_forgotten_does_not_come_back(memory, made, mode):
    forget = ("forget", made, "--mode", mode, "--scope", "event", "--reason", "r")
    assert memory(*forget, "--version", "1").code == 0

    done = memory("revert", made, "--to", "1", "--json")

    assert (done.error["code"], done.error["reason"]) == ("INVALID_REQUEST", "VERSION_FORGOTTEN")
    assert record_of(memory("revert", made, "--to", "2", "--json"))["version"] == 5


def test_a_memory_that_was_forgotten_for_good_is_not_found(memory, made):
    memory("forget", made, "--mode", "tombstone", "--reason", "r")

    assert memory("revert", made, "--to", "1", "--json").error["code"] == "NOT_FOUND"
    assert memory("revert", "mem_nothing", "--to", "1", "--json").error["code"] == "NOT_FOUND"
