"""The claims of one advisory: one for each affected range, the same one through its corrections.

A range has no id of its own, and its place in the list shifts when another one is taken out. So a
new list is matched with the claims that stand: equal ranges first, then the rest in order, as
corrections. What is left over on the one side is gone, on the other new, and takes a claim whose
range has gone before it makes another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ops.advisory_lines import Properties, RevisionLines
from ops.advisory_records import Statement


@dataclass
class Claim:
    """What the lines so far have said of one claim; `listed` = the last revision had its range."""

    key: str
    said: Statement
    listed: bool = False
    hidden_at: str | None = None
    support: str | None = None


@dataclass
class Claims:
    """All claims of an advisory, by package and type of range, each group in order of making."""

    place: str
    groups: dict[tuple[str, str], list[Claim]] = field(default_factory=dict)

    def follow(self, out: RevisionLines, advisory_key: str) -> None:
        """Write what a revision (not a removal) changes; taken back ones expire."""
        wanted: dict[tuple[str, str], list[Statement]] = {group: [] for group in self.groups}
        for said in out.revision.statements():
            wanted.setdefault((said.package, said.kind), []).append(said)
        for group, statements in wanted.items():
            claims = self.groups.setdefault(group, [])
            for claim, said in self._matched(claims, statements):
                _state(out, claim, said, advisory_key)
        self._drop_unlisted(out, out.revision.withdrawn or out.revision.recorded_at)

    def expire_all(self, out: RevisionLines, expires_at: str, reason: str) -> None:
        """Every listed claim ends at that time; those that already did write nothing."""
        for claim in self._all():
            if claim.listed and claim.hidden_at != expires_at:
                out.expire(claim.key, expires_at, reason)
                claim.hidden_at = expires_at

    def close(self, out: RevisionLines, expires_at: str, reason: str) -> None:
        """The advisory is removed: what is still visible ends, and nothing is listed any more."""
        for claim in self._all():
            if claim.listed and claim.hidden_at is None:
                out.expire(claim.key, expires_at, reason)
                claim.hidden_at = expires_at
            claim.listed = False

    def _all(self) -> list[Claim]:
        return [claim for claims in self.groups.values() for claim in claims]

    def _matched(
        self, claims: list[Claim], statements: Sequence[Statement]
    ) -> list[tuple[Claim, Statement]]:
        listed = [claim for claim in claims if claim.listed]
        gone = [claim for claim in claims if not claim.listed]
        pairs: dict[int, Claim] = {}
        for pool, equal in ((listed, True), (listed, False), (gone, True), (gone, False)):
            for number, said in enumerate(statements):
                found = next((c for c in pool if not equal or c.said.object == said.object), None)
                if number not in pairs and found is not None:
                    pool.remove(found)
                    pairs[number] = found
        for claim in listed:
            claim.listed = False
        return [
            (pairs[number] if number in pairs else self._new(claims, said), said)
            for number, said in enumerate(statements)
        ]

    def _new(self, claims: list[Claim], said: Statement) -> Claim:
        key = f"claim:{self.place}:{said.package}:{said.kind}:{len(claims)}"
        claims.append(Claim(key, said))
        return claims[-1]

    def _drop_unlisted(self, out: RevisionLines, expires_at: str) -> None:
        reason = f"Revision {out.revision.commit} of {out.revision.name} lists this range no more."
        for claim in self._all():
            if not claim.listed and claim.hidden_at is None:
                out.expire(claim.key, expires_at, reason)
                claim.hidden_at = expires_at


def _state(out: RevisionLines, claim: Claim, said: Statement, advisory_key: str) -> None:
    """One range as a revision has it: new, back again, corrected, or as before (no line)."""
    corrected = claim.said.object != said.object
    first, back = claim.support is None, claim.hidden_at and not out.revision.withdrawn
    claim.listed = True
    if first or back:
        out.remember(claim.key, "claim", said.text, _properties(claim.key, said), [said.package])
        claim.hidden_at = None
    elif corrected:
        out.correct(claim.key, said.text, _properties(claim.key, said), [])
    else:
        return
    claim.said = said
    if first:
        out.relate("part_of", claim.key, advisory_key)
    elif corrected and claim.support is not None:
        out.retire_edge(claim.support, "superseded")
    claim.support = out.relate("supports", out.revision.source_id, claim.key)


def _properties(key: str, said: Statement) -> Properties:
    return {
        "subject": said.package,
        "predicate": "affected_by",
        "object": said.object,
        "range_type": said.kind,
        "slot": key.removeprefix("claim:"),
        "status": "candidate",
    }
