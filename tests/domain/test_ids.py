"""Ids are opaque, sort as they were made, and a near miss is a miss."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.ids import (
    MEMORY,
    PREFIXES,
    decode_id,
    derived_id,
    encode_id,
    hex_of_id,
    split_id,
    uuid7,
)
from tests.circumstances import an_id

uuids = st.uuids()
ID = an_id(MEMORY, 2**100 + 12345)


@given(st.sampled_from(sorted(PREFIXES)), uuids)
def test_an_id_is_read_back_with_its_prefix(prefix: str, uuid: UUID) -> None:
    text = encode_id(prefix, uuid)
    assert len(text) == len(prefix) + 26
    assert decode_id(text, prefix) == uuid
    assert split_id(text) == (prefix, uuid)
    assert hex_of_id(text) == uuid.hex
    assert encode_id(prefix, uuid.int) == text


@given(uuids, uuids)
def test_ids_sort_as_their_bytes(one: UUID, other: UUID) -> None:
    assert (encode_id(MEMORY, one) < encode_id(MEMORY, other)) == (one.bytes < other.bytes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mem_",
        ID[:-1],
        ID + "0",
        ID + " ",
        " " + ID,
        ID + "\n",
        ID.upper(),
        "mem_" + ID[4:].upper(),
        "Mem_" + ID[4:],
        "rel_" + ID[4:],
        "mem-" + ID[4:],
        ID[4:],
        "mem_mem_" + ID[8:],
        "mem_8" + "0" * 25,
        "mem_z" + "z" * 25,
        ID.replace("0", "o"),
        ID.replace("0", "O"),
        "mem_" + "i" * 26,
        "mem_" + "l" * 26,
        "mem_" + "u" * 26,
        "mem_" + "\u0660" * 26,
        "mem_" + "0" * 25 + "-",
        "x" * 100_000,
    ],
)
def test_a_near_miss_of_an_id_is_a_miss(text: str) -> None:
    assert decode_id(text, MEMORY) is None
    found = split_id(text)
    assert found is None or found[0] != MEMORY
    assert hex_of_id(text) == (None if found is None else found[1].hex)


def test_an_unknown_prefix_is_no_id() -> None:
    assert split_id("xyz_" + ID[4:]) is None
    assert hex_of_id("xyz_" + ID[4:]) is None
    assert hex_of_id(ID[4:]) is None


@given(st.lists(st.text(max_size=4), max_size=3), st.lists(st.text(max_size=4), max_size=3))
def test_derived_ids_meet_only_for_the_same_parts(one: list[str], other: list[str]) -> None:
    same = derived_id(b"secret", *one) == derived_id(b"secret", *other)
    assert same == (one == other)


def test_derived_ids_of_another_secret_are_other_ids() -> None:
    assert derived_id(b"one", "a") != derived_id(b"two", "a")


@given(st.text(max_size=5))
def test_a_derived_id_is_a_uuid_of_version_8(part: str) -> None:
    made = UUID(int=derived_id(b"secret", part))
    assert (made.version, made.variant) == (8, "specified in RFC 4122")


@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
def test_a_time_ordered_id_is_a_uuid_of_version_7(unix_ms: int, random: bytes) -> None:
    made = UUID(int=uuid7(unix_ms, random))
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert int.from_bytes(made.bytes[:6], "big") == unix_ms


@given(
    st.integers(0, 2**48 - 2),
    st.binary(min_size=10, max_size=10),
    st.binary(min_size=10, max_size=10),
)
def test_a_later_millisecond_sorts_later_whatever_the_dice(
    unix_ms: int, one: bytes, other: bytes
) -> None:
    assert encode_id(MEMORY, uuid7(unix_ms, one)) < encode_id(MEMORY, uuid7(unix_ms + 1, other))
