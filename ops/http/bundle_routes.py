"""The Agent Knowledge Bundle over HTTP: reading concepts, claims and windows."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from ops.http.answers import POSITION_HEADER, PRIVATE, seen_response
from ops.http.door import Caller, CurrentDoor
from ops.http.route_docs import DOCS
from read_api.bundle_markdown import concept_markdown
from read_api.bundle_questions import CompletenessQuestion, ConceptFilters
from read_api.list_filters import Waiting

router: Final = APIRouter()
Asked = Annotated[Waiting, Query()]


@router.get("/v1/bundles/concepts", **DOCS["bundle_concepts"])
def concepts(
    door: CurrentDoor, caller: Caller, filters: Annotated[ConceptFilters, Query()]
) -> Response:
    """One's own concepts, oldest first."""
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.read.bundles.concepts(caller, filters))


@router.get("/v1/bundles/concepts/{concept_id}.md", **DOCS["bundle_markdown"])
def markdown(door: CurrentDoor, caller: Caller, concept_id: str, asked: Asked) -> Response:
    """A concept as Markdown: front matter, title, every claim behind a comment with its id."""
    with door.reading(caller, asked.min_position):
        said = door.memoranda.read.bundles.concept(caller, concept_id)
    headers = {**PRIVATE, POSITION_HEADER: str(said["position"])}
    text = concept_markdown(said).encode()
    return Response(text, media_type="text/markdown", headers=headers)


@router.get("/v1/bundles/concepts/{concept_id}", **DOCS["bundle_concept"])
def concept(door: CurrentDoor, caller: Caller, concept_id: str, asked: Asked) -> Response:
    """A concept with its claims, as they stand."""
    with door.reading(caller, asked.min_position):
        return seen_response(door.memoranda.read.bundles.concept(caller, concept_id))


@router.get("/v1/bundles/claims/{claim_id}", **DOCS["bundle_claim"])
def claim(door: CurrentDoor, caller: Caller, claim_id: str, asked: Asked) -> Response:
    """One claim: what it says, what it said before and why not any more, and its citations."""
    with door.reading(caller, asked.min_position):
        return seen_response(door.memoranda.read.bundles.claim(caller, claim_id))


@router.get("/v1/bundles/windows/{window_id}", **DOCS["bundle_window"])
def window(door: CurrentDoor, caller: Caller, window_id: str, asked: Asked) -> Response:
    """A window of an agent's session as it was sent, redacted, and what came out of it."""
    with door.reading(caller, asked.min_position):
        return seen_response(door.memoranda.read.bundles.window(caller, window_id))


@router.get("/v1/agent-sessions/windows/{window_id}", **DOCS["agent_window"])
def agent_window(door: CurrentDoor, caller: Caller, window_id: str, asked: Asked) -> Response:
    """The same, beside the route that windows are sent to."""
    return window(door, caller, window_id, asked)


@router.get("/v1/bundles/completeness", **DOCS["completeness"])
def completeness(
    door: CurrentDoor, caller: Caller, asked: Annotated[CompletenessQuestion, Query()]
) -> Response:
    """How many of one's own windows were processed, came to nothing, or failed, and why."""
    door.wait(caller, asked.min_position)
    return seen_response(door.memoranda.read.bundles.completeness(caller, asked))
