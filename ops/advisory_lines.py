"""The import lines of one revision, written one operation at a time.

A line is the v1 envelope with a trusted context (spec/operations.md §1–2). An import file is
written before the store gives ids, so wherever an input takes an id, a line holds
`{"identity_key": "…"}`; the importer puts in the id of the addressable record with that key.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from pydantic import JsonValue

from ops.advisory_records import Revision

Line: TypeAlias = dict[str, object]
Properties: TypeAlias = dict[str, JsonValue]
Lifecycle: TypeAlias = Literal["expired", "superseded"]

SCHEMA_VERSION: Final = "1"


def reference(identity_key: str) -> dict[str, str]:
    """What stands in place of an id: the identity key of a record of an earlier line."""
    return {"identity_key": identity_key}


class RevisionLines:
    """Collects the lines of a revision in `lines`, each with the revision as its provenance."""

    def __init__(self, revision: Revision) -> None:
        self.revision = revision
        self.lines: list[Line] = []

    def remember(
        self,
        identity_key: str,
        kind: str,
        text: str,
        properties: Properties,
        tags: list[str],
    ) -> None:
        """A new memory, or a new active version of the one with this key."""
        self._add(
            "remember",
            {
                "identity_key": identity_key,
                "kind": kind,
                "schema_version": SCHEMA_VERSION,
                "content": _content(text, properties),
                "provenance": [self._provenance()],
                "tags": tags,
            },
        )

    def relate(self, kind: str, source_key: str, target_key: str) -> str:
        """An edge between two memories, active again if it was there; gives its identity key."""
        identity_key = f"{kind}:{source_key}:{target_key}"
        self._add(
            "relate",
            {
                "identity_key": identity_key,
                "source_id": reference(source_key),
                "target_id": reference(target_key),
                "kind": kind,
                "properties": {},
                "provenance": [self._provenance()],
                "lifecycle": "active",
            },
        )
        return identity_key

    def correct(
        self, identity_key: str, text: str, properties: Properties, tags: list[str]
    ) -> None:
        """A new content for a memory, whose lifecycle stays what it is."""
        patch: dict[str, object] = {"content": _content(text, properties), "add_tags": tags}
        self._update("memory", identity_key, patch)

    def retire_edge(self, identity_key: str, lifecycle: Lifecycle) -> None:
        """An edge that no longer holds: forget is for memories, edges change their lifecycle."""
        self._update("relationship", identity_key, {"lifecycle": lifecycle})

    def expire(self, identity_key: str, expires_at: str, reason: str) -> None:
        """A memory that is taken back: hidden from now on, still there for earlier dates."""
        self._add(
            "forget",
            {
                "memory_id": reference(identity_key),
                "mode": "expire",
                "expires_at": expires_at,
                "reason": reason,
            },
        )

    def _update(self, kind: str, identity_key: str, patch: dict[str, object]) -> None:
        target = {"kind": kind, "id": reference(identity_key)}
        patch = {**patch, "add_provenance": [self._provenance()]}
        self._add("update", {"target": target, "patch": patch})

    def _provenance(self) -> dict[str, str]:
        revision = self.revision
        return {
            "source_id": revision.source_id,
            "locator": revision.locator,
            "observed_at": revision.recorded_at,
        }

    def _add(self, operation: str, given: dict[str, object]) -> None:
        revision = self.revision
        self.lines.append(
            {
                "context": {"recorded_at": revision.recorded_at},
                "contract_version": "v1",
                "idempotency_key": f"pypa:{revision.commit}:{revision.path}:{len(self.lines)}",
                "operation": operation,
                "input": given,
            }
        )


def _content(text: str, properties: Properties) -> dict[str, object]:
    value = {"text": text, "properties": properties}
    return {"format": "text_and_properties", "value": value}
