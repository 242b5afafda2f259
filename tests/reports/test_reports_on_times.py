"""Bug reports 8 and 9: instants, whatever zone the machine or the writer lives in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from domain.context import Context
from domain.instants import parse_instant
from ops.wiring import Memoranda
from tests.builders import text
from tests.circumstances import context
from tests.reports.asking import done, found, memory, refused, traced, updated

ZONES = ("Pacific/Kiritimati", "America/Los_Angeles", "Europe/Berlin")


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The machine lives in another zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("field", ["valid_from", "valid_until", "expires_at"])
@pytest.mark.parametrize("value", ["2031-05-01", "2031-05-01T10:00:00", "2031-05-01 10:00:00Z"])
def test_report_08_a_time_without_a_zone_is_refused(
    memoranda: Memoranda, field: str, value: str
) -> None:
    error = refused(memoranda, "remember", **{field: value})
    assert (error["code"], error["field"]) == ("INVALID_REQUEST", field)
    assert error["reason"] in ("TIMESTAMP_NAIVE", "TIMESTAMP_INVALID")
    assert memoranda.log.head() == 0


def test_report_08_an_expiry_is_an_instant_on_every_machine(
    memoranda: Memoranda, zone: str
) -> None:
    # Given one retention bound in three spellings
    names = [
        memory(memoranda, content=text("otter"), valid_from="2030-01-01T00:00:00Z", expires_at=end)
        for end in (
            "2031-05-01T00:00:00Z",
            "2031-05-01T14:00:00+14:00",
            "2031-04-30T17:00:00-07:00",
        )
    ]
    # Then they all end at that instant, and not at some day's end
    before = found(memoranda, "otter", as_of="2031-04-30T23:59:59.999999Z")
    assert sorted(before) == names
    assert found(memoranda, "otter", as_of="2031-05-01T00:00:00Z") == []
    assert found(memoranda, "otter", as_of="2031-05-01T13:59:59+14:00") != []


def test_report_08_server_times_are_utc_on_every_machine(memoranda: Memoranda, zone: str) -> None:
    before = time.time_ns() // 1000
    record = done(memoranda, "remember")["record"]
    after = time.time_ns() // 1000
    assert record["recorded_at"].endswith("Z")
    assert before <= parse_instant(record["recorded_at"], "recorded_at") <= after


def at(moment: str) -> Context:
    """A trusted host names the recording time."""
    return replace(context(), recorded_at=(moment, parse_instant(moment, "recorded_at")))


# The hour that Berlin's clocks showed twice on 2025-10-26, and the one that they skipped in March.
FALL = (
    "2025-10-26T02:30:00+02:00",
    "2025-10-26T02:10:00+01:00",
    "2025-10-26T02:30:00+01:00",
    "2025-10-26T03:00:00+01:00",
)
SPRING = ("2025-03-30T01:59:59+01:00", "2025-03-30T03:00:00+02:00", "2025-03-30T03:00:01+02:00")


@pytest.mark.parametrize("moments", [FALL, SPRING])
def test_report_09_around_a_change_of_clocks_instants_decide(
    memoranda: Memoranda, moments: tuple[str, ...]
) -> None:
    # Given versions recorded around the change, spelled as clocks on the wall showed it
    name = memory(memoranda, at(moments[0]), content=text("0"), valid_from=moments[0])
    for number, moment in enumerate(moments[1:], 1):
        patch = {"content": text(str(number)), "valid_from": moment}
        updated(memoranda, name, patch, at(moment))
    # Then the texts are returned as sent, and the instants only grow
    versions = traced(memoranda, name)["versions"]
    assert [version["recorded_at"] for version in versions] == list(moments)
    instants = [parse_instant(moment, "t") for moment in moments]
    assert instants == sorted(set(instants))
    # And a version holds from its instant on, in any spelling
    assert found(memoranda, str(len(moments) - 1), as_of=moments[-1]) == [name]
    assert found(memoranda, str(len(moments) - 1), as_of=moments[0]) == []


def test_report_09_two_spellings_meet_at_one_instant(memoranda: Memoranda) -> None:
    one = memory(
        memoranda,
        content=text("otter one"),
        valid_from="2025-01-01T00:00:00Z",
        valid_until="2025-10-26T02:30:00+02:00",
    )
    other = memory(memoranda, content=text("otter two"), valid_from="2025-10-26T01:30:00+01:00")
    assert found(memoranda, "otter", as_of="2025-10-26T00:29:59.999999Z") == [one]
    assert found(memoranda, "otter", as_of="2025-10-26T00:30:00Z") == [other]
