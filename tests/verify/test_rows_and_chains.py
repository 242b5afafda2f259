"""Rows dropped, doubled, moved and linked anew: what is found without any key."""

from __future__ import annotations

import hashlib
import itertools

import pytest

from tests.verify.stores import HOME, first, recall, receipt, remember, rules, update, verdict
from tests.verify.writer import hash_of, state_of


@pytest.fixture
def chain(writer):
    """Five versions of one memory, with the receipts of the first and the last."""
    start = remember(writer)
    later = [update(writer, start.stream) for _ in range(4)]
    receipt(writer, later[-1])
    return [start, *later]


def test_a_store_that_nobody_touched_has_nothing_wrong(furnished, copy_of):
    report = copy_of(furnished).report()

    assert (report.events, report.wrong, report.findings) == (27, 0, [])
    assert (report.decrypted, report.erased, report.not_decrypted) == (0, 0, 23)


def test_a_dropped_version_is_missed_by_the_next_one(writer, chain, copy_of):
    for gone, following in itertools.pairwise(chain):
        copy = copy_of(writer)

        copy.change("DELETE FROM event WHERE position = ?", gone.position)
        copy.change("DELETE FROM event_ref WHERE position = ?", gone.position)

        assert first(copy.report()) == (
            following.position, following.name, "originator_version",
        )  # fmt: skip


def test_a_dropped_last_version_is_missed_by_its_receipt(writer, chain, copy_of):
    copy, kept = copy_of(writer), writer.written[-1]

    copy.change("DELETE FROM event WHERE position = ?", chain[-1].position)

    report = copy.report()
    assert first(report) == (kept.position, kept.name, "state")
    assert rules(report) == ["names an event that is not in the log"]


def test_a_dropped_receipt_is_missed_by_its_reference(writer, chain, copy_of):
    copy, gone = copy_of(writer), writer.written[-1]

    copy.change("DELETE FROM event WHERE position = ?", gone.position)

    assert first(copy.report()) == (gone.position, "?", "event_ref")


def test_an_event_that_a_recall_answered_with_cannot_be_dropped(writer, copy_of):
    memory = remember(writer)
    seen = update(writer, memory.stream)
    answer = recall(writer, seen)
    copy = copy_of(writer)

    copy.change("DELETE FROM event WHERE position = ?", seen.position)

    assert first(copy.report()) == (answer.position, answer.name, "state")


def swap(copy, one: int, other: int, columns: str) -> None:
    for at, to in ((one, -1), (other, one), (-1, other)):
        copy.change(f"UPDATE event SET {columns.format(to=to)} WHERE position = {at}")


def test_swapped_versions_of_a_stream_are_found(writer, chain, copy_of):
    copy, (_, second, third, *_) = copy_of(writer), chain

    swap(copy, second.position, third.position, "position = {to}")

    report = copy.report()
    assert first(report) == (second.position, third.name, "originator_version")
    assert {finding["column"] for finding in report.findings} >= {"appended_at"}


def test_swapped_events_of_two_streams_are_found_by_their_time(writer, copy_of):
    one, other = remember(writer), remember(writer)
    copy = copy_of(writer)

    swap(copy, one.position, other.position, "position = {to}")

    columns = {finding["column"] for finding in copy.report().findings}
    assert {"appended_at"} <= columns


def test_swapped_events_of_two_streams_are_found_by_their_references(writer, copy_of):
    one, other = remember(writer), remember(writer, "cellar")
    copy = copy_of(writer)
    times = [
        copy.value("SELECT appended_at FROM event WHERE position = ?", event.position)
        for event in (one, other)
    ]

    swap(copy, one.position, other.position, "position = {to}")
    for event, time in zip((one, other), times, strict=True):
        copy.change("UPDATE event SET appended_at = ? WHERE position = ?", time, event.position)

    assert first(copy.report()) == (one.position, other.name, "event_ref")


def test_a_time_of_append_before_the_one_before_is_found(writer, chain, copy_of):
    copy, event = copy_of(writer), chain[2]

    copy.change("UPDATE event SET appended_at = 5 WHERE position = ?", event.position)

    assert first(copy.report()) == (event.position, event.name, "appended_at")


