"""Bytes have one form, and JSON without a single meaning is refused before anything else."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.canonical import DEPTH_MAX, canonical, parse_json, parse_stored
from domain.errors import Code, MemorandaError
from tests.domain.strategies import json_values


def refusal(body: bytes) -> MemorandaError:
    with pytest.raises(MemorandaError) as caught:
        parse_json(body)
    assert caught.value.code is Code.INVALID_REQUEST
    return caught.value


def test_canonical_bytes_are_sorted_unblanked_unescaped_utf8() -> None:
    assert canonical({"b": [1, 1.0, None], "a": "é\u2028/\u0001"}) == (
        '{"a":"é\u2028/\\u0001","b":[1,1.0,null]}'.encode()
    )


def test_canonical_bytes_do_not_fold_unicode() -> None:
    assert canonical("e\u0301") != canonical("\u00e9")


@given(json_values)
def test_what_is_written_canonically_is_read_back_as_it_was(value: object) -> None:
    assert canonical(parse_json(canonical(value))) == canonical(value)


IMITATIONS = st.sampled_from(
    [
        '":1.5',
        ",2e7",
        "[3.0",
        "1.0",
        "\x7f\x00\x1f\b\f",
        "\u2028",
        '"',
        "\\",
        "12:30:05.250000Z",
        "é",
    ]
)
NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        [0.0, -0.0, 1e16, 1e-7, 5e-324, 1.7976931348623157e308, 2**63, 2**64, -(2**63) - 1]
    ),
    # The powers of ten at which one of two encoders, or both, begin to write an exponent.
    st.builds(
        lambda digits, exponent: float(f"{digits}e{exponent}"),
        st.floats(-10, 10).map(str).filter(lambda text: "e" not in text),
        st.integers(-8, 20),
    ),
)
TRICKY = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, IMITATIONS, st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(IMITATIONS, st.text(max_size=3)), inner, max_size=4),
    ),
    max_leaves=12,
)


@given(st.one_of(TRICKY, json_values))
def test_the_bytes_are_those_of_the_standard_library(value: object) -> None:
    pinned = json.dumps(
        value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    assert canonical(value) == pinned.encode()


@given(st.one_of(TRICKY, json_values))
def test_stored_bytes_are_read_as_the_standard_library_reads_them(value: object) -> None:
    stored = canonical(value)
    assert repr(parse_stored(stored)) == repr(json.loads(stored))


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": 1}])
def test_a_lone_surrogate_has_no_bytes(value: object) -> None:
    with pytest.raises(UnicodeEncodeError):
        canonical(value)


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=5))
def test_the_order_of_keys_never_reaches_the_bytes(value: dict[str, int]) -> None:
    backwards = dict(reversed(value.items()))
    assert canonical(backwards) == canonical(value)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"a":"\xff"}', "NOT_UTF8"),
        (b"\xff\xfe{\x00}\x00", "NOT_UTF8"),
        (b'"\xed\xa0\x80"', "NOT_UTF8"),
        (b'{"a":1,"a":1}', "DUPLICATE_KEY"),
        (b'{"a":1,"\\u0061":2}', "DUPLICATE_KEY"),
        (b'[{"x":{"b":1,"b":2}}]', "DUPLICATE_KEY"),
        (b"NaN", "NOT_A_NUMBER"),
        (b"[Infinity]", "NOT_A_NUMBER"),
        (b'{"a":-Infinity}', "NOT_A_NUMBER"),
        (b"1e400", "NUMBER_OVERFLOW"),
        (b"[-1.5E+309]", "NUMBER_OVERFLOW"),
        (b"1" * 401, "NUMBER_OVERFLOW"),
        (b"-" + b"1" * 5000, "NUMBER_OVERFLOW"),
        (b'"\\ud800"', "LONE_SURROGATE"),
        (b'["ok","\\udc00\\ud800"]', "LONE_SURROGATE"),
        (b'{"\\ud83d":1}', "LONE_SURROGATE"),
        (b"[" * 65 + b"1" + b"]" * 65, "TOO_DEEP"),
        (b"[" * 65 + b"]" * 65, "TOO_DEEP"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "TOO_DEEP"),
        (b"[" * 100_000 + b"]" * 100_000, "TOO_DEEP"),
    ],
)
def test_json_without_one_meaning_is_refused_by_its_cause(body: bytes, reason: str) -> None:
    assert refusal(body).reason == reason


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"{} {}",
        b"\xef\xbb\xbf{}",
        b"{'a':1}",
        b"[1,]",
        b'"\x01"',
        b"01",
        b"+1",
        b"nul",
    ],
)
def test_what_is_no_json_is_refused_with_its_place(body: bytes) -> None:
    assert "line" in refusal(body).message


def test_a_refusal_never_quotes_the_body() -> None:
    for body in (b'{"canary":canary}', b'{"canary":1,"canary":2}', b'"canary \\ud800"'):
        assert "canary" not in refusal(body).message


def test_the_deepest_nesting_that_is_allowed_passes() -> None:
    body = b"[" * DEPTH_MAX + b"1" + b"]" * DEPTH_MAX
    assert canonical(parse_json(body)) == body


@pytest.mark.parametrize(
    "body",
    [
        b'"\\ud83d\\ude00"',
        b"1.7976931348623157e308",
        b"1e-400",
        b"9" * 400,
        b'{"a":{"a":1},"b":{"a":1}}',
        b'"\\u0000"',
    ],
)
def test_what_has_one_meaning_is_taken(body: bytes) -> None:
    assert parse_json(body) == json.loads(body)


def test_hostile_nesting_does_not_touch_the_recursion_limit() -> None:
    limit = sys.getrecursionlimit()
    refusal(b'{"a":' * 200_000)
    assert sys.getrecursionlimit() == limit
