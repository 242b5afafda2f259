"""Every case of the policy that commands can make, through HTTP, on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from domain.errors import MemorandaError
from tests.policy.cases import CASES, REFUSALS, differences
from tests.policy.over_http import BY_IMPORT, HttpStore, expected_over_http, opened_store
from tests.server_mode.conftest import MASTER_KEY, working

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HttpStore]:
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
        yield running.enter_context(opened_store(tmp_path / "data", **settings))


def test_the_whole_system_answers_as_the_specification_says(store: HttpStore) -> None:
    wrong = {
        case["id"]: found
        for case in CASES
        if (found := differences(expected_over_http(case), store.answer(case)))
    }
    refused = {
        case["id"]: reason
        for case in REFUSALS
        if (reason := store.refusal(case)) != case["expected_error"]
    }

    assert (wrong, refused) == ({}, {})
    assert len(BY_IMPORT) <= 15


def test_a_stream_that_no_command_makes_is_refused_by_its_reason(store: HttpStore) -> None:
    found = {}
    for case in CASES:
        if case["id"] in BY_IMPORT:
            with pytest.raises(MemorandaError) as refusal:
                store.commanded(case)
            found[case["id"]] = refusal.value.reason
    refused = [case for case in REFUSALS if case["id"] in BY_IMPORT]
    found |= {case["id"]: store.commanded_refusal(case) for case in refused}

    assert found == BY_IMPORT
