"""What was backed up is restored: in either store, from either store, byte by byte."""

from __future__ import annotations

import contextlib
import itertools
import shutil

import pytest

from commands.clock import SystemClock
from commands.store_postgres import PARTS, PostgresRecorder
from commands.store_rows import part_of
from ops.backup_stage import LEAP, MASTER, Given
from tests.backup.worlds import said, texts, traces
from tests.erasure.world import PLAIN, WORDS, tell

KINDS = ("folder", "postgresql")


@pytest.mark.parametrize(("kind", "other"), list(itertools.product(KINDS, KINDS)))
def test_a_restored_store_answers_what_the_first_one_did(new_world, tmp_path, kind, other):
    # Given
    first = new_world(kind)
    with first.open() as talk:
        told = tell(talk, long=10)
        gone = talk.remember(**said("a bittern"), identity_key="bittern")
        talk.forget(gone)
        before = traces(talk, told.memory, told.other, gone)
        found = texts(talk, PLAIN)
        head = talk.memoranda.log.head()
        token, _ = talk.memoranda.keys.create(
            name="k", workspace="w", actor="a", permissions=["read"]
        )
    # When
    made = first.backup(tmp_path / "backup")
    second = new_world(other)
    if other == "folder":
        second.folder.mkdir()
        (second.folder / MASTER).write_text(first.master_key().hex())
        second.restore(tmp_path / "backup")
    else:
        second.restore(Given(tmp_path / "backup", master_key=first.master_key()))
    # Then
    report = second.verified(tmp_path / "again")
    assert (report.wrong, report.not_decrypted) == (0, 0)
    with second.open() as talk:
        assert traces(talk, told.memory, told.other, gone) == before
        assert texts(talk, PLAIN) == found
        assert talk.memoranda.keys.authenticate(token).name == "k"
        later = talk.remember(**said("later"))
        [event] = talk.memoranda.log.stream(talk.who.workspace, later)
        assert event.position > head + LEAP
    assert made.position >= head


def test_events_that_come_into_a_database_get_the_part_of_their_workspace(new_world, tmp_path):
    world, other = new_world("folder"), new_world("postgresql")
    with world.open() as talk:
        told = tell(talk, long=1)
    world.backup(tmp_path / "backup")

    other.restore(Given(tmp_path / "backup", master_key=world.master_key()))

    with contextlib.closing(PostgresRecorder(other.mode.database_url, SystemClock())) as store:
        rows = store.rows_after(0, 1000)
    assert {row.part for row in rows} == {None, part_of(told.memory, rows[0].workspace, PARTS)}
    for row in rows:
        assert (row.part is None) == row.topic.startswith(("command", "recall", "identity"))


def test_a_backup_holds_no_word_of_what_was_said(new_world, tmp_path, kind):
    world = new_world(kind)
    with world.open() as talk:
        tell(talk, long=10)
        world.backup(tmp_path / "backup")

    assert WORDS.found_under(tmp_path / "backup", inflate=False) == {}
    assert world.master_key() not in b"".join(
        one.read_bytes() for one in (tmp_path / "backup").iterdir()
    )


def test_the_keys_may_be_kept_elsewhere(new_world, tmp_path):
    world = new_world("folder")
    with world.open() as talk:
        memory = talk.remember(**said("an otter"))
        before = traces(talk, memory)
    world.backup(tmp_path / "backup")
    elsewhere = tmp_path / "elsewhere.db"
    (tmp_path / "backup" / "keys.db").rename(elsewhere)

    other = new_world("folder")
    other.restore(Given(tmp_path / "backup", keys=elsewhere, master_key=world.master_key()))

    with other.open() as talk:
        assert traces(talk, memory) == before


def test_a_backup_under_another_master_key_is_put_under_that_of_the_store(new_world, tmp_path):
    world, other = new_world("folder"), new_world("folder")
    with world.open() as talk:
        memory = talk.remember(**said("an otter"))
    world.backup(tmp_path / "backup")
    with other.open():
        kept = other.master_key()
    shutil.copy(world.folder / MASTER, tmp_path / "key")

    other.restore(Given(tmp_path / "backup", master_key=world.master_key()), replace=True)

    assert other.master_key() == kept != world.master_key()
    with other.open() as talk:
        assert len(traces(talk, memory)) == 1
    assert other.verified(tmp_path / "again").wrong == 0
