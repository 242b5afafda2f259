"""What the recall index holds: one document for each version of a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from domain.canonical import Json, JsonObject

Field: TypeAlias = Literal["text", "properties", "tags", "kind", "identity_key"]
"""Where in a memory a word stands; keys of properties are words too."""


@dataclass(frozen=True, slots=True)
class Document:
    """A version of a memory: the terms it is found by, and what decides whether it may be.

    `terms` comes from `analyze`. `from_position` is the log position of the event that made the
    version. Instants are microseconds since 1970 UTC, ends are exclusive, None is open;
    `expires_at_us` is the earlier of `expires_at` and of when the lifecycle became expired
    (`Bounds.expires_us`). `active`: the lifecycle may answer within these bounds
    (`domain.visibility.ANSWERING`), and the text is there. `private_owner` is None where the whole
    workspace may see it. `slot` is the keyed reference of its slot. Of a branch of a fork that
    answers for a time `memory_id` is that of its documents (`places.stand_in_id`).
    """

    memory_id: str
    version: int
    from_position: int
    terms: Mapping[str, float]
    valid_from_us: int
    valid_until_us: int | None
    expires_at_us: int | None
    active: bool
    private_owner: str | None
    home_session: str
    kind: str
    tags: frozenset[str]
    epistemic_status: str | None
    confidence: float | None
    slot: str | None
    repo: str | None


def document_text(
    kind: str, content: JsonObject | None, tags: Iterable[str], identity_key: str | None
) -> str:
    """All words of a version, one value a line (spec/operations.md §6, point 3).

    Text, keys and values of properties at every depth (numbers and truth values as in JSON),
    tags, kind, identity key. Provenance and schema version are no words of a memory.
    """
    return "\n".join(word for _, word in document_fields(kind, content, tags, identity_key))


def document_fields(
    kind: str, content: JsonObject | None, tags: Iterable[str], identity_key: str | None
) -> Iterator[tuple[Field, str]]:
    """The values of `document_text` in their order, each with the field in which it stands."""
    if content is not None:
        value = content["value"]
        if content["format"] == "text_and_properties":
            yield "text", value["text"]
            value = value["properties"]
        field: Field = "text" if content["format"] == "text" else "properties"
        for word in _strings(value):
            yield field, word
    for tag in tags:
        yield "tags", tag
    yield "kind", kind
    if identity_key is not None:
        yield "identity_key", identity_key


def _strings(value: Json) -> Iterator[str]:
    """Keys and values in the order in which they were sent; null says nothing."""
    match value:
        case str():
            yield value
        case bool():
            yield "true" if value else "false"
        case int() | float():
            yield repr(value)
        case dict():
            for key, inner in value.items():
                yield key
                yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)
        case _:
            return
