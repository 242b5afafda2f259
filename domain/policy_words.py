"""The words of spec/policy.md for what happened: views of an event, never stored (design.md §2)."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from domain.events import (
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    MemorySuperseded,
    MemoryUpdated,
    RelationshipRelated,
    RelationshipRevised,
    RelationshipUpdated,
)
from domain.registry import Event

Word: TypeAlias = Literal["assertion", "correction", "expiry", "tombstone", "supersession"]

_BY_TOPIC: Final[dict[str, tuple[Word, ...]]] = {
    MemoryRemembered.TOPIC: ("assertion",),
    MemoryRevised.TOPIC: ("correction",),
    MemorySuperseded.TOPIC: ("supersession",),
    RelationshipRelated.TOPIC: ("assertion",),
    RelationshipRevised.TOPIC: ("correction",),
}

_CORRECTING: Final = frozenset({"valid_from", "valid_until"})


def policy_words(fact: Event) -> tuple[Word, ...]:
    """What a memory or relationship event means to the policy (spec/policy.md §2.13).

    Empty for every other event. An update may be two things at once: a correction, and an expiry
    where it moves the retention bound or sets the lifecycle to expired. An update that sets
    nothing, and one whose payload was erased, is a correction.
    """
    match fact:
        case MemoryForgotten():
            return ("expiry",) if fact.mode == "expire" else ("tombstone",)
        case MemoryUpdated() | RelationshipUpdated():
            return _update_words(fact)
        case _:
            return _BY_TOPIC.get(fact.TOPIC, ())


def _update_words(fact: MemoryUpdated | RelationshipUpdated) -> tuple[Word, ...]:
    changed = fact.model_fields_set
    expiry = "expires_at" in changed or fact.lifecycle == "expired"
    said = fact.payload is None or bool(fact.payload.model_fields_set)
    lifted = fact.lifecycle is not None and fact.lifecycle != "expired"
    correction = said or lifted or bool(changed & _CORRECTING) or not expiry
    words: tuple[Word, ...] = ("correction",) if correction else ()
    return (*words, "expiry") if expiry else words
