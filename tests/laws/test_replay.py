"""Replay of the log = live state: what the log folds to is what was answered and projected."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given

from domain.canonical import JsonObject
from domain.events import CommandRecorded
from domain.guards import GuardState, apply_guard
from domain.ids import GUARD, MEMORY, RELATIONSHIP
from domain.memory import MemoryState
from domain.memory_streams import memory_versions
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState, relationship_versions
from domain.visibility import Viewer
from ops.wiring import Memoranda
from projections.rows import Row, edge_columns, memory_columns
from projections.schema import EDGE_VERSION, MEMORY_VERSION
from read_api.list_filters import MemoryFilters, RelationshipFilters
from read_api.proposals import ProposalFilters
from tests.circumstances import context
from tests.laws.choices import Step
from tests.laws.conftest import new_workspace
from tests.laws.worlds import Group, caught_up, law, steps
from tests.projections.views import rows

PROPOSING = (*("remember",) * 6, "relate", "revise", "update", "forget", *("propose",) * 4, "apply")


def log_of(store: Memoranda, workspace: str) -> dict[str, list[RecordedEvent]]:
    """The whole log of a workspace, by stream."""
    streams: defaultdict[str, list[RecordedEvent]] = defaultdict(list)
    for event in store.log.after(0, 10**6, workspace=workspace):
        streams[event.stream].append(event)
    return streams


def memories(streams: dict[str, list[RecordedEvent]]) -> dict[str, list[MemoryState]]:
    return {s: memory_versions(e) for s, e in streams.items() if s.startswith(MEMORY)}


def edges(streams: dict[str, list[RecordedEvent]]) -> dict[str, list[RelationshipState]]:
    return {s: relationship_versions(e) for s, e in streams.items() if s.startswith(RELATIONSHIP)}


@given(steps())
@law(15)
def test_every_answer_is_the_fold_of_its_version(store: Memoranda, sequence: list[Step]) -> None:
    # Given a history in a workspace of its own
    group = Group(store, new_workspace()).play(sequence)
    # When the whole log is folded
    streams = log_of(store, group.workspace)
    known = memories(streams)
    linked = edges(streams)
    # Then each answer is what its version folds to, but for what was forgotten since
    for asked in group.asked:
        result = asked.result or {}
        if (record := result.get("record")) is not None:
            states = known[record["id"]]
            if states[-1].forgotten is None and not states[-1].dead_versions:
                assert states[record["version"] - 1].as_record() == record
        if (edge := result.get("relationship")) is not None:
            assert linked[edge["id"]][edge["version"] - 1].as_record() == edge


@given(steps())
@law(15)
def test_every_success_is_one_receipt_and_streams_have_no_holes(
    store: Memoranda, sequence: list[Step]
) -> None:
    group = Group(store, new_workspace()).play(sequence)
    streams = log_of(store, group.workspace)
    receipts = [
        event.facts[0].payload.idempotency_key  # type: ignore[union-attr]
        for events in streams.values()
        for event in events
        if isinstance(event.facts[0], CommandRecorded)
    ]
    first = [
        asked.envelope["idempotency_key"]
        for asked in group.asked
        if asked.mutated and not (asked.result or {})["receipt"]["replayed"]
    ]
    assert sorted(receipts) == sorted(first)
    for events in streams.values():
        assert [event.version for event in events] == list(range(1, len(events) + 1))
        times = [event.appended_us for event in events]
        assert times == sorted(times)


@given(steps())
@law(15)
def test_an_identity_key_leads_to_one_memory_and_its_guard_knows_it(
    store: Memoranda, sequence: list[Step]
) -> None:
    group = Group(store, new_workspace()).play(sequence)
    streams = log_of(store, group.workspace)
    held: set[str] = set()
    for stream, events in streams.items():
        if stream.startswith(GUARD):
            state: GuardState | None = None
            for event in events:
                state = apply_guard(state, event)
            if state is not None and state.holder is not None:
                held.add(state.holder)
    keyed: dict[tuple[str | None, str], str] = {}
    for stream, states in memories(streams).items():
        last = states[-1]
        if last.identity_key is None or last.forgotten is not None:
            continue
        owner = last.home.owner if last.home.visibility == "private" else None
        assert keyed.setdefault((owner, last.identity_key), stream) == stream
        assert stream in held


@given(steps())
@law(15)
def test_the_projections_are_the_fold(store: Memoranda, sequence: list[Step]) -> None:
    # Given
    group = Group(store, new_workspace()).play(sequence)
    # When the projections have seen all of it
    caught_up(store)
    # Then each version is a row that says what the fold says
    streams = log_of(store, group.workspace)
    expected = []
    for states in memories(streams).values():
        gone = states[-1].forgotten
        shown = states if gone is None else [
            state.without_text()._replace(forgotten=gone) for state in states
        ]  # fmt: skip
        expected += [memory_columns(state) for state in shown]
    linked = [edge_columns(state) for states in edges(streams).values() for state in states]
    engine = store.runner._engine
    found = rows(engine, MEMORY_VERSION, workspace=group.workspace)
    found_edges = rows(engine, EDGE_VERSION, workspace=group.workspace)
    assert by_version(found, expected) == by_version(expected, expected)
    assert by_version(found_edges, linked) == by_version(linked, linked)


def by_version(found: list[Row], like: list[Row]) -> dict[str, Row]:
    """Rows by id@version, with the columns that a fold can say."""
    return {
        f"{row.get('memory_id') or row['relationship_id']}@{row['version']}": {
            name: row[name] for name in like[0]
        }
        for row in found
        if like
    }


@given(steps(PROPOSING, size=25))
@law(15)
def test_every_proposal_replays(store: Memoranda, sequence: list[Step]) -> None:
    group = Group(store, new_workspace()).play(sequence)
    head = store.log.head()
    for actor in group.actors:
        who = context(workspace=group.workspace, actor=actor)
        for item in store.read.proposals(who, ProposalFilters())["items"]:
            found = store.read.proposal_replay(who, item["proposal_id"])
            assert found["verdict"] in {"identical", "identical_except_erased"}, found
            assert found["erased"] or found["first_difference"] is None, found
    assert store.log.head() == head


@given(steps())
@law(10)
def test_the_reading_doors_show_what_is_addressable(store: Memoranda, sequence: list[Step]) -> None:
    group = Group(store, new_workspace()).play(sequence)
    streams = log_of(store, group.workspace)
    for actor in group.actors:
        who = context(workspace=group.workspace, actor=actor)
        caught_up(store)
        shown = store.read.memories(who, MemoryFilters())
        addressable = {
            stream: states[-1].as_record()
            for stream, states in memories(streams).items()
            if states[-1].addressable_by(Viewer(actor))
        }
        assert by_id(shown["items"], addressable) == addressable
        related = store.read.relationships(who, RelationshipFilters())
        visible = {
            stream: states[-1].as_record()
            for stream, states in edges(streams).items()
            if states[-1].home.visible_to(Viewer(actor))
            # An edge stands with both of its ends (spec/policy.md §2.13).
            and addressable.keys() >= {states[-1].source_id, states[-1].target_id}
        }
        assert by_id(related["items"], visible) == visible


def by_id(items: list[JsonObject], like: dict[str, JsonObject]) -> dict[str, JsonObject]:
    """The records among what a list shows; it says more beside them."""
    return {item["id"]: {name: item[name] for name in like.get(item["id"], item)} for item in items}
