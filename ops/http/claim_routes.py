"""Claims over HTTP: what is believed, the evidence about it, and deciding by a policy."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from domain.canonical import parse_json
from domain.errors import MemorandaError, invalid
from ops.http.answers import json_response, seen_response
from ops.http.claim_commands import assessed
from ops.http.claim_models import NewAssessment, NewFact, NewReview
from ops.http.door import Body, Caller, CurrentDoor
from ops.http.operator_models import checked
from ops.http.preconditions import IF_MATCH, IF_NONE_MATCH, Preconditions
from ops.http.route_docs import DOCS
from read_api.claim_questions import ClaimFilters, ClaimQuestion, EvidenceQuestion
from read_api.list_filters import Waiting
from read_api.reassessing import ReassessmentQuestion

router = APIRouter()
Asked = Annotated[ClaimQuestion, Query()]


@router.get("/v1/claims", **DOCS["claims"])
def claims(
    door: CurrentDoor, caller: Caller, filters: Annotated[ClaimFilters, Query()]
) -> Response:
    """Memories of the kinds `claim` and `fact` as they stand, with what the evidence weighs.

    A page looks at 500 claims at most: with the filter `gap` it may be short, or empty, and yet
    have a `next_cursor`.
    """
    door.wait(caller, filters.min_position)
    return seen_response(door.memoranda.claims.page(caller, filters))


@router.get("/v1/claims/{claim_id}", **DOCS["claim"])
def claim(door: CurrentDoor, caller: Caller, claim_id: str, asked: Asked) -> Response:
    """One claim at a basis: its statuses, who gave them, and what was decided about it."""
    with door.reading(caller, asked.min_position):
        return seen_response(door.memoranda.claims.one(caller, claim_id, asked))


@router.get("/v1/claims/{claim_id}/evidence", **DOCS["claim_evidence"])
def claim_evidence(
    door: CurrentDoor, caller: Caller, claim_id: str, asked: Annotated[EvidenceQuestion, Query()]
) -> Response:
    """What speaks for and against a claim at a basis, and what of it comes from one origin.

    In pages: first what speaks against it, then what speaks for it, each by relationship id. A page
    may be short and yet have a `next_cursor`.
    """
    with door.reading(caller, asked.min_position):
        return seen_response(door.memoranda.claims.evidence(caller, claim_id, asked))


@router.get("/v1/claims/{claim_id}/audit", **DOCS["claim_audit"])
def claim_audit(door: CurrentDoor, caller: Caller, claim_id: str, asked: Asked) -> Response:
    """Everything for and against a claim, what was decided when, and what was never checked."""
    with door.reading(caller, asked.min_position):
        return seen_response(door.memoranda.claims.audit(caller, claim_id, asked))


@router.post("/v1/claims/{claim_id}/assess", **DOCS["assess"])
def assess(
    request: Request, door: CurrentDoor, caller: Caller, claim_id: str, body: Body
) -> Response:
    """Apply a validation policy to a claim: what it recommends, and all that blocks it.

    It changes nothing but, with `apply`, the status of the claim. With `exclude` it says what would
    come out without some of the evidence, and records nothing.
    """
    wanted = checked(NewAssessment, parse_json(body))
    conditions, expected = _conditions(request, wanted.expected_version)
    try:
        return json_response(
            assessed(
                door.memoranda.assessor,
                caller,
                claim_id,
                wanted,
                key=conditions.key,
                expected=expected,
            )
        )
    except MemorandaError as error:
        raise conditions.translated(error) from None


@router.post("/v1/claims/{claim_id}/reviews", **DOCS["review"])
def review(
    request: Request, door: CurrentDoor, caller: Caller, claim_id: str, body: Body
) -> Response:
    """Say as a reviewer whether what a claim states stands. Who wrote it cannot."""
    wanted = checked(NewReview, parse_json(body))
    conditions, expected = _conditions(request, wanted.expected_version)
    try:
        return json_response(
            door.memoranda.assessor.review(
                caller,
                claim_id,
                wanted.policy,
                wanted.verdict,
                key=conditions.key,
                version=expected,
            )
        )
    except MemorandaError as error:
        raise conditions.translated(error) from None


@router.post("/v1/facts", **DOCS["new_fact"])
def new_fact(request: Request, door: CurrentDoor, caller: Caller, body: Body) -> Response:
    """Make a fact or a procedure from claims or episodes, derived from each of them.

    These stay as they are. When one of them falls, the fact shows it.
    """
    wanted = checked(NewFact, parse_json(body))
    conditions, expected = _conditions(request, None)
    if expected is not None:
        raise invalid(f"{IF_MATCH} does not go with a new memory: leave it out", field=IF_MATCH)
    return json_response(
        door.memoranda.deriver.derive(
            caller,
            wanted.contributors(),
            wanted.kind,
            wanted.content,
            policy=wanted.policy,
            assessment=wanted.assessment,
            key=conditions.key,
        )
    )


@router.get("/v1/reassessments", **DOCS["reassessments"])
def reassessments(
    door: CurrentDoor, caller: Caller, asked: Annotated[ReassessmentQuestion, Query()]
) -> Response:
    """Claims that a policy would now recommend otherwise; nothing is changed or recorded."""
    door.wait(caller, asked.min_position)
    return seen_response(door.memoranda.reassessing.answer(caller, asked))


@router.get("/v1/assessments/{assessment_id}", **DOCS["assessment"])
def assessment(
    door: CurrentDoor, caller: Caller, assessment_id: str, wait: Annotated[Waiting, Query()]
) -> Response:
    """An assessment or a review as it was recorded, read from the log."""
    door.wait(caller, wait.min_position)
    return seen_response(door.memoranda.assessments.one(caller, assessment_id))


@router.get("/v1/assessments/{assessment_id}/replay", **DOCS["assessment_replay"])
def assessment_replay(
    door: CurrentDoor, caller: Caller, assessment_id: str, wait: Annotated[Waiting, Query()]
) -> Response:
    """An assessment computed again from the log, held against what was recorded."""
    door.wait(caller, wait.min_position)
    return seen_response(door.memoranda.assessments.replay(caller, assessment_id))


def _conditions(request: Request, said: int | None) -> tuple[Preconditions, int | None]:
    """What the headers ask for, and the version that is expected by them or by the body."""
    conditions = Preconditions.of(request.headers)
    if conditions.only_new:
        raise invalid(
            f"{IF_NONE_MATCH} does not go with a claim: leave it out", field=IF_NONE_MATCH
        )
    if None not in {said, conditions.if_match} and said != conditions.if_match:
        raise invalid(
            f"{IF_MATCH} and expected_version differ: send one of them, or both alike",
            field="expected_version",
        )
    return conditions, conditions.if_match if said is None else said
