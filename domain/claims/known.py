"""Records as they were known at a basis, for who asks; where they come from is the reader's matter.

`told` is every version that was recorded by the basis, in order: the last one is what was known.
What was forgotten since shows no text at any basis (spec/policy.md §2.5).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from domain.claims.pieces import Approval
from domain.event_bases import Target
from domain.instants import Micros
from domain.memory import MemoryState
from domain.relationship import RelationshipState
from domain.visibility import ANSWERING

State = TypeVar("State", MemoryState, RelationshipState)


class Told(NamedTuple, Generic[State]):
    """A record at one version: where it stands in the log, and who wrote it."""

    state: State
    position: int
    actor: str


Memory: TypeAlias = Sequence[Told[MemoryState]]
Edge: TypeAlias = Sequence[Told[RelationshipState]]
Version: TypeAlias = Told[MemoryState] | Told[RelationshipState]


class KnownRecords(Protocol):
    """The records of a workspace at a basis that who asks may see."""

    def memories(self, ids: Iterable[str]) -> Mapping[str, Memory]:
        """Those of the ids that are memories here, forgotten ones too."""
        ...

    def behind(
        self, nodes: Iterable[str], claims: Collection[str], most: int
    ) -> tuple[Mapping[str, Sequence[Edge]], Mapping[str, Sequence[Edge]]]:
        """What each node was ever derived from, and what ever spoke for or against the claims.

        The first are relationships out of a node; the second support a claim, or contradict it in
        either direction. Both by id, at most `most` of each node and one more, which says that
        there are others. `claims` are some of the nodes.
        """
        ...

    def contradicted(self, ids: Iterable[str], as_of_us: Micros) -> Collection[str]:
        """Those of the ids that another memory contradicts at an instant, in either direction."""
        ...

    def slots(self, refs: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """The ids of the memories of each slot, in order."""
        ...

    def reviews(self, claim: Memory) -> Sequence[Approval]:
        """What reviewers said about the statement of a claim, by decision id."""
        ...


def target(version: Version) -> Target:
    """The record at its version."""
    return version.state.id, version.state.version


def stands(version: Version) -> bool:
    """Whether it was active, or only expires later, and nothing of it was forgotten."""
    state = version.state
    if state.erased or state.lifecycle not in ANSWERING:
        return False
    return not isinstance(state, MemoryState) or state.forgotten is None


def until(version: Version) -> Micros:
    """The exclusive end of what a version says: of its validity, or of its retention."""
    bounds = version.state.bounds
    if bounds.valid_until is None and bounds.expires_at is None:
        return bounds.expired_us
    return min(bounds.until_us, bounds.expires_us)


def holds(version: Version, as_of_us: Micros) -> bool:
    """Whether it stands, and what it says is valid at an instant."""
    return stands(version) and version.state.bounds.from_us <= as_of_us < until(version)


def weight(version: Version) -> float:
    """Its confidence, 0 to 1; 1 where it has none."""
    confidence = version.state.confidence
    return 1.0 if confidence is None else confidence


def withdrawn_at(versions: Sequence[Version], as_of_us: Micros) -> int:
    """The position of the version that ended what earlier ones said at an instant; 0 for none.

    An end that the first version had is none: nothing was withdrawn. What was forgotten said
    something before, though its text is gone from every version.
    """
    said = False
    ended = 0
    for version in versions:
        holds = version.state.lifecycle in ANSWERING and as_of_us < until(version)
        if said and not holds:
            ended = ended or version.position
        elif holds:
            said, ended = True, 0
    gone = said and not stands(versions[-1])
    return ended or (versions[-1].position if gone else 0)


def authors(*records: Sequence[Version]) -> frozenset[str]:
    """Who wrote any version of the records."""
    return frozenset(version.actor for record in records for version in record)
