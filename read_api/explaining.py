"""Why a recall gave what it gave, and what it left out (operations.md §4, with `explain`).

Told are the reasons of spec/policy.md §2.8, first what excludes a version whatever else there is,
then what the policy has chosen. Nothing of other workspaces or of private owners is in it, and
nothing that only the text of a forgotten memory would say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from domain.canonical import JsonObject
from domain.contract import RecallInput
from projections.lexical.analyzer import query_terms
from read_api.basis import parts_of
from read_api.deadlines import Deadline
from read_api.exclusion_view import Exclusion, ExclusionView, joined
from read_api.expansion import COST, SUPERNODE, TIMEOUT, UNLIMITED, Cut, Neighbours, Selection
from read_api.explained_items import explained_items
from read_api.graph_view import GraphView
from read_api.memory_view import MemoryView
from read_api.pages import Made
from read_api.slot_choice import conflict_wire

EXCLUDED_MAX: Final = 200
SKIPPED_MAX: Final = 200

DEPTH: Final = "max_depth_reached"
_RAISE: Final = {
    COST: "max_cost",
    SUPERNODE: "supernode_threshold",
    TIMEOUT: "timeout_ms",
    DEPTH: "max_depth",
}


def explanation(
    connection: Connection, made: Made, said: RecallInput, deadline: Deadline
) -> JsonObject:
    """The four members that `explain` adds to an answer."""
    memories = MemoryView(connection, made.chosen.basis)
    slot = made.filters.slot
    queried = [] if slot is None else [slot]
    terms = query_terms(said.objective)
    return {
        "explained": explained_items(connection, made, terms, deadline),
        "excluded": _excluded(connection, memories, made, said, queried, deadline),
        "conflicts": _conflicts(memories, made, queried),
        "skipped_expansions": _skipped_expansions(connection, made),
    }


def _excluded(
    connection: Connection,
    memories: MemoryView,
    made: Made,
    said: RecallInput,
    queried: list[str],
    deadline: Deadline,
) -> JsonObject:
    """A count for each reason, and the best matches; a queried slot is listed whole.

    `score` ranks the exclusions among themselves; it is null where the words do not match.
    """
    basis = made.chosen.basis
    at = basis.in_index
    losers = made.choice.losers
    hits = made.chosen.index.ineligible(at, query_terms(said.objective), deadline, losers)
    scores = {(hit.memory_id, hit.version): hit.score for hit in hits}
    view = ExclusionView(connection, basis, made.filters)
    found = view.of(scores) if said.slot is None else view.of_slots(queried)
    matching = {memory for memory, _ in scores}
    refs = made.choice.slots_of(matching) if said.slot is None else queried
    chosen = made.choice.exclusions(connection, basis, made.choice.verdicts(memories, refs))
    found = joined(found, [one for one in chosen if said.slot or one.memory_id in matching])
    counts = Counter(one.reason for one in found)

    def rank(one: Exclusion) -> tuple[float, str, int]:
        return -scores.get((one.memory_id, one.version), 0.0), one.memory_id, one.version

    most = EXCLUDED_MAX if said.slot is None else len(found)
    return {
        "counts": dict(sorted(counts.items())),
        "items": [
            {
                "id": one.memory_id,
                "version": one.version,
                "reason": one.reason,
                "score": scores.get((one.memory_id, one.version)),
                "by": one.by,
            }
            for one in sorted(found, key=rank)[:most]
        ],
    }


def _conflicts(memories: MemoryView, made: Made, queried: list[str]) -> list[JsonObject]:
    """Slots of the page, and the queried one, in which eligible memories say different things.

    `surface-all/v1` selects all of them: there is no winner, and nothing decided.
    """
    if made.choice.slots:
        return _decided(memories, made, queried)
    rows = memories.recallable(item.id for item in made.shaped.items)
    refs = [row.slot_ref for row in rows.values() if row.slot_ref is not None]
    conflicts: list[JsonObject] = []
    for members in memories.slots([*refs, *queried]).values():
        eligible = [row for row in members if made.look.eligible(row.id)]
        if len({row.value for row in eligible}) > 1:
            conflicts.append(
                {
                    "slot": next((row.slot for row in eligible if row.slot is not None), None),
                    "winner": None,
                    "candidates": [row.id for row in eligible],
                    "decided_by": None,
                }
            )
    return sorted(conflicts, key=lambda conflict: str(conflict["slot"]))


def _decided(memories: MemoryView, made: Made, queried: Sequence[str]) -> list[JsonObject]:
    """The same where the policy has chosen; the slot has no name where no text has it any more."""
    choice = made.choice
    shown = {item.id for item in made.shaped.items}
    verdicts = choice.verdicts(memories, [*choice.slots_of(shown), *queried])
    members = [seat.memory_id for ref in verdicts for seat in choice.slots[ref]]
    rows = memories.recallable(members).values()
    names = {row.slot_ref: row.slot for row in rows if row.slot is not None}
    conflicts = [
        conflict_wire(verdict.conflict, names.get(ref))
        for ref, verdict in verdicts.items()
        if verdict.conflict is not None
    ]
    return sorted(conflicts, key=lambda conflict: str(conflict["slot"]))


def _skipped_expansions(connection: Connection, made: Made) -> list[JsonObject]:
    """What was not followed, why, and which limit to raise; at most `SKIPPED_MAX`."""
    selection = made.selection
    graph = GraphView(connection, made.chosen.basis)
    cuts = [*selection.cuts, *beyond_depth(selection, graph, SKIPPED_MAX)]
    return [_skipped(cut.outcome, cut.node, cut.edge) for cut in cuts[:SKIPPED_MAX]]


def beyond_depth(selection: Selection, graph: Neighbours, most: int) -> list[Cut]:
    """Of the nodes at the greatest depth those with an edge that was not followed, and the first.

    All of them are looked at until `most` are found: those without such an edge hide no other.
    """
    found: list[Cut] = []
    for nodes in parts_of(selection.unexpanded):
        known = graph.neighbourhoods(
            nodes, edges_max=len(selection.traversed) + 1, threshold=UNLIMITED
        )
        for node in nodes:
            edges = known[node].edges or ()
            beyond = next((edge.id for edge in edges if edge.id not in selection.traversed), None)
            if beyond is not None:
                found.append(Cut(DEPTH, node, beyond))
        if len(found) >= most:
            break
    return found[:most]


def _skipped(why: str, node: str, edge: str | None) -> JsonObject:
    return {"memory_id": node, "relationship_id": edge, "why": why, "raise": _RAISE[why]}
