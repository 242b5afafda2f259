"""Of the bounds until which a memory is kept the one recorded last counts (policy.md §2.6)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from domain.memory import MemoryState
from domain.memory_streams import fold_memory
from domain.registry import Event
from domain.tangled_versions import tangled_versions
from tests import builders as b
from tests.circumstances import MINUTE_US, START_US, recorded, time_of

dates = st.none() | st.integers(0, 12).map(time_of)
bounds = st.one_of(
    dates.map(lambda until: b.memory_updated(expires_at=until, payload={})),
    dates.map(lambda until: b.memory_revised(expires_at=until, payload=b.said())),
)
hiding = st.one_of(
    dates.map(
        lambda until: b.memory_forgotten(mode="expire", lifecycle="expired", expires_at=until)
    ),
    st.just(b.memory_updated(lifecycle="expired", payload={})),
)
Told = list[tuple[Event, int]]
"""Events of a memory, each with the minute as of which it was recorded."""


def timed(events: st.SearchStrategy[Event]) -> st.SearchStrategy[Told]:
    minutes = st.integers(0, 12).filter(lambda minute: minute != 5)  # that of the first version
    told = st.tuples(events, minutes)
    return st.lists(told, max_size=5, unique_by=lambda one: one[1])


def folded(until: str | None, told: Told) -> MemoryState:
    first = b.memory_remembered(expires_at=until, valid_from=time_of(0))
    made = [
        recorded(event, version=version, position=version)._replace(
            recorded_at=time_of(minute), recorded_us=START_US + minute * MINUTE_US
        )
        for version, (event, minute) in enumerate([(first, 5), *told], 1)
    ]
    state = fold_memory(made)
    assert state is not None
    assert state.bounds == tangled_versions(made)[-1].bounds
    return state


@given(dates, timed(bounds | hiding.filter(lambda said: said.TOPIC == "memory.forgotten")))
def test_the_bound_is_that_which_was_recorded_last_and_replaces_that_of_the_first_version(
    until: str | None, told: Told
) -> None:
    newest, _ = max(told, key=lambda one: one[1], default=(None, 0))
    expected = until if newest is None else newest.expires_at
    assert folded(until, told).bounds.expires_at == expected


@given(dates, timed(hiding), timed(bounds), st.randoms(use_true_random=False))
def test_what_has_expired_is_hidden_since_that_was_recorded_first_in_every_order(
    until: str | None, hidden: Told, moved: Told, dice: Any
) -> None:
    updates = [one for one in moved if one[0].TOPIC == "memory.updated"]
    used = {minute for _, minute in hidden}
    told = hidden + [one for one in updates if one[1] not in used]
    once = folded(until, told)
    dice.shuffle(told)
    again = folded(until, told)
    assert (once.bounds, once.lifecycle) == (again.bounds, again.lifecycle)
    if hidden:
        first = START_US + MINUTE_US * min(minute for _, minute in hidden)
        assert (once.lifecycle, once.bounds.expired_us) == ("expired", first)
        assert not once.recallable(max(first, START_US))
