"""Every case of the policy that commands can make, through HTTP, on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from domain.errors import MemorandaError
from tests.policy.cases import CASES, REFUSALS, differences
from tests.policy.doors import Door
from tests.policy.over_http import BY_IMPORT, expected_over_http, http_door
from tests.server_mode.conftest import MASTER_KEY, working

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(params=["sqlite", "postgresql"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    """A server on a folder, or on PostgreSQL with a worker that Redis wakes."""
    settings = {}
    with ExitStack() as running:
        if request.param == "postgresql":
            settings = {
                "database_url": request.getfixturevalue("postgres_url"),
                "redis_url": request.getfixturevalue("redis_url"),
                "master_key": MASTER_KEY,
            }
            running.enter_context(working(settings))
        yield running.enter_context(http_door(request.param, tmp_path / "data", **settings))


def test_the_whole_system_answers_as_the_specification_says(door: Door) -> None:
    possible = [case for case in CASES if case["id"] not in BY_IMPORT]
    wrong = {
        case["id"]: found
        for case in possible
        if (found := differences(expected_over_http(case), door.answer(case)))
    }
    refused = {
        case["id"]: reason
        for case in REFUSALS
        if case["id"] not in BY_IMPORT and (reason := door.refusal(case)) != case["expected_error"]
    }

    assert (wrong, refused) == ({}, {})
    assert len(BY_IMPORT) <= 15


def test_a_stream_that_no_command_makes_is_refused_by_its_reason(door: Door) -> None:
    found = {}
    for case in CASES:
        if case["id"] in BY_IMPORT:
            with pytest.raises(MemorandaError) as refusal:
                door.answer(case)
            found[case["id"]] = refusal.value.reason
    found |= {case["id"]: door.refusal(case) for case in REFUSALS if case["id"] in BY_IMPORT}

    assert found == BY_IMPORT
