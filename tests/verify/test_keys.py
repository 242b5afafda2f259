"""With the key store: every payload opens, and is the one that was committed to."""

from __future__ import annotations

import pytest

from tests.verify.stores import first, remember, rules, update, verdict


def test_every_payload_of_a_good_store_opens(furnished):
    report = verdict(furnished)

    assert (report.events, report.wrong, report.findings) == (27, 0, [])
    assert (report.decrypted, report.erased, report.not_decrypted) == (23, 0, 0)


def test_another_master_key_opens_nothing(furnished):
    report = verdict(furnished, master=bytes(32))

    assert (report.decrypted, report.not_decrypted) == (0, 23)
    assert first(report) == (1, furnished.written[0].name, "state")


def test_a_key_that_is_not_in_the_key_store_is_named(furnished, copy_of):
    shared = {secrets.audit for secrets in furnished.workspaces.values()}
    for event in furnished.written:
        if event.key is not None and event.key not in shared:
            copy = copy_of(furnished)

            copy.change_keys("DELETE FROM data_key WHERE key_id = ?", event.key)

            assert first(copy.report(keys=True)) == (event.position, event.name, "state")


@pytest.mark.parametrize("column", ["workspace", "state"])
def test_a_key_of_another_workspace_or_sort_is_named(column, writer):
    memory = remember(writer)
    other = {"workspace": "Zürich", "state": "audit"}[column]

    writer.keys.execute(f"UPDATE data_key SET {column} = ? WHERE key_id = ?", (other, memory.key))

    assert first(verdict(writer)) == (memory.position, memory.name, "state")


def test_a_receipt_is_sealed_with_the_audit_key(writer):
    memory = remember(writer)
    structure = {"targets": [[memory.stream, 1]]}

    wrong = writer.append(
        writer.new_id("receipt_"), "command.recorded", structure, {"operation": "remember"},
        refs=(("correlation", "req-1"),),
    )  # fmt: skip

    assert first(verdict(writer)) == (wrong.position, wrong.name, "state")


def test_a_memory_is_not_sealed_with_the_audit_key(writer):
    start = remember(writer)

    wrong = update(writer, start.stream, audit=True)

    assert first(verdict(writer)) == (wrong.position, wrong.name, "state")


@pytest.mark.parametrize("column", ["wrapped_key", "wrapped_root"])
def test_a_workspace_key_that_does_not_unwrap_is_named(column, writer):
    memory = remember(writer)

    writer.keys.execute(f"UPDATE workspace_key SET {column} = zeroblob(60)")

    assert first(verdict(writer)) == (memory.position, memory.name, "state")


@pytest.mark.parametrize("wrapped", [b"", b"short", bytes(60), "text", 7, None])
def test_a_data_key_that_does_not_unwrap_is_named(wrapped, writer):
    memory = remember(writer)

    writer.keys.execute("UPDATE data_key SET wrapped = ? WHERE key_id = ?", (wrapped, memory.key))

    report = verdict(writer)
    assert first(report) == (memory.position, memory.name, "state")
    assert report.erased == 0


def test_keys_of_two_events_that_changed_places_are_named(writer):
    one, other = remember(writer), remember(writer)

    swap = "UPDATE data_key SET wrapped = ? WHERE key_id = ?"
    wrapped = [
        writer.keys.execute("SELECT wrapped FROM data_key WHERE key_id = ?", (key,)).fetchone()[0]
        for key in (one.key, other.key)
    ]
    writer.keys.execute(swap, (wrapped[1], one.key))
    writer.keys.execute(swap, (wrapped[0], other.key))

    positions = [finding["position"] for finding in verdict(writer).findings]
    assert positions == [one.position, other.position]


def test_a_commitment_to_another_payload_is_named(writer):
    start = remember(writer)

    wrong = update(
        writer,
        start.stream,
        bad=lambda name, value: {**value, "commitment": "0" * 64} if name == "head" else value,
    )

    report = verdict(writer)
    assert first(report) == (wrong.position, wrong.name, "state")
    assert rules(report) == ["has a commitment to another payload"]
    assert verdict(writer, keys=False).wrong == 0


@pytest.mark.parametrize("payload", [b'{"b":1,"a":2}', b'{ "a":1}', b"[]", b"\xff", b"", b"1"])
def test_a_payload_that_is_not_canonical_is_named(payload, writer):
    start = remember(writer)

    wrong = update(
        writer,
        start.stream,
        bad=lambda name, value: payload if name == "payload" else value,
    )

    assert first(verdict(writer)) == (wrong.position, wrong.name, "state")
