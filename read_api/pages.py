"""One page of a recall, made at its basis: eligible → seeds → expand → shape (operations.md §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy import Connection

from domain.canonical import JsonObject
from domain.contract import Limits, RecallInput
from projections.lexical.analyzer import was_cut
from projections.lexical.eligibility import Filters
from read_api.basis import Basis
from read_api.basis_choice import Chosen
from read_api.deadlines import Deadline
from read_api.derivations import Derivations
from read_api.expansion import (
    TIMEOUT,
    UNLIMITED,
    Budgets,
    Neighbourhood,
    Node,
    Selection,
    expand,
)
from read_api.graph_view import GraphView
from read_api.items import Items
from read_api.lookups import Look
from read_api.memory_view import MemoryView
from read_api.selecting import Ranking, filters_of, question_of
from read_api.shaping import Filler, Links, Shaped
from read_api.slot_choice import SlotChoice, choose_in_slots

ITEMS_AT_ONCE: Final = 100
"""Items built between two looks at the clock and the payload budget."""

PARTIAL: Final = "partial_page_in"
DAMAGED: Final = "event_damaged"
DAMAGED_TOLD_MAX: Final = 20
CUT: Final = "objective_cut"
"""The question has more words than are looked up; its first ones were."""


@dataclass(frozen=True, slots=True)
class Given:
    """What earlier pages of the question gave: memories, and memories skipped for their size."""

    returned: AbstractSet[str] = frozenset()
    skipped: AbstractSet[str] = frozenset()

    @property
    def all(self) -> AbstractSet[str]:
        """The memories that are not given again."""
        return self.returned | self.skipped


@dataclass(frozen=True, slots=True)
class Reach:
    """The graph that a recall may walk: edges from SQL, memories from the index."""

    graph: GraphView
    look: Look

    def neighbourhoods(
        self, nodes: Sequence[str], *, edges_max: int, threshold: int
    ) -> Mapping[str, Neighbourhood]:
        """See `expansion.Graph`."""
        return self.graph.neighbourhoods(nodes, edges_max=edges_max, threshold=threshold)

    def eligible(self, node: str) -> bool:
        """See `expansion.Graph`."""
        return self.look.eligible(node)


@dataclass(slots=True)
class Made:
    """A page before it is recorded. `outcomes` are the objects that are recorded."""

    chosen: Chosen
    look: Look
    selection: Selection
    shaped: Shaped
    filters: Filters
    choice: SlotChoice
    outcomes: list[JsonObject] = field(default_factory=list)

    @property
    def more(self) -> bool:
        """Whether something selected is left for a next page."""
        return self.selection.more or self.shaped.ended


def make_page(
    connection: Connection,
    chosen: Chosen,
    said: RecallInput,
    given: Given,
    deadline: Deadline,
    *,
    told: bool,
    slot_ref: str | None = None,
) -> Made:
    """Select and shape. `told`: the client knows that an item is too large for its budget.

    `slot_ref` is the reference of the slot that is asked for; None where none is.
    """
    basis = chosen.basis
    at = basis.in_index
    question = question_of(said, filters_of(said, slot_ref), len(given.all), deadline.expired)
    choice = choose_in_slots(connection, chosen, said.policy, question.filters, deadline)
    if choice is None:  # time is up, so nothing is selected
        choice, look = SlotChoice(said.policy), Look.out_of_time()
    else:
        look = chosen.index.look(at, replace(question, without=choice.losers), deadline)
    ranking = Ranking(said.seed_ids, look)
    graph = GraphView(connection, basis)
    selection = expand(
        ranking.seeds,
        Reach(graph, look),
        budgets_of(said.limits),
        given=given.all,
        expired=deadline.expired,
    )
    made = Made(chosen, look, selection, Shaped(told=told), question.filters, choice)
    filler = Filler(Links(selection, given.returned), said.limits.max_payload_bytes, made.shaped)
    nodes = selection.nodes[:-1] if selection.more else selection.nodes
    wanted = [node for node in nodes if node.id not in given.all]
    fill(connection, basis, ranking, filler, wanted, deadline)
    made.outcomes = _outcomes(made)
    if was_cut(said.objective, question.terms):
        made.outcomes.append({"outcome": CUT})
    return made


def budgets_of(limits: Limits) -> Budgets:
    """The limits that bound the queue."""
    return Budgets(
        max_items=limits.max_items,
        max_depth=limits.max_depth,
        max_cost=limits.max_cost,
        supernode_threshold=min(limits.supernode_threshold, UNLIMITED),
    )


def fill(
    connection: Connection,
    basis: Basis,
    ranking: Ranking,
    filler: Filler,
    nodes: Sequence[Node],
    deadline: Deadline,
) -> None:
    """Fill the page; when time is up, what is left comes on the next one."""
    graph = GraphView(connection, basis)
    derivations = Derivations(connection, basis.workspace, basis.viewer)
    items = Items(MemoryView(connection, basis), graph, derivations, ranking)
    for start in range(0, len(nodes), ITEMS_AT_ONCE):
        if start and deadline.expired():
            filler.stop(TIMEOUT, nodes[start].id)
            return
        part = nodes[start : start + ITEMS_AT_ONCE]
        records = graph.records(filler.links.touching(node.id for node in part))
        if not filler.fill(items.of(part), records):
            return


def _outcomes(made: Made) -> list[JsonObject]:
    """Everything that kept the answer from being whole, in the order in which it happened."""
    cuts = made.selection.cuts
    late = made.look.stopped and not cuts
    seen = {"outcome": PARTIAL, "position": made.chosen.basis.position}
    timed_out = any(cut.outcome == TIMEOUT for cut in cuts)
    damaged = made.chosen.index.damaged[:DAMAGED_TOLD_MAX]
    return [
        *([seen] if made.chosen.partial else []),
        *({"outcome": DAMAGED, "position": position} for position in damaged),
        *([{"outcome": TIMEOUT}] if late else []),
        *(
            {"outcome": cut.outcome, "memory_id": cut.node, "relationship_id": cut.edge}
            for cut in cuts
        ),
        *(
            {"outcome": outcome, "memory_id": memory_id}
            for outcome, memory_id in made.shaped.outcomes
            if not (timed_out and outcome == TIMEOUT)
        ),
    ]
