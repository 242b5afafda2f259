"""Proposals to consolidate over HTTP: read, suggested, and decided against."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from domain.canonical import parse_json
from domain.errors import invalid
from ops.http.answers import json_response, seen_response
from ops.http.door import Body, Caller, CurrentDoor
from ops.http.operator_models import checked
from ops.http.preconditions import IF_MATCH, IF_NONE_MATCH, Preconditions
from ops.http.proposal_models import Rejection
from ops.http.route_docs import DOCS
from read_api.duplicates import SuggestionFilters
from read_api.list_filters import Waiting
from read_api.proposals import ProposalFilters

router = APIRouter()


@router.get("/v1/proposals", **DOCS["proposals"])
def proposals(
    door: CurrentDoor, caller: Caller, filters: Annotated[ProposalFilters, Query()]
) -> Response:
    """Proposals to consolidate, oldest first, and how each stands."""
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.read.proposals(caller, filters))


@router.get("/v1/proposals/suggestions", **DOCS["suggestions"])
def suggestions(
    door: CurrentDoor, caller: Caller, filters: Annotated[SuggestionFilters, Query()]
) -> Response:
    """Memories that say the same in one slot now. Nothing is proposed, and nothing recorded."""
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.read.suggestions(caller, filters))


@router.get("/v1/proposals/{proposal_id}", **DOCS["proposal"])
def proposal(
    door: CurrentDoor, caller: Caller, proposal_id: str, wait: Annotated[Waiting, Query()]
) -> Response:
    """One proposal, and how it stands."""
    door.wait(caller, wait.min_position)
    return seen_response(door.memoranda.read.proposal(caller, proposal_id))


@router.get("/v1/proposals/{proposal_id}/replay", **DOCS["proposal_replay"])
def proposal_replay(door: CurrentDoor, caller: Caller, proposal_id: str) -> Response:
    """A proposal decided once more from the log: does it come out as it did, and its end too?"""
    return json_response(door.memoranda.read.proposal_replay(caller, proposal_id))


@router.post("/v1/proposals/{proposal_id}/reject", **DOCS["reject_proposal"])
def reject(
    request: Request, door: CurrentDoor, caller: Caller, proposal_id: str, body: Body
) -> Response:
    """Decide against a proposal, for good. It needs an `Idempotency-Key`.

    Of one that is rejected already nothing is recorded but the receipt; one that was applied is
    refused.
    """
    conditions = Preconditions.of(request.headers)
    for header, given in (
        (IF_MATCH, conditions.if_match is not None),
        (IF_NONE_MATCH, conditions.only_new),
    ):
        if given:
            raise invalid(f"{header} does not go with a rejection: leave it out", field=header)
    said = checked(Rejection, parse_json(body))
    answer = door.memoranda.reject_proposal(caller, proposal_id, said.reason, conditions.key)
    return json_response(answer)
