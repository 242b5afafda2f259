"""Events that cannot be handled: their stream is parked, everybody else goes on."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from sqlalchemy.exc import DataError, IntegrityError, OperationalError

from domain.envelope import CorruptEventError
from domain.ports import UnavailableError
from domain.registry import UnknownTopicError
from projections.database import part_in, reading, writing
from projections.parked_streams import (
    first_parked,
    is_parked,
    parked_counts,
    parked_events,
    parked_streams,
)
from projections.schema import (
    ATTEMPT,
    CHECKPOINT,
    DEGREE,
    EDGE_VERSION,
    MEMORY_SOURCE,
    MEMORY_TAG,
    MEMORY_VERSION,
    PARKED,
)
from tests.projections.commands import forget, relate, remember, update, update_edge
from tests.projections.databases import database, views_in_postgres
from tests.projections.histories import World
from tests.projections.views import all_text, follow, new_views, positions, rows, tables
from tests.workers.failing import EVIDENCE, RECORDS, DamagedLog, no_pause, poisoned
from workers.catch_up import BACK_OFF_SECONDS, Follower, catch_up

# Each test runs on both databases.
__all__ = ["database", "views_in_postgres"]


def caught_up(projection, log, engine, batch=500):
    """Follow both workspaces of the world; the last position that both have reached."""
    return min(
        catch_up(projection, part, log, engine, batch, pause=no_pause)
        for part in sorted({part_in(engine, workspace) for workspace in ("acme", "other")})
    )


def positions_of(world, index):
    return [event.position for event in world.log.stream(*world.memories[index])]


@pytest.fixture
def world():
    """Three memories with two versions each; the second one also in another workspace."""
    commands = [remember("One"), remember("Rosebud", tags=["red"]), remember("Three")]
    commands += [update(number, add_tags=["later"]) for number in range(3)]
    return World().given([*commands, remember("Four", said={"workspace": "other"})])


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_the_stream_of_an_event_that_always_fails_is_parked_and_the_others_go_on(
    engine, world, batch
):
    # Given a handler that raises for the first event of one of the memories
    first, second = positions_of(world, 1)
    projection = poisoned(RECORDS, [first])
    # When
    reached = caught_up(projection, world.log, engine, batch)
    # Then the head is reached, and only that memory is missing
    assert reached == world.log.head() == positions(engine)["records"]
    assert {row["memory_id"] for row in rows(engine)} == {
        stream for number, (_, stream) in enumerate(world.memories) if number != 1
    }
    assert len(rows(engine)) == 5
    # And it is known why: the culprit, and what waits behind it
    [one, other] = rows(engine, PARKED)
    assert (one["position"], one["blocked_by"], one["error"]) == (first, None, "ValueError")
    assert (other["position"], other["blocked_by"], other["error"]) == (second, first, "")
    assert {(row["workspace"], row["stream"]) for row in (one, other)} == {world.memories[1]}
    assert rows(engine, ATTEMPT) == []


def test_an_event_is_tried_alone_three_times_and_each_try_is_counted_by_itself(engine, world):
    first, _ = positions_of(world, 1)
    projection = poisoned(RECORDS, [first])
    follower = Follower(projection, part_in(engine, "acme"), world.log, engine)
    reached = follower.advance(0, 500)
    assert reached < first
    before = tables(engine)["memory_version"]

    for tries in (1, 2):
        with pytest.raises(ValueError, match="Rosebud"):
            follower.advance(reached, 500)
        [attempt] = rows(engine, ATTEMPT)
        assert (attempt["position"], attempt["tries"]) == (first, tries)
        assert attempt["error"] == "ValueError"
        assert tables(engine)["memory_version"] == before
        assert follower.position() == reached

    assert follower.advance(reached, 500) == first
    assert rows(engine, ATTEMPT) == []


def test_there_is_a_pause_between_tries_that_grows(engine, world):
    projection = poisoned(RECORDS, positions_of(world, 1))
    pauses = []

    catch_up(projection, part_in(engine, "acme"), world.log, engine, pause=pauses.append)

    assert pauses == list(BACK_OFF_SECONDS)
    assert pauses == sorted(pauses)
    assert pauses[0] > 0


def test_an_event_that_works_at_its_last_try_is_handled_like_any_other(engine, world):
    first, _ = positions_of(world, 1)
    projection = poisoned(RECORDS, [first])

    def mended(_):
        if len(projection.apply.raised) >= 4:
            projection.apply.positions.clear()

    catch_up(projection, part_in(engine, "acme"), world.log, engine, pause=mended)
    caught_up(projection, world.log, engine)

    assert rows(engine, PARKED) == rows(engine, ATTEMPT) == []
    with new_views() as untroubled:
        follow(world.log, untroubled)
        assert rows(engine) == rows(untroubled)


@pytest.mark.parametrize("index", [0, 1])
def test_a_parked_memory_leaves_nothing_in_the_read_model(engine, world, index):
    # Given that it is seen already, before an event of it fails
    culprit = positions_of(world, 1)[index]
    caught_up(poisoned(RECORDS, [culprit]), world.log, engine)

    assert "Rosebud" not in all_text(engine)
    _, memory = world.memories[1]
    for table in (MEMORY_VERSION, MEMORY_TAG, MEMORY_SOURCE):
        assert rows(engine, table, memory_id=memory) == []


def test_the_text_of_a_memory_whose_forget_is_parked_is_gone(engine, world):
    world.given([forget(1, "application_delete")])
    last = positions_of(world, 1)[-1]

    caught_up(poisoned(RECORDS, [last]), world.log, engine)

    assert "Rosebud" not in all_text(engine)


def test_a_parked_relationship_counts_no_more_at_its_ends(engine):
    world = World().given([remember("One"), remember("Two"), relate(0, 1), relate(0, 1)])
    (workspace, kept), (_, doomed) = world.edges
    world.given([update_edge(1, confidence=0.5)])
    events = world.log.stream(workspace, doomed)
    projection = poisoned(EVIDENCE, [events[-1].position])
    caught_up(projection, world.log, engine)

    assert {row["relationship_id"] for row in rows(engine, EDGE_VERSION)} <= {kept}
    assert {row["edges"] for row in rows(engine, DEGREE)} == {1}


def test_later_events_of_a_parked_stream_are_parked_in_order(engine, world):
    projection = poisoned(RECORDS, positions_of(world, 1)[:1])
    caught_up(projection, world.log, engine)
    projection.apply.given.clear()
    world.given(
        [update(1, add_tags=["blue"]), update(0, add_tags=["blue"]), update(1, confidence=1)]
    )

    caught_up(projection, world.log, engine)

    assert [row["position"] for row in rows(engine, PARKED)] == positions_of(world, 1)
    assert len(rows(engine)) == 6
    assert not {*projection.apply.given} & {*positions_of(world, 1)}


def test_a_parked_event_that_is_read_again_stays_as_it_is(engine, world):
    # Given a checkpoint that is lost, so that everything is read again
    projection = poisoned(RECORDS, positions_of(world, 1)[:1])
    caught_up(projection, world.log, engine)
    before = tables(engine)
    with writing(engine) as connection:
        connection.execute(CHECKPOINT.delete())

    for batch in (1, 500):
        caught_up(projection, world.log, engine, batch)

    after = tables(engine)
    for parked in (before, after):
        parked["parked"] = [row[:8] for row in parked["parked"]]
    assert after == before


def test_two_culprits_of_two_streams_are_parked_by_themselves(engine, world):
    first, third = positions_of(world, 0)[0], positions_of(world, 2)[1]

    caught_up(poisoned(RECORDS, [first, third]), world.log, engine)

    with reading(engine) as connection:
        found = parked_streams(connection, [RECORDS])
    assert [(one.stream, one.position, one.events) for one in found] == [
        (world.memories[0][1], first, 2),
        (world.memories[2][1], third, 1),
    ]


# --- Damaged events ---------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_a_damaged_event_stops_neither_its_workspace_nor_another_one(engine, world, batch):
    first, second = positions_of(world, 1)
    log = DamagedLog(world.log, [first])

    reached = [caught_up(projection, log, engine, batch) for projection in (RECORDS, EVIDENCE)]

    assert reached == [world.log.head()] * 2
    assert len(rows(engine)) == 5
    assert [(row["position"], row["error"]) for row in rows(engine, PARKED)] == [
        (first, "CorruptEventError"),
        (second, ""),
    ]


def test_a_damaged_event_is_tried_again_before_it_is_given_up(engine, world):
    log = DamagedLog(world.log, [positions_of(world, 1)[0]])

    part = part_in(engine, "acme")
    catch_up(RECORDS, part, log, engine, pause=lambda _: log.positions.clear())
    caught_up(RECORDS, log, engine)

    assert rows(engine, PARKED) == []
    assert len(rows(engine)) == 7


def test_an_event_whose_stream_is_uncertain_parks_both(engine, world):
    first = positions_of(world, 0)[0]

    class Uncertain(DamagedLog):
        def _opened(self, events):
            try:
                return super()._opened(events)
            except CorruptEventError as error:
                raise CorruptEventError(
                    str(error),
                    position=error.position,
                    workspace=error.workspace,
                    originator_ids=(*error.originator_ids, "f" * 32, "no id"),
                ) from None

    caught_up(RECORDS, Uncertain(world.log, [first]), engine)

    parked = {row["stream"] for row in rows(engine, PARKED)}
    assert parked == {world.memories[0][1], "mem_" + "7" + "z" * 25}


def test_an_event_whose_stream_nobody_knows_is_told_all_the_same(engine, world):
    first = positions_of(world, 0)[0]

    class Nameless(DamagedLog):
        def _opened(self, events):
            try:
                return super()._opened(events)
            except CorruptEventError as error:
                raise CorruptEventError(
                    str(error),
                    position=error.position,
                    workspace=error.workspace,
                    originator_ids=("no id",),
                ) from None

    caught_up(RECORDS, Nameless(world.log, [first]), engine)

    with reading(engine) as connection:
        assert first_parked(connection, [RECORDS], "acme") == first
    # And its stream is parked for the version that is missing
    assert {row["stream"] for row in rows(engine, PARKED)} == {"", world.memories[0][1]}


# --- What is no fault of an event ----------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("", {}, Exception("the connection is lost")),
        IntegrityError("", {}, Exception("the connection is lost"), connection_invalidated=True),
        OSError("the disk is full"),
        MemoryError(),
        UnavailableError("another process holds the store"),
        UnknownTopicError("of a newer program"),
    ],
)
def test_errors_of_disk_and_connection_never_count(engine, world, error):
    projection = poisoned(RECORDS, positions_of(world, 1)[:1], error=error)
    for _ in range(5):
        with pytest.raises(type(error)):
            caught_up(projection, world.log, engine)

    assert rows(engine, ATTEMPT) == rows(engine, PARKED) == []
    projection.apply.positions.clear()
    assert caught_up(projection, world.log, engine) == world.log.head()
    assert len(rows(engine)) == 7


@pytest.mark.parametrize("kind", [IntegrityError, DataError])
def test_what_a_database_says_of_a_row_counts(engine, world, kind):
    error = kind("", {}, Exception("out of range"))
    caught_up(poisoned(RECORDS, positions_of(world, 1)[:1], error=error), world.log, engine)

    assert len(rows(engine, PARKED)) == 2


def test_an_event_of_a_newer_program_is_waited_for(engine, world):
    first, _ = positions_of(world, 1)

    class Newer(DamagedLog):
        def _opened(self, events):
            if any(event.position in self.positions for event in events):
                raise UnknownTopicError("version 2 is not known", position=first, workspace="acme")
            return events

    with pytest.raises(UnknownTopicError):
        caught_up(RECORDS, Newer(world.log, [first]), engine)

    assert rows(engine, PARKED) == rows(engine, ATTEMPT) == []
    assert len(rows(engine, workspace="acme")) == 1


# --- Policies -----------------------------------------------------------------------------------


def test_a_projection_may_stop_instead(engine, world):
    projection = poisoned(RECORDS, positions_of(world, 1)[:1], poison="stop")

    for _ in range(4):
        with pytest.raises(ValueError, match="Rosebud"):
            caught_up(projection, world.log, engine)

    assert rows(engine, PARKED) == rows(engine, ATTEMPT) == []
    assert len(rows(engine, workspace="acme")) == 1


def test_a_projection_may_leave_out_one_event(engine, world):
    first, second = positions_of(world, 1)
    handled = []

    def counts(_, events, __):
        if any(event.position == first for event in events):
            raise ValueError
        handled.extend(event.position for event in events)

    projection = replace(RECORDS, apply=counts, poison="skip_event")
    caught_up(projection, world.log, engine, 1)

    assert first not in handled
    assert second in handled
    [left_out] = rows(engine, PARKED)
    assert (left_out["position"], left_out["state"]) == (first, "skipped")


# --- What readers are told ----------------------------------------------------------------------


def test_readers_learn_what_is_parked_of_whom(engine, world):
    first, second = positions_of(world, 1)
    workspace, memory = world.memories[1]
    caught_up(poisoned(RECORDS, [first]), world.log, engine)

    with reading(engine) as connection:
        assert parked_counts(connection, [RECORDS, EVIDENCE]) == {"records": (1, 2)}
        [stream] = parked_streams(connection, [RECORDS, EVIDENCE])
        events = parked_events(connection, stream)
        assert first_parked(connection, [RECORDS], workspace) == first
        assert first_parked(connection, [RECORDS], "other") is None
        assert first_parked(connection, [EVIDENCE], workspace) is None
        assert is_parked(connection, RECORDS, workspace, memory)
        assert not is_parked(connection, RECORDS, "other", memory)
    assert (stream.stream, stream.state, stream.events) == (memory, "parked", 2)
    assert [(event.position, event.blocked_by) for event in events] == [
        (first, None),
        (second, first),
    ]


def test_no_content_is_kept_or_told_of_an_error(engine, world, caplog):
    with caplog.at_level(logging.DEBUG):
        caught_up(poisoned(RECORDS, positions_of(world, 1)[:1]), world.log, engine)

    assert "Rosebud" not in all_text(engine)
    assert "Rosebud" not in caplog.text
    assert f"position {positions_of(world, 1)[0]}" in caplog.text
    assert "memoranda parked list" in caplog.text