def test_events_of_one_append_have_one_time(writer, chain, copy_of):
    copy = copy_of(writer)

    copy.change("UPDATE event SET appended_at = 5")

    assert copy.report().wrong == 0


@pytest.mark.parametrize("prev", [None, "0" * 64, 7, ["x"], "of the first version"])
def test_another_prev_is_found_although_its_hash_was_made_to_fit(prev, writer, chain, copy_of):
    copy = copy_of(writer)
    if prev == "of the first version":
        prev = copy.value("SELECT hex(event_hash) FROM event WHERE position = 1").lower()

    copy.replace_head(chain[2], copy.head(chain[2]) | {"prev": prev})

    assert first(copy.report()) == (chain[2].position, chain[2].name, "state")


def test_a_first_version_has_no_prev(writer, chain, copy_of):
    copy = copy_of(writer)

    copy.replace_head(chain[0], copy.head(chain[0]) | {"prev": "0" * 64})

    assert first(copy.report()) == (chain[0].position, chain[0].name, "state")


def test_a_version_that_was_replaced_with_its_hash_is_found_by_the_next_one(writer, chain, copy_of):
    copy = copy_of(writer)

    copy.replace_head(chain[1], copy.head(chain[1]) | {"recorded_at": "2020-01-01T00:00:00Z"})

    assert first(copy.report()) == (chain[2].position, chain[2].name, "state")


def test_a_history_linked_anew_is_found_with_keys_at_the_row_that_was_changed(
    writer, chain, copy_of
):
    copy = copy_of(writer)

    prev = copy.replace_head(
        chain[1], copy.head(chain[1]) | {"recorded_at": "2020-01-01T00:00:00Z"}
    )
    for event in chain[2:]:
        prev = copy.replace_head(event, copy.head(event) | {"prev": prev})

    assert copy.report().wrong == 0
    assert first(copy.report(keys=True)) == (chain[1].position, chain[1].name, "state")


def test_a_body_moved_from_another_event_is_found(writer, copy_of):
    one, other = remember(writer), remember(writer)
    copy = copy_of(writer)
    head, body = copy.state(one)[0], copy.state(other)[1]

    copy.change("UPDATE event SET state = ? WHERE position = ?", state_of(head, body), one.position)

    assert first(copy.report()) == (one.position, one.name, "event_hash")

    copy.change(
        "UPDATE event SET event_hash = ? WHERE position = ?", hash_of(head, body), one.position
    )

    assert first(copy.report(keys=True)) == (one.position, one.name, "state")


def test_a_row_that_is_there_twice_is_found(writer, chain, copy_of):
    copy, event = copy_of(writer), chain[1]

    copy.change(
        "INSERT INTO event (originator_id, originator_version, topic, state, event_hash,"
        " workspace, part, appended_at) SELECT originator_id, 6, topic, state, event_hash,"
        " workspace, part, appended_at + 1000 FROM event WHERE position = ?",
        event.position,
    )

    assert first(copy.report())[0] == writer.written[-1].position + 1


def test_twenty_findings_are_listed_and_all_rows_counted(furnished, copy_of):
    copy = copy_of(furnished)

    copy.change("UPDATE event SET part = 5")

    report = copy.report()
    assert (report.wrong, len(report.findings)) == (27, 20)
    assert [finding["position"] for finding in report.findings] == list(range(1, 21))


def test_what_cannot_be_read_any_more_is_a_finding(furnished, copy_of):
    copy = copy_of(furnished)
    digest = copy.value("SELECT state FROM event WHERE position = 20")
    file = bytearray(copy.log_db.read_bytes())
    page = file.index(digest) // 4096 * 4096
    file[page : page + 64] = hashlib.sha512(b"dust").digest()

    copy.log_db.write_bytes(file)

    assert copy.report().wrong >= 1


def test_structure_is_read_from_the_head_alone(writer):
    """Home, references and targets stand in `s`; nothing else may."""
    memory = remember(writer)
    writer.append(
        memory.stream,
        "memory.updated",
        {**HOME, "slot_ref": writer.slot_ref("harbour", "roof"), "content": "the roof leaks"},
        {"confidence": 0.5},
    )

    assert first(verdict(writer, keys=False))[0] == writer.written[-1].position
