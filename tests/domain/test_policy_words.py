"""The policy's words are views of an event, never stored."""

from __future__ import annotations

from typing import Any

import pytest

from domain.policy_words import policy_words
from domain.registry import Event
from tests.builders import EVENTS, memory_forgotten, memory_updated, relationship_updated, text

TIME = "2026-01-01T00:00:00Z"
PLAIN: dict[str, tuple[str, ...]] = {
    "memory.remembered": ("assertion",),
    "memory.revised": ("correction",),
    "memory.updated": ("correction",),
    "memory.forgotten": ("tombstone",),
    "memory.superseded": ("supersession",),
    "relationship.related": ("assertion",),
    "relationship.revised": ("correction",),
    "relationship.updated": ("correction",),
}


@pytest.mark.parametrize("topic", EVENTS)
def test_each_topic_has_its_words_and_other_streams_none(topic: str) -> None:
    assert policy_words(EVENTS[topic]()) == PLAIN.get(topic, ())


@pytest.mark.parametrize("build", [memory_updated, relationship_updated])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ("correction",)),
        ({"payload": None}, ("correction",)),
        ({"payload": {"confidence": None}}, ("correction",)),
        ({"valid_from": None}, ("correction",)),
        ({"valid_until": TIME}, ("correction",)),
        ({"lifecycle": "active"}, ("correction",)),
        ({"expires_at": TIME}, ("expiry",)),
        ({"expires_at": None}, ("expiry",)),
        ({"lifecycle": "expired"}, ("expiry",)),
        ({"expires_at": TIME, "payload": {"confidence": 1}}, ("correction", "expiry")),
        ({"expires_at": TIME, "lifecycle": "active"}, ("correction", "expiry")),
        ({"lifecycle": "expired", "valid_until": TIME}, ("correction", "expiry")),
    ],
)
def test_an_update_is_a_correction_an_expiry_or_both(
    build: Any, changes: dict[str, Any], words: tuple[str, ...]
) -> None:
    event: Event = build(**changes)
    assert policy_words(event) == words


def test_a_corrected_content_is_a_correction() -> None:
    assert policy_words(memory_updated(payload={"content": text()})) == ("correction",)


@pytest.mark.parametrize(
    ("mode", "word"),
    [("expire", "expiry"), ("tombstone", "tombstone"), ("application_delete", "tombstone")],
)
def test_forgetting_is_an_expiry_or_a_tombstone(mode: str, word: str) -> None:
    assert policy_words(memory_forgotten(mode=mode)) == (word,)
