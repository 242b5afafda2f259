"""Bug reports 11, 12, 37 and 38: periods, sources, shared bounds, answers for an earlier day."""

from __future__ import annotations

from typing import Any

import pytest

from domain.canonical import Json
from ops.wiring import Memoranda
from read_api.list_filters import MemoryFilters
from read_api.slot_questions import SlotQuestion
from tests.builders import text
from tests.circumstances import context
from tests.reports.asking import body, done, found, memory, updated

JANUARY, FEBRUARY = "2031-01-01T00:00:00Z", "2031-02-01T00:00:00Z"
JUNE, JULY = "2031-06-01T00:00:00Z", "2031-07-01T00:00:00Z"
DAY = "2031-06-15T12:00:00Z"


def on_call(start: str, end: str) -> dict[str, Json]:
    said = {"text": "Alex is on call", "properties": {"slot": "on call", "object": "Alex"}}
    content = {"format": "text_and_properties", "value": said}
    return {"content": content, "valid_from": start, "valid_until": end}


def batch(memoranda: Memoranda, *items: dict[str, Json]) -> list[str]:
    """The ids that a batch of memories gets."""
    answers = memoranda.execute_many(context(), [body("remember", **one) for one in items])
    return [answer["result"]["result"]["record"]["id"] for answer in answers]


@pytest.mark.parametrize("together", [False, True])
def test_report_11_what_is_true_in_two_periods_is_kept_for_both(
    memoranda: Memoranda, together: bool
) -> None:
    periods = [on_call(JANUARY, FEBRUARY), on_call(JUNE, JULY)]

    if together:
        first, second = batch(memoranda, *periods)
    else:
        first, second = (memory(memoranda, **one) for one in periods)

    assert first != second
    for day, expected in (
        ("2031-01-15T00:00:00Z", [first]),
        ("2031-03-15T00:00:00Z", []),
        (DAY, [second]),
    ):
        assert found(memoranda, "who is on call", as_of=day) == expected
        slot = memoranda.read.slot(context(), "on call", SlotQuestion(as_of=day))
        assert slot["selected"] == expected


def claimed(source: str) -> dict[str, Json]:
    reference = {"source_id": source, "locator": None, "observed_at": None}
    return {
        "identity_key": "one fact",
        "content": text("Alex leads the crew"),
        "provenance": [reference],
    }


def shown(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what is each store's own."""
    own = {"id", "recorded_at", "created_at", "updated_at"}
    return {name: one for name, one in record.items() if name not in own}


def test_report_12_a_batch_joins_its_sources_as_one_command_after_another_does(
    tmp_path: Any, memoranda: Memoranda
) -> None:
    from ops.wiring import open_memoranda

    beside = open_memoranda(tmp_path / "beside")
    try:
        ids = {
            *batch(memoranda, claimed("e1"), claimed("e2")),
            *batch(memoranda, claimed("e1")),
        }
        for source in ("e1", "e2", "e1"):
            other = memory(beside, **claimed(source))
        pages = []
        for store in (memoranda, beside):
            store.read.wait(context().workspace, store.log.head())
            pages.append(store.read.memories(context(), MemoryFilters())["items"])
    finally:
        beside.close()

    assert len(ids) == 1
    [[one], [apart]] = pages
    assert ({one["id"]}, apart["id"]) == (ids, other)
    assert [source["source_id"] for source in one["provenance"]] == ["e1", "e2"]
    assert shown(one) == shown(apart)


@pytest.mark.parametrize("bound", [JUNE, "2031-06-01T14:00:00+14:00", "2031-05-31T17:00:00-07:00"])
def test_report_37_at_the_instant_between_two_facts_one_of_them_holds(
    memoranda: Memoranda, bound: str
) -> None:
    before = memory(memoranda, **on_call(JANUARY, bound))
    after = memory(memoranda, **on_call(JUNE, JULY))

    for instant, expected in (
        ("2031-05-31T23:59:59.999999Z", before),
        (JUNE, after),
        (bound, after),
        ("2031-06-01T02:00:00+02:00", after),
    ):
        assert found(memoranda, "who is on call", as_of=instant) == [expected]
        slot = memoranda.read.slot(context(), "on call", SlotQuestion(as_of=instant))
        assert (slot["selected"], slot["conflicts"]) == ([expected], [])


def test_report_38_what_is_expired_today_is_an_answer_for_the_days_before(
    memoranda: Memoranda,
) -> None:
    past = {"valid_from": "2020-01-01T00:00:00Z", "expires_at": "2021-01-01T00:00:00Z"}
    expired = memory(memoranda, content=text("otter one"), **past)
    ended = memory(
        memoranda,
        content=text("otter two"),
        valid_from="2020-01-01T00:00:00Z",
        valid_until="2021-01-01T00:00:00Z",
    )

    assert found(memoranda, "otter") == []
    day_before = "2020-12-31T23:59:59.999999Z"
    assert sorted(found(memoranda, "otter", as_of=day_before)) == sorted([expired, ended])
    assert found(memoranda, "otter", as_of="2021-01-01T00:00:00Z") == []


def test_report_38_what_was_corrected_or_consolidated_is_no_answer_for_any_day(
    memoranda: Memoranda,
) -> None:
    old = {"valid_from": "2020-01-01T00:00:00Z"}
    corrected = memory(memoranda, content=text("otters eat stones"), **old)
    members = [memory(memoranda, content=text(f"otters swim {n}"), **old) for n in range(2)]
    known = memoranda.log.head()
    updated(memoranda, corrected, {"content": text("otters eat crabs")})
    said: dict[str, Any] = {"memory_ids": members, "reason": "same", "canonical_id": members[0]}
    proposal = done(memoranda, "consolidate", mode={"mode": "propose"}, **said)["proposal_id"]
    approved = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "by hand"}
    done(memoranda, "consolidate", mode=approved, **said)

    for day in ({}, {"as_of": "2020-06-01T00:00:00Z"}):
        assert found(memoranda, "stones", **day) == []
        assert found(memoranda, "crabs", **day) == [corrected]
        assert found(memoranda, "swim", **day) == [members[0]]
        then = {**day, "as_known_position": known}
        assert found(memoranda, "stones", **then) == [corrected]
        assert found(memoranda, "crabs", **then) == []
        assert sorted(found(memoranda, "swim", **then)) == sorted(members)
