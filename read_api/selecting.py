"""Seeds, reasons and scores of a recall (spec/operations.md §6.3 and §6.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from domain.contract import RecallInput
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Filters
from projections.lexical.parameters import PREFERRED_REPO_BOOST
from read_api.expansion import Node
from read_api.lookups import Look, Question

EXPLICIT: Final = "explicit_seed"
LEXICAL: Final = "objective_lexical_match"
PREFERRED: Final = "preferred_repo"


SlotRef: TypeAlias = Callable[[str, str], str | None]
"""(workspace, slot) → the keyed reference that memories have; None for an unknown workspace.

A memory keeps it when the text that named its slot is gone.
"""


class Keyed(Protocol):
    """What readers may know of the secrets of a workspace; None where nobody has written to it."""

    def page_tokens(self, workspace: str) -> bytes | None:
        """The secret that signs its page tokens."""
        ...

    def slot_ref(self, workspace: str, slot: str) -> str | None:
        """See `SlotRef`."""
        ...


NO_SLOT: Final = ""
"""A reference that no memory has."""


def filters_of(said: RecallInput, slot_ref: str | None) -> Filters:
    """What the answer is restricted to; `slot_ref` is the reference of the slot that is asked."""
    return Filters(
        session_id=said.session_id,
        kinds=frozenset(said.kinds),
        tags=frozenset(said.tags),
        epistemic_status=frozenset(said.epistemic_status),
        min_confidence=said.min_confidence,
        slot=slot_ref,
        repo=said.repo,
    )


def question_of(
    said: RecallInput, filters: Filters, given: int, expired: Callable[[], bool] | None = None
) -> Question:
    """What to look up for one page, of which `given` memories were on earlier pages.

    Lexical matches come before everything that they lead to, so one more than the page holds is
    enough, unless an explicit seed or a boost may be one of the others.
    """
    whole = bool(said.seed_ids) or said.prefer_repo is not None
    return Question(
        terms=query_terms(said.objective, expired),
        limit=None if whole else said.limits.max_items + 1 + given,
        filters=filters,
        prefer_repo=said.prefer_repo,
    )


class Ranking:
    """The order in which memories enter the queue, and why each was selected."""

    def __init__(self, seed_ids: Sequence[str], look: Look) -> None:
        self._look = look
        self._lexical = {hit.memory_id: hit.score for hit in look.hits}
        self._explicit = {seed for seed in seed_ids if look.eligible(seed)}
        matches = sorted(self._lexical, key=lambda memory: (-self._matched(memory), memory))
        asked = (seed for seed in seed_ids if seed in self._explicit)
        self.seeds = list(dict.fromkeys([*asked, *matches]))

    def _matched(self, memory_id: str) -> float:
        """Lexical score, and the boost."""
        boost = PREFERRED_REPO_BOOST if self._look.preferred(memory_id) else 0.0
        return self._lexical.get(memory_id, 0.0) + boost

    def score(self, node: Node) -> float:
        """Lexical score + 1/(depth+1), and the boost of a preferred repo."""
        return self._matched(node.id) + 1 / (node.depth + 1)

    def reasons(self, node: Node) -> list[str]:
        """Why the memory is in the answer, in the order of the specification."""
        said = {
            EXPLICIT: node.id in self._explicit,
            LEXICAL: node.id in self._lexical,
            f"authorized_relationship_depth_{node.depth}": node.depth > 0,
            PREFERRED: self._look.preferred(node.id),
        }
        return [reason for reason, holds in said.items() if holds]
