"""Stores to verify: one with every kind of event, and ways to change a copy of it."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ops.standalone_verifier
from tests.verify.writer import Writer, Written, canonical, hash_of, state_of

HOME = {"session": "s1", "visibility": "workspace", "owner": "ann"}
OPEN = {"valid_from": None, "valid_until": None, "expires_at": None, "lifecycle": "active"}

TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
verifier: ModuleType = ops.standalone_verifier


def remember(writer: Writer, slot: str = "roof", *, workspace: str = "harbour", **options: Any):
    """A memory of a slot, with its receipt; gives the memory's event."""
    ref = writer.slot_ref(workspace, slot)
    said = {
        "kind": "fact",
        "schema_version": "1",
        "content": {"format": "properties", "value": {"slot": slot, "object": "läuft über"}},
        "tags": ["haus"],
        "provenance": [],
        "identity_key": None,
    }
    memory = writer.append(
        writer.new_id("mem_"),
        "memory.remembered",
        {**HOME, **OPEN, "slot_ref": ref},
        said,
        workspace=workspace,
        refs=(("slot", ref),),
        **options,
    )
    receipt(writer, memory, workspace=workspace)
    return memory


def update(writer: Writer, stream: str, *, slot: str = "roof", **options: Any) -> Written:
    structure = {**HOME, "slot_ref": writer.slot_ref("harbour", slot)}
    said = {"content": {"format": "text", "value": "the roof is dry"}}
    return writer.append(stream, "memory.updated", structure, said, **options)


def receipt(writer: Writer, *changed: Written, workspace: str = "harbour") -> Written:
    correlation = f"req-{len(writer.written)}"
    return writer.append(
        writer.new_id("receipt_"),
        "command.recorded",
        {"targets": [[event.stream, event.version] for event in changed]},
        {"operation": "remember", "idempotency_key": "k", "fingerprint": "f",
         "committed_id": changed[0].stream, "committed_version": changed[0].version},
        workspace=workspace,
        audit=True,
        correlation=correlation,
        refs=(("correlation", correlation),),
    )  # fmt: skip


def relate(writer: Writer, source: str, target: str) -> Written:
    edge = writer.append(
        writer.new_id("rel_"),
        "relationship.related",
        {**HOME, **OPEN, "source_id": source, "target_id": target},
        {"kind": "supports", "properties": {}, "provenance": [], "identity_key": None},
        refs=tuple(("endpoint", end) for end in {source, target}),
    )
    receipt(writer, edge)
    return edge


def recall(writer: Writer, *found: Written) -> Written:
    return writer.append(
        writer.new_id("recall_"),
        "recall.recorded",
        {**HOME, "targets": [[event.stream, event.version] for event in found],
         "counts": {"items": len(found)}},
        {"objective": "does the roof leak?", "seed_ids": [], "limits": {}, "filters": {},
         "basis": {}, "items": [], "outcomes": [], "usage": {"ms": 1.5}},
    )  # fmt: skip


def forget(writer: Writer, stream: str, mode: str, scope: str = "lineage") -> Written:
    ref = writer.slot_ref("harbour", "roof")
    forgotten = writer.append(
        stream,
        "memory.forgotten",
        {**HOME, "slot_ref": ref, "mode": mode, "scope": scope, "lifecycle": "tombstoned"},
        {"reason": "asked to"},
        refs=(("slot", ref),) if scope == "key" else (),
    )
    receipt(writer, forgotten)
    return forgotten


def request_erasure(writer: Writer, *targets: tuple[str, int], scope: str = "lineage", **options):
    structure = {"mode": "requested", "scope": scope, "targets": [list(pair) for pair in targets],
                 "counts": {"versions": len(targets)}}  # fmt: skip
    return writer.append(writer.new_id("erasure_"), "erasure.step", structure, **options)


def propose(writer: Writer, canonical: Written, other: Written) -> Written:
    return writer.append(
        writer.new_id("prop_"),
        "consolidation.proposed",
        {**HOME, "targets": [[canonical.stream, 1], [other.stream, 1]],
         "target_id": canonical.stream},
        {"reason": "the same", "preserve_disagreements": True, "disagreements": []},
    )  # fmt: skip


def consolidate(writer: Writer, canonical: Written, other: Written) -> None:
    proposal = propose(writer, canonical, other)
    superseded = writer.append(
        other.stream,
        "memory.superseded",
        {**HOME, "slot_ref": writer.slot_ref("harbour", "roof"), "lifecycle": "superseded",
         "target_id": canonical.stream},
        refs=(("supersedes", canonical.stream),),
    )  # fmt: skip
    writer.append(
        proposal.stream,
        "consolidation.applied",
        {"targets": [[canonical.stream, 1], [superseded.stream, 2]],
         "target_id": canonical.stream},
        {"approval_policy": "editors"},
        audit=True,
    )  # fmt: skip


