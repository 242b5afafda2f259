"""The seven operations over HTTP: one at a time, or many in one transaction."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from domain.canonical import Json, parse_json
from domain.errors import MemorandaError, invalid
from domain.limits import BATCH_MAX
from ops.http.answers import json_response
from ops.http.door import Body, Caller, CurrentDoor
from ops.http.preconditions import Preconditions
from ops.http.route_docs import DOCS

router = APIRouter()


@router.post("/v1/memory/operations", **DOCS["operations"])
def operations(request: Request, door: CurrentDoor, caller: Caller, body: Body) -> Response:
    """One operation of the contract."""
    conditions = Preconditions.of(request.headers)
    envelope = conditions.into(parse_json(body))
    try:
        return json_response(door.memoranda.execute(caller, envelope))
    except MemorandaError as error:
        raise conditions.translated(error) from None


@router.post("/v1/memory/batch", **DOCS["batch"])
def batch(request: Request, door: CurrentDoor, caller: Caller, body: Body) -> Response:
    """Up to 500 operations in one transaction, each with a verdict of its own, in order."""
    Preconditions.of(request.headers).refuse_all("a batch", "say it in its items")
    items, atomic = _batch(parse_json(body))
    answers = door.memoranda.execute_many(caller, items, atomic=atomic)
    return json_response({"contract_version": "v1", "items": answers})


def _batch(value: Json) -> tuple[list[Json], bool]:
    if not isinstance(value, dict):
        raise invalid("the body must be a JSON object: items, and atomic if wanted")
    unknown = sorted(value.keys() - {"items", "atomic"})
    if unknown:
        raise invalid(f"{unknown[0]!r} is not part of a batch: remove it", field=unknown[0])
    items, atomic = value.get("items"), value.get("atomic", False)
    if not isinstance(items, list) or not 1 <= len(items) <= BATCH_MAX:
        raise invalid(f"items must be an array of 1 to {BATCH_MAX} envelopes", field="items")
    if not isinstance(atomic, bool):
        raise invalid("atomic must be true or false", field="atomic")
    return items, atomic
