"""Seeds, reasons and scores of a recall (spec/operations.md §6.3 and §6.5)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from domain.contract import RecallInput
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Filters
from read_api.expansion import Node
from read_api.lookups import Look, Question

PREFERRED_REPO_BOOST: Final = 0.5
"""Added to the score of a memory of the preferred repo: about a third of what one rare word
gives, so that it decides between equal matches and never outweighs a better one."""

EXPLICIT: Final = "explicit_seed"
LEXICAL: Final = "objective_lexical_match"
PREFERRED: Final = "preferred_repo"


def filters_of(said: RecallInput) -> Filters:
    """What the answer is restricted to."""
    slot = said.slot
    return Filters(
        session_id=said.session_id,
        kinds=frozenset(said.kinds),
        tags=frozenset(said.tags),
        epistemic_status=frozenset(said.epistemic_status),
        min_confidence=said.min_confidence,
        slot=None if slot is None else unicodedata.normalize("NFC", slot),
        repo=said.repo,
    )


def question_of(said: RecallInput, given: int) -> Question:
    """What to look up for one page, of which `given` memories were on earlier pages.

    Lexical matches come before everything that they lead to, so one more than the page holds is
    enough, unless an explicit seed or a boost may be one of the others.
    """
    whole = bool(said.seed_ids) or said.prefer_repo is not None
    return Question(
        terms=query_terms(said.objective),
        limit=None if whole else said.limits.max_items + 1 + given,
        filters=filters_of(said),
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
