"""What OpenAPI says of each route; the schemas are those of `ops.http.schemas`."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from ops.http.bodies import JSON, JSON_LINES

Docs = dict[str, Any]
PROBLEM_JSON: Final = "application/problem+json"

_SAID: Final = {
    400: "The request is wrong: `field` and `detail` or `message` say how to mend it.",
    401: "No key, or one that is unknown, revoked or expired.",
    403: "The key does not grant it.",
    404: "Absent, of another workspace or owner, or forgotten.",
    409: "Another version, or another request under the same key.",
    412: "The precondition of a header does not hold.",
    413: "The body is too large.",
    415: "The body is not JSON in UTF-8.",
    421: "The Host header does not name this server.",
    422: "A budget of a recall is out of range.",
    429: "The key asks too often: try again after `Retry-After` seconds.",
    500: "The server failed, or the store is damaged: its log says more.",
    503: "Try again after `Retry-After` seconds.",
}
_POSITION: Final[Docs] = {
    "X-Memoranda-Position": {
        "description": "How far the answer saw the log.",
        "schema": {"type": "integer"},
    }
}
_OF_THE_CONTRACT: Final = (400, 401, 403, 404, 409, 412, 413, 415, 421, 422, 429, 500, 503)
_RETRYABLE: Final = frozenset({429, 503})
_RETRY_AFTER: Final[Docs] = {
    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}
}
_ETAG: Final[Docs] = {
    "ETag": {
        "description": 'The version, as in `"3"`; `"3-review"` where it needs a review.',
        "schema": {"type": "string"},
    }
}


def _ref(schema: str) -> Docs:
    return {"$ref": f"#/components/schemas/{schema}"}


def _answer(schema: str, said: str, headers: Docs | None = None) -> Docs:
    answer: Docs = {"description": said, "content": {JSON: {"schema": _ref(schema)}}}
    return answer | ({"headers": headers} if headers else {})


def _refusals(statuses: tuple[int, ...], schema: str, media_type: str) -> Docs:
    content = {media_type: {"schema": _ref(schema)}}
    named: Docs = {
        str(status): {"description": _SAID[status], "content": content}
        | ({"headers": _RETRY_AFTER} if status in _RETRYABLE else {})
        for status in statuses
    }
    return named | {"default": {"description": "Any other refusal.", "content": content}}


def _contract(name: str, body: str, answer: str, said: str) -> Docs:
    return {
        "operation_id": name,
        "tags": ["contract"],
        "response_class": Response,
        "responses": {
            "200": _answer(answer, said),
            **_refusals(_OF_THE_CONTRACT, "ErrorBody", JSON),
        },
        "openapi_extra": {
            "requestBody": {"required": True, "content": {JSON: {"schema": _ref(body)}}}
        },
    }


def _reading(name: str, answer: str, *others: str, tagged: bool = False) -> Docs:
    found = _answer(answer, "Found.", _POSITION | (_ETAG if tagged else {}))
    if others:
        found["content"][JSON]["schema"] = {"anyOf": [_ref(one) for one in (answer, *others)]}
    responses: Docs = {
        "200": found,
        **_refusals((400, 401, 403, 404, 421, 429, 500, 503), "Problem", PROBLEM_JSON),
    }
    if tagged:
        responses["304"] = {"description": "`If-None-Match` names the current ETag."}
    return {
        "operation_id": name,
        "tags": ["reading"],
        "response_class": Response,
        "responses": responses,
    }


def _graph() -> Docs:
    """A flowchart is no JSON."""
    docs = _reading("read_evidence_graph", "EvidenceGraphAnswer")
    docs["responses"]["200"]["content"]["text/plain"] = {"schema": {"type": "string"}}
    return docs


def _markdown() -> Docs:
    """A concept as a text."""
    docs = _reading("read_concept_markdown", "ConceptAnswer")
    docs["responses"]["200"]["content"] = {"text/markdown": {"schema": {"type": "string"}}}
    return docs


def _operating(name: str, answer: str, said: str, sent: Docs | None = None) -> Docs:
    """A route of operators; `sent` is the content of its request, by media type."""
    statuses = (400, 401, 403, 404, *((413, 415) if sent else ()), 421, 429, 500, 503)
    body: Docs = {} if sent is None else {"requestBody": {"required": True, "content": sent}}
    return {
        "operation_id": name,
        "tags": ["operation"],
        "response_class": Response,
        "responses": {
            "200": _answer(answer, said),
            **_refusals(statuses, "Problem", PROBLEM_JSON),
        },
        "openapi_extra": body,
    }


def _settings(name: str, said: str, sent: Docs | None = None) -> Docs:
    """A route of a workspace's settings; what is sent may be bound to a version."""
    docs = _operating(name, "WorkspaceSettings", said, sent)
    docs["responses"]["200"]["headers"] = _ETAG
    if sent is not None:
        docs["responses"] |= _refusals((409, 412), "Problem", PROBLEM_JSON)
    return docs


