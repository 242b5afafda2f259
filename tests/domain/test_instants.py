"""Timestamps: refused or read as integer microseconds, whatever offset they are spelled in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Code, MemorandaError
from domain.instants import FOREVER, optional_instant, parse_instant, server_time
from tests.domain.strategies import instants_us

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-03-01", "TIMESTAMP_NAIVE"),
        ("2026-03-01T09:30:00", "TIMESTAMP_NAIVE"),
        ("2026-03-01T09:30:00.25", "TIMESTAMP_NAIVE"),
        ("2026-03-01T09:30:00.1234567Z", "TIMESTAMP_PRECISION"),
        ("2026-03-01T09:30:00.0000000Z", "TIMESTAMP_PRECISION"),
        ("2026-03-01T09:30:00.123456789+02:00", "TIMESTAMP_PRECISION"),
        ("", "TIMESTAMP_INVALID"),
        ("soon", "TIMESTAMP_INVALID"),
        (" 2026-03-01T09:30:00Z", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00Z ", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00Z\n", "TIMESTAMP_INVALID"),
        ("2026-03-01t09:30:00Z", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00z", "TIMESTAMP_INVALID"),
        ("2026-03-01 09:30:00Z", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30Z", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00.Z", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00,5Z", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00+0000", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00+00", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00+24:00", "TIMESTAMP_INVALID"),
        ("2026-03-01T09:30:00+01:60", "TIMESTAMP_INVALID"),
        ("2026-03-01T24:00:00Z", "TIMESTAMP_INVALID"),
        ("2026-03-01T23:60:00Z", "TIMESTAMP_INVALID"),
        ("2016-12-31T23:59:60Z", "TIMESTAMP_INVALID"),
        ("2026-02-30T00:00:00Z", "TIMESTAMP_INVALID"),
        ("2025-02-29T00:00:00Z", "TIMESTAMP_INVALID"),
        ("2026-13-01T00:00:00Z", "TIMESTAMP_INVALID"),
        ("2026-00-01T00:00:00Z", "TIMESTAMP_INVALID"),
        ("0000-01-01T00:00:00Z", "TIMESTAMP_INVALID"),
        ("10000-01-01T00:00:00Z", "TIMESTAMP_INVALID"),
        ("0001-01-01T00:00:00+00:01", "TIMESTAMP_INVALID"),
        ("9999-12-31T23:59:59-00:01", "TIMESTAMP_INVALID"),
        ("\u0662\u0660\u0662\u0666-03-01T09:30:00Z", "TIMESTAMP_INVALID"),
        ("+2026-03-01T09:30:00Z", "TIMESTAMP_INVALID"),
    ],
)
def test_a_timestamp_that_is_none_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(MemorandaError) as caught:
        parse_instant(text, "expires_at")
    error = caught.value
    assert (error.code, error.field, error.reason) == (Code.INVALID_REQUEST, "expires_at", reason)
    assert error.message.startswith("expires_at ")
    assert "2026-03-01T09:30:00.250000Z" in error.message  # the remedy: a good example


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01T00:00:00.5Z", 500_000),
        ("1970-01-01T00:00:00.05Z", 50_000),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1969-12-31T18:30:00-05:30", 0),
        ("1970-01-01T00:00:00-00:00", 0),
        ("1970-01-01T23:59:00+23:59", 0),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ],
)
def test_a_timestamp_is_read_as_microseconds(text: str, micros: int) -> None:
    assert parse_instant(text, "t") == micros


@given(instants_us)
def test_a_server_time_is_read_back_and_has_one_width(micros: int) -> None:
    text = server_time(micros)
    assert len(text) == len("2026-03-01T09:30:00.250000Z")
    assert parse_instant(text, "t") == micros < FOREVER


@given(instants_us, instants_us)
def test_server_times_sort_as_their_instants(one: int, other: int) -> None:
    assert (server_time(one) < server_time(other)) == (one < other)


@given(
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(-1439, 1439),
)
def test_the_same_instant_in_any_offset_is_the_same_number(moment: datetime, offset: int) -> None:
    elsewhere = moment.astimezone(timezone(timedelta(minutes=offset)))
    spelled = elsewhere.isoformat()
    expected = (moment - EPOCH) // timedelta(microseconds=1)
    assert parse_instant(spelled, "t") == expected


@given(instants_us, st.integers(0, 6))
def test_trailing_zeros_of_a_fraction_say_nothing(micros: int, digits: int) -> None:
    text = server_time(micros - micros % 10 ** (6 - digits))
    short = text[: len(text) - 1 - (6 - digits)].removesuffix(".") + "Z"
    assert parse_instant(short, "t") == parse_instant(text, "t")


def test_an_absent_timestamp_is_no_instant() -> None:
    assert optional_instant(None, "t") is None
    assert optional_instant("1970-01-01T00:00:00Z", "t") == 0


def test_endless_text_in_place_of_a_timestamp_is_refused_and_not_kept() -> None:
    from domain import instants

    for length in (65, 100_000):
        with pytest.raises(MemorandaError):
            parse_instant("9" * length, "t")
        with pytest.raises(MemorandaError):
            parse_instant("2026-03-01T09:30:00." + "0" * length + "Z", "t")
    instants._parsed.cache_clear()
    for attempt in range(5):
        with pytest.raises(MemorandaError):
            parse_instant(f"{attempt}" + "x" * 1000, "t")
    assert instants._parsed.cache_info().currsize == 0
