"""Commands of several callers that are appended together."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from commands.jobs import Outcome
from domain.errors import Code
from tests.circumstances import an_id
from tests.inputs import envelope


def body(key, operation="remember", **changes):
    return envelope(operation, envelope_changes={"idempotency_key": key}, **changes)


def damage(path, position):
    """Change a byte of a stored event, as a disk may."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER event_refuses_update")
        (state,) = connection.execute(
            "SELECT state FROM event WHERE position = ?", (position,)
        ).fetchone()
        spoiled = state[:-1] + bytes([state[-1] ^ 1])
        connection.execute("UPDATE event SET state = ? WHERE position = ?", (spoiled, position))


def test_a_damaged_memory_costs_only_who_asked_for_it(write_side_of, path):
    # Given a memory whose stored bytes were changed
    memory = write_side_of().send(body("first"))["record"]["id"]
    damage(path, 1)
    side = write_side_of()
    update = body("u", "update", target={"kind": "memory", "id": memory})
    # When its update is decided together with what others ask
    groups = [side.group(body("a")), side.group(update), side.group(body("b"))]
    side.engine._commit_groups(groups)
    # Then
    verdicts = [group.verdicts[0] for group in groups]
    assert isinstance(verdicts[0], Outcome)
    assert isinstance(verdicts[2], Outcome)
    assert verdicts[1].code == Code.INTERNAL


def test_one_callers_refusal_is_no_others(write_side):
    absent = {"kind": "memory", "id": an_id("mem_", 7)}
    groups = [
        write_side.group(body("a", "update", target=absent)),
        write_side.group(body("b")),
    ]

    write_side.engine._commit_groups(groups)

    verdicts = [group.verdicts[0] for group in groups]
    assert verdicts[0].code == Code.NOT_FOUND
    assert isinstance(verdicts[1], Outcome)
