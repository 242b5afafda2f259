"""Why the retrieval of a recall left an eligible memory out: its words, the queue, or the page.

The recall is asked again at its basis, without regard to time; what it took then does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from domain.canonical import canonical
from domain.contract import RecallInput
from domain.limits import BUDGETS
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis as IndexBasis
from projections.lexical.eligibility import Filters
from projections.lexical.scoring import SearchStopped
from read_api.basis_choice import Chosen
from read_api.deadlines import Deadline
from read_api.expansion import COST, SUPERNODE, TIMEOUT, UNLIMITED, Node, Selection
from read_api.explaining import DEPTH
from read_api.graph_view import GraphView
from read_api.lookups import Question
from read_api.memory_view import MemoryView
from read_api.pages import DAMAGED, Reach, budgets_of, fill
from read_api.reaching import Way, way_to
from read_api.selecting import Ranking
from read_api.shaping import PAYLOAD, TOO_LARGE, Filler, Links, Shaped
from read_api.slot_choice import SlotChoice, choose_in_slots
from read_api.verdicts import CHANGED, CORRECTED, NO_MATCH, RANK, Verdict

_MET: Final = {
    "max_depth": DEPTH,
    "supernode_threshold": SUPERNODE,
    "max_cost": COST,
    "max_items": RANK,
    "max_payload_bytes": PAYLOAD,
}
"""What it is to meet a limit."""

_ITEMS_MAX: Final = BUDGETS["max_items"] or UNLIMITED
_NOTHING: Final[Mapping[str, int]] = {}


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A recall that is asked again, within filters.

    `late` says that its time was up, `skipped` that it had named the memory as too large. All
    raise SearchStopped when the time of this question is up.
    """

    connection: Connection
    chosen: Chosen
    said: RecallInput
    filters: Filters
    deadline: Deadline
    late: bool
    skipped: bool

    def verdict(self, memory_id: str, version: int) -> Verdict:
        """Why a memory that is recallable and within the filters was no item.

        First what the policy chose in its slot; then the retrieval.
        """
        policy = self.said.policy
        choice = choose_in_slots(self.connection, self.chosen, policy, self.filters, self.deadline)
        if choice is None:
            raise SearchStopped
        if memory_id in choice.losers:
            return self._lost(choice, memory_id)
        question = Question(
            query_terms(self.said.objective),
            None,
            self.filters,
            self.said.prefer_repo,
            without=choice.losers,
        )
        look = self.chosen.index.look(self._at, question, self.deadline)
        if look.stopped:
            raise SearchStopped
        if not look.eligible(memory_id):
            return Verdict(DAMAGED, version)
        ranking = Ranking(self.said.seed_ids, look)
        asked = budgets_of(self.said.limits)
        graph = Reach(GraphView(self.connection, self.chosen.basis), look)
        way = way_to(memory_id, ranking.seeds, graph, asked, self.deadline.expired)
        if way is None:
            return self._unmatched(question, memory_id, version)
        return self._met(way, ranking, memory_id, version)

    def _lost(self, choice: SlotChoice, memory_id: str) -> Verdict:
        """To whom, and whether they disagree."""
        memories = MemoryView(self.connection, self.chosen.basis)
        verdicts = choice.verdicts(memories, choice.slots_of({memory_id}))
        lost = choice.exclusions(self.connection, self.chosen.basis, verdicts)
        return next(
            Verdict(one.reason, one.version, by=one.by)
            for one in lost
            if one.memory_id == memory_id
        )

    @property
    def _at(self) -> IndexBasis:
        basis = self.chosen.basis
        return basis.in_index

    def _unmatched(self, question: Question, memory_id: str, version: int) -> Verdict:
        """No word of it and no way to it; perhaps a version before had a word."""
        hits = self.chosen.index.ineligible(self._at, question.terms, self.deadline)
        if self.deadline.expired():
            raise SearchStopped
        before = [hit.version for hit in hits if hit.memory_id == memory_id]
        if not before:
            return Verdict(NO_MATCH, version)
        last = max(before)
        return Verdict(CORRECTED, last, by=f"{memory_id}@{last + 1}")

    def _met(self, way: Way, ranking: Ranking, memory_id: str, version: int) -> Verdict:
        """The first limit that it met, and all that have to be raised."""
        too_large, needed = False, _NOTHING
        if way.rank <= _ITEMS_MAX:  # no page holds more
            too_large, needed = self._payload(way, ranking, memory_id)
        raised = {**way.raised, **needed}
        first = next(iter(raised), None)
        if too_large and (self.skipped or first in needed):
            met = {**needed, **way.raised}
            return Verdict(TOO_LARGE, version, rank=way.rank, limit=next(iter(met)), raised=met)
        if first is not None:
            return Verdict(_MET[first], version, rank=way.rank, limit=first, raised=raised)
        if self.late:
            return Verdict(TIMEOUT, version, rank=way.rank, limit="timeout_ms")
        return Verdict(CHANGED, version, rank=way.rank)

    def _payload(
        self, way: Way, ranking: Ranking, memory_id: str
    ) -> tuple[bool, Mapping[str, int]]:
        """Whether it is larger than the page alone, and the bytes that a page with it has."""
        limit, selection = self.said.limits.max_payload_bytes, way.select()
        nodes = selection.nodes[: way.rank]
        if memory_id in {item.id for item in self._page(selection, nodes, ranking, limit).items}:
            return False, _NOTHING
        page = self._page(selection, nodes, ranking, UNLIMITED)
        alone = next((len(canonical(one.wire)) for one in page.items if one.id == memory_id), None)
        if alone is None:
            return False, _NOTHING  # forgotten a moment ago
        return alone > limit, {"max_payload_bytes": page.payload_bytes}

    def _page(
        self, selection: Selection, nodes: Sequence[Node], ranking: Ranking, bytes_max: int
    ) -> Shaped:
        """A first page of some nodes."""
        filler = Filler(Links(selection, frozenset()), bytes_max, Shaped())
        fill(self.connection, self.chosen.basis, ranking, filler, nodes, self.deadline)
        if any(outcome == TIMEOUT for outcome, _ in filler.page.outcomes):
            raise SearchStopped
        return filler.page
