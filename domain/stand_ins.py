"""Which branch of a fork answers when: the best of those that hold (spec/policy.md §2.4, §2.9).

A branch that answers only while no better one holds is a stand-in. A memory answers once at every
instant, so the turns of its branches have none in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from domain.instants import Micros
from domain.memory import MemoryState


class Turn(NamedTuple):
    """From when until when a version is the best that holds; `until_us` is exclusive."""

    version: int
    from_us: Micros
    until_us: Micros


class StandIn(NamedTuple):
    """What a memory says in a turn of another branch than the preferred one.

    `shows` is the version of which the text is, `state` the memory with that text. The bounds of
    `state` are those of the branch, of which the turn is a part.
    """

    shows: int
    from_us: Micros
    until_us: Micros
    state: MemoryState


def turns(branches: Iterable[Turn]) -> list[Turn]:
    """The turns of branches, best first, given when each holds; of one there may be several."""
    found: list[Turn] = []
    taken: list[Turn] = []
    for branch in branches:
        found += _left(branch, sorted(taken, key=lambda one: one.from_us))
        taken.append(branch)
    return found


def stand_ins(state: MemoryState) -> Iterator[StandIn]:
    """Those of a memory at a version, as its `tangle` keeps them (`domain.tangled_versions`)."""
    for said in (state.tangle or {}).get("stand_ins", ()):
        record = said["record"]
        text = {
            "kind": record["kind"],
            "schema_version": record["schema_version"],
            "content": record["content"],
            "provenance": tuple(record["provenance"]),
            "confidence": record["confidence"],
            "tags": tuple(record["tags"]),
            "identity_key": record["identity_key"],
        }
        yield StandIn(said["shows"], said["from_us"], said["until_us"], state._replace(**text))


def without_stand_ins(state: MemoryState) -> MemoryState:
    """The same version without what its stand-ins say."""
    if state.tangle is None:
        return state
    return state._replace(tangle={**state.tangle, "stand_ins": []})


def _left(branch: Turn, taken: Sequence[Turn]) -> Iterator[Turn]:
    """What of a branch no other one has."""
    start = branch.from_us
    for other in taken:
        if start < min(other.from_us, branch.until_us):
            yield Turn(branch.version, start, min(other.from_us, branch.until_us))
        start = max(start, other.until_us)
    if start < branch.until_us:
        yield Turn(branch.version, start, branch.until_us)