def _deciding(name: str, answer: str, said: str, sent: str, *, tag: str = "claims") -> Docs:
    """A route that decides about something: with a receipt, bound to a version if wanted."""
    docs = _operating(name, answer, said, _json(sent))
    docs["tags"] = [tag]
    docs["responses"] |= _refusals((409, 412), "Problem", PROBLEM_JSON)
    return docs


def _window(name: str, said: str, sent: str) -> Docs:
    """A route of windows; where a proposal fails the answer is the detail of the problem."""
    docs = _operating(name, "SubmittedWindow", said, _json(sent))
    docs["tags"] = ["bundles"]
    docs["responses"] |= _refusals((409, 422), "Problem", PROBLEM_JSON)
    if name.startswith("submit_window"):
        docs["responses"]["202"] = _answer("SubmittedWindow", "It waits for the extractor.")
    docs["responses"]["422"] = {
        "description": "A proposal of the window failed; the others stand.",
        "content": {PROBLEM_JSON: {"schema": _ref("WindowProblem")}},
    }
    return docs


def _policy(name: str, said: str, sent: str) -> Docs:
    """A route that changes a workspace's policies; a name may stand for another one."""
    docs = _operating(name, "PolicyAnswer", said, _json(sent))
    docs["responses"] |= _refusals((409,), "Problem", PROBLEM_JSON)
    return docs


def _json(schema: str) -> Docs:
    return {JSON: {"schema": _ref(schema)}}


_LINES: Final[Docs] = {
    JSON_LINES: {"schema": {"type": "string", "description": "At most 500 lines of JSON, UTF-8."}}
}


def _open(name: str, answer: str, **more: Docs) -> Docs:
    refusals = _refusals((421,), "Problem", PROBLEM_JSON)
    return {
        "operation_id": name,
        "tags": ["operation"],
        "response_class": Response,
        "responses": {"200": _answer(answer, "Yes."), **refusals, **more},
    }


def _metrics() -> Docs:
    """Prometheus' text format is no JSON."""
    docs = _open("metrics", "Ready")
    text = {"schema": {"type": "string"}}
    docs["responses"]["200"] = {"description": "Now.", "content": {"text/plain": text}}
    return docs


def _not_ready() -> Docs:
    """Behind or failing; a problem where the log itself cannot be read."""
    answer = _answer("Ready", "Not now.")
    answer["content"][PROBLEM_JSON] = {"schema": _ref("Problem")}
    return answer


