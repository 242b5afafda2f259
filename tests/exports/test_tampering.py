"""Whoever changes an export is found out, by message and row (spec/policy.md §2.11).

Each edit is made twice: with the manifest left alone, and with its hashes computed again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ops.standalone_verifier import verify_export
from tests.cli.processes import memoranda
from tests.exports.history import Tampered, exported, text_of

PROGRAM = Path(__file__).resolve().parents[2] / "docs" / "verify.py"


def live(row):
    return "payload" in row


def changed_value(file):
    row = file.first(lambda row: live(row) and "content" in row["payload"])
    row["payload"]["content"]["value"]["text"] = "The mast is 99 m high."
    return row["n"]


def dropped_last_row(file):
    file.lines.remove(file.rows[-1])


def dropped_middle_row(file):
    row = file.rows[len(file.rows) // 2]
    file.lines.remove(row)
    return row["n"] + 1


def swapped_rows(file):
    rows = file.rows
    one, other = file.lines.index(rows[3]), file.lines.index(rows[4])
    file.lines[one], file.lines[other] = file.lines[other], file.lines[one]
    return rows[4]["n"]


def moved_timestamp(file):
    row = file.rows[2]
    row["appended_at"] = file.rows[1]["appended_at"]
    return row["n"]


def moved_recording_time(file):
    row = file.rows[2]
    row["structure"]["recorded_at"] = "2020-01-01T00:00:00.000000Z"
    return row["n"]


def withheld_payload(file):
    row = file.first(live)
    del row["payload"], row["salt"]
    return row["n"]


def false_erasure_claim(file):
    row = file.first(live)
    del row["payload"], row["salt"]
    row["erased_by"] = f"{row['structure']['stream']}@2"
    return row["n"]


def erasure_by_somebody_elses_forget(file):
    row = file.first(live)
    del row["payload"], row["salt"]
    row["erased_by"] = file.first(lambda one: "erased_by" in one)["erased_by"]
    return row["n"]


def reinserted_payload(file):
    row = file.first(lambda row: "erased_by" in row)
    del row["erased_by"]
    row["payload"], row["salt"] = {"kind": "fact"}, "00" * 16
    return row["n"]


def changed_decision(file):
    row = file.first(lambda row: row["structure"]["topic"] == "recall.recorded" and live(row))
    row["payload"]["items"][0]["score"] = 99.0
    return row["n"]


EDITS = (
    changed_value,
    dropped_last_row,
    dropped_middle_row,
    swapped_rows,
    moved_timestamp,
    moved_recording_time,
    withheld_payload,
    false_erasure_claim,
    erasure_by_somebody_elses_forget,
    reinserted_payload,
    changed_decision,
)


def tampered(files, edit, out, *, hashes):
    file = Tampered(files[True])
    row = edit(file)
    return file.write(out, hashes=hashes), row


@pytest.mark.parametrize("hashes", [False, True])
@pytest.mark.parametrize("edit", EDITS)
def test_every_edit_is_found_and_its_row_is_named(files, tmp_path, edit, hashes):
    file, row = tampered(files, edit, tmp_path / "edited.jsonl", hashes=hashes)

    report = verify_export(file)

    rows = [one["row"] for one in report.findings]
    assert report.wrong
    assert rows[0] == row if row is not None and hashes else row is None or row in rows
    assert ("manifest" in rows) == (not hashes)
    if edit is dropped_last_row and hashes:
        assert rows == ["header"]


def test_the_right_payload_that_is_put_back_is_found_too(files, tmp_path):
    plain, file = Tampered(files[False]), Tampered(files[True])
    row = file.first(lambda row: "erased_by" in row and "payload" in plain.rows[row["n"] - 1])
    del row["erased_by"]
    row |= {name: plain.rows[row["n"] - 1][name] for name in ("payload", "salt")}

    [found] = verify_export(file.write(tmp_path / "edited.jsonl", hashes=True)).findings

    assert (found["row"], found["rule"]) == (row["n"], "is there, and a forget covers the event")


def test_a_file_that_nobody_touched_is_written_down_as_it_was(files, tmp_path):
    again = Tampered(files[True]).write(tmp_path / "again.jsonl", hashes=True)

    assert again.read_bytes() == files[True].read_bytes()


@pytest.mark.parametrize("edit", [None, changed_value, false_erasure_claim])
def test_both_programs_say_the_same(files, tmp_path, edit):
    file = files[True]
    if edit is not None:
        file, _ = tampered(files, edit, tmp_path / "edited.jsonl", hashes=True)

    ours = memoranda("verify", file, "--json")
    theirs = subprocess.run(
        [sys.executable, "-I", PROGRAM, file, "--json"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (ours.returncode, theirs.returncode) == ((0, 0) if edit is None else (1, 1))
    assert json.loads(ours.stdout) == json.loads(theirs.stdout)


def test_a_file_that_was_cut_off_has_no_manifest(files, tmp_path):
    cut = tmp_path / "cut.jsonl"
    for size in (100, 1000, len(files[True].read_bytes()) - 1):
        cut.write_bytes(files[True].read_bytes()[:size])
        if b"\n" in cut.read_bytes():
            assert "manifest" in {one["row"] for one in verify_export(cut).findings}
        else:
            with pytest.raises(ValueError, match="no export"):
                verify_export(cut)


@pytest.mark.parametrize("byte", range(0, 60_000, 701))
def test_one_flipped_byte_is_seen_wherever_it_is(files, tmp_path, byte):
    data = bytearray(files[True].read_bytes())
    data[byte % len(data)] ^= 1
    (tmp_path / "flipped.jsonl").write_bytes(data)

    try:
        report = verify_export(tmp_path / "flipped.jsonl")
    except ValueError:
        return
    assert report.wrong


@pytest.mark.parametrize(
    "line",
    [
        b"{}", b"[]", b"null", b'{"n":1}', b'{"n":"x","structure":{},"commitment":null}',
        b'{"later":true}', b"\xff", b'{"n":1,"structure":{"stream":5},"commitment":null}',
    ],
)  # fmt: skip
def test_a_line_that_is_no_row_is_told_and_stops_nothing(files, tmp_path, line):
    lines = files[True].read_bytes().split(b"\n")
    (tmp_path / "odd.jsonl").write_bytes(b"\n".join([*lines[:4], line, *lines[4:]]))

    report = verify_export(tmp_path / "odd.jsonl")

    assert report.wrong
    assert report.events == len(lines) - 3


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("session", "somebody else's"),
        ("session", 5),
        ("sanitized", "yes"),
        ("workspace", None),
        ("settings", {}),
        ("settings", {"session_isolation": "loose"}),
        ("slot_secret", "zz"),
        ("slot_secret", ""),
    ],
)
def test_a_header_that_says_what_no_header_says_is_found(files, tmp_path, member, value):
    file = Tampered(files[True])
    file.lines[0][member] = value

    report = verify_export(file.write(tmp_path / "edited.jsonl", hashes=True))

    assert report.wrong


@pytest.mark.parametrize(("member", "value"), [("prev", "00" * 32), ("version", 1)])
def test_a_later_forget_follows_what_it_forgets(new_world, tmp_path, member, value):
    world = new_world()
    with world.open() as talk:
        memory = talk.remember(content=text_of("barnacle"))
        position = str(talk.memoranda.log.head())
        talk.forget(memory)
    exported(world, tmp_path / "basis.jsonl", as_known=position)
    file = Tampered(tmp_path / "basis.jsonl")
    later = next(line for line in file.lines if "later" in line)
    assert verify_export(tmp_path / "basis.jsonl").wrong == 0
    later["structure"][member] = value

    report = verify_export(file.write(tmp_path / "edited.jsonl", hashes=True))

    rules = [one["rule"] for one in report.findings if one["row"] == "later"]
    assert rules == ["does not follow the last version of its memory"]
