"""Builders of import lines, and what a store holds after them."""

from __future__ import annotations

import gzip
import itertools
import json

from domain.context import CONTRACT_PERMISSIONS, Context
from read_api.list_filters import MemoryFilters, RelationshipFilters

WHEN = "2021-01-01T00:00:00Z"
_NUMBERS = itertools.count(1)


def ref(key):
    """A key in the place of an id."""
    return {"identity_key": key}


def line(operation, said, *, key=..., **context):
    """A line; a key of None leaves it out, `recorded_at` is given unless it is None."""
    recorded_at = context.pop("recorded_at", WHEN)
    trusted = {**context, **({} if recorded_at is None else {"recorded_at": recorded_at})}
    body = {"context": trusted, "contract_version": "v1", "operation": operation, "input": said}
    key = f"line-{next(_NUMBERS)}" if key is ... else key
    return body if key is None else {**body, "idempotency_key": key}


def remember(identity_key, text="x", *, key=..., context=(), **more):
    """A line that remembers."""
    said = {
        "identity_key": identity_key,
        "kind": "note",
        "schema_version": "1",
        "content": {"format": "text", "value": text},
        "provenance": [],
        "tags": [],
        **more,
    }
    return line("remember", said, key=key, **dict(context))


def relate(source, target, *, identity_key=None, key=..., context=()):
    """A line that relates two keys."""
    said = {
        "identity_key": identity_key,
        "source_id": ref(source) if isinstance(source, str) else source,
        "target_id": ref(target) if isinstance(target, str) else target,
        "kind": "supports",
        "properties": {},
        "provenance": [],
        "lifecycle": "active",
    }
    return line("relate", said, key=key, **dict(context))


def update(target, *, kind="memory", key=..., context=(), **patch):
    """A line that updates the record with a key."""
    said = {"target": {"kind": kind, "id": ref(target)}, "patch": patch}
    return line("update", said, key=key, **dict(context))


def forget(target, mode="tombstone", *, key=..., **more):
    """A line that forgets the memory with a key."""
    said = {"memory_id": ref(target), "mode": mode, "reason": "r", **more}
    return line("forget", said, key=key)


def written(path, rows, *, packed=False):
    """A file of lines; bytes stand as they are."""
    data = b"".join(
        row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows
    )
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


def refused_rows(path):
    """The rows of the file of refused lines of an import."""
    file = path.with_name(path.name + ".refused.jsonl")
    if not file.exists():
        return []
    return [json.loads(row) for row in file.read_text("utf-8").splitlines()]


def asking(workspace="default", actor="cli:tests"):
    """A context that may do everything."""
    return Context(
        workspace=workspace,
        actor=actor,
        session="s",
        permissions=CONTRACT_PERMISSIONS,
        request_id="r",
    )


def memories(store, **given):
    """Current memories by identity key."""
    store.read.wait("", store.log.head(), 60)
    items = store.read.memories(asking(**given), MemoryFilters(limit=200))["items"]
    return {item["identity_key"]: item for item in items}


def relationships(store, **given):
    """Current relationships, oldest first."""
    store.read.wait("", store.log.head(), 60)
    return store.read.relationships(asking(**given), RelationshipFilters(limit=200))["items"]


def state_of(store):
    """All that is remembered, without what differs from store to store: ids and positions."""
    found = memories(store)
    keys = {item["id"]: key for key, item in found.items()}
    unlike = {"id", "source_id", "target_id"}
    nodes = {
        key: {name: value for name, value in item.items() if name not in unlike}
        for key, item in found.items()
    }
    edges = [
        (keys.get(edge["source_id"]), keys.get(edge["target_id"]), edge["kind"], edge["version"])
        for edge in relationships(store)
    ]
    return nodes, edges
