"""Our recorder is one of the library's, and our log one of its applications."""

from __future__ import annotations

import json
from uuid import UUID
from zlib import crc32

import pytest
from eventsourcing.persistence import IntegrityError, StoredEvent

from commands.store import LogApplication, LogEvent
from domain.events import IdentityClaimed
from domain.ids import split_id
from tests.store.building import context, new_id, remembered


@pytest.fixture
def application(log, sealer):
    with LogApplication(log, sealer, log.parts) as made:
        yield made


def event(stream: str, version: int = 1, fact=None, prev: str | None = None) -> LogEvent:
    prefix_and_uuid = split_id(stream)
    assert prefix_and_uuid is not None
    return LogEvent(
        originator_id=prefix_and_uuid[1],
        originator_version=version,
        stream=stream,
        facts=(fact or remembered(slot_ref="ab"),),
        context=context(),
        recorded_at="2026-03-01T09:30:00.250000Z",
        prev=prev,
    )


def test_events_are_saved_and_read_back_through_the_library(application):
    memory, guard = new_id("mem_"), new_id("guard_")
    given = [event(guard, fact=IdentityClaimed(target_id=memory)), event(memory)]

    recordings = application.save(*given)

    assert [recording.notification.id for recording in recordings] == [1, 2]
    for one in given:
        assert list(application.events.get(one.originator_id)) == [one]


def test_what_the_library_saves_has_all_columns_and_references(application, log, sealer):
    memory, guard = new_id("mem_"), new_id("guard_")

    application.save(event(guard, fact=IdentityClaimed(target_id=memory)), event(memory))

    rows, part = log.rows_after(0, 9), crc32(b"w") % log.parts
    assert [(row.workspace, row.part) for row in rows] == [("w", None), ("w", part)]
    assert [opened.facts[0].TOPIC for opened in sealer.open_many(rows)] == [
        "identity.claimed",
        "memory.remembered",
    ]
    assert log.references("w", "slot", "ab") == [(memory, 2)]


def test_a_clash_is_the_librarys_integrity_error_and_stores_nothing(application):
    memory = new_id("mem_")
    application.save(event(memory))

    with pytest.raises(IntegrityError):
        application.save(event(new_id("mem_")), event(memory))

    assert application.recorder.max_notification_id() == 1


def test_select_events_takes_the_librarys_arguments(application):
    memory = new_id("mem_")
    application.save(*[event(memory, version) for version in (1, 2, 3, 4)])
    originator = event(memory).originator_id

    def versions(**asked) -> list[int]:
        found = application.recorder.select_events(originator, **asked)
        return [stored.originator_version for stored in found]

    assert versions() == [1, 2, 3, 4]
    assert versions(gt=2) == [3, 4]
    assert versions(lte=2) == [1, 2]
    assert versions(gt=1, lte=3, desc=True) == [3, 2]
    assert versions(desc=True, limit=1) == [4]
    assert application.recorder.select_events(originator.hex)
    assert application.recorder.select_events(UUID(int=0)) == []


def test_select_notifications_takes_the_librarys_arguments(application):
    assert application.recorder.max_notification_id() is None
    application.save(
        *[event(new_id("mem_")) for _ in range(3)],
        event(new_id("guard_"), fact=IdentityClaimed(target_id=new_id("mem_"))),
    )

    def ids(*positional, **asked) -> list[int]:
        found = application.recorder.select_notifications(*positional, **asked)
        return [notification.id for notification in found]

    assert ids(None, 10) == [1, 2, 3, 4]
    assert ids(2, 2) == [2, 3]
    assert ids(2, 10, inclusive_of_start=False) == [3, 4]
    assert ids(start=None, stop=2, limit=10) == [1, 2]
    assert ids(1, 10, topics=["identity.claimed"]) == [4]
    assert ids(1, 10, topics=["nothing"]) == []
    assert application.recorder.max_notification_id() == 4
    assert [one.id for one in application.notification_log.select(1, 10)] == [1, 2, 3, 4]


def test_a_notification_can_be_mapped_to_its_event(application):
    given = event(new_id("mem_"))
    application.save(given)

    [notification] = application.recorder.select_notifications(1, 1)

    assert application.mapper.to_domain_event(notification) == given


def test_events_that_our_mapper_did_not_make_are_refused(application):
    stranger = StoredEvent(UUID(int=1), 1, "os:system", json.dumps({}).encode())

    with pytest.raises(TypeError, match="mapper"):
        application.recorder.insert_events([stranger])


def test_nothing_can_subscribe(application):
    with pytest.raises(NotImplementedError):
        application.recorder.subscribe()


def test_the_process_environment_has_no_say(log, sealer, monkeypatch):
    monkeypatch.setenv("COMPRESSOR_TOPIC", "zlib")
    monkeypatch.setenv("IS_SNAPSHOTTING_ENABLED", "y")
    monkeypatch.setenv("PERSISTENCE_MODULE", "nonsense")

    with LogApplication(log, sealer, log.parts) as application:
        assert application.mapper.compressor is None
        assert application.snapshots is None
