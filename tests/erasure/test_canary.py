"""After an application_delete the words are in no answer, and in no byte of the data folder."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from domain.context import CONTRACT_PERMISSIONS
from ops.wiring import open_memoranda
from tests.erasure.world import BOTH, WORDS, Doors, Talk, reader, tell
from tests.services import fork_server

ROOT = Path(__file__).parents[2]


def test_the_words_are_found_by_everything_before_and_by_nothing_after(talk, data):
    # Given: a positive control, or nothing that follows would mean anything
    told = tell(talk)
    doors = Doors(talk, told, reader(*CONTRACT_PERMISSIONS))
    assert {name: told.memory in ids for name, ids in doors.recalled().items()} == dict.fromkeys(
        doors.recalled(), True
    )
    assert {
        "memory",
        "version",
        "memories",
        "trace",
        "log",
        "recall 0",
        "again 1",
    } <= doors.saying()
    assert [file for file in WORDS.found_under(data) if file.startswith("views.db")]
    # When
    answer = talk.forget(told.memory)
    # Then
    assert answer["erasure"]["completed"] is True
    assert WORDS.found_under(data) == {}
    assert doors.saying() == set()
    assert not any(doors.recalled().values())


def test_no_later_start_and_no_rebuild_brings_a_word_back(data):
    with closing(open_memoranda(data)) as memoranda:
        talk = Talk(memoranda)
        told = tell(talk)
        talk.caught_up()
        assert WORDS.found_under(data)
        talk.forget(told.memory)
        talk.recall(BOTH)  # asked once more: what is recorded of it is sealed
    assert WORDS.found_under(data) == {}

    for command in ("rebuild", "verify"):
        done = fork_server.finished(
            [sys.executable, "-m", "ops.cli", command, "--data", str(data)],
            cwd=ROOT, check=True, capture_output=True,
        )  # fmt: skip
        assert WORDS.found_in(done.stdout + done.stderr) == set()
    with closing(open_memoranda(data)) as memoranda:
        talk = Talk(memoranda)
        doors = Doors(talk, told, reader(*CONTRACT_PERMISSIONS))
        # The question that was asked after the forget found nothing, and stays as it was asked.
        assert doors.saying() == {"log"}
        assert not any(doors.recalled().values())
        assert WORDS.found_under(data) == {}
    assert WORDS.found_under(data) == {}
