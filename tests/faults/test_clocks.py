"""A clock that jumps back, while a store is open and between two openings: nothing is lost."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.canonical import JsonObject
from domain.instants import parse_instant
from ops.wiring import Memoranda, open_memoranda
from tests.builders import text
from tests.circumstances import START_US, context
from tests.inputs import BUDGET, envelope
from tests.store.building import SetClock

HOUR_US = 3_600_000_000
_KEYS = itertools.count()


def do(memoranda: Memoranda, operation: str, **said: object) -> JsonObject:
    key = {"idempotency_key": f"k{next(_KEYS)}"}
    answer = memoranda.execute(context(), envelope(operation, envelope_changes=key, **said))
    result: JsonObject = answer["result"]["result"]
    return result


def remember(memoranda: Memoranda, number: int) -> str:
    made = do(memoranda, "remember", content=text(f"walrus {number}"), identity_key=f"w{number}")
    found: str = made["record"]["id"]
    return found


def recalled(memoranda: Memoranda) -> set[str]:
    limits = {**BUDGET, "timeout_ms": 60_000}
    answer = do(memoranda, "recall", objective="walrus", limits=limits)
    return {item["record"]["id"] for item in answer["items"]}


@pytest.fixture(params=["while it is open", "between two openings"])
def jumped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Memoranda, list[str]]]:
    """A store whose clock has jumped back by a day, and the memories made before and after."""
    clock = SetClock(START_US)
    memoranda = open_memoranda(tmp_path / "data", clock)
    made = [remember(memoranda, number) for number in range(2)]
    clock.now += HOUR_US
    made.append(remember(memoranda, 2))
    clock.now -= 24 * HOUR_US
    if request.param == "between two openings":
        memoranda.close()
        memoranda = open_memoranda(tmp_path / "data", clock)
    made += [remember(memoranda, number) for number in (3, 4)]
    clock.now += 1
    yield memoranda, made
    memoranda.close()


def test_a_clock_that_jumps_back_loses_nothing(jumped: tuple[Memoranda, list[str]]) -> None:
    memoranda, made = jumped

    # All can be recalled, those too that were made "later" than now
    assert recalled(memoranda) == set(made)
    # What is changed now is changed, and expires and is forgotten as ever
    target = {"kind": "memory", "id": made[0]}
    assert do(memoranda, "update", target=target, patch={"confidence": 1})["record"]["version"] == 2
    assert (
        do(memoranda, "remember", identity_key="w1", content=text("walrus"))["record"]["id"]
        == (made[1])
    )
    do(memoranda, "forget", memory_id=made[2])
    assert recalled(memoranda) == set(made) - {made[2]}
    traced = do(memoranda, "trace", target=target)
    assert [version["version"] for version in traced["versions"]] == [1, 2]


def test_the_order_of_the_log_is_that_of_its_times(jumped: tuple[Memoranda, list[str]]) -> None:
    memoranda, _ = jumped
    stored = memoranda.log.after(0, 1000)

    appended = [event.appended_us for event in stored]
    assert appended == sorted(appended)
    assert [event.position for event in stored] == list(range(1, len(stored) + 1))
    # Known at a time is what was appended by then, wherever the clock stood
    for event in stored:
        if event.topic == "command.recorded":
            assert memoranda.log.position_at(event.appended_us) == event.position


def test_recorded_times_never_go_back_in_one_process(tmp_path: Path) -> None:
    clock = SetClock(START_US)
    memoranda = open_memoranda(tmp_path / "data", clock)
    times = []
    for jump in (0, -HOUR_US, 5, -1, HOUR_US // 2):
        clock.now += jump
        made = do(memoranda, "remember", content=text("walrus"))
        times.append(parse_instant(made["record"]["recorded_at"], "recorded_at"))
    memoranda.close()

    assert times == sorted(set(times))
