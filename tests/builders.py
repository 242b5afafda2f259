"""One builder for each event; every field has a default.

Events of the patch kind take only what is set, since an absent field means something there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from domain import bundle_events as b
from domain import events as e
from domain.canonical import Json, JsonObject
from domain.event_bases import Reason
from domain.registry import Event
from tests.circumstances import MEMORY, OTHER, an_id


def text(value: str = "the sky is blue") -> JsonObject:
    return {"format": "text", "value": value}


def properties(**value: Json) -> JsonObject:
    return {"format": "properties", "value": value}


def source(source_id: str = "s1", locator: str | None = None) -> JsonObject:
    return {"source_id": source_id, "locator": locator, "observed_at": None}


_HOME: Final[JsonObject] = {"session": "s1", "visibility": "workspace", "owner": "ana"}
_SLOTTED: Final[JsonObject] = {**_HOME, "slot_ref": None}
_ENDS: Final[JsonObject] = {**_HOME, "source_id": MEMORY, "target_id": OTHER}
_BOUNDS: Final[JsonObject] = {
    "valid_from": None,
    "valid_until": None,
    "expires_at": None,
    "lifecycle": "active",
}


def said(**changes: Any) -> e.Remembered:
    """The payload of a memory; a confidence is absent unless it is given."""
    fields: JsonObject = {
        "kind": "observation",
        "schema_version": "1",
        "content": text(),
        "tags": [],
        "provenance": [],
        "identity_key": None,
    }
    return e.Remembered(**{**fields, **changes})


def link(**changes: Any) -> e.Related:
    """The payload of an edge; a confidence is absent unless it is given."""
    fields: JsonObject = {
        "kind": "supports",
        "properties": {},
        "provenance": [],
        "identity_key": None,
    }
    return e.Related(**{**fields, **changes})


def memory_remembered(**changes: Any) -> e.MemoryRemembered:
    return e.MemoryRemembered(**{**_SLOTTED, **_BOUNDS, "payload": said(), **changes})


def memory_revised(**changes: Any) -> e.MemoryRevised:
    return e.MemoryRevised(**{**_SLOTTED, **_BOUNDS, "payload": said(), **changes})


def memory_updated(**changes: Any) -> e.MemoryUpdated:
    return e.MemoryUpdated(**{**_SLOTTED, "payload": e.Patch(), **changes})


def memory_forgotten(**changes: Any) -> e.MemoryForgotten:
    fields = {"mode": "tombstone", "scope": "lineage", "lifecycle": "tombstoned"}
    reason = {"payload": Reason(reason="because")}
    return e.MemoryForgotten(**{**_SLOTTED, **fields, **reason, **changes})


def memory_superseded(**changes: Any) -> e.MemorySuperseded:
    fields = {"lifecycle": "superseded", "target_id": OTHER}
    return e.MemorySuperseded(**{**_SLOTTED, **fields, **changes})


def relationship_related(**changes: Any) -> e.RelationshipRelated:
    return e.RelationshipRelated(**{**_ENDS, **_BOUNDS, "payload": link(), **changes})


def relationship_revised(**changes: Any) -> e.RelationshipRevised:
    return e.RelationshipRevised(**{**_ENDS, **_BOUNDS, "payload": link(), **changes})


def relationship_updated(**changes: Any) -> e.RelationshipUpdated:
    return e.RelationshipUpdated(**{**_ENDS, "payload": e.EdgePatch(), **changes})


def identity_claimed(target_id: str = MEMORY) -> e.IdentityClaimed:
    return e.IdentityClaimed(target_id=target_id)


def identity_released(target_id: str = MEMORY) -> e.IdentityReleased:
    return e.IdentityReleased(target_id=target_id)


def proposal(**changes: Any) -> e.Proposal:
    fields: JsonObject = {"reason": "dup", "preserve_disagreements": True, "disagreements": []}
    fields["compared"] = ["edges", "slots", "validity"]
    return e.Proposal(**{**fields, **changes})


def consolidation_proposed(**changes: Any) -> e.ConsolidationProposed:
    fields = {"targets": [(MEMORY, 1), (OTHER, 1)], "target_id": MEMORY, "payload": proposal()}
    return e.ConsolidationProposed(**{**_HOME, **fields, **changes})


def consolidation_applied(**changes: Any) -> e.ConsolidationApplied:
    fields: JsonObject = {"targets": [(MEMORY, 1), (OTHER, 2)], "target_id": MEMORY}
    approval = {"payload": e.Approval(approval_policy="p")}
    return e.ConsolidationApplied(**{**fields, **approval, **changes})


def consolidation_rejected(**changes: Any) -> e.ConsolidationRejected:
    fields = {"targets": [(MEMORY, 1), (OTHER, 1)], "payload": Reason(reason="not the same")}
    return e.ConsolidationRejected(**{**_HOME, **fields, **changes})


def claim_assessed(**changes: Any) -> e.ClaimAssessed:
    verdict = e.Assessment(
        policy="p/v1",
        definition="0" * 64,
        recommended="candidate",
        blockers=[],
        dimensions={},
        basis={"position": 1, "as_of": "2026-01-01T00:00:00.000000Z"},
        complete=True,
    )
    fields = {"targets": [(MEMORY, 1)], "target_id": MEMORY, "counts": {}, "payload": verdict}
    return e.ClaimAssessed(**{**_HOME, **fields, **changes})


def _reviewed(**changes: Any) -> dict[str, Any]:
    said = {"targets": [(MEMORY, 1)], "target_id": MEMORY, "payload": e.Review(policy="p/v1")}
    return {**_HOME, **said, **changes}


def review_approved(**changes: Any) -> e.ReviewApproved:
    return e.ReviewApproved(**_reviewed(**changes))


def review_rejected(**changes: Any) -> e.ReviewRejected:
    return e.ReviewRejected(**_reviewed(**changes))


def command_recorded(**changes: Any) -> e.CommandRecorded:
    receipt: JsonObject = {
        "operation": "remember",
        "idempotency_key": "k",
        "fingerprint": "0" * 64,
        "committed_id": MEMORY,
        "committed_version": 1,
    }
    fields = {"targets": [(MEMORY, 1)], "payload": e.Receipt(**receipt)}
    return e.CommandRecorded(**{**fields, **changes})


def recall_recorded(**changes: Any) -> e.RecallRecorded:
    recalled: JsonObject = {
        "objective": "sky",
        "seed_ids": [],
        "limits": {"max_items": 10},
        "filters": {},
        "basis": {"position": 1},
        "items": [{"id": MEMORY, "version": 1, "score": 1.5, "reasons": ["explicit_seed"]}],
        "outcomes": [],
        "usage": {"items": 1, "elapsed_ms": 0.5},
    }
    fields = {"targets": [(MEMORY, 1)], "counts": {"items": 1}, "payload": e.Recalled(**recalled)}
    return e.RecallRecorded(**{**_HOME, **fields, **changes})


def erasure_step(**changes: Any) -> e.ErasureStep:
    fields: JsonObject = {"mode": "requested", "scope": "lineage", "targets": [(MEMORY, 1)]}
    return e.ErasureStep(**{**fields, "counts": {"versions": 1}, **changes})


def erasure_completed(**changes: Any) -> e.ErasureCompleted:
    fields: JsonObject = {"scope": "lineage", "targets": [(MEMORY, 1)], "counts": {"keys": 1}}
    said = {"payload": e.Completion(stays=[], out_of_reach=["exports"])}
    return e.ErasureCompleted(**{**fields, **said, **changes})


def key_issued(**changes: Any) -> e.KeyIssued:
    issue: JsonObject = {
        "key_id": "key-1",
        "digest": "0" * 64,
        "name": "laptop",
        "workspace": "w",
        "actor": "ana",
        "agent": None,
        "permissions": ["read"],
        "expires_at": None,
    }
    return e.KeyIssued(**{"payload": e.KeyIssue(**issue), **changes})


def stream_released(**changes: Any) -> e.StreamReleased:
    said: dict[str, Any] = {
        "mode": "retry",
        "target_id": MEMORY,
        "payload": e.Release(projection="records", workspace="acme"),
    }
    return e.StreamReleased(**said | changes)


def settings_changed(**changes: Any) -> e.WorkspaceSettingsChanged:
    said = {"session_isolation": "strict", "require_source": True} | changes
    return e.WorkspaceSettingsChanged(payload=e.SettingsChange(**said))


def policy_defined(**changes: Any) -> e.PolicyDefined:
    said = {"name": "own/v1", "definition": {"independent_supports": 1}} | changes
    return e.PolicyDefined(payload=e.PolicyDefinition(**said))


def policy_retired(**changes: Any) -> e.PolicyRetired:
    said = {"name": "own/v1", "reason": "not wanted any more"} | changes
    return e.PolicyRetired(payload=e.PolicyEnd(**said))


def key_revoked(**changes: Any) -> e.KeyRevoked:
    return e.KeyRevoked(**{"payload": e.KeyRevocation(key_id="key-1"), **changes})


CONCEPT: Final = an_id("con_", 1)
TAKEAWAY: Final = an_id("clm_", 1)
WINDOW: Final = an_id("win_", 1)
_OWN: Final[JsonObject] = {"session": "s1", "visibility": "private", "owner": "ana"}
_TAKEN: Final = [(MEMORY, 1), (CONCEPT, 1), (WINDOW, 1)]


def concept_opened(**changes: Any) -> e.ConceptOpened:
    topic = b.ConceptOpening(
        source_id="agent-sessions/codex",
        repo_identifier=None,
        concept_type="convention",
        concept_path="users/ana/repos/no-repo/convention/sky.md",
        title="Sky",
    )
    return e.ConceptOpened(**{**_OWN, "payload": topic, **changes})


def citation(**changes: Any) -> JsonObject:
    said: JsonObject = {
        "window_id": WINDOW,
        "window_hash": "0" * 64,
        "citation_url": f"/v1/bundles/windows/{WINDOW}#E1",
        "observed_at": "2026-01-01T00:00:00.000000Z",
        "history_window": None,
        "evidence": [{"id": "E1", "kind": "user_message", "actor": "user", "text": "so it is"}],
        "citations": [],
    }
    return {**said, **changes}


def takeaway(**changes: Any) -> b.Takeaway:
    said: JsonObject = {
        "display_anchor": "the-sky-is-blue",
        "claim_text": "they said that the sky is blue",
        "rule": "the sky is blue",
        "scope": "everywhere",
        "rationale": None,
        "memory_type": "fact",
        "tags": [],
        "confidence": 0.5,
        "reason": "they said so",
        "citation": citation(),
    }
    return b.Takeaway(**{**said, **changes})


def takeaway_added(**changes: Any) -> e.TakeawayAdded:
    fields = {"target_id": MEMORY, "targets": _TAKEN, "payload": takeaway()}
    return e.TakeawayAdded(**{**_OWN, **fields, **changes})


def takeaway_moved(**changes: Any) -> e.TakeawayMoved:
    fields = {"mode": "revision", "target_id": MEMORY, "targets": _TAKEN, "payload": takeaway()}
    return e.TakeawayMoved(**{**_OWN, **fields, **changes})


def citation_added(**changes: Any) -> e.CitationAdded:
    cited = b.Citing(citation=citation(), reason="they said so")
    fields = {"mode": "restated", "target_id": MEMORY, "targets": _TAKEN[:1], "payload": cited}
    return e.CitationAdded(**{**_OWN, **fields, **changes})


def window(**changes: Any) -> b.Window:
    said: JsonObject = {
        "client": "codex",
        "session_id": "s-1",
        "trigger": "stop",
        "workspace": "app",
        "repo_identifier": None,
        "branch": None,
        "commit_sha": None,
        "history_window": None,
        "window_hash": "0" * 64,
        "observed_at": "2026-01-01T00:00:00.000000Z",
        "events": [],
        "transcript": None,
        "proposals": [],
        "author": {"kind": "caller"},
        "raw": None,
        "basis": {"position": 1, "thresholds": "matching/v1"},
        "redactions": {},
        "receipt": None,
        "verdicts": [],
    }
    return b.Window(**{**said, **changes})


def window_recorded(**changes: Any) -> e.WindowRecorded:
    fields = {"mode": "no_output", "targets": [], "counts": {}, "payload": window()}
    return e.WindowRecorded(**{**_OWN, **fields, **changes})


def window_resolved(**changes: Any) -> e.WindowResolved:
    said = b.Resolution(
        index=0,
        claim_id=None,
        basis={"position": 1, "thresholds": "matching/v1"},
        verdict={"index": 0, "outcome": "applied"},
    )
    return e.WindowResolved(**{**_OWN, "targets": [(MEMORY, 1)], "payload": said, **changes})


EVENTS: Final[dict[str, Callable[..., Event]]] = {
    "memory.remembered": memory_remembered,
    "memory.revised": memory_revised,
    "memory.updated": memory_updated,
    "memory.forgotten": memory_forgotten,
    "memory.superseded": memory_superseded,
    "relationship.related": relationship_related,
    "relationship.revised": relationship_revised,
    "relationship.updated": relationship_updated,
    "identity.claimed": identity_claimed,
    "identity.released": identity_released,
    "consolidation.proposed": consolidation_proposed,
    "consolidation.applied": consolidation_applied,
    "consolidation.rejected": consolidation_rejected,
    "claim.assessed": claim_assessed,
    "review.approved": review_approved,
    "review.rejected": review_rejected,
    "command.recorded": command_recorded,
    "recall.recorded": recall_recorded,
    "concept.opened": concept_opened,
    "takeaway.added": takeaway_added,
    "takeaway.moved": takeaway_moved,
    "citation.added": citation_added,
    "window.recorded": window_recorded,
    "window.resolved": window_resolved,
    "erasure.step": erasure_step,
    "erasure.completed": erasure_completed,
    "workspace.settings_changed": settings_changed,
    "policy.defined": policy_defined,
    "policy.retired": policy_retired,
    "key.issued": key_issued,
    "key.revoked": key_revoked,
    "stream.released": stream_released,
}
