"""Several memories that are destroyed at once."""

from __future__ import annotations

import pytest

from tests.builders import properties, text
from tests.circumstances import context
from tests.engine.building import Caller


def test_every_memory_of_a_batch_is_destroyed(ana, store):
    # Given
    memories = [ana.remember(content=text(f"canary {number}")) for number in range(3)]
    kept = ana.remember(content=text("to be kept"))
    # When three of them are destroyed in one batch
    ana.together(
        *(ana.body("forget", memory_id=one, mode="application_delete") for one in memories)
    )
    # Then none of them can be read any more, and the other one can
    for memory in memories:
        assert [event.erased for event in store.log.stream("w", memory)] == [True, False]
    assert "to be kept" in repr(store.log.stream("w", kept))


def test_every_memory_of_a_slot_is_destroyed(ana, store):
    roof = [ana.remember(content=properties(slot="roof", object=number)) for number in range(3)]

    ana.send("forget", memory_id=roof[1], mode="application_delete", scope="key")

    for memory in roof:
        assert [event.erased for event in store.log.stream("w", memory)] == [True, False]


@pytest.mark.parametrize("mode", ["tombstone", "expire"])
def test_what_is_only_hidden_or_forgotten_keeps_its_keys(ana, store, mode):
    memory = ana.remember()
    until = {"expires_at": "2030-01-01T00:00:00Z"} if mode == "expire" else {}

    ana.send("forget", memory_id=memory, mode=mode, **until)

    assert [event.erased for event in store.log.stream("w", memory)] == [False, False]


def test_an_erasure_reaches_no_other_workspace(ana, store):
    other = Caller(store, context(workspace="elsewhere"))
    memories = ana.remember(), other.remember()

    ana.send("forget", memory_id=memories[0], mode="application_delete")

    assert store.log.stream("w", memories[0])[0].erased
    assert not store.log.stream("elsewhere", memories[1])[0].erased
