"""One event of every topic, with every field set, and how each becomes the same bytes each time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from uuid import UUID

from commands.sealing import Sealed, Sealer
from domain import bundle_events as b
from domain import events as e
from domain.envelope import EventContext
from domain.event_bases import Reason
from domain.ids import encode_id
from domain.registry import Event, Registry

KEY_ID = encode_id("key_", UUID(int=0x0190_0000_0000_7000_8000_0000_0000_0001))
AUDIT_KEY_ID = encode_id("key_", UUID(int=0x0190_0000_0000_7000_8000_0000_0000_0002))
KEYS = {KEY_ID: bytes(range(32)), AUDIT_KEY_ID: bytes(range(32, 64))}

CONTEXT = EventContext("casa", "ana", "agente-7", "sesión 1", "req-1", "corr-1", "00-4bf9-00f0-01")
RECORDED_AT = "2026-03-01T09:30:00.250000Z"
PREV = "1f" * 32


def public_id(prefix: str, number: int = 1) -> str:
    return encode_id(prefix, UUID(int=0x0190_0000_0000_7000_8000_0000_0000_0000 + number))


class FixedKeys:
    """The same two keys for everything: for fixed bytes, and never for a store."""

    def take(self, workspace: str) -> tuple[str, bytes]:
        return KEY_ID, KEYS[KEY_ID]

    def audit(self, workspace: str) -> tuple[str, bytes]:
        return AUDIT_KEY_ID, KEYS[AUDIT_KEY_ID]

    def open_keys(self, workspace: str, key_ids: Iterable[str]) -> dict[str, bytes | None]:
        return {key_id: KEYS[key_id] for key_id in key_ids}


class LostKeys(FixedKeys):
    """The same, after all of them were destroyed."""

    def open_keys(self, workspace: str, key_ids: Iterable[str]) -> dict[str, bytes | None]:
        return dict.fromkeys(key_ids)


def sealer(registry: Registry = e.REGISTRY, keys: FixedKeys | None = None) -> Sealer:
    """Salts and nonces count up from zero."""
    numbers = count()
    return Sealer(keys or FixedKeys(), registry, lambda size: next(numbers).to_bytes(size, "big"))


def seal(event: Event, stream: str) -> Sealed:
    return sealer().seal(
        stream=stream,
        version=2,
        event=event,
        context=CONTEXT,
        recorded_at=RECORDED_AT,
        prev=PREV,
    )


HOME = {"session": "sesión 1", "visibility": "private", "owner": "ana"}
MEMORY = {**HOME, "slot_ref": "ab" * 32}
EDGE = {**HOME, "source_id": public_id("mem_", 1), "target_id": public_id("mem_", 2)}
BOUNDS = {
    "valid_from": "2026-02-28T23:00:00+01:00",
    "valid_until": "2027-01-01T00:00:00Z",
    "expires_at": "2030-01-01T00:00:00.5Z",
    "lifecycle": "active",
}
PROVENANCE = [{"source_id": "factura.pdf", "locator": "p. 3", "observed_at": None}]
CONTENT = {
    "format": "text_and_properties",
    "value": {
        "text": "El tejado gotea 🌧 \u2028 — “señor”",
        "properties": {
            "z": [0.1, 1e22, -0.0, 1.0, 2**70, True, None],
            "a": {"ñ": "\u0000", "Z": '/"\\'},
        },
    },
}
TARGETS = [(public_id("mem_", 1), 1), (public_id("mem_", 2), 7)]
TAKEN = [(public_id("mem_", 1), 1), (public_id("con_"), 1), (public_id("win_"), 1)]
CITATION = {
    "window_id": public_id("win_"),
    "window_hash": "ab" * 32,
    "citation_url": f"/v1/bundles/windows/{public_id('win_')}#E1",
    "observed_at": RECORDED_AT,
    "history_window": {"kind": "lines", "start": "1", "end": "9"},
    "evidence": [{"id": "E1", "kind": "user_message", "actor": "user", "text": "El tejado…"}],
    "citations": ["https://docs.example/tejados"],
}
TAKEAWAY = b.Takeaway(
    display_anchor="el-tejado-gotea",
    claim_text="En esta sesión se dijo que el tejado gotea.",
    rule="El tejado gotea",
    scope="casa",
    rationale="llueve",
    memory_type="fact",
    tags=["casa"],
    confidence=0.5,
    reason="lo dijo",
    citation=CITATION,
)
SAID = e.Remembered(
    kind="hecho",
    schema_version="1",
    content=CONTENT,
    tags=["casa", "b"],
    provenance=PROVENANCE,
    confidence=0.75,
    identity_key="tejado",
)
PATCH = e.Patch(content=CONTENT, confidence=None, add_tags=["c"], add_provenance=PROVENANCE)
RELATED = e.Related(
    kind="apoya",
    properties={"peso": 0.5},
    provenance=PROVENANCE,
    confidence=1.0,
    identity_key="tejado→lluvia",
)
KEY = {
    "key_id": "key_0123456789abcdef",
    "digest": "cd" * 32,
    "name": "portátil",
    "workspace": "casa",
    "actor": "ana",
    "agent": None,
    "permissions": ["read", "write"],
    "expires_at": None,
}

EXAMPLES: dict[str, tuple[str, Event]] = {
    "memory.remembered": (
        "mem_",
        e.MemoryRemembered(**MEMORY, **BOUNDS, payload=SAID),
    ),
    "memory.revised": (
        "mem_",
        e.MemoryRevised(**MEMORY, **BOUNDS, targets=TARGETS[:1], payload=SAID),
    ),
    "memory.revised by a command": (
        "mem_",
        e.MemoryRevised(**MEMORY, **BOUNDS, payload=SAID),
    ),
    "memory.updated": (
        "mem_",
        e.MemoryUpdated(**MEMORY, **BOUNDS, targets=TARGETS[:1], payload=PATCH),
    ),
    "memory.updated by a command": (
        "mem_",
        e.MemoryUpdated(**MEMORY, **BOUNDS, payload=PATCH),
    ),
    "memory.updated sparse": (
        "mem_",
        e.MemoryUpdated(**MEMORY, valid_until=None, payload=e.Patch(confidence=None)),
    ),
    "memory.forgotten": (
        "mem_",
        e.MemoryForgotten(
            **MEMORY,
            mode="application_delete",
            scope="event",
            lifecycle="tombstoned",
            expires_at="2026-03-02T00:00:00Z",
            targets=TARGETS[:1],
            payload=Reason(reason="me lo pidió"),
        ),
    ),
    "memory.superseded": (
        "mem_",
        e.MemorySuperseded(**MEMORY, lifecycle="superseded", target_id=public_id("mem_", 2)),
    ),
    "relationship.related": (
        "rel_",
        e.RelationshipRelated(**EDGE, **BOUNDS, payload=RELATED),
    ),
    "relationship.revised": (
        "rel_",
        e.RelationshipRevised(**EDGE, **BOUNDS, payload=RELATED),
    ),
    "relationship.updated": (
        "rel_",
        e.RelationshipUpdated(
            **EDGE,
            **BOUNDS,
            payload=e.EdgePatch(properties=["x"], confidence=0.25, add_provenance=PROVENANCE),
        ),
    ),
    "identity.claimed": ("guard_", e.IdentityClaimed(target_id=public_id("mem_"))),
    "identity.released": ("guard_", e.IdentityReleased(target_id=public_id("mem_"))),
    "consolidation.proposed by edges and slots": (
        "prop_",
        e.ConsolidationProposed(
            **HOME,
            targets=TARGETS,
            target_id=public_id("mem_", 1),
            payload=e.Proposal(
                reason="dicen lo mismo",
                preserve_disagreements=True,
                disagreements=[{"memory_ids": [one for one, _ in TARGETS], "slot_ref": "ab" * 32}],
            ),
        ),
    ),
    "consolidation.proposed": (
        "prop_",
        e.ConsolidationProposed(
            **HOME,
            targets=TARGETS,
            target_id=public_id("mem_", 1),
            payload=e.Proposal(
                reason="dicen lo mismo",
                preserve_disagreements=True,
                disagreements=[
                    {
                        "memory_ids": [one for one, _ in TARGETS],
                        "validity": [
                            {"valid_from": None, "valid_until": "2031-02-01T00:00:00Z"},
                            {"valid_from": "2031-02-01T00:00:00Z", "valid_until": None},
                        ],
                    }
                ],
                compared=["edges", "slots", "validity"],
            ),
        ),
    ),
    "consolidation.applied": (
        "prop_",
        e.ConsolidationApplied(
            targets=TARGETS,
            target_id=public_id("mem_", 1),
            payload=e.Approval(approval_policy="revisado/v1"),
        ),
    ),
    "consolidation.rejected": (
        "prop_",
        e.ConsolidationRejected(
            **HOME, targets=TARGETS, payload=Reason(reason="no dicen lo mismo")
        ),
    ),
    "claim.assessed": (
        "dec_",
        e.ClaimAssessed(
            **HOME,
            targets=TARGETS,
            target_id=public_id("mem_", 1),
            counts={"supports": 1, "contradicts": 0, "rivals": 0},
            payload=e.Assessment(
                policy="dos-fuentes/v1",
                definition="cd" * 32,
                recommended="candidate",
                blockers=[{"blocker": "insufficient_independent_support", "needed": 2, "found": 1}],
                dimensions={"support_mass": 0.5, "independence": 1},
                basis={"position": 9, "as_of": RECORDED_AT},
                complete=True,
            ),
        ),
    ),
    "review.approved": (
        "dec_",
        e.ReviewApproved(
            **HOME,
            targets=TARGETS[:1],
            target_id=public_id("mem_", 1),
            payload=e.Review(policy="dos-fuentes/v1"),
        ),
    ),
    "review.rejected": (
        "dec_",
        e.ReviewRejected(
            **HOME,
            targets=TARGETS[:1],
            target_id=public_id("mem_", 1),
            payload=e.Review(policy="dos-fuentes/v1"),
        ),
    ),
    "command.recorded": (
        "receipt_",
        e.CommandRecorded(
            targets=TARGETS,
            payload=e.Receipt(
                operation="forget",
                idempotency_key="clave-1",
                fingerprint="ef" * 32,
                committed_id=public_id("mem_", 1),
                committed_version=3,
                mode="tombstone",
            ),
        ),
    ),
    "recall.recorded": (
        "recall_",
        e.RecallRecorded(
            **HOME,
            targets=TARGETS,
            counts={"items": 2, "edges": 0},
            payload=e.Recalled(
                objective="¿gotea?",
                seed_ids=[public_id("mem_", 1)],
                limits={"max_items": 5},
                filters={"kinds": ["hecho"]},
                basis={"position": 9, "as_of": RECORDED_AT},
                items=[{"id": public_id("mem_", 1), "version": 1, "score": 1.25, "reasons": []}],
                outcomes=[],
                usage={"cost": 3, "elapsed_ms": 0.5},
            ),
        ),
    ),
    "concept.opened": (
        "con_",
        b.ConceptOpened(
            **HOME,
            payload=b.ConceptOpening(
                source_id="agent-sessions/codex",
                repo_identifier="github.com/acme/app",
                concept_type="convention",
                concept_path="users/ana/repos/github.com/acme/app/convention/tejados.md",
                title="Tejados",
            ),
        ),
    ),
    "takeaway.added": (
        "clm_",
        b.TakeawayAdded(
            **HOME,
            target_id=public_id("mem_", 1),
            targets=TAKEN,
            payload=TAKEAWAY,
        ),
    ),
    "takeaway.moved": (
        "clm_",
        b.TakeawayMoved(
            **HOME,
            mode="revision",
            target_id=public_id("mem_", 1),
            targets=TAKEN,
            payload=TAKEAWAY,
        ),
    ),
    "citation.added": (
        "clm_",
        b.CitationAdded(
            **HOME,
            mode="late",
            target_id=public_id("mem_", 1),
            targets=[TAKEN[0], TAKEN[2]],
            payload=b.Citing(
                citation=CITATION,
                reason="lo dijo antes",
                offered={"claim_text": "x", "rule": "x", "scope": "y", "rationale": None},
            ),
        ),
    ),
    "window.recorded": (
        "win_",
        b.WindowRecorded(
            **HOME,
            mode="knowledge_patched",
            targets=TAKEN[:1],
            counts={"events": 1, "proposals": 1, "redactions": 2},
            payload=b.Window(
                client="codex",
                session_id="sesión 1",
                trigger="stop",
                workspace="casa",
                repo_identifier="github.com/acme/app",
                branch="main",
                commit_sha="c0ffee",
                history_window={"kind": "lines", "start": "1", "end": "9"},
                window_hash="ab" * 32,
                observed_at=RECORDED_AT,
                events=CITATION["evidence"],
                transcript=None,
                proposals=[{"action": "no_output"}],
                author={"kind": "caller"},
                raw=None,
                basis={"position": 9, "thresholds": "matching/v1"},
                redactions={"github": 2},
                receipt={"nota": "[redacted:github]"},
                verdicts=[{"index": 0, "outcome": "applied"}],
            ),
        ),
    ),
    "window.resolved": (
        "win_",
        b.WindowResolved(
            **HOME,
            targets=TAKEN[:1],
            payload=b.Resolution(
                index=0,
                claim_id=public_id("clm_"),
                basis={"position": 9, "thresholds": "matching/v1"},
                verdict={"index": 0, "outcome": "applied"},
            ),
        ),
    ),
    "erasure.step": (
        "erasure_",
        e.ErasureStep(mode="requested", scope="lineage", targets=TARGETS, counts={"versions": 8}),
    ),
    "erasure.completed": (
        "erasure_",
        e.ErasureCompleted(
            scope="lineage",
            targets=TARGETS,
            counts={"versions": 8, "keys": 9, "recalls": 1},
            payload=e.Completion(stays=["structure"], out_of_reach=["answers_given"]),
        ),
    ),
    "workspace.settings_changed": (
        "system_",
        e.WorkspaceSettingsChanged(
            payload=e.SettingsChange(
                session_isolation="strict",
                require_source=True,
                recall_policy="newest-recorded/v1",
            )
        ),
    ),
    "workspace.settings_changed sparse": (
        "system_",
        e.WorkspaceSettingsChanged(
            payload=e.SettingsChange(session_isolation="strict", require_source=True)
        ),
    ),
    "policy.defined": (
        "system_",
        e.PolicyDefined(
            payload=e.PolicyDefinition(
                name="two-labs/v1",
                definition={
                    "independent_supports": 2,
                    "min_confidence": 0.5,
                    "sources": {"trusted": ["lab:*"], "quarantine": ["rumour"]},
                },
            )
        ),
    ),
    "policy.retired": (
        "system_",
        e.PolicyRetired(payload=e.PolicyEnd(name="two-labs/v1", reason="one lab is closed")),
    ),
    "key.issued": ("system_", e.KeyIssued(payload=e.KeyIssue(**KEY))),
    "stream.released": (
        "system_",
        e.StreamReleased(
            mode="retry",
            target_id=public_id("mem_", 1),
            payload=e.Release(projection="records", workspace="casa"),
        ),
    ),
    "key.revoked": ("system_", e.KeyRevoked(payload=e.KeyRevocation(key_id=KEY["key_id"]))),
}
