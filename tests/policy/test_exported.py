"""Every case of the policy on a sanitized export that was imported into another store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.policy.cases import CASES, REFUSALS, differences
from tests.policy.doors import Door
from tests.policy.exported import exported_door
from tests.policy.over_http import expected_over_http

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """A server whose workspaces are exported, and a folder for the stores that import them."""
    (tmp_path / "elsewhere").mkdir()
    with exported_door("export", tmp_path / "data", tmp_path / "elsewhere") as opened:
        yield opened


def test_an_imported_export_answers_as_the_specification_says(door: Door) -> None:
    wrong = {
        case["id"]: found
        for case in CASES
        if (found := differences(expected_over_http(case), door.answer(case)))
    }
    refused = {
        case["id"]: reason
        for case in REFUSALS
        if (reason := door.refusal(case)) != case["expected_error"]
    }

    assert (wrong, refused) == ({}, {})
