"""What each route needs: one table, read by the routes, the documentation and the tests."""

from __future__ import annotations

from typing import Final

from starlette.routing import compile_path

from domain.contract import INPUTS

OPEN: Final = frozenset({"/health/live", "/health/ready", "/metrics", "/version", "/openapi.json"})
"""Routes that need no key: they tell nothing of what is stored."""

BY_OPERATION: Final = {name: model.PERMISSION for name, model in INPUTS.items()}
"""What the operations of the contract need; the two contract routes leave it to them."""

DECIDING: Final = ("consolidate", "review")
"""Either of them is enough to decide against a proposal."""

ROUTES: Final[dict[tuple[str, str], str | tuple[str, ...] | None]] = {
    ("POST", "/v1/memory/operations"): None,
    ("POST", "/v1/memory/batch"): None,
    ("GET", "/v1/memories"): "read",
    ("GET", "/v1/memories/{memory_id}"): "read",
    ("GET", "/v1/memories/{memory_id}/versions/{version}"): "read",
    ("GET", "/v1/relationships"): "read",
    ("GET", "/v1/relationships/{relationship_id}"): "read",
    ("GET", "/v1/slots"): "read",
    ("GET", "/v1/slots/{slot}/history"): "read",
    ("GET", "/v1/slots/{slot}"): "read",
    ("GET", "/v1/claims"): "read",
    ("GET", "/v1/claims/{claim_id}"): "read",
    ("GET", "/v1/claims/{claim_id}/evidence"): "read",
    ("GET", "/v1/claims/{claim_id}/audit"): "read",
    ("POST", "/v1/claims/{claim_id}/assess"): "write",
    ("POST", "/v1/claims/{claim_id}/reviews"): "review",
    ("POST", "/v1/facts"): "write",
    ("GET", "/v1/reassessments"): "read",
    ("GET", "/v1/assessments/{assessment_id}"): "read",
    ("GET", "/v1/assessments/{assessment_id}/replay"): "read",
    ("GET", "/v1/evidence/graph"): "read",
    ("GET", "/v1/reviews"): "read",
    ("GET", "/v1/recalls/{recall_id}"): "read",
    ("GET", "/v1/recalls/{recall_id}/why-not/{memory_id}"): "read",
    ("GET", "/v1/recalls/{recall_id}/replay"): "read",
    ("GET", "/v1/proposals"): "read",
    ("GET", "/v1/proposals/suggestions"): "read",
    ("GET", "/v1/proposals/{proposal_id}"): "read",
    ("GET", "/v1/proposals/{proposal_id}/replay"): "read",
    ("POST", "/v1/proposals/{proposal_id}/reject"): DECIDING,
    ("GET", "/v1/bundles/concepts"): "read",
    ("GET", "/v1/bundles/concepts/{concept_id}.md"): "read",
    ("GET", "/v1/bundles/concepts/{concept_id}"): "read",
    ("GET", "/v1/bundles/claims/{claim_id}"): "read",
    ("GET", "/v1/bundles/windows/{window_id}"): "read",
    ("GET", "/v1/agent-sessions/windows/{window_id}"): "read",
    ("GET", "/v1/bundles/completeness"): "read",
    ("POST", "/v1/agent-sessions/windows"): "write",
    ("POST", "/api/agent-sessions/windows"): "write",
    ("POST", "/api/v1/agent-sessions/windows"): "write",
    ("POST", "/v1/agent-sessions/windows/{window_id}/resolve"): "write",
    ("GET", "/v1/agent-sessions/windows/{window_id}/replay"): "read",
    ("GET", "/v1/settings"): "read",
    ("PATCH", "/v1/settings"): "policy",
    ("GET", "/v1/policies"): "read",
    ("GET", "/v1/policies/{name}/{version}"): "read",
    ("POST", "/v1/policies"): "policy",
    ("POST", "/v1/policies/{name}/{version}/retire"): "policy",
    ("GET", "/v1/log"): "trace",
    ("GET", "/v1/streams/{stream_id}"): "trace",
    ("GET", "/v1/stats"): "operate",
    ("GET", "/v1/keys"): "operate",
    ("POST", "/v1/keys"): "operate",
    ("POST", "/v1/keys/{key_id}/revoke"): "operate",
    ("POST", "/v1/import"): "operate",
    ("POST", "/v1/jobs"): "operate",
    ("GET", "/v1/jobs/{job_id}"): "operate",
}
"""(method, path) → the permission that a caller needs, or those of which one is enough; None: that
of each operation in the body."""


def routed(path: str) -> str:
    """A documented path as a router has it: the name of a slot may have slashes."""
    return path.replace("{slot}", "{slot:path}")


_PATHS: Final = tuple(
    (compile_path(routed(path))[0], method)
    for method, path in (*ROUTES, *(("GET", path) for path in OPEN))
)


def methods_of(path: str) -> list[str]:
    """The methods of a path over all of its routes; a router knows only the first of these."""
    return sorted({method for pattern, method in _PATHS if pattern.match(path)})
