from __future__ import annotations

import pytest

from domain.events import CommandRecorded
from domain.policy_words import policy_words
from tests.recall.world import World

FAR = "2999-01-01T00:00:00Z"


@pytest.fixture
def world():
    return World()


def words(world, record, version=-1):
    event = world.log.stream("w", record)[version]
    return [word for fact in event.facts for word in policy_words(fact)]


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({}, ["correction"]),
        ({"content": {"format": "text", "value": "y"}}, ["correction"]),
        ({"add_tags": ["t"]}, ["correction"]),
        ({"valid_until": FAR}, ["correction"]),
        ({"lifecycle": "superseded"}, ["correction"]),
        ({"expires_at": FAR}, ["expiry"]),
        ({"lifecycle": "expired"}, ["expiry"]),
        ({"clear": ["expires_at"]}, ["expiry"]),
        ({"expires_at": FAR, "confidence": 0.5}, ["correction", "expiry"]),
    ],
)
def test_an_update_means_what_it_sets(world, patch, said):
    memory = world.remember()
    world.update(memory, **patch)

    assert words(world, memory) == said


@pytest.mark.parametrize(
    ("mode", "said"),
    [("expire", "expiry"), ("tombstone", "tombstone"), ("application_delete", "tombstone")],
)
def test_a_forget_means_what_its_mode_does(world, mode, said):
    memory = world.remember()
    world.forget(memory, mode, **({"expires_at": FAR} if mode == "expire" else {}))

    assert words(world, memory) == [said]


def test_records_begin_with_an_assertion(world):
    a, b = world.remember(), world.remember()

    assert words(world, a) == ["assertion"]
    assert words(world, world.relate(a, b)) == ["assertion"]


def test_events_of_no_record_have_no_word():
    assert policy_words(CommandRecorded(targets=[], payload=None)) == ()


def test_an_update_whose_text_was_erased_is_a_correction(world):
    memory = world.remember()
    world.update(memory, content={"format": "text", "value": "y"})
    world.forget(memory, "application_delete")

    assert words(world, memory, 1) == ["correction"]
