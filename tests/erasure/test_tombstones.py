"""After a tombstone the content is in no answer, but for auditors in a trace."""

from __future__ import annotations

from tests.erasure.world import Doors, reader, tell


def test_no_door_says_a_word_of_a_tombstoned_memory(talk):
    # Given
    told = tell(talk, long=3)
    doors = Doors(talk, told, reader("read", "write", "trace", "consolidate"))
    assert {"memory", "memories", "trace", "log", "recall 0", "trace of recall 1"} <= doors.saying()
    # When
    talk.forget(told.memory, "tombstone")
    # Then
    assert doors.saying() == set()
    assert not any(doors.recalled().values())


def test_an_auditor_is_told_in_a_trace_and_by_the_questions_that_found_it(talk):
    told = tell(talk, long=3)
    talk.forget(told.memory, "tombstone")

    auditor = Doors(talk, told, reader("read", "trace", "forget"))

    questions = {f"recall {at}" for at in range(3)}
    of_questions = {f"{what} of {one}" for one in questions for what in ("trace", "stream")}
    mutations = {name for name in auditor.saying() if name.startswith("trace of ")}
    mutations -= of_questions
    assert len(mutations) == 4, "the versions of the memory, each in the command that made it"
    assert auditor.saying() - mutations == {
        "trace", "log", "proposal", *questions, *of_questions,
    }  # fmt: skip
    assert Doors(talk, told, reader("read", "trace")).saying() == set()


def test_a_forgotten_version_is_in_no_answer_and_nor_is_what_asked_for_it(talk):
    told = tell(talk, long=3)
    doors = Doors(talk, told, reader("read", "write", "trace", "consolidate"))
    for version in range(1, 5):
        talk.forget(told.memory, "tombstone", scope="event", version=version)

    assert doors.saying() == set()
    assert not any(doors.recalled().values())
