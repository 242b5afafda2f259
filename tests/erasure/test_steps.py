"""An erasure goes on to its end whatever fails on the way, and each of its steps is told once."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from contextlib import closing

import pytest

from commands.erasure_steps import ErasureSteps
from commands.keystore import KeyStore
from commands.store_errors import StoreBusyError
from domain.envelope import CorruptEventError
from domain.erasure import STEPS
from domain.errors import MemorandaError
from domain.events import ErasureCompleted, ErasureStep
from ops.erasing import ReadSideCleaner
from ops.wiring import EngineRecallRecorder, open_memoranda
from tests.erasure.world import BOTH, PLAIN, WORDS, Talk, tell


def erasures(memoranda):
    """The steps of every erasure, as they stand in the log."""
    found = {}
    topics = (ErasureStep.TOPIC, ErasureCompleted.TOPIC)
    for event in memoranda.log.after(0, 10_000, topics=topics):
        for fact in event.facts:
            found.setdefault(event.stream, []).append(getattr(fact, "mode", "completed"))
    return list(found.values())


def at_rest(memoranda, seconds=20.0):
    """Wait until no erasure is pending."""
    eraser = memoranda.commands.eraser
    with eraser._changed:
        assert eraser._changed.wait_for(lambda: not eraser.pending, seconds)


def failing_once(monkeypatch, owner, name, *, after=False):
    """Let a method fail the first time that it is called, before or after it has done its work."""
    method, failed = getattr(owner, name), []

    def fail(self, *given, **named):
        done = method(self, *given, **named) if after or failed else None
        if not failed:
            failed.append(name)
            raise StoreBusyError("a fault of the test")
        return done

    monkeypatch.setattr(owner, name, fail)
    return failed


WORK = {
    "keys_destroyed": (KeyStore, "destroy"),
    "the pages of the key store": (KeyStore, "compact"),
    "views_cleared": (ReadSideCleaner, "clear_views"),
    "caches_cleared": (ReadSideCleaner, "clear_caches"),
    "questions_destroyed": (ReadSideCleaner, "settle"),
}


@pytest.mark.parametrize("after", [False, True], ids=["before its work", "after its work"])
@pytest.mark.parametrize("step", WORK)
def test_a_step_that_fails_is_done_again(talk, data, monkeypatch, step, after):
    # Given
    told = tell(talk, long=30)
    failed = failing_once(monkeypatch, *WORK[step], after=after)
    # When
    try:
        answer = talk.forget(told.memory)
        hindered = step if answer["erasure"]["completed"] is False else None
    except MemorandaError as refusal:
        hindered = refusal.code.value
    at_rest(talk.memoranda)
    # Then
    early = step in ("keys_destroyed", "the pages of the key store")
    assert (failed, hindered) == ([WORK[step][1]], "DURABILITY_FAILED" if early else step)
    assert erasures(talk.memoranda) == [list(STEPS)]
    assert WORDS.found_under(data, inflate=False) == {}


@pytest.mark.parametrize("after", [False, True], ids=["not recorded", "recorded all the same"])
@pytest.mark.parametrize("number", range(5))
def test_a_step_whose_recording_fails_is_told_once(talk, monkeypatch, number, after):
    memory = talk.remember()
    record, calls = ErasureSteps._record, []

    def fail(self, *given):
        calls.append(given)
        if len(calls) != number + 1 or after:
            record(self, *given)
        if len(calls) == number + 1:
            raise StoreBusyError("a fault of the test")

    monkeypatch.setattr(ErasureSteps, "_record", fail)
    with contextlib.suppress(MemorandaError):
        talk.forget(memory)
    at_rest(talk.memoranda)

    assert erasures(talk.memoranda) == [list(STEPS)]


def test_a_text_whose_erasure_was_interrupted_cannot_be_read_after_the_next_start(
    data, monkeypatch
):
    # Given a process that ends before it has destroyed a key
    with closing(open_memoranda(data)) as memoranda, monkeypatch.context() as hindrance:
        talk = Talk(memoranda)
        told = tell(talk, long=30)

        def never(*_):
            raise StoreBusyError("a fault of the test")

        hindrance.setattr(KeyStore, "destroy", never)
        with pytest.raises(MemorandaError):
            talk.forget(told.memory)
        assert PLAIN in repr(memoranda.log.stream("w", told.memory))
        memoranda.close()
    # When
    with closing(open_memoranda(data)) as memoranda:
        # Then
        assert PLAIN not in repr(memoranda.log.stream("w", told.memory))
        at_rest(memoranda)
        assert erasures(memoranda) == [list(STEPS)]
    assert WORDS.found_under(data, inflate=False) == {}


def test_a_damaged_event_holds_up_its_own_erasure_and_no_other(talk, data):
    # Given a recall that cannot be read any more
    damaged, sound = tell(talk, long=1), talk.remember(content={"format": "text", "value": "heron"})
    with closing(sqlite3.connect(data / "log.db", isolation_level=None)) as log:
        log.execute("DROP TRIGGER event_refuses_update")
        recalls = "SELECT position, state FROM event WHERE topic = 'recall.recorded'"
        for position, state in log.execute(recalls).fetchall():
            changed = b"?" + state[1:]
            log.execute("UPDATE event SET state = ? WHERE position = ?", (changed, position))
    # When
    bodies = [
        talk.send("forget", memory_id=memory, mode="application_delete", reason="asked to")
        for memory in (damaged.memory, sound)
    ]
    # Then
    assert [body["erasure"]["completed"] for body in bodies] == [False, True]
    eraser = talk.memoranda.commands.eraser
    assert eraser.pending == 1
    assert isinstance(eraser.failure, CorruptEventError)


def test_a_question_that_is_underway_goes_too(talk, data, monkeypatch):
    # Given a question that has found the memory, and is not recorded yet
    told = tell(talk, long=30)
    found, go_on = threading.Event(), threading.Event()
    record = EngineRecallRecorder.record

    def slow(self, *given):
        found.set()
        assert go_on.wait(30)
        return record(self, *given)

    monkeypatch.setattr(EngineRecallRecorder, "record", slow)
    answers = []
    asker = threading.Thread(target=lambda: answers.append(talk.recall(BOTH)))
    asker.start()
    assert found.wait(30)
    # When the memory is destroyed meanwhile
    eraser = talk.memoranda.commands.eraser
    forgetter = threading.Thread(target=lambda: answers.append(talk.forget(told.memory)))
    forgetter.start()
    with eraser._changed:
        assert eraser._changed.wait_for(
            lambda: [one.done for one in eraser._pending.values()] == ["caches_cleared"], 20
        )
    go_on.set()
    asker.join()
    forgetter.join()
    # Then
    recalled, forgotten = answers
    assert told.memory in [item["record"]["id"] for item in recalled["items"]]
    assert forgotten["erasure"]["completed"] is True
    [event] = talk.memoranda.log.stream("w", recalled["recall_id"])
    assert event.erased
    assert WORDS.found_under(data, inflate=False) == {}
