"""After an application_delete the words are in no file of the recall index either."""

from __future__ import annotations

import itertools
from contextlib import closing

import pytest

from domain.context import CONTRACT_PERMISSIONS
from ops.wiring import open_memoranda
from tests.erasure.world import WORDS, Doors, Talk, reader, tell


def flush(talk):
    rounds = talk.memoranda.index.rounds
    talk.caught_up()
    rounds.due()
    rounds.work("w")


def in_index(data):
    return [file for file in WORDS.found_under(data) if file.startswith("index/")]


@pytest.mark.parametrize("mode", ["application_delete", "tombstone"])
def test_the_words_are_in_the_index_before_and_in_no_file_of_it_after(talk, data, mode):
    told = tell(talk)
    flush(talk)
    doors = Doors(talk, told, reader(*CONTRACT_PERMISSIONS))
    assert all(told.memory in ids for ids in doors.recalled().values())
    assert in_index(data)

    answer = talk.forget(told.memory, mode)
    if mode == "tombstone":
        flush(talk)
    else:
        assert answer["erasure"]["completed"] is True

    assert in_index(data) == []
    assert mode == "tombstone" or WORDS.found_under(data) == {}
    assert not any(doors.recalled().values())


def test_a_version_that_is_forgotten_alone_leaves_the_index_too(talk, data):
    told = tell(talk)
    flush(talk)

    for version in (4, 3, 2, 1):
        talk.forget(told.memory, scope="event", version=version)

    assert WORDS.found_under(data) == {}


def test_a_start_without_the_folder_of_the_index_does_not_say_that_it_is_erased(data):
    with closing(open_memoranda(data)) as memoranda:
        talk = Talk(memoranda)
        told = tell(talk)
        flush(talk)
    blocked = data / "a file"
    blocked.write_text("no folder")
    with closing(open_memoranda(data, index_root=blocked)) as memoranda:
        talk = Talk(memoranda, numbers=itertools.count(1_000))
        assert memoranda.index.rounds is None

        answer = talk.forget(told.memory)

        assert answer["erasure"]["completed"] is False
        assert talk.recall("says")["items"] == []
    assert in_index(data)

    for _ in range(10):
        # A start resumes it, and its end waits unless something else is at work on the index.
        with closing(open_memoranda(data)) as memoranda:
            if memoranda.log.after(0, 10_000, topics=["erasure.completed"]):
                break
    assert WORDS.found_under(data) == {}
