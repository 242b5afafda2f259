"""The read side gets decoded events, and those of one workspace only where that is asked."""

from __future__ import annotations

import pytest

from commands.log_reader import StoreLogReader
from domain.envelope import CorruptEventError
from tests.store.building import context, new_id, ref, remembered, row, to_row


@pytest.fixture
def reader(log, sealer):
    return StoreLogReader(log, sealer)


@pytest.fixture
def remember(log, sealer):
    """Append that many versions of a new memory."""

    def appended(text: str = "x", *, workspace: str = "w", versions: int = 1) -> str:
        stream, prev = new_id("mem_"), None
        for version in range(1, versions + 1):
            sealed = sealer.seal(
                stream=stream,
                version=version,
                event=remembered(text),
                context=context(workspace),
                recorded_at="2026-03-01T09:30:00.250000Z",
                prev=prev,
            )
            log.append([to_row(sealed)], [ref(stream, 0, workspace=workspace)])
            prev = sealed.hash.hex()
        return stream

    return appended


def test_a_stream_is_read_in_order(reader, remember):
    stream = remember("the roof leaks", versions=3)
    remember("something else")

    events = reader.stream("w", stream)

    assert [event.name for event in events] == [f"{stream}@{version}" for version in (1, 2, 3)]
    assert events[0].facts == (remembered("the roof leaks"),)


def test_a_stream_of_another_workspace_is_absent(reader, remember):
    stream = remember(workspace="other")

    assert reader.stream("w", stream) == []
    assert reader.streams("w", [stream]) == {}
    assert len(reader.stream("other", stream)) == 1


@pytest.mark.parametrize("unknown", ["", "nonsense", "mem_" + "0" * 26])
def test_what_is_not_there_is_absent(reader, unknown):
    assert reader.stream("w", unknown) == []
    assert reader.streams("w", [unknown]) == {}


def test_several_streams_are_read_at_once(reader, remember):
    streams = [remember(f"number {n}", versions=n) for n in (1, 2, 3)]
    foreign = remember(workspace="other")

    found = reader.streams("w", [*streams, foreign, new_id("mem_")])

    assert {stream: len(events) for stream, events in found.items()} == {
        stream: n for n, stream in enumerate(streams, 1)
    }
    assert all(event.stream == stream for stream, events in found.items() for event in events)


def test_the_log_is_followed_by_position(reader, remember):
    streams = [remember(workspace=workspace) for workspace in ("a", "b", "a")]

    followed = reader.after(0, 100)

    assert [event.stream for event in followed] == streams
    assert [e.stream for e in reader.after(followed[0].position, 1)] == streams[1:2]
    assert [e.stream for e in reader.after(0, 9, workspace="a")] == [streams[0], streams[2]]
    assert reader.after(0, 9, topics=["memory.revised"]) == []
    assert len(reader.after(0, 9, part=0, topics=["memory.remembered"])) == 3
    assert reader.head() == followed[-1].position


def test_positions_and_times_lead_to_each_other(reader, remember):
    remember()
    remember()
    first, last = reader.after(0, 9)

    assert reader.appended_at(first.position) == first.appended_us
    assert reader.position_at(first.appended_us) == first.position
    assert reader.position_at(last.appended_us) == last.position == reader.head()


def test_references_are_found_by_workspace_kind_and_name(reader, remember):
    stream = remember()

    assert reader.references("w", "slot", "r") == [(stream, reader.head())]
    assert reader.references("other", "slot", "r") == []


def test_an_erased_event_is_read_without_its_payload(reader, remember, keys):
    stream = remember()
    [event] = reader.stream("w", stream)
    keys.destroy("w", [event.key])

    [erased] = reader.stream("w", stream)

    assert (erased.erased, erased.facts[0].payload) == (True, None)


def test_bytes_that_are_no_event_are_an_error_not_an_absence(reader, log):
    stream = new_id("mem_")
    log.append([row(stream)], [])

    for read in (lambda: reader.stream("w", stream), lambda: reader.after(0, 9)):
        with pytest.raises(CorruptEventError, match="position 1"):
            read()
