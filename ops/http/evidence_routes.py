"""The evidence graph over HTTP, and what waits for a person."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from ops.http.answers import POSITION_HEADER, PRIVATE, seen_response
from ops.http.door import Caller, CurrentDoor
from ops.http.route_docs import DOCS
from ops.mermaid import flowchart
from read_api.evidence_graph import GraphQuestion
from read_api.inbox import InboxFilters

router = APIRouter()


@router.get("/v1/evidence/graph", **DOCS["evidence_graph"])
def evidence_graph(
    door: CurrentDoor, caller: Caller, asked: Annotated[GraphQuestion, Query()]
) -> Response:
    """What is related to a memory at a basis, in both directions, the nearest first.

    What no longer stands is there too, and says so. Of a claim `paths` are the shortest ways down
    to its sources. What a limit left out is told, with the limit to raise.
    """
    with door.reading(caller, asked.min_position):
        said = door.memoranda.read.graph(caller, asked)
    if asked.format == "json":
        return seen_response(said)
    headers = {**PRIVATE, POSITION_HEADER: str(said["position"])}
    return Response(flowchart(said).encode(), media_type="text/plain", headers=headers)


@router.get("/v1/reviews", **DOCS["reviews"])
def reviews(
    door: CurrentDoor, caller: Caller, filters: Annotated[InboxFilters, Query()]
) -> Response:
    """What waits for a person: claims, proposals, memories that need a review, parked streams.

    Each with the command that settles it. Parked streams are told to who may `operate`. A page
    looks at 500 events or proposals at most: it may be short, or empty, and yet have a
    `next_cursor`. Nothing is recorded.
    """
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.read.reviews(caller, filters))
