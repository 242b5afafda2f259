"""Windows of sessions over HTTP (docs/spec/bundle.md §2, §4)."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

from domain.canonical import JsonObject, parse_json
from domain.errors import Code, MemorandaError
from ops.http.answers import json_response
from ops.http.door import Body, Caller, CurrentDoor
from ops.http.operator_models import checked
from ops.http.problems import problem
from ops.http.request_ids import correlation_id
from ops.http.route_docs import DOCS
from ops.http.window_models import Resolve

router = APIRouter()


@router.post("/api/agent-sessions/windows", **DOCS["submit_window_api"])
@router.post("/api/v1/agent-sessions/windows", **DOCS["submit_window_api_v1"])
@router.post("/v1/agent-sessions/windows", **DOCS["submit_window"])
def submit(request: Request, door: CurrentDoor, caller: Caller, body: Body) -> Response:
    """Send a window of a session, with what it yields: claims begin, move or stay.

    The same content again has the answer that it had. Where a proposal fails the status is 422,
    and the answer is the `detail` of the error; the other proposals stand. Without proposals, and
    with an extractor, the status is 202: `GET /v1/agent-sessions/windows/{id}` tells the result.
    """
    return _answered(request, door.memoranda.windows.submit(caller, parse_json(body)))


@router.post("/v1/agent-sessions/windows/{window_id}/resolve", **DOCS["resolve_window"])
def resolve(
    request: Request, door: CurrentDoor, caller: Caller, window_id: str, body: Body
) -> Response:
    """Say which claim an ambiguous proposal is about, or that it is a new one."""
    wanted = checked(Resolve, parse_json(body))
    found = door.memoranda.windows.resolve(caller, window_id, wanted.index, wanted.claim_id)
    return _answered(request, found)


@router.get("/v1/agent-sessions/windows/{window_id}/replay", **DOCS["replay_window"])
def replay(door: CurrentDoor, caller: Caller, window_id: str) -> Response:
    """Decide a window again on what was known then: `identical`, or the first difference."""
    return json_response(door.memoranda.window_replay.replay(caller, window_id))


def _answered(request: Request, answer: JsonObject) -> Response:
    if answer["status"] == "accepted":
        return json_response(answer, HTTPStatus.ACCEPTED)
    if answer["result"] != "failed":
        return json_response(answer)
    failed = MemorandaError(
        Code.INVALID_REQUEST,
        "a proposal of the window failed: see detail.proposals, mend it, and send it again",
        reason="WINDOW_FAILED",
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
    )
    body = problem(failed, correlation_id(request.scope))
    return json_response(
        {**body, "detail": answer}, HTTPStatus.UNPROCESSABLE_ENTITY, "application/problem+json"
    )