DOCS: Final[dict[str, Docs]] = {
    "operations": _contract("execute", "Operation", "OperationAnswer", "Done, or found."),
    "batch": _contract("execute_batch", "Batch", "BatchAnswer", "A verdict for each item."),
    "memories": _reading("list_memories", "MemoryPage"),
    "memory": _reading("read_memory", "MemoryAnswer", "PastMemory", tagged=True),
    "memory_version": _reading("read_memory_version", "MemoryAnswer", tagged=True),
    "relationships": _reading("list_relationships", "RelationshipPage"),
    "relationship": _reading("read_relationship", "RelationshipAnswer", tagged=True),
    "slots": _reading("list_slots", "SlotPage"),
    "slot": _reading("read_slot", "SlotAnswer"),
    "slot_history": _reading("read_slot_history", "SlotChanges"),
    "claims": _reading("list_claims", "ClaimPage"),
    "claim": _reading("read_claim", "ClaimAnswer"),
    "claim_evidence": _reading("read_claim_evidence", "ClaimEvidenceAnswer"),
    "claim_audit": _reading("audit_claim", "ClaimAudit"),
    "assess": _deciding("assess_claim", "AssessmentAnswer", "Judged.", "NewAssessment"),
    "review": _deciding("review_claim", "ReviewAnswer", "Recorded.", "NewReview"),
    "new_fact": _deciding("derive_fact", "DerivedAnswer", "Made.", "NewFact"),
    "reassessments": _reading("list_reassessments", "ReassessmentPage"),
    "assessment": _reading("read_assessment", "DecisionAnswer"),
    "assessment_replay": _reading("replay_assessment", "AssessmentReplay"),
    "evidence_graph": _graph(),
    "reviews": _reading("list_reviews", "ReviewPage"),
    "proposals": _reading("list_proposals", "ProposalPage"),
    "suggestions": _reading("suggest_proposals", "SuggestionPage"),
    "proposal": _reading("read_proposal", "ProposalAnswer"),
    "proposal_replay": _reading("replay_proposal", "ProposalReplay"),
    "reject_proposal": _deciding(
        "reject_proposal", "RejectedProposal", "Rejected.", "Rejection", tag="proposals"
    ),
    "bundle_concepts": _reading("list_concepts", "ConceptPage"),
    "bundle_concept": _reading("read_concept", "ConceptAnswer"),
    "bundle_markdown": _markdown(),
    "bundle_claim": _reading("read_bundle_claim", "BundleClaimAnswer"),
    "bundle_window": _reading("read_window", "StoredWindow"),
    "agent_window": _reading("read_agent_window", "StoredWindow"),
    "completeness": _reading("read_completeness", "CompletenessAnswer"),
    "recall": _reading("read_recall", "RecordedRecall"),
    "why_not": _reading("read_why_not", "WhyNotAnswer"),
    "replay": _reading("replay_recall", "ReplayAnswer"),
    "log": _reading("read_log", "EventPage"),
    "stream": _reading("read_stream", "StreamPage"),
    "settings": _settings("read_settings", "Found."),
    "change_settings": _settings("change_settings", "Changed.", _json("NewSettings")),
    "policies": _operating("list_policies", "PolicyList", "Found."),
    "policy": _operating("read_policy", "PolicyAnswer", "Found."),
    "define_policy": _policy("define_policy", "Defined.", "NewPolicy"),
    "retire_policy": _policy("retire_policy", "Retired.", "PolicyRetirement"),
    "submit_window": _window("submit_window", "Processed.", "WindowBody"),
    "submit_window_api": _window("submit_window_api", "Processed.", "WindowBody"),
    "submit_window_api_v1": _window("submit_window_api_v1", "Processed.", "WindowBody"),
    "resolve_window": _window("resolve_window", "Resolved.", "Resolve"),
    "replay_window": _reading("replay_window", "WindowReplayAnswer"),
    "stats": _operating("read_stats", "Stats", "Counted."),
    "keys": _operating("list_keys", "KeyPage", "Found."),
    "new_key": _operating("create_key", "MadeKey", "Made.", _json("NewKey")),
    "revoke_key": _operating("revoke_key", "Key", "Revoked."),
    "import": _operating("import_lines", "Imported", "How the lines ended.", _LINES),
    "new_job": _operating("start_job", "JobState", "Begun.", _json("NewJob")),
    "job": _operating("read_job", "JobState", "Found."),
    "live": _open("live", "Live"),
    "ready": _open("ready", "Ready", **{"503": _not_ready()}),
    "metrics": _metrics(),
    "version": _open("version", "About"),
}
