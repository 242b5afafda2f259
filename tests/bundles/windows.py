"""One builder for a window and one for a proposal, as JSON; every field has a default."""

from __future__ import annotations

from domain.canonical import Json, JsonObject


def says(text: str = "The ferry runs at eight") -> JsonObject:
    return {"kind": "user_message", "actor": "user", "text": text}


def proposal(**changes: Json) -> JsonObject:
    fields: JsonObject = {
        "action": "create_new_concept",
        "concept_type": "convention",
        "title": "House rules",
        "claim_text": "They said that charts are stored flat.",
        "durable_claim": {"rule": "Charts are stored flat", "scope": "the chart room"},
        "memory_type": "convention",
        "tags": [],
        "confidence": 0.9,
        "citations": [],
        "primary_evidence_ids": ["E1"],
        "reason": "the user said so",
    }
    return {**fields, **changes}


def window(*proposals: Json, **changes: Json) -> JsonObject:
    fields: JsonObject = {
        "schema_version": "agent-session-window/v1",
        "client": "codex",
        "session_id": "s-1",
        "trigger": "stop",
        "workspace": "checkout-of-app",
        "repo": "github.com/acme/app",
        "branch": "main",
        "commit_sha": "c0ffee00" * 5,
        "history_window": {"kind": "boundary", "start": "1", "end": 9},
        "events": [says()],
        "observed_at": "2024-06-10T10:00:00Z",
        "proposals": list(proposals),
    }
    return {**fields, **changes}


def without(body: JsonObject, *names: str) -> JsonObject:
    return {key: value for key, value in body.items() if key not in names}
