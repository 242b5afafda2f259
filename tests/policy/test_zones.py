"""A server answers alike in every zone: the cases about bounds, spellings, expiry and refusals.

`make test-zones` runs all that touches time in a process that lives in each of the zones.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.policy.cases import CASES, REFUSALS, differences
from tests.policy.over_http import BY_IMPORT, expected_over_http, http_door
from tests.services import fork_server

pytestmark = pytest.mark.timeout(300)
ZONES = ("Pacific/Kiritimati", "America/Los_Angeles")
ABOUT_TIME = ("B", "E", "L", "Z")


@pytest.mark.parametrize("zone", ZONES)
def test_a_server_answers_alike_wherever_it_lives(
    zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    asked = [case for case in CASES if case["id"][0] in ABOUT_TIME and case["id"] not in BY_IMPORT]
    refused = [case for case in REFUSALS if case["id"] not in BY_IMPORT]

    with http_door(zone, tmp_path / "data") as door:
        wrong = {
            case["id"]: found
            for case in asked
            if (found := differences(expected_over_http(case), door.answer(case)))
        }
        reasons = {case["id"]: door.refusal(case) for case in refused}

    assert wrong == {}
    assert reasons == {case["id"]: case["expected_error"] for case in refused}
    assert len(asked) > 15


@pytest.mark.parametrize("zone", ZONES)
def test_a_process_lives_in_the_zone_that_is_set(zone: str) -> None:
    """Else nothing that runs under these zones says anything."""
    said = fork_server.finished(
        [sys.executable, "-c", "import time; print(time.localtime(0).tm_gmtoff, time.timezone)"],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    at_first, now = (
        datetime(year, 1, 1, tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()
        for year in (1970, 2031)
    )
    assert [int(one) for one in said.split()] == [at_first.total_seconds(), -now.total_seconds()]
