"""A connection that is lost at the commit: the engine looks before it does anything again."""

from __future__ import annotations

import pytest

from commands.store_errors import StoreError
from commands.store_sqlite import SqliteRecorder
from domain.errors import Code, MemorandaError
from tests.circumstances import context
from tests.inputs import envelope


class BlindRecorder(SqliteRecorder):
    """A log whose reads fail while it is told so."""

    blind = False

    def load(self, wanted):
        if self.blind:
            raise StoreError("the data folder cannot be used")
        return super().load(wanted)


def body(key="k", operation="remember", **changes):
    return envelope(operation, envelope_changes={"idempotency_key": key}, **changes)


def topics(side):
    return [event.topic for event in side.log.after(0, 100)]


def test_what_was_committed_before_the_connection_was_lost_is_answered_as_done(
    write_side_of, losing
):
    # Given
    side = write_side_of(factory=losing)
    side.send(body("first"))
    # When the commit happens and its answer is lost
    losing.fate = "after"
    made = side.send(body())
    # Then it was done once, and is no replay
    assert topics(side) == ["memory.remembered", "command.recorded"] * 2
    assert made["receipt"]["replayed"] is False
    assert made["receipt"]["position"] == side.log.head()


def test_what_was_not_committed_is_appended_once(write_side_of, losing):
    side = write_side_of(factory=losing)
    losing.fate = "before"

    made = side.send(body())

    assert topics(side) == ["memory.remembered", "command.recorded"]
    assert made["receipt"]["replayed"] is False


def test_what_another_process_did_meanwhile_is_not_taken_for_ones_own(write_side_of, losing):
    # Given one memory, and two processes that are sent the same correction of it
    side, rival = write_side_of(factory=losing), write_side_of()
    memory = side.send(body("first"))["record"]["id"]
    target = {"kind": "memory", "id": memory}
    same = body("same", "update", target=target, patch={"confidence": 0.5})
    theirs = []
    # When the other one carries it out at the moment at which ours loses its connection
    losing.meanwhile = staticmethod(lambda: theirs.append(rival.send(same)))
    losing.fate = "before"
    mine = side.send(same)
    # Then ours is a replay of theirs: their version, recorded when they did it
    assert theirs[0]["receipt"]["replayed"] is False
    assert mine["receipt"] == {**theirs[0]["receipt"], "replayed": True}
    assert mine["record"] == theirs[0]["record"]
    assert [event.version for event in side.log.stream("w", memory)] == [1, 2]


def test_an_outcome_that_cannot_be_looked_up_is_not_told_as_nothing_done(write_side_of, losing):
    # Given
    recorders = []

    def recorder(*arguments, **options):
        recorders.append(BlindRecorder(*arguments, **options))
        return recorders[0]

    side = write_side_of(recorder, factory=losing)
    side.send(body("first"))
    # When the connection is lost after the commit, and nothing can be read any more
    losing.meanwhile = staticmethod(lambda: setattr(recorders[0], "blind", True))
    losing.fate = "after"
    with pytest.raises(MemorandaError) as caught:
        side.send(body())
    # Then the caller is told that it may have happened, and a repeat finds that it has
    assert caught.value.code == Code.DURABILITY_FAILED
    assert "not known" in caught.value.message
    assert "nothing was recorded" not in caught.value.message
    recorders[0].blind = False
    assert side.send(body(), context())["receipt"]["replayed"] is True
