"""What lines for an import make, counted from the lines alone, beside what SciFact should give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

EXPECTED: Final = {
    "claims": 809,
    "claim–document edges": 564,
    "… that support": 370,
    "… that contradict": 194,
    "claim–sentence edges": 1025,
    "observations": 732,
    "claims that are only supported": 332,
    "claims that are only contradicted": 173,
    "claims without evidence": 304,
    "claims that two or more abstracts support": 24,
}
"""The figures that were expected of the training claims."""

_STANCES: Final = ("supports", "contradicts")


class Edge(NamedTuple):
    """A sentence that speaks about a claim, both by identity key."""

    stance: str
    sentence: str
    claim: str

    @property
    def document(self) -> str:
        """The key of the abstract of the sentence."""
        return self.sentence.partition("#")[0]


def counts(lines: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Counts by the names of `EXPECTED`, and what else the lines make."""
    kinds: Counter[str] = Counter()
    claims: list[str] = []
    edges: set[Edge] = set()
    for line in lines:
        said = line["input"]
        kinds[said["kind"]] += 1
        if said["kind"] == "claim":
            claims.append(said["identity_key"])
        elif said["kind"] in _STANCES:
            ends = (said["source_id"]["identity_key"], said["target_id"]["identity_key"])
            edges.add(Edge(said["kind"], *ends))
    pairs = {(edge.stance, edge.document, edge.claim) for edge in edges}
    return {
        **_of_edges(edges, pairs),
        **_of_claims(claims, pairs),
        "observations": kinds["observation"],
        "abstracts": kinds["source"],
        "derivations": kinds["derived_from"],
    }


def _of_edges(edges: set[Edge], pairs: set[tuple[str, str, str]]) -> dict[str, int]:
    stances = Counter(stance for stance, _, _ in pairs)
    return {
        "claim–document edges": len(pairs),
        "… that support": stances["supports"],
        "… that contradict": stances["contradicts"],
        "claim–sentence edges": len(edges),
        "… sentences that support": sum(edge.stance == "supports" for edge in edges),
        "… sentences that contradict": sum(edge.stance == "contradicts" for edge in edges),
    }


def _of_claims(claims: list[str], pairs: set[tuple[str, str, str]]) -> dict[str, int]:
    speaking: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for stance, _, claim in pairs:
        speaking[claim][stance] += 1
    heard = [speaking[claim] for claim in claims]
    return {
        "claims": len(claims),
        "claims that are only supported": sum(
            one["supports"] > 0 and not one["contradicts"] for one in heard
        ),
        "claims that are only contradicted": sum(
            one["contradicts"] > 0 and not one["supports"] for one in heard
        ),
        "claims that are both": sum(
            one["supports"] > 0 and one["contradicts"] > 0 for one in heard
        ),
        "claims without evidence": sum(not one.total() for one in heard),
        "claims that two or more abstracts support": sum(one["supports"] > 1 for one in heard),
    }


def table(counted: Mapping[str, int]) -> Iterable[str]:
    """A line for each count, with what was expected where something was."""
    for name, expected in EXPECTED.items():
        found = counted[name]
        verdict = "" if found == expected else "   DIFFERS"
        yield f"  {name:<44} {found:>6}   expected {expected:>5}{verdict}"
    for name, found in counted.items():
        if name not in EXPECTED:
            yield f"  {name:<44} {found:>6}"


def as_expected(counted: Mapping[str, int]) -> bool:
    """Whether each count is the expected one."""
    return all(counted[name] == expected for name, expected in EXPECTED.items())
