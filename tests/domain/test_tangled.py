"""Each kind of event that no command makes, in a stream by itself."""

from __future__ import annotations

from typing import Any

from domain import memory_decisions
from domain.contract import Patch
from domain.events import MemoryUpdated
from domain.memory import UNKNOWN
from domain.memory_streams import fold_memory, memory_versions
from domain.recorded import RecordedEvent
from domain.registry import Event
from tests import builders as b
from tests.circumstances import MEMORY, OTHER, decision, recorded, time_of


def stream(*events: Event, minutes: tuple[int, ...] = ()) -> list[RecordedEvent]:
    """Events at versions from 1 on, recorded a minute apart, or at these minutes."""
    made = [
        recorded(event, version=version, position=version)
        for version, event in enumerate(events, 1)
    ]
    if not minutes:
        return made
    return [
        one._replace(recorded_at=like.recorded_at, recorded_us=like.recorded_us)
        for one, minute in zip(made, minutes, strict=True)
        for like in [recorded(events[0], version=1, position=minute)]
    ]


def says(value: str, *targets: tuple[str, int], **more: Any) -> MemoryUpdated:
    aimed = {"targets": list(targets)} if targets else {}
    return b.memory_updated(payload={"content": b.text(value)}, **aimed, **more)


def first(value: str = "first") -> Event:
    return b.memory_remembered(payload=b.said(content=b.text(value)))


def shown(events: list[RecordedEvent]) -> str | None:
    state = fold_memory(events)
    assert state is not None
    return None if state.content is None else state.content["value"]


def test_of_a_fork_the_larger_branch_is_shown_whichever_came_last() -> None:
    fork = (first(), says("one", (MEMORY, 1)), says("two", (MEMORY, 1)))
    assert shown(stream(*fork)) == "two"
    assert shown(stream(*fork, minutes=(1, 3, 2))) == "one"


def test_a_correction_is_held_back_until_what_it_corrects_arrives() -> None:
    events = stream(first(), says("third", (MEMORY, 3)), says("second", (MEMORY, 1)))
    assert [shown(events[:n]) for n in (1, 2, 3)] == ["first", "first", "third"]


def test_a_correction_with_another_slot_is_inert() -> None:
    odd = says("second", slot_ref="0" * 64)
    assert shown(stream(first(), odd)) == "first"
    assert shown(stream(first(), odd, says("third", (MEMORY, 2)))) == "first"


def test_a_target_in_another_stream_or_in_a_circle_or_itself_is_not_known() -> None:
    for target in ((OTHER, 1), (MEMORY, 2), (MEMORY, 3)):
        assert shown(stream(first(), says("second", target), says("third", (MEMORY, 2)))) == "first"


def test_a_memory_that_was_not_remembered_yet_is_not_there() -> None:
    events = stream(says("second", (MEMORY, 2)), first())
    before, after = memory_versions(events)
    assert (before.forgotten, before.content) == (UNKNOWN, None)
    assert after.forgotten is None
    assert shown(events) == "second"


def test_a_tombstone_that_comes_first_covers_what_comes_later() -> None:
    state = fold_memory(stream(b.memory_forgotten(), first(), says("second")))
    assert state is not None
    assert (state.forgotten, state.content) == ("tombstone", None)


def test_what_comes_after_a_tombstone_dies_with_it() -> None:
    expiry = b.memory_forgotten(mode="expire", lifecycle="expired", expires_at=None)
    for late in (says("second"), expiry, b.memory_superseded()):
        state = fold_memory(stream(first(), b.memory_forgotten(), late))
        assert state is not None
        assert (state.forgotten, state.lifecycle) == ("tombstone", "tombstoned")


def test_a_tombstone_of_the_slot_covers_what_was_recorded_by_then() -> None:
    grave = b.memory_forgotten(scope="key")
    assert shown(stream(grave, first(), minutes=(2, 1))) is None
    assert shown(stream(grave, first(), minutes=(1, 2))) == "first"
    assert shown(stream(first(), grave, says("second", (MEMORY, 1)))) == "second"


def test_events_of_another_session_have_no_effect() -> None:
    theirs = {"session": "s2"}
    for odd in (b.memory_forgotten(**theirs), says("second", **theirs)):
        assert shown(stream(first(), odd)) == "first"
        assert shown(stream(odd, first())) == "first"


def test_a_second_first_version_has_no_effect() -> None:
    assert shown(stream(first(), first("again"))) == "first"
    assert shown(stream(first(), first("again"), says("third", (MEMORY, 1)))) == "third"


def test_the_expiry_recorded_last_counts_and_not_the_one_that_came_last() -> None:
    early, late = (b.memory_updated(expires_at=time_of(n), payload={}) for n in (50, 60))
    for events in (
        stream(first(), early, late, minutes=(1, 3, 2)),
        stream(first(), late, early, minutes=(1, 2, 3)),
    ):
        state = fold_memory(events)
        assert state is not None
        assert (state.version, state.bounds.expires_at) == (3, time_of(50))


def test_an_upsert_that_was_recorded_before_an_expiry_does_not_move_it() -> None:
    expiry = b.memory_updated(expires_at=time_of(50), payload={})
    revised = b.memory_revised(payload=b.said(content=b.text("again")))
    events = stream(first(), expiry, revised, minutes=(1, 3, 2))
    state = fold_memory(events)
    assert state is not None
    assert (shown(events), state.bounds.expires_at) == ("again", time_of(50))


def test_a_text_that_is_forgotten_is_in_no_version() -> None:
    events = stream(
        first(),
        says("one", (MEMORY, 1)),
        says("two", (MEMORY, 1)),
        b.memory_forgotten(scope="event", lifecycle=None, targets=[(MEMORY, 3)]),
    )
    states = memory_versions(events)
    assert shown(events) == "one"
    assert "two" not in repr(states)


def test_an_update_of_a_tangled_memory_corrects_what_it_shows() -> None:
    fork = stream(first(), says("one", (MEMORY, 1)), says("two", (MEMORY, 1)), minutes=(1, 3, 2))
    d = decision()
    [fact] = memory_decisions.update(d, fold_memory(fork), Patch(add_tags=["t"]), 3)

    after = [*fork, recorded(fact.event, version=4, position=100)]

    assert fact.event.targets == [(MEMORY, 2)]
    assert shown(after) == "one"