def claim_and_release(writer: Writer, memory: Written) -> None:
    guard = writer.new_id("guard_")
    for topic in ("identity.claimed", "identity.released"):
        writer.append(guard, topic, {"target_id": memory.stream})


def issue_key(writer: Writer) -> None:
    system = writer.new_id("system_")
    for topic in ("key.issued", "key.revoked"):
        writer.append(system, topic, {}, {"key_id": "key_1"}, workspace="system", audit=True)


def furnish(writer: Writer) -> None:
    """Every topic at least once, 27 events, two workspaces and that of the system."""
    roof = remember(writer)
    update(writer, roof.stream)
    cellar, loft = remember(writer), remember(writer)
    remember(writer, workspace="Zürich")
    edge = relate(writer, roof.stream, cellar.stream)
    relate(writer, loft.stream, loft.stream)
    structure = {**HOME, "source_id": roof.stream, "target_id": cellar.stream}
    for topic in ("relationship.revised", "relationship.updated"):
        writer.append(edge.stream, topic, {**structure, **OPEN}, {"confidence": 0.5})
    recall(writer, roof, edge)
    claim_and_release(writer, roof)
    consolidate(writer, cellar, loft)
    writer.append(
        roof.stream,
        "memory.revised",
        {**HOME, **OPEN, "slot_ref": writer.slot_ref("harbour", "roof")},
        {"kind": "fact"},
    )
    forget(writer, roof.stream, "application_delete", scope="key")
    request_erasure(writer, (roof.stream, 3), scope="key")
    issue_key(writer)


class Copy:
    """A copy of a store that can be changed: its triggers are dropped."""

    def __init__(self, original: Writer, folder: Path) -> None:
        self.folder = Path(shutil.copytree(original.folder, folder))
        self.log_db, self.keys_db = self.folder / "log.db", self.folder / "keys.db"
        self.master = original.master
        for path in (self.log_db, self.keys_db):
            with quick(path) as database:
                for (name,) in database.execute(TRIGGERS).fetchall():
                    database.execute(f"DROP TRIGGER {name}")

    def change(self, sql: str, *values: Any) -> int:
        return self._run(self.log_db, sql, values)

    def change_keys(self, sql: str, *values: Any) -> int:
        return self._run(self.keys_db, sql, values)

    def value(self, sql: str, *values: Any) -> Any:
        with quick(self.log_db) as log:
            return log.execute(sql, values).fetchone()[0]

    def _run(self, path: Path, sql: str, values: Any) -> int:
        with quick(path) as database:
            return database.execute(sql, values).rowcount

    def state(self, event: Written) -> tuple[bytes, bytes]:
        """Head and body as they are stored."""
        state = self.value("SELECT state FROM event WHERE position = ?", event.position)
        end = 8 + int.from_bytes(state[4:8], "big")
        return state[8:end], state[end:]

    def head(self, event: Written) -> Any:
        return json.loads(self.state(event)[0])

    def replace_head(self, event: Written, head: dict[str, Any]) -> str:
        """Store another head, with the hash that fits it; gives that in hex."""
        said, body = canonical(head), self.state(event)[1]
        digest = hash_of(said, body)
        self.change(
            "UPDATE event SET state = ?, event_hash = ? WHERE position = ?",
            state_of(said, body), digest, event.position,
        )  # fmt: skip
        return digest.hex()

    def report(self, *, keys: bool = False) -> Any:
        if keys:
            return verifier.verify(self.log_db, self.keys_db, self.master)
        return verifier.verify(self.log_db)


@contextlib.contextmanager
def quick(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that commits at once, without care for the disk, and closes."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = MEMORY")
        yield connection
    finally:
        connection.close()


def first(report: Any) -> tuple[int, str, str]:
    """Position, event and column of the first finding."""
    finding = report.findings[0]
    return finding["position"], finding["event"], finding["column"]


def rules(report: Any) -> list[str]:
    return [finding["rule"] for finding in report.findings]


def verdict(writer: Writer, *, keys: bool = True, master: bytes | None = None) -> Any:
    """The report on a store as it stands."""
    if keys:
        return verifier.verify(writer.log_db, writer.keys_db, master or writer.master)
    return verifier.verify(writer.log_db)
