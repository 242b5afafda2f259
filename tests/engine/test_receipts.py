"""A command that is sent again is answered with what may be shown today."""

from __future__ import annotations

import pytest

from tests.builders import text


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
