"""Claims behind both doors: of a store in this process, and of a server."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from domain.canonical import JsonObject
from ops.cli_doors import Asking, Local
from ops.cli_errors import refusing
from ops.cli_paths import query, step

Part: TypeAlias = Literal["claim", "evidence", "audit"]
"""What is asked of a claim."""


class ClaimDoor(Protocol):
    """What commands ask about claims; bodies are those of the routes. Raises RefusedError."""

    def page(self, asked: JsonObject) -> JsonObject:
        """A page of claims; `asked` are members of `ClaimFilters`."""
        ...

    def one(self, claim: str, part: Part, asked: JsonObject) -> JsonObject:
        """A claim, or a part of what is known about it; `asked` are members of its question."""
        ...

    def assess(self, claim: str, said: JsonObject, key: str) -> JsonObject:
        """Judge a claim; `said` is a `NewAssessment`."""
        ...

    def review(self, claim: str, said: JsonObject, key: str) -> JsonObject:
        """Say what a reviewer thinks; `said` is a `NewReview`."""
        ...

    def derive(self, said: JsonObject, key: str) -> JsonObject:
        """Make a fact or a procedure; `said` is a `NewFact`."""
        ...

    def assessment(self, decision: str, *, replayed: bool) -> JsonObject:
        """An assessment as it was recorded, or computed again."""
        ...

    def reassessed(self, asked: JsonObject) -> JsonObject:
        """What would now come out otherwise; `asked` are members of `ReassessmentQuestion`."""
        ...


class LocalClaims(Local):
    """Claims of a store in this process."""

    def page(self, asked: JsonObject) -> JsonObject:
        from read_api.claim_questions import ClaimFilters

        with refusing():
            filters = ClaimFilters(**asked)
            self._followed(filters.min_position)
            return self._memoranda.claims.page(self._context, filters)

    def one(self, claim: str, part: Part, asked: JsonObject) -> JsonObject:
        from read_api.claim_questions import ClaimQuestion, EvidenceQuestion

        claims = self._memoranda.claims
        with refusing():
            if part == "evidence":
                told = EvidenceQuestion(**asked)
                self._followed(told.min_position)
                return claims.evidence(self._context, claim, told)
            question = ClaimQuestion(**asked)
            self._followed(question.min_position)
            read = claims.audit if part == "audit" else claims.one
            return read(self._context, claim, question)

    def assess(self, claim: str, said: JsonObject, key: str) -> JsonObject:
        from ops.http.claim_commands import assessed
        from ops.http.claim_models import NewAssessment
        from ops.http.operator_models import checked

        with refusing():
            wanted = checked(NewAssessment, said)
            return assessed(
                self._memoranda.assessor,
                self._context,
                claim,
                wanted,
                key=key,
                expected=wanted.expected_version,
            )

    def review(self, claim: str, said: JsonObject, key: str) -> JsonObject:
        from ops.http.claim_models import NewReview
        from ops.http.operator_models import checked

        with refusing():
            wanted = checked(NewReview, said)
            return self._memoranda.assessor.review(
                self._context,
                claim,
                wanted.policy,
                wanted.verdict,
                key=key,
                version=wanted.expected_version,
            )

    def derive(self, said: JsonObject, key: str) -> JsonObject:
        from ops.http.claim_models import NewFact
        from ops.http.operator_models import checked

        with refusing():
            wanted = checked(NewFact, said)
            return self._memoranda.deriver.derive(
                self._context,
                wanted.contributors(),
                wanted.kind,
                wanted.content,
                policy=wanted.policy,
                assessment=wanted.assessment,
                key=key,
            )

    def assessment(self, decision: str, *, replayed: bool) -> JsonObject:
        assessments = self._memoranda.assessments
        read = assessments.replay if replayed else assessments.one
        with refusing():
            return read(self._context, decision)

    def reassessed(self, asked: JsonObject) -> JsonObject:
        from read_api.reassessing import ReassessmentQuestion

        with refusing():
            question = ReassessmentQuestion(**asked)
            self._followed(question.min_position)
            return self._memoranda.reassessing.answer(self._context, question)


class UrlClaims:
    """Claims of a server."""

    def __init__(self, door: Asking) -> None:
        self._door = door

    def page(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/claims{query(asked)}")

    def one(self, claim: str, part: Part, asked: JsonObject) -> JsonObject:
        of = "" if part == "claim" else f"/{part}"
        return self._door.get(f"/v1/claims/{step(claim)}{of}{query(asked)}")

    def assess(self, claim: str, said: JsonObject, key: str) -> JsonObject:
        return self._door.post(f"/v1/claims/{step(claim)}/assess", said, key)

    def review(self, claim: str, said: JsonObject, key: str) -> JsonObject:
        return self._door.post(f"/v1/claims/{step(claim)}/reviews", said, key)

    def derive(self, said: JsonObject, key: str) -> JsonObject:
        return self._door.post("/v1/facts", said, key)

    def assessment(self, decision: str, *, replayed: bool) -> JsonObject:
        again = "/replay" if replayed else ""
        return self._door.get(f"/v1/assessments/{step(decision)}{again}")

    def reassessed(self, asked: JsonObject) -> JsonObject:
        return self._door.get(f"/v1/reassessments{query(asked)}")
