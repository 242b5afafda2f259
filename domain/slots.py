"""What a memory is about: its slot, and whether two of them say the same.

Rulings: spec/operations.md §10 (slot, same_value). A slot is a non-blank string without control
characters, compared after NFC; what is not such a string gives no slot, and never a refusal.
"""

from __future__ import annotations

import hmac
import unicodedata
from typing import Final

from domain.canonical import Json, JsonObject, canonical

SLOT_CHARACTERS_MAX: Final = 1024
"""A longer string names no slot."""
COMPARED_CHARACTERS_MAX: Final = 4096
"""Longer strings are compared as they are, without NFC."""


def properties_of(content: JsonObject | None) -> JsonObject:
    """The JSON object in a content; empty where there is none."""
    if content is None:
        return {}
    value = content["value"]
    if content["format"] == "text_and_properties":
        value = value["properties"]
    return value if content["format"] != "text" and isinstance(value, dict) else {}


def named_slot(content: JsonObject | None) -> str | None:
    """The slot that a content names: `properties.slot`, else (subject, predicate)."""
    properties = properties_of(content)
    if not properties:
        return None
    slot = _name(properties.get("slot"))
    if slot is not None:
        return slot
    pair = [_name(properties.get(name)) for name in ("subject", "predicate")]
    return None if None in pair else canonical(pair).decode()


def slot_of(content: JsonObject | None, identity_key: str | None) -> str | None:
    """The slot of a first version: what its content names, else its identity key."""
    return named_slot(content) or _name(identity_key)


def _name(value: Json) -> str | None:
    if not isinstance(value, str) or not value.strip() or len(value) > SLOT_CHARACTERS_MAX:
        return None
    name = unicodedata.normalize("NFC", value)
    return None if any(unicodedata.category(character) == "Cc" for character in name) else name


def slot_ref(secret: bytes, slot: str) -> str:
    """Hex of the keyed reference that stays after the text is gone (design.md §2)."""
    said = canonical(["slot", unicodedata.normalize("NFC", slot)])
    return hmac.digest(secret, said, "sha256").hex()


def value_of(content: JsonObject | None) -> bytes:
    """What `same_value` compares: `properties.object`, else the content, after NFC."""
    return comparable(properties_of(content).get("object", content))


def comparable(value: Json) -> bytes:
    """One form of a value for all its Unicode spellings: equal bytes, same value."""
    return canonical(_normalized(value))


def _normalized(value: Json) -> Json:
    if isinstance(value, str):
        # Normalising takes quadratic time where marks pile up, so a long text stays as it is.
        short = len(value) <= COMPARED_CHARACTERS_MAX
        return unicodedata.normalize("NFC", value) if short else value
    if isinstance(value, dict):
        return {_normalized(key): _normalized(item) for key, item in value.items()}
    return [_normalized(item) for item in value] if isinstance(value, list) else value
