"""The stream that makes an identity key unique: who holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from domain.events import IdentityClaimed, IdentityReleased
from domain.ids import GUARD, derived_id, encode_id
from domain.recorded import RecordedEvent


def guard_stream(
    secret: bytes,
    workspace: str,
    kind: Literal["memory", "relationship"],
    key: str,
    owner: str | None = None,
    session: str | None = None,
) -> str:
    """The guard of a key.

    `owner` is given for private records, whose keys are their own, `session` where sessions are
    strict: so are theirs.
    """
    parts = ("identity", workspace, kind, key) if owner is None else (
        "private identity", workspace, kind, key, owner
    )  # fmt: skip
    if session is not None:
        parts = (f"session {parts[0]}", *parts[1:], session)
    return encode_id(GUARD, derived_id(secret, *parts))


@dataclass(frozen=True, slots=True)
class GuardState:
    """Who holds an identity key; None where it is free."""

    holder: str | None


def apply_guard(state: GuardState | None, event: RecordedEvent) -> GuardState | None:
    """The state after one stored event of a guard stream."""
    for fact in event.facts:
        if isinstance(fact, IdentityClaimed):
            state = GuardState(fact.target_id)
        elif isinstance(fact, IdentityReleased):
            state = GuardState(None)
    return state
