"""Gathering the evidence about claims: the same for every door and for every store of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from domain.claims.chains import Grounds, Limits, ends_of
from domain.claims.independence import origins_of
from domain.claims.known import (
    Edge,
    KnownRecords,
    Memory,
    Version,
    authors,
    stands,
    target,
    until,
    weight,
    withdrawn_at,
)
from domain.claims.pieces import (
    CONTRADICTS,
    SUPPORTS,
    Approval,
    Claim,
    Evidence,
    Fall,
    Fallen,
    Piece,
    Rival,
    Stance,
)
from domain.claims.statement import CLAIM_KINDS, statement_of
from domain.event_bases import Target
from domain.instants import Micros, parse_instant
from domain.slots import value_of

REJECTED = "rejected"


class Gathered(NamedTuple):
    """A claim with all its known versions, and the evidence about it."""

    memory: Memory
    evidence: Evidence


def gather(
    records: KnownRecords,
    claims: Iterable[str],
    as_of_us: Micros,
    *,
    without: Iterable[str] = (),
    reviewed: bool = False,
    challenged: bool = False,
    limits: Limits = Limits(),  # noqa: B008 - it cannot be changed
) -> dict[str, Gathered]:
    """Those of the ids that are readable claims and the evidence about each, by id.

    `without` are memories and relationships that are taken for absent: what if they were.
    `reviewed` reads what reviewers said too, claim by claim; `challenged` what contradicts the
    memories that the claims rest on, of which no decision takes notice.
    """
    wanted = list(dict.fromkeys(claims))
    left_out = frozenset(without)
    grounds = Grounds(limits)
    grounds.read(records, wanted, opposed=True)
    here = [one for one in wanted if one in grounds.memories and _is_claim(grounds.memories[one])]
    refs = {one: grounds.memories[one][-1].state.slot_ref for one in here}
    slots = records.slots({ref for ref in refs.values() if ref is not None})
    mates = {one: [m for m in slots.get(refs[one] or "", ()) if m != one] for one in here}
    for one, crowd in mates.items():
        if len(crowd) > limits.nodes:
            grounds.cut.add(one)
            del crowd[limits.nodes :]
    # Of one claim alone nothing rests on it, and it may have very many contradictions.
    behind = grounds.memories.keys() - (wanted if len(wanted) == 1 else ())
    doubted = frozenset(records.contradicted(behind, as_of_us) if challenged else ())
    others = records.memories({mate for found in mates.values() for mate in found})
    return {
        one: Gathered(
            memory,
            _Gathering(grounds, one, as_of_us, left_out, doubted).evidence(
                {mate: others[mate] for mate in mates[one] if mate in others},
                records.reviews(memory) if reviewed else (),
            ),
        )
        for one in here
        for memory in [grounds.memories[one]]
    }


def _is_claim(memory: Memory) -> bool:
    state = memory[-1].state
    return state.kind in CLAIM_KINDS and state.forgotten is None and not state.erased


@dataclass(slots=True)
class _Gathering:
    """The evidence about one claim, out of what was read."""

    grounds: Grounds
    claim: str
    as_of_us: Micros
    without: frozenset[str]
    doubted: frozenset[str]
    seen: dict[Target, int] = field(default_factory=dict)
    fallen: dict[Target, Fall] = field(default_factory=dict)
    private: bool = False

    def evidence(self, mates: Mapping[str, Memory], reviews: Sequence[Approval]) -> Evidence:
        memory = self.grounds.memories[self.claim]
        self._saw(memory)
        known = self.grounds.memories
        self._falls(known[one] for one in self.grounds.chain(self.claim) if one in known)
        pieces, withdrawn = self._pieces(self.grounds.spoken.get(self.claim, ()))
        rivals, agreed = self._rivals(memory, mates)
        last = memory[-1]
        sources = {reference["source_id"] for reference in last.state.provenance}
        about = [at for one, at in self.seen.items() if one[0] != self.claim]
        return Evidence(
            claim=Claim(
                target=target(last),
                statement=statement_of(last.state.content),
                from_us=last.state.bounds.from_us,
                until_us=until(last),
                authors=authors(memory),
                confidence=last.state.confidence,
            ),
            pieces=tuple(sorted(pieces, key=lambda piece: piece.edge)),
            rivals=tuple(rivals),
            approvals=tuple(reviews),
            read=tuple(sorted(self.seen)),
            complete=self._complete(),
            as_of_us=self.as_of_us,
            withdrawn_at=withdrawn,
            newest_at=max(about, default=0),
            fallen=tuple(Fallen(one, why) for one, why in sorted(self.fallen.items())),
            agreed=agreed,
            cited=len(sources),
            private=self.private,
        )

    def _pieces(self, spoken: Sequence[Edge]) -> tuple[list[Piece], int]:
        """The pieces that say something, and the position of the latest withdrawal."""
        pieces: list[Piece] = []
        withdrawn = 0
        for edge in spoken:
            stance, other = self._stance(edge)
            memory = self.grounds.memories.get(other)
            if stance is None or memory is None or {edge[-1].state.id, other} & self.without:
                continue
            circular = stance == SUPPORTS and self.grounds.rests_on(other, self.claim)
            if other == self.claim or circular:
                continue
            piece = self._piece(stance, edge, memory)
            pieces.append(piece)
            if stance == CONTRADICTS:
                withdrawn = max(withdrawn, self._withdrawn(edge, memory))
        return pieces, withdrawn

    def _stance(self, edge: Edge) -> tuple[Stance | None, str]:
        """What it says, or said last, about the claim; and the memory at its other end."""
        ends = ends_of(edge)
        kinds = [version.state.kind for version in edge]
        if CONTRADICTS in kinds:
            return CONTRADICTS, ends[0] if ends[1] == self.claim else ends[1]
        if kinds[-1] == SUPPORTS and ends[1] == self.claim:
            return SUPPORTS, ends[0]
        return None, ends[0]

    def _piece(self, stance: Stance, edge: Edge, memory: Memory) -> Piece:
        known, name = self.grounds.memories, memory[-1].state.id
        chain = [known[one] for one in self.grounds.chain(name) if one in known]
        roots = [known[one] for one in self.grounds.roots(name) if one in known]
        self._saw(edge, *chain)
        for link in chain:
            self._saw(*self.grounds.edges[link[-1].state.id])
        if stance == SUPPORTS:
            self._falls(chain)
        versions: list[Version] = [edge[-1], *[link[-1] for link in chain]]
        references = [one for version in versions for one in version.state.provenance]
        origins, hosts = set[str](), set[str]()
        for one in references:
            named, on = origins_of(one["source_id"], one["locator"])
            origins |= named
            hosts |= on
        ids = {root[-1].state.id for root in roots}
        observed = [
            parse_instant(one["observed_at"], "observed_at")
            for one in references
            if one["observed_at"] is not None
        ]
        said = edge[-1].state.properties
        properties = said if isinstance(said, dict) else {}
        return Piece(
            stance=stance,
            edge=target(edge[-1]),
            memory=target(memory[-1]),
            standing=edge[-1].state.kind == stance and all(stands(one) for one in versions),
            from_us=max(version.state.bounds.from_us for version in versions),
            until_us=min(until(version) for version in versions),
            weight=weight(edge[-1]) * weight(memory[-1]),
            names=frozenset({one["source_id"] for one in references} | ids),
            origins=frozenset(origins | ids),
            hosts=frozenset(hosts),
            kinds=frozenset({memory[-1].state.kind, *(root[-1].state.kind for root in roots)}),
            located=any(one["locator"] for one in references),
            observed_us=max(observed, default=None),
            authors=authors(edge, memory),
            independent=properties.get("independent") is not False,
            scope=properties.get("scope"),
        )

    def _withdrawn(self, edge: Edge, memory: Memory) -> int:
        """Where a contradiction was withdrawn: the relationship, or what stands behind it."""
        spoken = [
            version
            if version.state.kind == CONTRADICTS
            else version._replace(state=version.state._replace(lifecycle="superseded"))
            for version in edge
        ]
        chain = (self.grounds.memories.get(one) for one in self.grounds.chain(memory[-1].state.id))
        links: list[Sequence[Version]] = [spoken, *(link for link in chain if link is not None)]
        return max(withdrawn_at(link, self.as_of_us) for link in links)

    def _rivals(self, memory: Memory, mates: Mapping[str, Memory]) -> tuple[list[Rival], bool]:
        """The rivals by id, and whether anything of the slot says the same."""
        mine = memory[-1]
        value = value_of(mine.state.content)
        rivals: list[Rival] = []
        agreed = False
        for mate in mates.values():
            other = mate[-1]
            state = other.state
            if not stands(other) or state.id in self.without or state.kind not in CLAIM_KINDS:
                continue
            if statement_of(state.content).status == REJECTED or not _overlap(mine, other):
                continue
            self._saw(mate)
            if value_of(state.content) == value:
                agreed = True
            else:
                rivals.append(Rival(target(other), weight(other)))
        return sorted(rivals, key=lambda rival: rival.memory), agreed

    def _falls(self, chain: Iterable[Memory]) -> None:
        """Note what of a chain no longer stands, or is contradicted; the claim itself apart."""
        for link in chain:
            last = link[-1]
            why = _fall(last, self.as_of_us)
            if why is None and last.state.id in self.doubted:
                why = "contradicted"
            if why is None or last.state.id == self.claim or last.state.id in self.without:
                continue
            self.fallen[target(last)] = why

    def _saw(self, *records: Sequence[Version]) -> None:
        for record in records:
            last = record[-1]
            self.seen[target(last)] = last.position
            self.private |= last.state.home.visibility == "private"

    def _complete(self) -> bool:
        """Whether no limit cut what speaks about the claim, or what it and that were derived from.

        What was not read is no piece, so the ends of relationships are looked at.
        """
        spoken = self.grounds.spoken.get(self.claim, ())
        ends = {end for edge in spoken for end in ends_of(edge)} - self.without
        reached = {one for end in (self.claim, *ends) for one in self.grounds.chain(end)}
        return not self.grounds.cut & reached


def _fall(version: Version, as_of_us: Micros) -> Fall | None:
    state = version.state
    if state.lifecycle == "superseded":
        return "superseded"
    if not stands(version):
        return "expired" if state.lifecycle == "expired" else "forgotten"
    return "expired" if state.bounds.expires_us <= as_of_us else None


def _overlap(one: Version, other: Version) -> bool:
    """Whether some instant lies in the validity of both; touching intervals share none."""
    start = max(one.state.bounds.from_us, other.state.bounds.from_us)
    return start < min(until(one), until(other))
