"""A command that is sent again is answered with what may be shown today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from commands.store_rows import Appended, StoredRow
from commands.store_sqlite import SqliteRecorder
from domain.errors import MemorandaError
from tests.builders import properties, text
from tests.circumstances import context
from tests.inputs import envelope


def test_a_key_that_was_used_for_something_else_is_refused(ana, store):
    ana.send("remember", key="k")
    head = store.log.head()

    error = ana.refused("remember", key="k", content=text("something else"))

    assert (error["code"], error["field"]) == ("IDEMPOTENCY_CONFLICT", "idempotency_key")
    assert store.log.head() == head


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_a_replay_after_a_forget_does_not_say_what_was_forgotten(ana, mode):
    # Given
    first = ana.send("remember", key="k", content=text("canary"), tags=["canary"])
    ana.send("forget", memory_id=first["record"]["id"], mode=mode)
    # When
    again = ana.send("remember", key="k", content=text("canary"), tags=["canary"])
    # Then the receipt is the same, and of the record only structure is left
    assert again["receipt"] == {**first["receipt"], "replayed": True}
    assert again["record"]["id"] == first["record"]["id"]
    assert (again["record"]["content"], again["record"]["erased"]) == (None, True)
    assert "canary" not in repr(again)


class CountingRecorder(SqliteRecorder):
    """The recorder, counting what a command asks of it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.asked: list[str] = []

    def load(self, wanted: Mapping[str, int]) -> dict[str, list[StoredRow]]:
        self.asked.append("load")
        return super().load(wanted)

    def append(self, *arguments: Any, **options: Any) -> Appended:
        self.asked.append("append")
        return super().append(*arguments, **options)


def test_a_new_memory_costs_one_visit_to_the_store_and_a_repeat_three(write_side_of):
    # Given
    side, other = write_side_of(CountingRecorder), write_side_of()
    body = envelope("remember", envelope_changes={"idempotency_key": "k"})
    # When a key is new, then used again in another process, which does not know it
    first = side.send(body)
    new, side.log._store.asked = side.log._store.asked, []
    again = other.send(body)
    fresh = write_side_of(CountingRecorder)
    third = fresh.send(body)
    # Then
    assert new == ["append"]
    assert fresh.log._store.asked == ["append", "load", "load"]
    assert again == third == {**first, "receipt": {**first["receipt"], "replayed": True}}
    assert side.log.head() == first["receipt"]["position"]


def test_what_was_done_before_is_replayed_where_it_would_be_refused_now(write_side_of):
    # Given a late fact about a slot that was forgotten as a whole after it was sent
    host = context(recorded_at=("2026-01-01T00:00:00Z", 1_767_225_600_000_000))
    content = properties(subject="db", predicate="port", object=1)
    late = envelope("remember", content=content, envelope_changes={"idempotency_key": "late"})
    first = write_side_of().send(late, host)
    memory = first["record"]["id"]
    forget = envelope("forget", memory_id=memory, mode="tombstone", scope="key")
    write_side_of().send(forget)
    # When it comes again, to a process that knows nothing of it, and under a new key
    other = {**late, "idempotency_key": "other"}
    again = write_side_of().send(late, host)
    with pytest.raises(MemorandaError) as refused:
        write_side_of().send(other, host)
    # Then
    assert again["receipt"] == {**first["receipt"], "replayed": True}
    assert refused.value.reason == "SLOT_FORGOTTEN"
