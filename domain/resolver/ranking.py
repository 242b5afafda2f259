"""The order of what survived the policy (spec/policy.md §2.9, ranking)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from domain.canonical import canonical
from domain.resolver.events import Payload


class Ranker(Protocol):
    """Scores texts against a question; the scores depend on nothing but these."""

    @property
    def name(self) -> str:
        """What the basis calls it, such as `cosine/1`: it keeps its meaning for ever."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text, 0 where nothing of the question is in it."""
        ...


def ranked_text(payload: Payload) -> str:
    """What a statement is found by: its key and its value."""
    said = payload.value if isinstance(payload.value, str) else canonical(payload.value).decode()
    return f"{payload.key}\n{said}"
