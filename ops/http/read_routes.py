"""Reading over HTTP: records from the read models, recalls and events from the log.

Every answer says how far it saw, in `position` and in a header; `min_position` makes it wait.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.http.answers import POSITION_HEADER, json_response, seen_response
from ops.http.door import Caller, CurrentDoor
from ops.http.etags import etag, matches
from ops.http.route_docs import DOCS
from read_api.list_filters import POSITION_MAX, MemoryFilters, RelationshipFilters, Waiting
from read_api.past_basis import AskedBasis
from read_api.raw_events import EVENTS_MAX
from read_api.records import Found

router = APIRouter()


class LogWindow(Waiting):
    """Which part of the log."""

    after: Annotated[
        int, Field(ge=0, le=POSITION_MAX, description="`next_after` of the page before.")
    ] = 0
    limit: Annotated[int, Field(ge=1, le=EVENTS_MAX)] = EVENTS_MAX


Version = Annotated[int, Path(ge=1, le=POSITION_MAX)]
Wait = Annotated[Waiting, Query()]


@router.get("/v1/memories", **DOCS["memories"])
def memories(
    door: CurrentDoor, caller: Caller, filters: Annotated[MemoryFilters, Query()]
) -> Response:
    """Memories as they stand, oldest first; expired and superseded ones too."""
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.read.memories(caller, filters))


@router.get("/v1/memories/{memory_id}", **DOCS["memory"])
def memory(
    request: Request,
    door: CurrentDoor,
    caller: Caller,
    memory_id: str,
    asked: Annotated[AskedBasis, Query()],
) -> Response:
    """One memory as it stands, or as it was known at a basis.

    With a basis `excluded` says why it is no answer there, and there is no ETag: what is known by
    then does not change, but what is forgotten is gone from every basis.
    """
    with door.reading(caller, asked.min_position):
        if asked.is_given:
            return seen_response(door.memoranda.read.memory_at(caller, memory_id, asked))
        return _single(request, door.memoranda.read.memory(caller, memory_id))


@router.get("/v1/memories/{memory_id}/versions/{version}", **DOCS["memory_version"])
def memory_version(
    request: Request,
    door: CurrentDoor,
    caller: Caller,
    memory_id: str,
    version: Version,
    wait: Wait,
) -> Response:
    """One memory as it was at a version."""
    with door.reading(caller, wait.min_position):
        return _single(request, door.memoranda.read.memory(caller, memory_id, version))


@router.get("/v1/relationships", **DOCS["relationships"])
def relationships(
    door: CurrentDoor, caller: Caller, filters: Annotated[RelationshipFilters, Query()]
) -> Response:
    """Relationships as they stand, oldest first."""
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.read.relationships(caller, filters))


@router.get("/v1/relationships/{relationship_id}", **DOCS["relationship"])
def relationship(
    request: Request, door: CurrentDoor, caller: Caller, relationship_id: str, wait: Wait
) -> Response:
    """One relationship as it stands."""
    with door.reading(caller, wait.min_position):
        return _single(request, door.memoranda.read.relationship(caller, relationship_id))


@router.get("/v1/recalls/{recall_id}", **DOCS["recall"])
def recall(door: CurrentDoor, caller: Caller, recall_id: str, wait: Wait) -> Response:
    """A recall as it was answered, read from the log."""
    door.wait(caller, wait.min_position)
    return seen_response(door.memoranda.read.recall(caller, recall_id))


@router.get("/v1/recalls/{recall_id}/why-not/{memory_id}", **DOCS["why_not"])
def why_not(
    door: CurrentDoor, caller: Caller, recall_id: str, memory_id: str, wait: Wait
) -> Response:
    """Why a memory was not among the items of a recall, and which limit to raise."""
    door.wait(caller, wait.min_position)
    return seen_response(door.memoranda.why_not.answer(caller, recall_id, memory_id))


@router.get("/v1/recalls/{recall_id}/replay", **DOCS["replay"])
def replay(door: CurrentDoor, caller: Caller, recall_id: str, wait: Wait) -> Response:
    """A recorded recall, executed once more at its basis and held against what was recorded."""
    door.wait(caller, wait.min_position)
    return seen_response(door.memoranda.replay.answer(caller, recall_id))


@router.get("/v1/log", **DOCS["log"])
def log(door: CurrentDoor, caller: Caller, window: Annotated[LogWindow, Query()]) -> Response:
    """Stored events of the workspace after a position, in the order of the log."""
    door.wait(caller, window.min_position)
    return seen_response(door.memoranda.read.events(caller, window.after, window.limit))


@router.get("/v1/streams/{stream_id}", **DOCS["stream"])
def stream(
    door: CurrentDoor,
    caller: Caller,
    stream_id: str,
    window: Annotated[LogWindow, Query()],
) -> Response:
    """Stored events of one stream after a version."""
    door.wait(caller, window.min_position)
    found = door.memoranda.read.stream(caller, stream_id, window.after, window.limit)
    return seen_response(found)


def _single(request: Request, found: Found) -> Response:
    review = found.body.get("needs_review") is True
    tag = etag(found.version, erased=found.erased, review=review)
    if matches(request.headers.getlist("if-none-match"), tag):
        response = Response(status_code=304, headers={"Cache-Control": "private, no-cache"})
    else:
        response = json_response(found.body)
    response.headers["ETag"] = tag
    response.headers[POSITION_HEADER] = str(found.position)
    return response
