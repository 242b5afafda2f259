"""Laws of the fold: total, incremental, and true to what stays for ever."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.events import MemoryForgotten
from domain.memory import MemoryState
from domain.memory_events import apply_memory
from domain.memory_streams import fold_memory, memory_versions
from domain.recorded import RecordedEvent
from domain.registry import Event
from domain.relationship import RelationshipState, apply_relationship, relationship_versions
from domain.tangled_versions import tangled_versions
from domain.visibility import Viewer
from tests import builders as b
from tests.circumstances import EDGE, MEMORY, MINUTE_US, START_US, recorded, time_of
from tests.domain.strategies import confidences, contents, json_values, lifecycles, sources, tags

dates = st.none() | st.integers(0, 500).map(time_of)
provenance = st.lists(sources, max_size=3)
words = st.sampled_from(["claim", "observation"])
erased = st.none()


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any subset of the fields: what is left out is not set."""
    return st.fixed_dictionaries({}, optional=fields)


def whole(build: Any, *given: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return some(**fields).map(lambda changes: build(**changes))


payloads = erased | some(
    kind=words,
    content=contents,
    tags=tags,
    provenance=provenance,
    confidence=confidences,
    identity_key=st.none() | st.just("K"),
).map(lambda said: b.said(**said))
bounds = {"valid_from": dates, "valid_until": dates, "expires_at": dates}
patches = erased | some(
    content=contents, confidence=confidences, add_tags=tags, add_provenance=provenance
)
firsts = st.builds(
    lambda changes, payload: b.memory_remembered(**changes, payload=payload),
    some(
        visibility=st.sampled_from(["workspace", "private"]), slot_ref=st.just("0" * 64), **bounds
    ),
    payloads,
)
later = st.one_of(
    st.builds(lambda c, p: b.memory_revised(**c, payload=p), some(**bounds), payloads),
    st.builds(
        lambda c, p: b.memory_updated(**c, payload=p),
        some(lifecycle=lifecycles, **bounds),
        patches,
    ),
    st.builds(
        lambda until, reason: b.memory_forgotten(
            mode="expire", lifecycle="expired", expires_at=until, payload=reason
        ),
        dates,
        erased | st.just({"reason": "r"}),
    ),
    st.builds(
        lambda mode, scope: b.memory_forgotten(mode=mode, scope=scope),
        st.sampled_from(["tombstone", "application_delete"]),
        st.sampled_from(["lineage", "key"]),
    ),
    st.just(b.memory_superseded()),
)
hiding = st.integers(1, 6).map(
    lambda version: b.memory_forgotten(scope="event", lifecycle=None, targets=[(MEMORY, version)])
)


def stream(first: Event, rest: list[Event]) -> list[RecordedEvent]:
    return [
        recorded(event, version=version, position=version)
        for version, event in enumerate([first, *rest], 1)
    ]


def made_by_commands(events: list[RecordedEvent]) -> bool:
    """Whether nothing is said of a memory after it was forgotten for good, and a version is
    forgotten alone once it is there, and once.
    """
    gone = False
    alone: set[int] = set()
    for event in events:
        (fact,) = event.facts
        if isinstance(fact, MemoryForgotten) and fact.scope == "event":
            [(_, version)] = fact.targets or []
            if version > event.version or version in alone:
                return False
            alone.add(version)
        for_good = isinstance(fact, MemoryForgotten) and fact.mode != "expire"
        for_good = for_good and fact.scope != "event"
        if gone and not for_good:
            return False
        gone = gone or for_good
    return True


minutes = st.lists(st.integers(0, 8), min_size=7, max_size=7)
"""When each event of a stream is recorded: hosts may say that of the past."""


def commanded(first: Event, rest: list[Event], recorded_at: list[int]) -> list[RecordedEvent]:
    """A stream of which every event repeats the slot of the first, as commands make it.

    A tombstone of the slot covers what was recorded by then: it is recorded last.
    """
    slot = {"slot_ref": first.slot_ref}
    made = stream(first, [event.model_copy(update=slot) for event in rest])
    buried = any(isinstance(event, MemoryForgotten) and event.scope == "key" for event in rest)
    return made if buried else [at(one, m) for one, m in zip(made, recorded_at, strict=False)]


def at(event: RecordedEvent, minute: int) -> RecordedEvent:
    """The same event, recorded at another minute."""
    recorded_us = START_US + minute * MINUTE_US
    return event._replace(recorded_at=time_of(minute), recorded_us=recorded_us)


histories = st.builds(commanded, firsts, st.lists(later, max_size=6), minutes).filter(
    made_by_commands
)
hidden_histories = st.builds(stream, firsts, st.lists(later | hiding, max_size=6))
hiding_histories = st.builds(
    commanded, firsts, st.lists(later | hiding, max_size=6), minutes
).filter(made_by_commands)


@given(hidden_histories)
def test_every_stored_sequence_folds_and_every_state_can_be_shown(
    events: list[RecordedEvent],
) -> None:
    states = memory_versions(events)
    assert [state.version for state in states] == list(range(1, len(events) + 1))
    for state in states:
        record = state.as_record()
        assert ("erased" in record) == (state.content is None)
        if state.content is None:
            assert (record["kind"], record["schema_version"]) == ("erased", "erased")
            assert record["tags"] == record["provenance"] == []
            assert record["identity_key"] is record["confidence"] is None
        assert set(state.without_text().as_record()) == {*record, "erased"}
        state.recallable(0)
        state.addressable_by(Viewer("ana"))


@given(histories)
def test_folding_event_by_event_is_folding_the_whole(events: list[RecordedEvent]) -> None:
    state: MemoryState | None = None
    for at, event in enumerate(events, 1):
        state = apply_memory(state, event)
        assert state == fold_memory(events[:at])


@given(hiding_histories)
def test_a_stream_of_commands_means_the_same_where_it_is_told_from_all_of_its_statements(
    events: list[RecordedEvent],
) -> None:
    for plain, told in zip(memory_versions(events), tangled_versions(events), strict=True):
        assert plain.tangle is None
        same = told._replace(tangle=None)
        if plain.forgotten is not None:
            assert same.without_text() == plain.without_text()
        elif plain.erased:
            assert same.as_record() == plain.as_record()
        elif same != plain:
            # Texts that are forgotten later are in no state.
            assert memory_versions(events)[-1].forgotten is not None
            assert same.without_text() == plain.without_text()


@given(hidden_histories)
def test_what_version_one_fixed_stays_fixed(events: list[RecordedEvent]) -> None:
    states = memory_versions(events)
    assert len({(state.id, state.home, state.slot_ref) for state in states}) == 1


@given(hiding_histories)
def test_forgetting_for_good_is_for_good(events: list[RecordedEvent]) -> None:
    forgotten = [state.forgotten is not None for state in memory_versions(events)]
    assert forgotten == sorted(forgotten)
    for state, gone in zip(memory_versions(events), forgotten, strict=True):
        assert not (gone and (state.addressable_by(Viewer("ana")) or state.recallable(10**18)))


@given(histories)
def test_provenance_only_grows_until_its_text_is_gone(events: list[RecordedEvent]) -> None:
    states = memory_versions(events)
    for before, after in itertools.pairwise(states):
        if not after.erased:
            assert after.provenance[: len(before.provenance)] == before.provenance


@given(hidden_histories)
def test_a_forgotten_version_is_as_if_it_had_never_said_anything(
    events: list[RecordedEvent],
) -> None:
    """Destroying the keys of the hidden versions changes nothing more: it was hidden already."""
    covered = {
        version
        for event in events
        for fact in event.facts
        if isinstance(fact, MemoryForgotten) and fact.scope == "event"
        for _, version in fact.targets or ()
    }
    destroyed = [e.without_payload() if e.version in covered else e for e in events]
    assert memory_versions(destroyed) == memory_versions(events)


@given(histories)
def test_destroying_every_key_leaves_structure_and_no_text(events: list[RecordedEvent]) -> None:
    bare = memory_versions([event.without_payload() for event in events])
    for full, erased_state in zip(memory_versions(events), bare, strict=True):
        assert erased_state.content is None
        assert erased_state.tags == erased_state.provenance == ()
        assert erased_state.identity_key is None
        assert erased_state.bounds == full.bounds
        assert erased_state.lifecycle == full.lifecycle
        assert erased_state.forgotten == full.forgotten
        assert erased_state.home == full.home


links = erased | some(
    kind=words, properties=json_values, provenance=provenance, confidence=confidences
).map(lambda said: b.link(**said))
edge_firsts = st.builds(
    lambda c, p: b.relationship_related(**c, payload=p), some(lifecycle=lifecycles, **bounds), links
)
edge_later = st.one_of(
    st.builds(
        lambda c, p: b.relationship_revised(**c, payload=p),
        some(lifecycle=lifecycles, **bounds),
        links,
    ),
    st.builds(
        lambda c, p: b.relationship_updated(**c, payload=p),
        some(lifecycle=lifecycles, **bounds),
        erased | some(properties=json_values, confidence=confidences, add_provenance=provenance),
    ),
)


def edge_stream(first: Event, rest: list[Event]) -> list[RecordedEvent]:
    return [
        recorded(event, stream=EDGE, version=version, position=version)
        for version, event in enumerate([first, *rest], 1)
    ]


@given(st.builds(edge_stream, edge_firsts, st.lists(edge_later, max_size=6)))
def test_every_stored_sequence_of_an_edge_folds_and_its_ends_stay(
    events: list[RecordedEvent],
) -> None:
    states = relationship_versions(events)
    assert [state.version for state in states] == list(range(1, len(events) + 1))
    assert len({(state.source_id, state.target_id, state.home) for state in states}) == 1
    state: RelationshipState | None = None
    for event, expected in zip(events, states, strict=True):
        state = apply_relationship(state, event)
        assert state == expected
        state.as_record()
        state.recallable(0)


@given(hidden_histories)
@settings(max_examples=30)
def test_an_answer_shares_nothing_that_could_be_changed_by_its_reader(
    events: list[RecordedEvent],
) -> None:
    state = fold_memory(events)
    assert state is not None
    record, kept = state.as_record(), state.as_record()
    record["tags"].append("x")
    record["provenance"].append({})
    assert state.as_record() == kept
