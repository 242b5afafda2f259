"""An export holds what happened, says how it can be checked, and no text that is forgotten."""

from __future__ import annotations

import os
import stat
from dataclasses import replace

import pytest

from domain.errors import MemorandaError
from domain.instants import server_time
from ops.standalone_verifier import verify_export
from tests.backup.worlds import said
from tests.exports.history import ERASED, HIDDEN, Tampered, exported, tell, text_of


def manifest(file):
    return Tampered(file).lines[-1]["manifest"]


@pytest.mark.parametrize("sanitized", [False, True])
def test_a_file_verifies_and_its_decisions_are_recomputed(files, sanitized):
    report = verify_export(files[sanitized])

    assert (report.wrong, report.findings, report.inert) == (0, [], 0)
    assert report.events == manifest(files[sanitized])["count"]
    assert report.decisions == 2
    assert report.not_recomputable == 1


def test_the_same_events_give_the_same_bytes(told, files, tmp_path):
    again = tmp_path / "again.jsonl"
    exported(told[0], again)

    assert again.read_bytes() == files[False].read_bytes()


def test_what_was_erased_is_in_no_file_and_what_was_hidden_in_no_sanitized_one(files):
    plain, sanitized = files[False].read_text(), files[True].read_text()

    assert f"{HIDDEN} nest" in plain
    assert f"asked to remove {ERASED}" in plain  # the reason stays (operations.md §5)
    assert f"{ERASED} jar" not in plain
    assert ERASED not in sanitized
    assert HIDDEN not in sanitized


def test_structure_and_chain_are_the_same_whatever_is_left_out(files):
    plain, sanitized = manifest(files[False]), manifest(files[True])

    assert plain["structure_sha256"] == sanitized["structure_sha256"]
    assert plain["head"] == sanitized["head"]
    assert plain["export_sha256"] != sanitized["export_sha256"]


def test_an_erasure_changes_neither_structure_nor_chain_of_an_older_basis(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        memory = talk.remember(**said("a secret of the galley"))
        position = str(talk.memoranda.log.head())
        before = exported(world, tmp_path / "before.jsonl", as_known=position)
        talk.forget(memory)

    after = exported(world, tmp_path / "after.jsonl", as_known=position)

    assert after.structure_sha256 == before.structure_sha256
    assert after.head == before.head
    assert (before.left_out, after.left_out, after.later) == (0, 1, 1)
    assert "galley" not in (tmp_path / "after.jsonl").read_text()
    assert verify_export(tmp_path / "after.jsonl").wrong == 0


def test_rows_hold_no_key_and_no_text_outside_of_the_payload(files):
    for row in Tampered(files[True]).rows:
        assert set(row) <= {
            "n", "position", "appended_at", "structure", "commitment", "body_sha256", "hash",
            "payload", "salt", "erased_by",
        }  # fmt: skip
        assert ("payload" in row) == ("salt" in row)
        assert row["structure"]["topic"].partition(".")[0] not in {"command", "identity", "key"}


def test_a_session_is_exported_alone_with_what_names_nothing_else(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        other = replace(talk.who, session="another")
        mine = talk.remember(**said("mine"))
        theirs = talk.send("remember", other, **said("theirs"))["record"]["id"]
        talk.send("relate", source_id=mine, target_id=theirs, kind="supports")
        talk.recall("mine theirs")

    done = exported(world, tmp_path / "one.jsonl", session=talk.who.session)

    assert done.count == 1
    assert theirs not in (tmp_path / "one.jsonl").read_text()
    assert verify_export(tmp_path / "one.jsonl").wrong == 0


def test_what_was_known_at_a_time_is_what_was_known_at_its_position(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        talk.remember(**said("early"))
        log = talk.memoranda.log
        position, at = log.head(), log.after(0, 100)[-1].appended_us
        talk.remember(**said("behindhand"))

    exported(world, tmp_path / "position.jsonl", as_known=str(position))
    exported(world, tmp_path / "time.jsonl", as_known=server_time(at))

    assert (tmp_path / "position.jsonl").read_bytes() == (tmp_path / "time.jsonl").read_bytes()
    assert "behindhand" not in (tmp_path / "time.jsonl").read_text()


def test_half_of_a_transaction_is_refused(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        tell(talk)
        applied = [
            event.position
            for event in talk.memoranda.log.after(0, 1000)
            if event.topic == "memory.superseded"
        ]

    with pytest.raises(MemorandaError, match="middle of a transaction"):
        exported(world, tmp_path / "half.jsonl", as_known=str(applied[0]))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"as_known": "yesterday"}, "as_known"),
        ({"as_known": "2026-01-01"}, "as_known"),
        ({"session": "nobody"}, "holds no events"),
        ({"as_known": "0"}, "holds no events"),
    ],
)
def test_a_question_that_cannot_be_meant_leaves_no_file(told, tmp_path, asked, words):
    with pytest.raises(MemorandaError, match=words):
        exported(told[0], tmp_path / "out.jsonl", **asked)

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_not_written_over(told, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("mine")

    with pytest.raises(MemorandaError, match="exists"):
        exported(told[0], out)

    assert out.read_text() == "mine"


def test_a_file_is_for_its_owner_alone_whatever_the_umask(told, tmp_path):
    before = os.umask(0)
    try:
        exported(told[0], tmp_path / "out.jsonl")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600


def test_without_the_slot_secret_guesses_cannot_be_tested(told, tmp_path):
    exported(told[0], tmp_path / "out.jsonl", slot_secret=False)

    header = Tampered(tmp_path / "out.jsonl").lines[0]
    assert header["slot_secret"] is None
    assert verify_export(tmp_path / "out.jsonl").wrong == 0


def test_a_store_in_use_is_exported_and_a_text_that_went_meanwhile_is_not_in_it(
    new_world, tmp_path
):
    world = new_world()
    with world.open() as talk:
        memory = talk.remember(content=text_of("barnacle"))
        talk.forget(memory)
        exported(world, tmp_path / "out.jsonl")

    assert "barnacle" not in (tmp_path / "out.jsonl").read_text()


def test_the_reason_of_an_expiry_goes_with_the_memory_that_was_forgotten_later(new_world, tmp_path):
    world = new_world()
    with world.open() as talk:
        memory = talk.remember(content=text_of("barnacle"))
        expiry = {"mode": "expire", "expires_at": "2030-01-01T00:00:00Z"}
        talk.send("forget", memory_id=memory, reason="the barnacle is old", **expiry)
        talk.send("forget", memory_id=memory, reason="asked to", mode="tombstone")

    exported(world, tmp_path / "out.jsonl", sanitized=True)

    assert "barnacle" not in (tmp_path / "out.jsonl").read_text()
    assert verify_export(tmp_path / "out.jsonl").wrong == 0
