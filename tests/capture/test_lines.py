"""Lines of a log: whole ones only, in bounded memory, whatever stands in it."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.capture.lines import LINE_BYTES_MAX, Lines, Place


def read(data, start=None):
    lines = Lines(io.BytesIO(data)) if start is None else Lines(io.BytesIO(data), end=start)
    return [(one.place.line, one.value) for one in lines], lines


def test_lines_are_numbered_with_those_that_are_skipped():
    found, lines = read(b'{"a":1}\n\n\xff\xfe\x00rubbish\n[1]\n{"a":NaN}\n\r\n{"a":2}\r\n')

    assert found == [(1, {"a": 1}), (7, {"a": 2})]
    assert lines.unreadable == 3
    assert lines.end == Place(45, 8)


def test_a_torn_last_line_is_left_for_the_next_run():
    found, lines = read(b'{"a":1}\n{"a":')

    assert found == [(1, {"a": 1})]
    assert (lines.torn, lines.unreadable, lines.end) == (True, 0, Place(8, 2))
    assert read(b'{"a":1}\n{"a":2}\n', lines.end)[0] == [(2, {"a": 2})]


def test_a_line_that_is_too_long_is_skipped_and_counted_in_bounded_memory():
    long = b'{"a":"' + b"x" * (5 * LINE_BYTES_MAX) + b'"}\n'
    file = io.BytesIO(long + b'{"a":2}\n')
    lines = Lines(file)
    tracemalloc.start()
    try:
        found = [(one.place.line, one.value) for one in lines]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert found == [(2, {"a": 2})]
    assert (lines.too_long, lines.unreadable, lines.torn) == (1, 0, False)
    assert most < 3 * LINE_BYTES_MAX


def test_a_long_line_that_is_torn_is_left_too():
    found, lines = read(b'{"a":1}\n' + b"x" * (LINE_BYTES_MAX + 2))

    assert (found, lines.too_long, lines.torn) == ([(1, {"a": 1})], 0, True)


@pytest.mark.parametrize("half", [r"\ud83d", r"\udeA2"])
def test_half_a_character_becomes_one_that_can_be_sent(half):
    found, _ = read(b'{"%s":["a%s"],"b":"\\ud83d\\udea2"}\n' % (half.encode(), half.encode()))

    assert found == [(1, {"\ufffd": ["a\ufffd"], "b": "🚢"})]


def test_nesting_without_end_is_no_line():
    _, lines = read(b'{"a":' * 100_000 + b"\n")

    assert lines.unreadable == 1


@given(st.lists(st.binary(max_size=40)), st.integers(min_value=0))
def test_read_from_any_place_the_rest_is_the_same(parts, cut):
    data = b"".join(part.replace(b"\n", b"") + b'\n{"a":1}\n' for part in parts)
    places = [one.place for one in Lines(io.BytesIO(data))]
    found, lines = read(data)
    start = places[cut % len(places)] if places else Place(0, 1)

    again, others = read(data, start)

    assert again == [one for one in found if one[0] >= start.line]
    assert others.end == lines.end


@given(st.binary(max_size=200))
def test_no_bytes_break_it(data):
    for _, value in read(data)[0]:
        json.dumps(value, ensure_ascii=False).encode()
