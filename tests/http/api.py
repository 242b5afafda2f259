"""How a trusted host talks to the server, and builders for what it says."""

from __future__ import annotations

import itertools

HOST_KEY = "host-key-of-the-tests-0123456789abcdef"
ALL = "read,write,trace,forget,consolidate"
_NUMBERS = itertools.count(1)


def host_headers(**names):
    """Headers of a host key; a name given as None is left out."""
    given = {"workspace": "w", "actor": "ann", "session": "s1", "permissions": ALL} | names
    fields = {
        "workspace": "X-Workspace-Id",
        "actor": "X-Actor-Id",
        "agent": "X-Agent-Id",
        "session": "X-Session-Id",
        "permissions": "X-Permissions",
        "recorded_at": "X-Recorded-At",
        "request_id": "X-Request-Id",
    }
    named = {fields[name]: value for name, value in given.items() if value is not None}
    return {"Authorization": f"Bearer {HOST_KEY}", **named}


def memory(text="alpha", **more):
    """The input of a remember."""
    content = {"format": "text", "value": text}
    said = {"kind": "observation", "schema_version": "1", "content": content}
    return {**said, "provenance": [], "tags": [], **more}


def edge(source, target, **more):
    """The input of a relate."""
    said = {"source_id": source, "target_id": target, "kind": "supports", "properties": {}}
    return {**said, "provenance": [], "lifecycle": "active", **more}


def question(objective="alpha", **more):
    """The input of a recall."""
    limits = {
        "max_items": 10,
        "max_depth": 1,
        "max_payload_bytes": 65536,
        "max_cost": 100,
        "timeout_ms": 60_000,
        "supernode_threshold": 20,
    }
    return {"objective": objective, "seed_ids": [], "limits": limits, **more}


def change(record_id, kind="memory", **patch):
    """The input of an update."""
    return {"target": {"kind": kind, "id": record_id}, "patch": patch}


def envelope(operation, said, key=...):
    """The body of an operation; mutations get a new key unless one is given."""
    if key is ...:
        key = f"key-{next(_NUMBERS)}"
    body = {"contract_version": "v1", "operation": operation, "input": said}
    return body if key is None else {**body, "idempotency_key": key}


class Api:
    """A client with a host key; keyword arguments are the names of the context."""

    def __init__(self, client):
        self.client = client

    def send(self, operation, said, key=..., headers=(), **names):
        """The response to an operation."""
        sent = {**host_headers(**names), **dict(headers)}
        body = envelope(operation, said, key)
        return self.client.post("/v1/memory/operations", json=body, headers=sent)

    def do(self, operation, said, key=..., **names):
        """The result of an operation that succeeds."""
        response = self.send(operation, said, key, **names)
        assert response.status_code == 200, response.text
        return response.json()["result"]["result"]

    def remember(self, text="alpha", *, names=None, **more):
        """The id of a new memory."""
        return self.do("remember", memory(text, **more), **(names or {}))["record"]["id"]

    def get(self, path, headers=(), **names):
        """The response of a reading route, once the read models have seen everything."""
        head = self.client.get("/health/ready").json()["position"]
        mark = "&" if "?" in path else "?"
        sent = {**host_headers(**names), **dict(headers)}
        return self.client.get(f"{path}{mark}min_position={head}", headers=sent)

    def read(self, path, **names):
        """The body of a reading route that answers."""
        response = self.get(path, **names)
        assert response.status_code == 200, response.text
        return response.json()
