"""Commands that are decided in one batch see what the ones before them decided, and no more."""

from __future__ import annotations

from ops.wiring import open_memoranda
from tests.builders import properties, text
from tests.circumstances import START_US, an_id
from tests.engine.building import Caller, expected_references, references_of
from tests.inputs import envelope
from tests.store.building import SetClock

ABSENT = an_id("mem_", 7)


def body(key, operation="remember", **changes):
    return envelope(operation, envelope_changes={"idempotency_key": key}, **changes)


def refused(side):
    """An atomic group of which nothing may stay: it is refused at its last command."""
    return side.group(
        body("r1", identity_key="K", content=properties(slot="a", object=1)),
        body("r2", "relate", source_id=ABSENT, target_id=ABSENT),
        atomic=True,
    )


def test_what_a_refused_atomic_group_decided_is_unknown_to_the_commands_behind_it(write_side):
    behind = write_side.group(body("k", identity_key="K"))

    write_side.engine._commit_groups([refused(write_side), behind])

    outcome = behind.verdicts[0]
    assert outcome.receipt.said.committed_version == 1
    assert [event.topic for event in write_side.log.after(0, 100)] == [
        "identity.claimed",
        "memory.remembered",
        "command.recorded",
    ]


def test_a_refused_atomic_group_leaves_no_reference(write_side, path):
    behind = write_side.group(body("k", content=text("without a slot")))

    write_side.engine._commit_groups([refused(write_side), behind])

    assert references_of(path) == expected_references(write_side.log)


def test_forgetting_a_slot_reaches_what_the_same_batch_remembered_in_it(ana):
    # Given
    roof = properties(slot="roof", object="leaks")
    first = ana.remember(content=roof)
    # When
    second, _ = ana.together(
        ana.body("remember", content=roof), ana.body("forget", memory_id=first, scope="key")
    )
    # Then
    found = ana.send("recall", objective="leaks", seed_ids=[first, second["record"]["id"]])
    assert found["items"] == []


def test_the_text_of_a_forgotten_version_is_in_no_later_answer(ana):
    # Given a memory whose second version is the leak
    memory = ana.remember(content=text("harmless"))
    target = {"kind": "memory", "id": memory}
    ana.send("update", target=target, patch={"content": text("canary")})
    # When that version is forgotten, and the memory is changed afterwards
    ana.send("forget", memory_id=memory, scope="event", version=2)
    after = ana.send("update", target=target, patch={"confidence": 0.5})
    # Then its text is not handed on
    assert (after["record"]["content"], after["record"]["erased"]) == (None, True)
    assert "canary" not in repr(after)


def test_the_same_in_one_batch(ana):
    memory = ana.remember(content=text("canary"))
    target = {"kind": "memory", "id": memory}

    _, after = ana.together(
        ana.body("forget", memory_id=memory, scope="event", version=1),
        ana.body("update", target=target, patch={"confidence": 0.5}),
    )

    assert "canary" not in repr(after)


def test_no_event_is_appended_before_it_was_recorded(tmp_path):
    """A clock that stands gives commands of a batch times of their own, each later."""
    memoranda = open_memoranda(tmp_path / "data", SetClock(START_US))
    caller = Caller(memoranda)
    caller.together(*(caller.body("remember") for _ in range(5)))
    events = memoranda.log.after(0, 100)
    memoranda.close()

    assert len({event.recorded_us for event in events}) == 5
    assert [event for event in events if event.appended_us < event.recorded_us] == []
