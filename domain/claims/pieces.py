"""The evidence about one claim at a basis, as its readers hand it to policies.

Everything is said by value: no clock, no store. Instants are microseconds since 1970 UTC, open
ends `domain.instants.FOREVER`; bounds are half open.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from domain.canonical import Json
from domain.claims.statement import Statement
from domain.event_bases import Target
from domain.instants import Micros

SUPPORTS: Final = "supports"
CONTRADICTS: Final = "contradicts"
DERIVED_FROM: Final = "derived_from"

Stance: TypeAlias = Literal["supports", "contradicts"]


class Claim(NamedTuple):
    """The claim itself: the version that was read, and who wrote any of its versions."""

    target: Target
    statement: Statement
    from_us: Micros
    until_us: Micros
    authors: frozenset[str]
    confidence: float | None


class Piece(NamedTuple):
    """One relationship for or against the claim, and the memory at its other end.

    `standing`: both were active and unforgotten at the basis. One that no longer stands counts for
    nothing; one that spoke against the claim is known as withdrawn. `from_us` to `until_us` is when
    both hold, retention included. `weight` is the product of their confidences, absent ones 1.

    `names` are what policies rate: source ids in the provenance of the memory, of what it was
    derived from, and of the relationship, and the ids of the memories at the roots. `origins` are
    these and their documents in one spelling: pieces that share one come from one origin. `hosts`
    are the hosts of the documents. `kinds` are those of the memory and its roots, `located`
    whether any provenance has a locator, `observed_us` the latest time of observation, if any.
    `authors` wrote the memory or the relationship, `independent` is False where the relationship
    says so, `scope` is its `properties.scope`.
    """

    stance: Stance
    edge: Target
    memory: Target
    standing: bool
    from_us: Micros
    until_us: Micros
    weight: float = 1.0
    names: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    located: bool = False
    observed_us: Micros | None = None
    authors: frozenset[str] = frozenset()
    independent: bool = True
    scope: Json = None

    def holds(self, as_of_us: Micros) -> bool:
        """Whether it stands, and its bounds hold at an instant."""
        return self.standing and self.from_us <= as_of_us < self.until_us


class Rival(NamedTuple):
    """Another claim of the slot with another object, active and not rejected.

    Its validity overlaps that of the claim; touching intervals are none.
    """

    memory: Target
    weight: float = 1.0


class Approval(NamedTuple):
    """What a reviewer said about the statement of the claim, under a policy.

    `position` is where it stands in the log: an approval clears what was withdrawn before it.
    """

    decision: str
    approved: bool
    actor: str
    policy: str
    position: int


Fall: TypeAlias = Literal["forgotten", "expired", "superseded", "contradicted"]


class Fallen(NamedTuple):
    """A memory that the claim cites or its supports rest on, and why it no longer stands.

    One that is `contradicted` still does, and a relationship contradicts it.
    """

    memory: Target
    why: Fall


class Evidence(NamedTuple):
    """All that speaks for and against one claim at a basis.

    `pieces` are by relationship id, `rivals` and `approvals` by id. `read` is every version that
    was read, each once, in order. `complete` is False where a limit cut the set. `withdrawn_at` is
    the position of the latest withdrawal of a contradiction, `newest_at` that of the newest version
    that was read about the claim, itself apart; 0 for none. `fallen` are the memories it rests on
    that no longer stand, or are contradicted where that was looked at; `agreed` is whether another
    standing claim of its slot says the same, `cited` how many sources it names itself. `private` is
    whether any version that was read is, the claim itself included.
    """

    claim: Claim
    pieces: tuple[Piece, ...]
    rivals: tuple[Rival, ...]
    approvals: tuple[Approval, ...]
    read: tuple[Target, ...]
    complete: bool
    as_of_us: Micros
    withdrawn_at: int = 0
    newest_at: int = 0
    fallen: tuple[Fallen, ...] = ()
    agreed: bool = False
    cited: int = 0
    private: bool = False
