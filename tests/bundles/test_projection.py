"""The read model of bundles says what the domain folds, without what was forgotten."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.event import listen, remove

from domain.bundles.takeaways import apply_takeaway
from domain.bundles.windows import apply_window
from domain.events import MemoryForgotten
from projections import bundles
from projections.bundle_rows import window_state
from projections.bundle_tables import (
    BUNDLE_CITATION,
    BUNDLE_CLAIM,
    BUNDLE_CONCEPT,
    BUNDLE_FORGOTTEN,
    BUNDLE_NAMING,
    BUNDLE_STREAM,
    BUNDLE_WINDOW,
)
from projections.catalogue import CATALOGUE
from projections.database import part_in, writing
from projections.parking import Culprit, Parking
from tests.bundles.worlds import (
    HISTORIES,
    BundleWorld,
    cite,
    move,
    open_concept,
    resolve,
    send_window,
    take,
    verdict,
)
from tests.projections.commands import forget, remember, update
from tests.projections.conftest import database, engine, views_in_postgres
from tests.projections.views import all_text, deliver, follow, new_views, rows, tables

__all__ = ["database", "engine", "views_in_postgres"]

OURS = (
    BUNDLE_CONCEPT,
    BUNDLE_CLAIM,
    BUNDLE_CITATION,
    BUNDLE_WINDOW,
    BUNDLE_STREAM,
    BUNDLE_NAMING,
    BUNDLE_FORGOTTEN,
)
BATCHES = st.sampled_from([1, 3, 500])


def a_world():
    """A takeaway with its window, said and then corrected, cited twice more."""
    return BundleWorld().given(
        [
            remember("One"),
            remember("Two"),
            open_concept(),
            send_window(
                mode="knowledge_patched", memory=0, words={"verdicts": [verdict("applied")]}
            ),
            take(0, words={"claim_text": "Rosebud first"}),
            move(
                1, words={"claim_text": "Kane second"}, cited={"evidence": [{"text": "Kane cited"}]}
            ),
            cite(1, reason="Kane again"),
        ]
    )


def told(engine):
    """Our tables."""
    found = tables(engine)
    return {table.name: found[table.name] for table in OURS}


def test_rows_tell_concept_claim_citations_and_window(engine):
    world = a_world()

    follow(world.log, engine)

    [concept], [claim], [window] = (
        rows(engine, table) for table in (BUNDLE_CONCEPT, BUNDLE_CLAIM, BUNDLE_WINDOW)
    )
    assert concept["concept_type"] == "convention"
    assert claim["concept_id"] == concept["concept_id"]
    assert claim["memory_id"] == world.memories[1][1]
    assert (claim["owner"], claim["visibility"]) == ("ann", "private")
    sayings = json.loads(claim["record"])["sayings"]
    assert [one["said"]["claim_text"] for one in sayings] == ["Rosebud first", "Kane second"]
    cited = rows(engine, BUNDLE_CITATION)
    assert [(one["version"], one["cited_as"]) for one in cited] == [
        (1, "authorised"),
        (2, "authorised"),
        (3, "restated"),
    ]
    assert (window["session_id"], window["mode"], window["failures"]) == (
        "s-1",
        "knowledge_patched",
        None,
    )


def test_the_last_attempt_decides_and_its_failures_are_told(engine):
    failed = {"verdicts": [verdict("applied"), verdict("parse_failed", "blank")]}
    world = BundleWorld().given([send_window(mode="failed", words=failed)])
    follow(world.log, engine)
    [window] = rows(engine, BUNDLE_WINDOW)
    assert json.loads(window["failures"]) == [
        {"index": 1, "outcome": "parse_failed", "reason": "blank"}
    ]

    world.given([send_window(mode="no_output", again=0)])
    follow(world.log, engine)

    [window] = rows(engine, BUNDLE_WINDOW)
    assert (window["mode"], window["failures"], window["version"]) == ("no_output", None, 2)


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
@pytest.mark.parametrize("batch", [1, 500])
def test_the_words_that_name_a_forgotten_memory_leave_the_rows(engine, mode, batch):
    world = a_world()
    follow(world.log, engine, batch)

    world.given([forget(0, mode)])
    follow(world.log, engine, batch)

    [claim] = rows(engine, BUNDLE_CLAIM)
    assert "Rosebud" not in all_text(engine)
    assert "Kane second" in claim["record"]
    assert claim["erased"] is False
    [window] = rows(engine, BUNDLE_WINDOW)
    assert (window["erased"], window["session_id"], window["mode"]) == (
        True,
        None,
        "knowledge_patched",
    )
    assert [one["erased"] for one in rows(engine, BUNDLE_CITATION)] == [True, False, False]


def test_an_expiry_takes_no_words(engine):
    world = a_world().given([forget(0, "expire")])

    follow(world.log, engine)

    assert "Rosebud first" in all_text(engine)


@pytest.mark.parametrize(("version", "gone"), [(0, True), (1, False)])
def test_a_forgotten_version_takes_what_named_it_or_a_later_one(engine, version, gone):
    # Given a takeaway of version 1 of a memory that has two
    world = a_world().given([update(1, confidence=0.5)])
    # When one of them is forgotten
    world.given([forget(1, "application_delete", scope="event", version=version)])
    follow(world.log, engine)
    # Then the words go with version 1 alone: a later version may show what an erased one said
    assert ("Kane second" not in all_text(engine)) is gone


def test_what_is_said_after_the_forget_stays(engine):
    world = a_world()
    world.given([forget(0, "application_delete"), cite(0, reason="Xanadu")])

    follow(world.log, engine, batch=1)

    assert "Xanadu" in all_text(engine)


def test_each_time_that_a_window_was_sent_loses_its_words_with_one_of_them(engine):
    # Given a window that failed, naming nothing, and then came to a memory that is forgotten
    words = {"session_id": "Rosebud"}
    world = BundleWorld().given(
        [
            remember("One"),
            send_window(mode="failed", words=words),
            send_window(mode="knowledge_patched", again=0, memory=0, words=words),
            forget(0),
        ]
    )
    follow(world.log, engine, batch=1)
    # When it is sent once more, which nobody needs to have destroyed by now
    world.given([send_window(mode="repeated", again=0, words=words)])
    follow(world.log, engine, batch=1)
    # Then nothing of it is told
    assert "Rosebud" not in all_text(engine)
    [window] = rows(engine, BUNDLE_WINDOW)
    assert (window["version"], window["mode"]) == (3, "knowledge_patched")


def test_a_row_of_a_window_holds_its_state_with_what_was_sent_once(engine):
    event = {"id": "E1", "kind": "user_message", "actor": "user", "text": "x", "name": None}
    words = {"events": [{**event, "more": {}}], "verdicts": [verdict("applied")]}
    world = a_world().given(
        [
            send_window(mode="failed", words=words),
            *(send_window(mode=mode, again=1, words=words) for mode in ("no_output", "repeated")),
        ]
    )
    world.given([resolve(1, window=1)])
    follow(world.log, engine)
    state = None
    for event in world.log.stream(*world.windows[1]):
        state = apply_window(state, event)

    [window] = rows(engine, BUNDLE_WINDOW, window_id=state.id)

    bare = {"events": [], "transcript": None}
    assert [one.mode for one in state.attempts] == ["failed", "no_output", "repeated"]
    assert state.decided.said.events
    assert window_state(window) == state._replace(
        attempts=tuple(
            one if one is state.decided else one._replace(said=one.said.model_copy(update=bare))
            for one in state.attempts
        )
    )


def test_the_rows_say_what_was_delivered_though_the_log_is_further_on(engine):
    world = a_world()
    claim = world.takeaways[0]
    first, second, _ = world.log.stream(*claim)

    for event in (first, second):
        with writing(engine) as connection:
            bundles.apply(connection, [event], world.log)

    assert [row["version"] for row in rows(engine, BUNDLE_CITATION)] == [1, 2]
    assert [row["version"] for row in rows(engine, BUNDLE_STREAM)] == [2]


class Told:
    """A log and a database that keep what they were asked for."""

    def __init__(self, log, engine):
        self.log, self.engine, self.read, self.bytes = log, engine, [], 0

    def __getattr__(self, name):
        return getattr(self.log, name)

    def streams(self, workspace, streams):
        self.read += streams
        return self.log.streams(workspace, streams)

    def _keep(self, *told):
        _, _, statement, parameters, _, _ = told
        self.bytes += len(statement) + len(str(parameters))

    def follow(self):
        """Bring the read models to the head of the log; the bytes that this took."""
        self.bytes = 0
        listen(self.engine, "before_cursor_execute", self._keep)
        follow(self, self.engine)
        remove(self.engine, "before_cursor_execute", self._keep)
        return self.bytes


def test_one_more_citation_costs_the_same_however_many_there_are(engine):
    # Given a claim that was cited a few times
    world = a_world()
    told = Told(world.log, engine)
    told.follow()
    world.given([cite(1, reason="Kane more")])
    few = told.follow()
    # When it is cited once more after a hundred times
    world.given([cite(1, reason="Kane more") for _ in range(100)])
    told.follow()
    read = list(told.read)
    world.given([cite(1, reason="Kane more")])
    many = told.follow()
    # Then as much is written as before, but for the digits of numbers, and nothing is read
    assert many <= few * 1.02
    assert told.read == read
    with new_views() as rebuilt:
        follow(world.log, rebuilt)
        assert tables(rebuilt) == tables(engine)


def test_a_citation_of_what_was_forgotten_meanwhile_has_no_words(engine):
    # Given a claim of a memory whose forget is known before a citation that was said before it
    world = a_world().given([cite(1, reason="Xanadu"), forget(1)])
    [*before, cited] = world.log.stream(*world.takeaways[0])
    with writing(engine) as connection:
        bundles.apply(connection, before, world.log)
        bundles.apply(
            connection, world.log.after(0, 100, topics=(MemoryForgotten.TOPIC,)), world.log
        )
        bundles.apply(connection, [cited], world.log)

    assert "Xanadu" not in all_text(engine)
    assert [row["erased"] for row in rows(engine, BUNDLE_CITATION)] == [False, True, True, True]


def test_a_forgotten_resolution_leaves_no_verdicts(engine):
    world = a_world().given([resolve(1), forget(1)])

    follow(world.log, engine)

    [window] = rows(engine, BUNDLE_WINDOW)
    assert json.loads(window["record"])["verdicts"] is None


def test_a_parked_stream_leaves_nothing_but_what_others_say(engine):
    world = a_world()
    follow(world.log, engine)
    workspace, claim = world.takeaways[0]

    with writing(engine) as connection:
        bundles.withdraw(connection, workspace, claim)

    assert rows(engine, BUNDLE_CLAIM) == rows(engine, BUNDLE_CITATION) == []
    assert claim not in {row["stream"] for row in rows(engine, BUNDLE_NAMING)}
    assert len(rows(engine, BUNDLE_WINDOW)) == 1


def park(engine, lineage, position):
    """The stream of a memory cannot be handled."""
    parking = Parking(CATALOGUE[2], part_in(engine, lineage[0]))
    with writing(engine) as connection:
        parking.park(connection, Culprit(position, (lineage,), "ValueError"), 0)
    return parking


def test_a_forget_that_could_not_be_handled_hides_what_it_may_be_about(engine):
    # Given a memory whose forget is parked
    world = a_world()
    follow(world.log, engine)
    park(engine, world.memories[0], 1_000)
    assert "Rosebud" not in all_text(engine)
    assert rows(engine, BUNDLE_CLAIM) == []

    # When more is said about the claim
    world.given([cite(1)])
    follow(world.log, engine)

    # Then its covered words do not come back, and the others do
    assert "Rosebud" not in all_text(engine)
    assert "Kane second" in all_text(engine)


def test_a_released_forget_shows_again_what_it_does_not_cover(engine):
    # Given two forgets of one memory, of which the second is parked
    world = a_world().given(
        [
            update(0, confidence=0.5),
            forget(0, scope="event", version=1),
            forget(0, "application_delete"),
        ]
    )
    events = [
        one for one in world.log.stream(*world.memories[0]) if one.topic == MemoryForgotten.TOPIC
    ]
    follow(world.log, engine)
    expected = told(engine)
    parking = park(engine, world.memories[0], events[1].position)
    assert rows(engine, BUNDLE_CLAIM) == rows(engine, BUNDLE_FORGOTTEN) == []

    # When it is released
    with writing(engine) as connection:
        parking.clear(connection, world.memories[0])
        CATALOGUE[2].apply(connection, events, world.log)

    # Then all is as if nothing had been parked
    assert told(engine) == expected


@settings(max_examples=10)
@given(HISTORIES, BATCHES, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), max_size=6))
def test_however_the_log_is_handed_out_the_rows_end_the_same(history, batch, pages):
    log = BundleWorld().run(history).log
    with new_views() as once, new_views() as again:
        follow(log, once, batch)

        deliver(log, again, pages)

        assert told(again) == told(once)


@settings(max_examples=10)
@given(HISTORIES, BATCHES, st.sets(st.integers(0, 16)))
def test_a_rebuild_after_erasures_equals_what_was_followed_live(history, batch, erasures):
    world = BundleWorld()
    with new_views() as live, new_views() as rebuilt:
        for index, (name, said) in enumerate(history):
            world.do(name, **said)
            follow(world.log, live, batch)
            if index in erasures:
                world.destroy_keys()
        world.destroy_keys()

        follow(world.log, rebuilt)

        assert told(rebuilt) == told(live)


@settings(max_examples=10)
@given(HISTORIES)
def test_the_rows_hold_what_the_log_tells_after_the_eraser_was_there(history):
    # Given a log in which every forget of a memory was an erasure, carried out
    world = BundleWorld().run(
        [
            (
                name,
                {**said, "mode": "application_delete"}
                if name == "forget" and said["mode"] != "expire"
                else said,
            )
            for name, said in history
        ]
    )
    world.destroy_keys()
    with new_views() as engine:
        follow(world.log, engine)
        claims = {row["claim_id"]: row for row in rows(engine, BUNDLE_CLAIM)}
        windows = {row["window_id"]: row for row in rows(engine, BUNDLE_WINDOW)}

    # Then what the domain folds of what is left is what the rows say
    for lineage in world.takeaways:
        state = None
        for event in world.log.stream(*lineage):
            state = apply_takeaway(state, event)
        row = claims[lineage[1]]
        assert row["memory_id"] == state.now.memory_id
        assert [one["said"] is None for one in json.loads(row["record"])["sayings"]] == [
            one.said is None for one in state.sayings
        ]
    for lineage in world.windows:
        state = None
        for event in world.log.stream(*lineage):
            state = apply_window(state, event)
        assert windows[lineage[1]]["mode"] == state.mode
        said = json.loads(windows[lineage[1]]["record"])["attempts"]
        assert [one["said"] is None for one in said] == [one.said is None for one in state.attempts]


def test_every_forget_is_known_whatever_it_is_about(engine):
    world = BundleWorld().given([remember("One"), forget(0)])

    follow(world.log, engine)

    [event] = world.log.after(0, 100, topics=(MemoryForgotten.TOPIC,))
    assert [(row["memory_id"], row["position"]) for row in rows(engine, BUNDLE_FORGOTTEN)] == [
        (world.memories[0][1], event.position)
    ]
