"""Nobody changes what was recorded, not even with the database open before them."""

from __future__ import annotations

import pytest

from tests.store.building import new_id, ref, row


@pytest.fixture
def stored(log):
    stream = new_id("mem_")
    log.append([row(stream)], [ref(stream, 0)])
    return stream


REPLACE = (
    "INSERT OR REPLACE INTO event SELECT {position}, originator_id, originator_version, topic,"
    " x'00', event_hash, workspace, part, appended_at FROM event"
)
UPSERT = (
    "INSERT INTO event SELECT * FROM event"
    " ON CONFLICT ({target}) DO UPDATE SET state = excluded.state || '!'"
)
CHANGES = {
    "sqlite": [
        "UPDATE event SET state = x'00'",
        "UPDATE event SET appended_at = appended_at + 1",
        "DELETE FROM event",
        "UPDATE event_ref SET ref = 'other'",
        "DELETE FROM event_ref",
        REPLACE.format(position="position"),
        REPLACE.format(position="NULL"),
    ],
    "postgres": [
        "UPDATE event SET state = ''",
        "UPDATE event SET appended_at = appended_at + 1",
        "DELETE FROM event",
        "DELETE FROM event WHERE position < 0",
        "TRUNCATE event",
        "TRUNCATE event, event_ref",
        "UPDATE event_ref SET ref = 'other'",
        "DELETE FROM event_ref",
        "TRUNCATE event_ref",
        UPSERT.format(target="position"),
        UPSERT.format(target="originator_id, originator_version"),
    ],
}


@pytest.mark.parametrize(
    ("adapter", "change"),
    [(name, change) for name, changes in CHANGES.items() for change in changes],
    indirect=["adapter"],
)
def test_the_log_refuses_a_change_and_says_why(adapter, log, stored, change):
    before = log.rows_after(0, 10), log.references("w", "slot", "r")

    with pytest.raises(adapter.refusal, match="the log is append-only"):
        adapter.execute(change)

    assert (log.rows_after(0, 10), log.references("w", "slot", "r")) == before


def test_no_position_is_used_twice_even_where_somebody_removed_the_guard(adapter, log):
    streams = [new_id("mem_") for _ in range(3)]
    positions = log.append([row(stream) for stream in streams], []).positions

    adapter.execute(adapter.unguarding)
    adapter.execute(f"DELETE FROM event WHERE position >= {positions[1]}")

    assert log.append([row(new_id("mem_"))], []).positions[0] > positions[-1]
