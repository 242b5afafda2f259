"""An assessment as a door asks for it: one that is recorded, or what would come out."""

from __future__ import annotations

from commands.assessing import Assessor
from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import invalid
from ops.http.claim_models import NewAssessment


def assessed(
    assessor: Assessor,
    context: Context,
    claim: str,
    wanted: NewAssessment,
    *,
    key: str | None,
    expected: int | None,
) -> JsonObject:
    """Judge a claim by a policy. With `exclude` nothing is recorded, and no key is needed.

    INVALID_REQUEST for `apply` with `exclude`: what would come out is no status.
    """
    if wanted.exclude is None:
        return assessor.assess(
            context,
            claim,
            wanted.policy,
            key=key,
            as_of=wanted.as_of,
            apply=wanted.apply,
            expected_version=expected,
        )
    if wanted.apply:
        raise invalid("apply does not go with exclude: leave one out", field="apply")
    return assessor.what_if(
        context, claim, wanted.policy, wanted.as_of, wanted.exclude, expected_version=expected
    )
