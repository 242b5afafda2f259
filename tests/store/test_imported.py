"""An event of another store keeps its head and its hash, and is sealed with a key of this one."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from commands.opening import Opened, checked
from commands.sealing import Sealer
from domain.envelope import CorruptEventError, Head, head_of, pack_imported, unpack_state
from tests.store.building import context, new_id, remembered, stored

KEY = "key_0123456789abcdefghjkmnpqrs"


@pytest.fixture
def there(sealer):
    """(sealed elsewhere, its head, its bytes taken apart, what was in its body)."""
    made = sealer.seal(
        stream=new_id("mem_"),
        version=1,
        event=remembered("brought from elsewhere"),
        context=context(),
        recorded_at="2026-03-01T09:30:00.250000Z",
        prev=None,
    )
    [(found, opened)] = sealer.bare([stored(made, 1)])
    return made, found, opened


def again(sealer: Sealer, there, opened: Opened | None):
    made, found, _ = there
    return made, sealer.seal_again(found.head, found.state.head, found.state.body_sha256, opened)


def test_head_and_hash_stay_and_the_key_is_another_one(sealer, there):
    made, here = again(sealer, there, there[2])

    assert here.hash == made.hash
    assert Head.from_bytes(unpack_state(here.state).head).key == made.key
    assert head_of(here.state).key == here.key != made.key
    assert unpack_state(here.state).body != unpack_state(made.state).body


def test_it_is_opened_as_what_it_was(sealer, there):
    made, here = again(sealer, there, there[2])

    one, other = sealer.open(stored(made, 7)), sealer.open(stored(here, 7))

    assert other == one._replace(key=here.key)


def test_what_was_left_out_is_erased_and_has_no_key(sealer, there):
    _, here = again(sealer, there, None)

    event = sealer.open(stored(here, 7))

    assert (event.erased, event.key, here.key) == (True, None, None)
    assert event.facts[0].payload is None


def test_it_can_be_imported_once_more(sealer, there):
    made, here = again(sealer, there, there[2])
    [(found, opened)] = sealer.bare([stored(here, 1)])

    third = sealer.seal_again(found.head, found.state.head, found.state.body_sha256, opened)

    assert third.hash == made.hash
    assert sealer.open(stored(third, 7)).facts == sealer.open(stored(made, 7)).facts


@pytest.mark.parametrize("at", range(-90, 0, 3))
def test_a_flipped_byte_behind_the_head_is_seen_without_a_key(sealer, there, at):
    _, here = again(sealer, there, there[2])
    state = bytearray(here.state)
    state[at] ^= 1

    with pytest.raises(CorruptEventError):
        checked(replace(stored(here, 7), state=bytes(state)))


def test_another_body_with_a_right_checksum_does_not_open(sealer, there):
    _, here = again(sealer, there, there[2])
    state = unpack_state(here.state)
    forged = pack_imported(state.head, state.body_sha256, here.key, bytes(len(state.body)))

    with pytest.raises(CorruptEventError, match="not sealed with this head"):
        sealer.open(replace(stored(here, 7), state=forged))


@pytest.mark.parametrize(
    "rest",
    [b"", b"\x05abc", b"\x03abc", b"\x00body", b"\x01\xffbody"],
    ids=["empty", "a key cut off", "no body", "no key", "a key that is no text"],
)
def test_key_and_body_go_together(there, rest):
    head = there[1].state.head
    packed = pack_imported(head, bytes(32), KEY, b"body")
    start = packed[: 8 + len(head) + 32]

    with pytest.raises(CorruptEventError):
        unpack_state(start + hashlib.sha256(rest).digest() + rest)


def test_the_bytes_are_the_ones_of_the_description():
    """Pinned: docs/adr/0028."""
    state = pack_imported(b"head", b"d" * 32, "key", b"body")
    rest = b"\x03keybody"

    assert state == (b"MEM2\x00\x00\x00\x04head" + b"d" * 32 + hashlib.sha256(rest).digest() + rest)
    assert unpack_state(state) == (b"head", b"body", b"d" * 32, True, "key")
