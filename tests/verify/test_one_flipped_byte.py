"""One byte flipped in a column of a row: that row is named first, without any key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.stores import first
from tests.verify.writer import Written

SELECT = "SELECT {} FROM event WHERE position = ?"
UPDATE = "UPDATE event SET {} = ? WHERE position = ?"


def flipped(data: bytes, at: int, bit: int = 0) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def spoil(copy, event: Written, column: str, value) -> tuple[int, str, str]:
    """Where the verifier looks first after the change, which is undone again."""
    before = copy.value(SELECT.format(column), event.position)
    assert copy.change(UPDATE.format(column), value, event.position) == 1
    report = copy.report()
    copy.change(UPDATE.format(column), before, event.position)
    assert report.wrong >= 1
    return first(report)


@pytest.fixture
def copy(copy_of, furnished):
    return copy_of(furnished)


@pytest.mark.parametrize("column", ["originator_id", "topic", "workspace"])
def test_a_flipped_byte_in_a_column_of_text_names_its_row(column, copy, furnished):
    for event in furnished.written:
        text = copy.value(SELECT.format(column), event.position).encode()
        for at in {0, len(text) // 2, len(text) - 1}:
            spoiled = flipped(text, at, bit=1).decode("latin-1")

            assert spoil(copy, event, column, spoiled) == (event.position, event.name, column)


def test_text_that_is_no_utf_8_any_more_names_its_row(copy, furnished):
    for event in furnished.written:
        topic = copy.value(SELECT.format("CAST(topic AS BLOB)"), event.position)
        copy.change(
            "UPDATE event SET topic = CAST(? AS TEXT) WHERE position = ?",
            flipped(topic, 3, bit=7),
            event.position,
        )

        assert first(copy.report()) == (event.position, event.name, "topic")

        copy.change(UPDATE.format("topic"), topic.decode(), event.position)


def test_a_flipped_byte_of_the_version_names_its_row(copy, furnished):
    for event in furnished.written:
        for bit in (4, 9, 17):
            named = spoil(copy, event, "originator_version", event.version ^ 1 << bit)

            assert named == (event.position, event.name, "originator_version")


def test_a_flipped_byte_of_the_part_names_its_row(copy, furnished):
    for event in furnished.written:
        part = copy.value(SELECT.format("part"), event.position)
        for other in [0, 1, 256] if part is None else [None, 1, 256]:
            assert spoil(copy, event, "part", other) == (event.position, event.name, "part")


def test_a_flipped_byte_of_the_hash_names_its_row(copy, furnished):
    for event in furnished.written:
        digest = copy.value(SELECT.format("event_hash"), event.position)
        for at in (0, 17, 31):
            named = spoil(copy, event, "event_hash", flipped(digest, at))

            assert named == (event.position, event.name, "event_hash")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
def test_a_flipped_byte_of_the_state_names_its_row(share, copy, furnished):
    for event in furnished.written:
        state = copy.value(SELECT.format("state"), event.position)
        position, _, column = spoil(
            copy, event, "state", flipped(state, int(share * (len(state) - 1)))
        )

        assert position == event.position
        assert column in {"state", "event_hash"}


@pytest.mark.parametrize("at", range(8))
def test_a_flipped_byte_before_the_head_names_its_row(at, copy, furnished):
    for event in furnished.written:
        state = copy.value(SELECT.format("state"), event.position)

        position, _, column = spoil(copy, event, "state", flipped(state, at))

        assert (position, column) == (event.position, "state")


@given(data=st.data())
def test_whatever_byte_of_a_state_flips_its_row_is_named(data, furnished, tmp_path_factory):
    from tests.verify.stores import Copy

    copy = Copy(furnished, tmp_path_factory.mktemp("law") / "copy")
    event = data.draw(st.sampled_from(furnished.written))
    state = copy.value(SELECT.format("state"), event.position)
    at = data.draw(st.integers(0, len(state) - 1))
    bit = data.draw(st.integers(0, 7))

    assert spoil(copy, event, "state", flipped(state, at, bit))[0] == event.position


@pytest.mark.parametrize("column", ["state", "event_hash"])
def test_a_byte_flipped_in_the_file_itself_names_its_row(column, copy, furnished):
    for event in furnished.written:
        stored = copy.value(SELECT.format(column), event.position)
        file = copy.log_db.read_bytes()
        assert file.count(stored) == 1
        at = file.index(stored) + len(stored) // 3

        copy.log_db.write_bytes(flipped(file, at, bit=5))
        position, _, _ = first(copy.report())
        copy.log_db.write_bytes(file)

        assert position == event.position


def test_a_changed_state_is_not_held_against_the_next_version(copy, furnished):
    event = next(event for event in furnished.written if event.version == 1)
    assert any(later.stream == event.stream and later.version == 2 for later in furnished.written)
    state = copy.value(SELECT.format("state"), event.position)

    copy.change(UPDATE.format("state"), flipped(state, len(state) - 1), event.position)

    assert {finding["position"] for finding in copy.report().findings} == {event.position}
