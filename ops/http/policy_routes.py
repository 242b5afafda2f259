"""The validation policies of the caller's workspace over HTTP: read, defined, retired."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from domain.canonical import parse_json
from ops.http.answers import json_response
from ops.http.door import Body, Caller, CurrentDoor
from ops.http.operator_models import checked
from ops.http.policy_models import NewPolicy, PolicyRetirement
from ops.http.preconditions import Preconditions
from ops.http.route_docs import DOCS

router = APIRouter()


@router.get("/v1/policies", **DOCS["policies"])
def policies(door: CurrentDoor, caller: Caller) -> Response:
    """The policies that are shipped and those that the workspace defined, the retired ones too."""
    return json_response(door.memoranda.policies.read(caller.workspace).as_json())


@router.get("/v1/policies/{name}/{version}", **DOCS["policy"])
def policy(door: CurrentDoor, caller: Caller, name: str, version: str) -> Response:
    """A policy and its rules, also one that was retired."""
    known = door.memoranda.policies.read(caller.workspace)
    return json_response(known.get(f"{name}/{version}", "name").as_json())


@router.post("/v1/policies", **DOCS["define_policy"])
def define(request: Request, door: CurrentDoor, caller: Caller, body: Body) -> Response:
    """Define a policy, for good: its name is never given other rules.

    Sent again it changes nothing, so it takes no `Idempotency-Key`.
    """
    Preconditions.of(request.headers).refuse_all("policies")
    wanted = checked(NewPolicy, parse_json(body))
    said = door.memoranda.policies.define(caller, wanted.name, wanted.definition)
    return json_response(said.as_json())


@router.post("/v1/policies/{name}/{version}/retire", **DOCS["retire_policy"])
def retire(
    request: Request, door: CurrentDoor, caller: Caller, name: str, version: str, body: Body
) -> Response:
    """Let nothing more be decided by a policy. What was decided by it stays.

    Sent again it changes nothing, so it takes no `Idempotency-Key`.
    """
    Preconditions.of(request.headers).refuse_all("policies")
    wanted = checked(PolicyRetirement, parse_json(body))
    said = door.memoranda.policies.retire(caller, f"{name}/{version}", wanted.reason)
    return json_response(said.as_json())
