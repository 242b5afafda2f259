"""Who may address what, and when it may be the answer to a recall."""

from __future__ import annotations

import pytest

from domain.decisions import Fact
from domain.event_bases import Lifecycle
from domain.instants import FOREVER, parse_instant
from domain.visibility import Bounds, Home, Viewer, recallable
from tests.builders import memory_forgotten, memory_remembered, relationship_related
from tests.circumstances import EDGE, MEMORY, START_US
from tests.specification import given

T = "2026-01-01T12:00:00Z"
SAME_T = "2026-01-01T14:00:00+02:00"
AT = parse_instant(T, "t")


@pytest.mark.parametrize(
    ("visibility", "actor", "visible"),
    [
        ("workspace", "ana", True),
        ("workspace", "bea", True),
        ("private", "ana", True),
        ("private", "bea", False),
        ("private", "Ana", False),
        ("private", "", False),
    ],
)
def test_private_records_exist_for_their_owner_alone(
    visibility: str, actor: str, visible: bool
) -> None:
    assert Home("s", visibility, "ana").visible_to(Viewer(actor)) is visible  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("session", "visible"), [(None, True), ("s", True), ("S", False), ("", False)]
)
def test_a_strict_session_sees_its_own_records_alone(session: str | None, visible: bool) -> None:
    assert Home("s", "workspace", "ana").visible_to(Viewer("bea", session)) is visible
    assert Home("s", "private", "ana").visible_to(Viewer("ana", session)) is visible
    assert not Home("s", "private", "ana").visible_to(Viewer("bea", session))


@pytest.mark.parametrize("spelled", [T, SAME_T])
def test_validity_is_half_open_in_any_spelling(spelled: str) -> None:
    ends = Bounds(None, spelled, None, from_us=0)
    begins = Bounds(spelled, None, None, from_us=parse_instant(spelled, "t"))
    assert (ends.holds(AT - 1), ends.holds(AT)) == (True, False)
    assert (begins.holds(AT - 1), begins.holds(AT)) == (False, True)


def test_facts_that_meet_at_an_instant_never_hold_together() -> None:
    one = Bounds(None, T, None, from_us=0)
    other = Bounds(SAME_T, None, None, from_us=AT)
    for at in (AT - 1, AT, AT + 1):
        assert one.holds(at) != other.holds(at)


def test_the_earlier_of_two_ends_counts() -> None:
    later = "2026-01-02T00:00:00Z"
    for bounds in (Bounds(None, T, later, 0), Bounds(None, later, T, 0)):
        assert (bounds.holds(AT - 1), bounds.holds(AT)) == (True, False)


def test_open_ends_never_come() -> None:
    bounds = Bounds(None, None, None, from_us=0)
    assert bounds.until_us == bounds.expires_us == FOREVER
    assert bounds.holds(parse_instant("9999-12-31T23:59:59.999999Z", "t"))


@pytest.mark.parametrize(
    ("lifecycle", "answers"),
    [("active", True), ("superseded", False), ("tombstoned", False)],
)
def test_only_what_is_active_answers(lifecycle: Lifecycle, answers: bool) -> None:
    assert recallable(lifecycle, Bounds(None, None, None, 0), 1) is answers


def test_an_absent_start_is_the_recording_time() -> None:
    memory = given(Fact(MEMORY, memory_remembered())).memory()
    edge = given(Fact(EDGE, relationship_related())).edge()
    assert memory is not None
    assert edge is not None
    minute = START_US + 60_000_000
    for state in (memory, edge):
        assert (state.recallable(minute - 1), state.recallable(minute)) == (False, True)


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_is_forgotten_answers_for_no_time(mode: str) -> None:
    state = given(
        Fact(MEMORY, memory_remembered()), Fact(MEMORY, memory_forgotten(mode=mode))
    ).memory()
    assert state is not None
    assert not state.recallable(START_US + 60_000_001)
    assert not state.addressable_by(Viewer("ana"))


def test_what_was_erased_shows_structure_only() -> None:
    state = given(Fact(MEMORY, memory_remembered(payload=None, slot_ref="0" * 64))).memory()
    assert state is not None
    record = state.as_record()
    assert record["erased"] is True
    assert (record["content"], record["kind"], record["identity_key"]) == (None, "erased", None)
    assert record["tags"] == record["provenance"] == []
    assert not state.recallable(START_US + 10**12)


def test_a_tombstoned_memory_can_be_shown_without_its_text() -> None:
    state = given(Fact(MEMORY, memory_remembered())).memory()
    assert state is not None
    shown = state.without_text().as_record()
    assert shown["erased"] is True
    assert "blue" not in repr(shown)
