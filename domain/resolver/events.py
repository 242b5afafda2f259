"""What the temporal policy reads: statements, and what happens to them (spec/policy.md §2).

Each event has its structure, which is never erased, and a statement has a payload that may be
gone. Instants are microseconds since 1970 UTC. `session` is what slots and targets are confined
to: the session of the recording context, or one name for all where a workspace does not isolate.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from domain.canonical import Json
from domain.instants import Micros


class Inherited(Enum):
    """A bound that a correction does not name: it keeps that of its target."""

    INHERITED = "inherited"


INHERITED: Final = Inherited.INHERITED

Bound: TypeAlias = Micros | Inherited | None
"""An instant; None opens. In an assertion, which has nothing to inherit, absent is None."""


@dataclass(frozen=True, slots=True)
class Payload:
    """What is gone after an erasure."""

    key: str
    value: Json
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """An assertion, or with a target a correction of another statement.

    `payload` is None where it was erased.
    """

    id: str
    session: str
    position: int
    appended_us: Micros
    recorded_us: Micros
    slot_ref: str
    target: str | None = None
    valid_from: Bound = None
    valid_until: Bound = None
    expires_at: Bound = None
    payload: Payload | None = None


Scope: TypeAlias = Literal["lineage", "event", "key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A deletion. `target` is a statement's id; with the scope `key` it is a slot's reference."""

    id: str
    session: str
    position: int
    appended_us: Micros
    recorded_us: Micros
    scope: Scope
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """A new retention bound of the lineage of `target`, exclusive; None opens it."""

    id: str
    session: str
    position: int
    appended_us: Micros
    recorded_us: Micros
    target: str
    expires_us: Micros | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Supersession:
    """A consolidation: the lineages of `targets` step back behind that of `canonical`."""

    id: str
    session: str
    position: int
    appended_us: Micros
    recorded_us: Micros
    targets: tuple[str, ...]
    canonical: str


PolicyEvent: TypeAlias = Statement | Tombstone | Expiry | Supersession


def age(event: PolicyEvent) -> tuple[Micros, str]:
    """The order of events among themselves, which no replica and no arrival changes."""
    return event.recorded_us, event.id
