"""The evidence around a memory at a basis, and of a claim the ways down to its sources."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import Field
from sqlalchemy import Connection, Engine

from domain.canonical import JsonObject
from domain.checks import short
from domain.claims.chains import Grounds
from domain.claims.statement import CLAIM_KINDS
from domain.claims.ways import Way, ways_down
from domain.context import Context
from domain.errors import not_found
from domain.ports import Clock, LogReader
from projections.database import reading
from read_api.basis import Basis
from read_api.claim_site import GLANCE
from read_api.decisions import Decisions
from read_api.evidence_view import Edge, EvidenceView, Node
from read_api.evidence_walk import RAISE, Budgets, Cut, Walk
from read_api.known_in_views import KnownInViews
from read_api.past_basis import AskedBasis, PastBases, told
from read_api.record_doors import EDGES, MEMORIES, missing, seen_position

TEXT_MAX: Final = 160
"""Characters of its text that a memory is told by."""
SKIPPED_MAX: Final = 200
"""Memories of which an answer says that something was not followed."""
DEPTH_MAX: Final = 8
NODES_MAX: Final = 1_000
EDGES_MAX: Final = 5_000


class GraphQuestion(AskedBasis):
    """Around which memory, and how far."""

    seed: Annotated[str, Field(description="A memory, as in `mem_…`.")]
    depth: Annotated[int, Field(ge=0, le=DEPTH_MAX, description="Steps from the seed.")] = 2
    limit: Annotated[
        int,
        Field(
            ge=1,
            le=NODES_MAX,
            description="Memories, the nearest; for `paths` relationships of one memory, at most "
            f"{GLANCE.edges}.",
        ),
    ] = 100
    edges: Annotated[int, Field(ge=0, le=EDGES_MAX, description="Relationships.")] = 500
    format: Annotated[
        Literal["json", "mermaid"], Field(description="`mermaid`: a flowchart, as text.")
    ] = "json"

    def check(self) -> None:
        """Refuse a seed that is too long too."""
        short(self.seed, "seed")
        super().check()


@dataclass(frozen=True, slots=True)
class EvidenceGraph:
    """Reads the evidence graph; safe to share between threads. `seen` as for `Records`."""

    views: Engine
    log: LogReader
    clock: Clock
    seen: Callable[[str], int]

    def around(self, context: Context, asked: GraphQuestion) -> JsonObject:
        """The neighbourhood of a memory; NOT_FOUND for what may not be seen at the basis.

        `{seed, nodes, edges, paths, …, skipped_expansions, complete, basis, position}`.
        """
        asked.check()
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            position = min(
                seen_position(connection, door, context, seen) for door in (MEMORIES, EDGES)
            )
            basis = PastBases(self.log, self.clock).choose(context, asked, position)
            view = EvidenceView(connection, basis)
            if asked.seed not in view.nodes([asked.seed]):
                known = missing(connection, MEMORIES, context, asked.seed)
                raise known if known.reason else not_found("the memory", field="seed")
            walk = Walk(Budgets(asked.depth, asked.limit, asked.edges))
            walk.from_seed(asked.seed, view)
            nodes, edges = view.nodes(walk.depths), view.edges(walk.edges)
            ways = self._ways(connection, basis, nodes[asked.seed], asked.limit)
        return {
            "seed": asked.seed,
            "nodes": [_node(nodes[one], depth) for one, depth in walk.depths.items()],
            "edges": [_edge(edges[one]) for one in walk.edges],
            **ways,
            "skipped_expansions": [_skipped(cut) for cut in walk.cuts[:SKIPPED_MAX]],
            "complete": not walk.cuts,
            "basis": told(basis),
            "position": basis.position,
        }

    def _ways(self, connection: Connection, basis: Basis, seed: Node, most: int) -> JsonObject:
        """The ways from a claim to its sources; null for what is no claim."""
        if seed.kind not in CLAIM_KINDS:
            return {"paths": None, "paths_complete": None}
        decisions = Decisions(self.log, basis.workspace, basis.viewer, basis.position)
        grounds = Grounds(GLANCE._replace(edges=min(most, GLANCE.edges)))
        grounds.read(KnownInViews(connection, basis, decisions), [seed.id])
        ways = ways_down(grounds, seed.id)
        return {"paths": [_path(way) for way in ways], "paths_complete": not grounds.cut}


def brief(content: JsonObject | None) -> str | None:
    """The beginning of a content on one line: its text, else its properties as JSON."""
    if content is None:
        return None
    value = content["value"]
    if content["format"] == "text_and_properties":
        value = value["text"]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= TEXT_MAX else f"{line[: TEXT_MAX - 1]}…"


def _node(node: Node, depth: int) -> JsonObject:
    return {
        "id": node.id,
        "version": node.version,
        "kind": node.kind,
        "status": node.status,
        "stands": node.standing.stands,
        "holds": node.standing.holds,
        "depth": depth,
        "text": brief(node.content),
    }


def _edge(edge: Edge) -> JsonObject:
    return {
        "id": edge.id,
        "version": edge.version,
        "kind": edge.kind,
        "source_id": edge.source,
        "target_id": edge.target,
        "stands": edge.standing.stands,
        "holds": edge.standing.holds,
    }


def _path(way: Way) -> JsonObject:
    steps = [
        {
            "kind": step.kind,
            "relationship_id": None if step.relationship is None else step.relationship[0],
            "to": step.to,
        }
        for step in way.steps
    ]
    return {"source": way.source, "steps": steps}


def _skipped(cut: Cut) -> JsonObject:
    return {
        "memory_id": cut.node,
        "relationship_id": cut.edge,
        "why": cut.why,
        "raise": RAISE[cut.why],
    }
