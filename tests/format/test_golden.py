"""What is stored once can be read for ever: bytes pinned for every topic."""

from __future__ import annotations

import json

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.store_rows import StoredRow
from domain.envelope import Head, commitment, event_hash, unpack_state
from domain.events import REGISTRY
from domain.ids import split_id
from tests.format.examples import EXAMPLES, LostKeys, sealer
from tests.format.golden import FOLDER, example, path_of

FILES = sorted(path.name for path in FOLDER.glob("*.json"))


def golden(file: str) -> dict:
    return json.loads((FOLDER / file).read_text(encoding="utf-8"))


def row_of(said: dict) -> StoredRow:
    """The stored row, from nothing but the golden file."""
    head = said["head"]
    found = split_id(head["stream"])
    assert found is not None
    return StoredRow(
        position=1,
        originator_id=found[1].hex,
        version=head["version"],
        topic=head["topic"],
        state=bytes.fromhex(said["state"]),
        event_hash=bytes.fromhex(said["hash"]),
        workspace=head["ctx"]["workspace"],
        part=0,
        appended_us=1,
    )


@pytest.mark.parametrize("topic", REGISTRY.topics)
def test_every_topic_has_a_golden_file(topic):
    assert topic in EXAMPLES, "add an example with every field set"
    assert path_of(topic, REGISTRY.event_type(topic).V).is_file(), (
        "write it: python -m tests.format.golden"
    )


@pytest.mark.parametrize("topic", REGISTRY.topics)
def test_the_example_of_a_topic_sets_every_field(topic):
    _, event = EXAMPLES[topic]
    unset = set(type(event).model_fields) - event.model_fields_set
    payload = event.payload

    assert unset <= ({"payload"} if payload is None else set())
    assert payload is None or set(type(payload).model_fields) == payload.model_fields_set


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_event_becomes_the_bytes_it_always_became(name):
    _, event = EXAMPLES[name]

    _, said = example(name)

    assert said == golden(path_of(name, event.V).name)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_stored_bytes_become_the_event_they_always_became(name):
    _, event = EXAMPLES[name]
    said = golden(path_of(name, event.V).name)

    opened = sealer().open(row_of(said))

    assert opened.facts == (event,)
    assert opened.facts[0].structure() == event.structure()
    assert opened.facts[0].sealed() == event.sealed()


@pytest.mark.parametrize("file", FILES)
def test_a_head_that_is_read_would_be_written_the_same(file):
    head, *_ = unpack_state(bytes.fromhex(golden(file)["state"]))

    assert Head.from_bytes(head).to_bytes() == head


@pytest.mark.parametrize("file", FILES)
def test_every_file_ever_written_is_still_read(file):
    said = golden(file)

    opened = sealer().open(row_of(said))
    erased = sealer(keys=LostKeys()).open(row_of(said))

    assert opened.topic == said["head"]["topic"]
    assert not opened.erased
    assert erased.erased is (said["key"] is not None)
    assert all(fact.payload is None for fact in erased.facts)


@pytest.mark.parametrize("file", FILES)
def test_the_file_agrees_with_itself_by_the_format_alone(file):
    said = golden(file)
    state = bytes.fromhex(said["state"])
    length = int.from_bytes(state[4:8], "big")
    head, body = state[8 : 8 + length], state[8 + length :]

    assert state[:4] == b"MEM1"
    assert (json.loads(head), body.hex()) == (said["head"], said["body"])
    assert event_hash(head, body).hex() == said["hash"]
    if said["key"] is not None:
        opened = AESGCM(bytes.fromhex(said["key"])).decrypt(body[:12], body[12:], head)
        assert json.loads(opened[16:]) == said["payload"]
        assert commitment(opened[:16], opened[16:]) == said["head"]["commitment"]
