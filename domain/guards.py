"""The stream that makes an identity key unique: who holds it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from domain.events import IdentityClaimed, IdentityReleased
from domain.ids import GUARD, derived_id, encode_id
from domain.recorded import RecordedEvent


def guard_stream(
    secret: bytes, workspace: str, kind: Literal["memory", "relationship"], owner: str | None, key: str
) -> str:
    """The guard of a key; `owner` is given for private memories, whose keys are their own."""
    parts = ("identity", workspace, kind, key) if owner is None else (
        "identity", workspace, kind, key, owner
    )  # fmt: skip
    return encode_id(GUARD, derived_id(secret, *parts))


def holder(events: Iterable[RecordedEvent]) -> str | None:
    """The id that holds the key after these events; None where it is free."""
    held: str | None = None
    for event in events:
        for fact in event.facts:
            if isinstance(fact, IdentityClaimed):
                held = fact.target_id
            elif isinstance(fact, IdentityReleased):
                held = None
    return held
