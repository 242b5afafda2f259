"""Older stored versions of a topic are read as today's facts."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from commands.sealing import Sealer
from domain.envelope import CorruptEventError
from domain.registry import Event, Payload, RawEvent, Registry, UnknownTopicError
from tests.format.examples import CONTEXT, RECORDED_AT, FixedKeys, LostKeys, public_id
from tests.store.building import stored


class FirstParcel(Payload):
    weight: str
    note: str


class ParcelSentV1(Event):
    TOPIC: ClassVar[str] = "test.parcel_sent"
    to: str
    payload: FirstParcel | None


class Parcel(Payload):
    grams: int


class ParcelSent(Event):
    """Today's version: the note became a fact of its own."""

    TOPIC: ClassVar[str] = "test.parcel_sent"
    V: ClassVar[int] = 3
    address: str
    payload: Parcel | None


class Note(Payload):
    text: str


class ParcelNoted(Event):
    TOPIC: ClassVar[str] = "test.parcel_noted"
    address: str
    payload: Note | None


def grams_and_address(raw: RawEvent) -> tuple[RawEvent, ...]:
    """1 → 2: `to` was renamed, the weight became a number."""
    payload = raw.payload
    if payload is not None:
        payload = {"grams": int(payload["weight"].removesuffix(" g")), "note": payload["note"]}
    return (replace(raw, v=2, structure={"address": raw.structure["to"]}, payload=payload),)


def note_apart(raw: RawEvent) -> tuple[RawEvent, ...]:
    """2 → 3: one event is two facts."""
    payload = raw.payload or {}
    grams = None if raw.payload is None else {"grams": payload["grams"]}
    text = None if raw.payload is None else {"text": payload["note"]}
    return (
        replace(raw, v=3, payload=grams),
        RawEvent("test.parcel_noted", 1, raw.structure, text),
    )


THEN = Registry((ParcelSentV1,))
NOW = Registry(
    (ParcelSent, ParcelNoted),
    {
        ("test.parcel_sent", 1): grams_and_address,
        ("test.parcel_sent", 2): note_apart,
    },
)


@pytest.fixture
def old_row():
    """An event as the first version of the program has stored it."""
    said = ParcelSentV1(to="Calle Mayor 1", payload=FirstParcel(weight="250 g", note="frágil"))
    return stored(
        Sealer(FixedKeys(), THEN).seal(
            stream=public_id("mem_"),
            version=4,
            event=said,
            context=CONTEXT,
            recorded_at=RECORDED_AT,
            prev="1f" * 32,
        )
    )


def test_an_event_of_the_first_version_is_read_as_two_facts_of_today(old_row):
    opened = Sealer(FixedKeys(), NOW).open(old_row)

    assert opened.facts == (
        ParcelSent(address="Calle Mayor 1", payload=Parcel(grams=250)),
        ParcelNoted(address="Calle Mayor 1", payload=Note(text="frágil")),
    )


def test_both_facts_are_of_the_one_version_and_topic_that_is_stored(old_row):
    opened = Sealer(FixedKeys(), NOW).open(old_row)

    assert (opened.version, opened.topic) == (4, "test.parcel_sent")
    assert opened.hash == old_row.event_hash.hex()


def test_an_erased_event_goes_the_same_steps_without_its_payload(old_row):
    opened = Sealer(LostKeys(), NOW).open(old_row)

    assert opened.erased
    assert opened.facts == (
        ParcelSent(address="Calle Mayor 1", payload=None),
        ParcelNoted(address="Calle Mayor 1", payload=None),
    )


def test_a_program_without_the_steps_says_that_it_does_not_know_the_version(old_row):
    with pytest.raises(UnknownTopicError, match="version 1 of the topic"):
        Sealer(FixedKeys(), Registry((ParcelSent, ParcelNoted))).open(old_row)


def test_an_older_program_says_that_it_does_not_know_a_newer_version(old_row):
    new = Sealer(FixedKeys(), NOW).seal(
        stream=public_id("mem_"),
        version=1,
        event=ParcelSent(address="x", payload=Parcel(grams=1)),
        context=CONTEXT,
        recorded_at=RECORDED_AT,
        prev=None,
    )

    with pytest.raises(UnknownTopicError, match="version 3 of the topic"):
        Sealer(FixedKeys(), THEN).open(stored(new))


def test_a_stored_event_that_lacks_a_field_is_corrupt_not_guessed(old_row):
    class Other(ParcelSentV1):
        reference: str

    with pytest.raises(CorruptEventError, match="does not have its shape"):
        Sealer(FixedKeys(), Registry((Other,))).open(old_row)
