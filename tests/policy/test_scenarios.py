"""The executable cases of the specification, through every door that there is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.policy.cases import CASES, FILE, REFUSALS, differences
from tests.policy.doors import DOORS, Door

DOOR = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)


@pytest.fixture(params=["Pacific/Kiritimati", "America/Los_Angeles"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The local time of this process, half a world apart from the other one."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@DOOR
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_is_answered_as_the_specification_says(case: dict[str, Any], door: Door) -> None:
    assert differences(case, door.answer(case)) == []


@DOOR
@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case["id"])
def test_an_event_is_refused_for_the_reason_of_the_specification(
    case: dict[str, Any], door: Door
) -> None:
    assert door.refusal(case) == case["expected_error"]


@DOOR
def test_local_time_changes_no_answer(zone: str, door: Door) -> None:
    assert [one["id"] for one in CASES if differences(one, door.answer(one))] == []
    assert [c["id"] for c in REFUSALS if door.refusal(c) != c["expected_error"]] == []


def test_the_copy_holds_as_many_cases_as_it_says() -> None:
    assert (len(CASES), len(REFUSALS)) == (66, 15), FILE
