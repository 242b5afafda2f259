"""What the speed of claims is measured on: claims, and sources that speak for or against them.

All is written by the write side alone, as by another process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from tests.benchmarks.common import TextMaker
from tests.benchmarks.speed_data import BATCH, Execute, envelope_of, remembering, within

PER_SOURCE: Final = 10
"""Claims that one source supports where sources are shared."""

Edge: TypeAlias = tuple[str, str, str]
"""(source, kind, target)"""


class Target(NamedTuple):
    """What was measured against what was wanted."""

    name: str
    said: str
    met: bool


class Writer:
    """Remembers and relates in one workspace, in batches."""

    def __init__(self, execute: Execute, workspace: str) -> None:
        self._execute = execute
        self._who = within(workspace)
        self._maker = TextMaker(5)

    def remember(self, kind: str, count: int, start: int = 0) -> list[str]:
        """The ids of so many memories, each with a slot, a document and a text of its own."""
        numbers = range(start, start + count)
        return list(self._sent([self._memory(kind, number) for number in numbers], "record"))

    def relate(self, edges: Sequence[Edge]) -> None:
        """Relate memories."""
        for _ in self._sent([_relate(*edge) for edge in edges], "relationship"):
            pass

    def claims(self, count: int) -> tuple[list[str], list[str]]:
        """So many claims, and a source for every ten of them, which supports these."""
        claims = self.remember("claim", count)
        sources = self.remember("source", max(1, count // PER_SOURCE))
        self.relate(
            [
                (sources[number // PER_SOURCE % len(sources)], "supports", claim)
                for number, claim in enumerate(claims)
            ]
        )
        return claims, sources

    def busy(self, count: int, degree: int) -> list[str]:
        """So many claims with that many sources each; every tenth one contradicts its claim."""
        claims = self.remember("claim", count, start=10**6)
        for claim in claims:
            sources = self.remember("source", degree)
            kinds = ["contradicts" if at % 10 == 9 else "supports" for at in range(degree)]
            self.relate([(one, kind, claim) for one, kind in zip(sources, kinds, strict=True)])
        return claims

    def _memory(self, kind: str, number: int) -> Any:
        text = self._maker.sentence()
        said = {"subject": f"thing {number}", "predicate": "state", "object": text[:20]}
        value = {"text": text, "properties": {**said, "status": "candidate"}}
        content: Any = {"format": "text_and_properties", "value": value}
        if kind != "claim":
            content = {"format": "text", "value": text}
        cited = [{"source_id": f"{kind} {number}", "locator": f"https://{kind}.example/{number}#a"}]
        return remembering(text, kind=kind, content=content, provenance=cited)

    def _sent(self, bodies: Sequence[Any], name: str) -> Iterator[str]:
        for start in range(0, len(bodies), BATCH):
            part = [(self._who, body) for body in bodies[start : start + BATCH]]
            for answer in self._execute(part):
                yield str(answer["result"]["result"][name]["id"])


def _relate(source: str, kind: str, target: str) -> Any:
    said = {"source_id": source, "target_id": target, "kind": kind, "properties": {}}
    return envelope_of("relate", {**said, "provenance": [], "lifecycle": "active"})
