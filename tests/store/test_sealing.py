"""An event comes back as it was sealed, or somebody learns what is wrong with it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

from commands.clock import SystemClock
from commands.keystore import KeyStore
from commands.sealing import Sealer
from commands.store_errors import KeyMissingError
from domain.canonical import canonical
from domain.envelope import CorruptEventError, event_hash, head_of, pack_state, unpack_state
from domain.events import (
    REGISTRY,
    CommandRecorded,
    ConsolidationApplied,
    IdentityClaimed,
    KeyIssued,
    MemoryRemembered,
    Receipt,
)
from domain.registry import Registry, UnknownTopicError
from tests.store.building import context, new_id, remembered, stored

RECORDED_AT = "2026-03-01T09:30:00.250000Z"


def sealed(sealer, event=None, *, stream=None, version=1, prev=None, workspace="w"):
    return sealer.seal(
        stream=stream or new_id("mem_"),
        version=version,
        event=event or remembered(),
        context=context(workspace),
        recorded_at=RECORDED_AT,
        prev=prev,
    )


def receipt() -> CommandRecorded:
    said = Receipt(
        operation="remember",
        idempotency_key="k",
        fingerprint="f",
        committed_id="mem_x",
        committed_version=1,
    )
    return CommandRecorded(targets=[("mem_x", 1)], payload=said)


class TestRoundTrip:
    def test_what_was_sealed_comes_back_with_all_that_surrounds_it(self, sealer):
        event = remembered("naïve — 東京 🎈", slot_ref="ab")
        made = sealed(sealer, event, version=3, prev="00" * 32)

        opened = sealer.open(replace(stored(made, position=7), appended_us=42))

        assert opened.facts == (event,)
        assert (opened.position, opened.appended_us) == (7, 42)
        assert (opened.stream, opened.version, opened.topic) == (made.stream, 3, event.TOPIC)
        assert (opened.recorded_at, opened.recorded_us) == (RECORDED_AT, 1_772_357_400_250_000)
        assert (opened.context, opened.erased) == (context(), False)
        assert (opened.key, opened.hash) == (made.key, made.hash.hex())
        assert head_of(made.state).prev == "00" * 32

    def test_what_was_not_set_stays_unset(self, sealer):
        event = remembered()

        [fact] = sealer.open(stored(sealed(sealer, event))).facts

        assert fact.payload.model_fields_set == event.payload.model_fields_set
        assert "confidence" not in fact.payload.model_fields_set

    def test_many_events_come_back_in_their_order(self, sealer):
        events = [remembered(f"number {n}") for n in range(50)]
        made = [sealed(sealer, event, workspace=f"w{n % 3}") for n, event in enumerate(events)]

        opened = sealer.open_many([stored(one, n) for n, one in enumerate(made)])

        assert [one.facts[0] for one in opened] == events
        assert [one.position for one in opened] == list(range(50))
        assert sealer.open_many([]) == []

    def test_the_hash_is_the_one_that_the_format_says(self, sealer):
        made = sealed(sealer)
        head, body, *_ = unpack_state(made.state)

        parts = hashlib.sha256(head).digest() + hashlib.sha256(body).digest()

        assert made.hash == hashlib.sha256(b"memoranda.event.v1\n" + parts).digest()


class TestKeys:
    def test_no_two_events_share_a_key_or_a_ciphertext(self, sealer):
        made = [sealed(sealer, remembered("the same")) for _ in range(20)]

        assert len({one.key for one in made}) == 20
        assert len({unpack_state(one.state)[1] for one in made}) == 20
        assert len({head_of(one.state).commitment for one in made}) == 20

    def test_content_cannot_be_read_from_the_bytes(self, sealer):
        made = sealed(sealer, remembered("quetzalcoatl"))

        assert b"quetzalcoatl" not in made.state
        assert b"house" not in made.state

    def test_receipts_are_sealed_with_the_workspaces_audit_key(self, sealer, keys):
        made = [sealed(sealer, receipt(), stream=new_id("receipt_")) for _ in range(2)]

        assert {one.key for one in made} == {keys.audit("w")[0]}
        assert sealer.open(stored(made[0])).facts == (receipt(),)

    def test_an_event_without_payload_by_nature_has_no_key_and_no_body(self, sealer):
        event = IdentityClaimed(target_id=new_id("mem_"))
        made = sealed(sealer, event, stream=new_id("guard_"))
        opened = sealer.open(stored(made))

        assert (made.key, head_of(made.state).commitment, unpack_state(made.state)[1]) == (
            None,
            None,
            b"",
        )
        assert (opened.facts, opened.erased) == ((event,), False)

    @pytest.mark.parametrize("event", [MemoryRemembered, ConsolidationApplied, KeyIssued])
    def test_an_event_that_lost_its_payload_is_not_sealed_again(self, sealer, event):
        erased = event.model_construct(payload=None)

        with pytest.raises(ValueError, match="is sealed with its payload"):
            sealed(sealer, erased)

    def test_a_destroyed_key_takes_the_payload_and_leaves_the_structure(self, sealer, keys):
        event = remembered(slot_ref="ab")
        made, kept = sealed(sealer, event), sealed(sealer)
        keys.destroy("w", [made.key])

        erased, whole = sealer.open_many([stored(made, 1), stored(kept, 2)])

        assert erased.erased
        assert erased.facts == (event.model_copy(update={"payload": None}),)
        assert erased.key == made.key
        assert (whole.erased, whole.facts) == (False, (remembered(),))

    def test_a_key_that_is_neither_there_nor_destroyed_is_an_error(self, sealer, tmp_path):
        made = sealed(sealer)
        other = KeyStore.open(tmp_path / "other.db", bytes(32), SystemClock())
        other.ensure_workspace("w")

        with pytest.raises(KeyMissingError):
            Sealer(other, REGISTRY).open(stored(made))
        other.close()


class TestTampering:
    def test_a_flipped_byte_anywhere_is_seen_without_any_key(self, sealer):
        made = sealed(sealer, remembered("x"))
        keyless = Sealer(NoKeys(), REGISTRY)

        for at in range(len(made.state)):
            state = bytearray(made.state)
            state[at] ^= 1
            with pytest.raises(CorruptEventError, match="position 9"):
                keyless.open(replace(stored(made, 9), state=bytes(state)))

    @given(data=st.data())
    def test_a_shortened_or_lengthened_state_is_seen(self, data):
        made = sealed(Sealer(OneKey(), REGISTRY))
        at = data.draw(st.integers(0, len(made.state) - 1))

        for state in (made.state[:at], made.state + b"\0"):
            with pytest.raises(CorruptEventError, match="position 9"):
                Sealer(OneKey(), REGISTRY).open(replace(stored(made, 9), state=state))

    @pytest.mark.parametrize(
        "column",
        [
            {"originator_id": "00" * 16},
            {"version": 2},
            {"topic": "memory.revised"},
            {"workspace": "other"},
        ],
    )
    def test_a_row_moved_to_another_place_is_seen(self, sealer, column):
        row = replace(stored(sealed(sealer), 9), **column)

        with pytest.raises(CorruptEventError, match="position 9: the columns"):
            sealer.open(row)

    def test_a_hash_that_is_not_of_the_bytes_is_seen(self, sealer):
        row = replace(stored(sealed(sealer), 9), event_hash=bytes(32))

        with pytest.raises(CorruptEventError, match="position 9: the bytes are not"):
            sealer.open(row)

    def test_a_body_of_another_event_is_seen_even_with_a_fitting_hash(self, sealer):
        one, other = sealed(sealer), sealed(sealer)
        head, *_ = unpack_state(one.state)
        _, body, *_ = unpack_state(other.state)

        with pytest.raises(CorruptEventError, match="position 9: the body was not sealed"):
            sealer.open(forged(one, head, body))

    def test_a_changed_head_is_seen_even_with_a_fitting_hash(self, sealer):
        made = sealed(sealer)
        head, body, *_ = unpack_state(made.state)

        with pytest.raises(CorruptEventError, match="position 9: the body was not sealed"):
            sealer.open(forged(made, head.replace(b'"actor":"ann"', b'"actor":"bob"'), body))

    @pytest.mark.parametrize("member", ["key", "commitment"])
    def test_a_head_that_hides_its_payload_is_seen(self, sealer, member):
        made = sealed(sealer)
        head, body, *_ = unpack_state(made.state)
        hiding = json.loads(head) | {member: None}

        with pytest.raises(CorruptEventError, match="do not go together"):
            sealer.open(forged(made, canonical(hiding), body))

    def test_a_payload_that_was_not_committed_to_is_seen(self, sealer):
        keys = OneKey()
        made = sealed(Sealer(keys, REGISTRY))
        head, *_ = unpack_state(made.state)
        body = bytes(12) + AESGCM(keys.KEY[1]).encrypt(bytes(12), bytes(16) + b"{}", head)

        with pytest.raises(CorruptEventError, match="not the one committed to"):
            Sealer(keys, REGISTRY).open(forged(made, head, body))

    def test_a_topic_of_a_newer_program_is_an_error_of_its_own(self, sealer, keys):
        made = sealed(sealer)

        with pytest.raises(UnknownTopicError, match=r"position 9.*memory\.remembered"):
            Sealer(keys, Registry(())).open(stored(made, 9))


def forged(made, head: bytes, body: bytes):
    """A row by somebody who can write to the database and knows the format, but no key."""
    return replace(stored(made, 9), state=pack_state(head, body), event_hash=event_hash(head, body))


class NoKeys:
    """For what must be seen before any key is asked for."""

    def open_keys(self, workspace, key_ids):
        raise AssertionError("no key is needed")


class OneKey:
    """One key for all."""

    KEY = ("key_" + "0" * 26, bytes(32))

    def take(self, workspace):
        return self.KEY

    audit = take

    def open_keys(self, workspace, key_ids):
        return dict.fromkeys(key_ids, self.KEY[1])
