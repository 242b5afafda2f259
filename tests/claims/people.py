"""People who reach a store over HTTP, each with a key of their own."""

from __future__ import annotations

import itertools
from typing import Any, Final

from tests.claims.stories import TWO

LIMITS: Final = {
    "max_items": 10,
    "max_depth": 1,
    "max_payload_bytes": 65536,
    "max_cost": 100,
    "timeout_ms": 60_000,
    "supernode_threshold": 100,
}
_KEYS: Final = itertools.count()


class Person:
    """Somebody in the workspace `w`."""

    def __init__(self, client: Any, store: Any, actor: str, permissions: str) -> None:
        token, _ = store.keys.create(
            name=actor, workspace="w", actor=actor, permissions=frozenset(permissions.split())
        )
        self._client = client
        self._headers = {"Authorization": f"Bearer {token}"}

    def send(self, path: str, body: Any) -> Any:
        """The answer to a command outside of the contract."""
        return self._post(path, body, {"Idempotency-Key": f"key {next(_KEYS)}"})

    def op(self, operation: str, said: Any) -> Any:
        """The result of an operation of the contract."""
        body = {"contract_version": "v1", "operation": operation, "input": said}
        if operation not in {"recall", "trace"}:
            body["idempotency_key"] = f"key {next(_KEYS)}"
        return self._post("/v1/memory/operations", body, {})["result"]["result"]

    def get(self, path: str) -> Any:
        """What is read, once the read models have seen everything."""
        seen = {"min_position": self._client.get("/health/ready").json()["position"]}
        answer = self._client.get(path, params=seen, headers=self._headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def remember(self, kind: str, said: str, source: str | None = None, **more: Any) -> str:
        """The id of a new memory; `properties` are those of its content."""
        content: Any = {"format": "text", "value": said}
        if "properties" in more:
            value = {"text": said, "properties": more.pop("properties")}
            content = {"format": "text_and_properties", "value": value}
        cited = [{"source_id": source}] if source else []
        body = {"kind": kind, "schema_version": "1", "content": content, "provenance": cited}
        return str(self.op("remember", {**body, "tags": [], **more})["record"]["id"])

    def relate(self, source: str, kind: str, target: str) -> str:
        """The id of a new relationship."""
        ends = {"source_id": source, "target_id": target, "kind": kind, "properties": {}}
        done = self.op("relate", {**ends, "provenance": [], "lifecycle": "active"})
        return str(done["relationship"]["id"])

    def holds(self, memory: str, **bounds: str) -> None:
        """Say when a memory holds."""
        self.op("update", {"target": {"kind": "memory", "id": memory}, "patch": bounds})

    def recall(self, objective: str, **asked: Any) -> Any:
        return self.op(
            "recall", {"objective": objective, "seed_ids": [], "limits": LIMITS, **asked}
        )

    def trace(self, kind: str, one: str) -> Any:
        return self.op("trace", {"target": {"kind": kind, "id": one}})

    def assess(self, claim: str, **more: Any) -> tuple[str, list[str]]:
        """What is recommended, and the names of all blockers."""
        said = self.send(f"/v1/claims/{claim}/assess", {"policy": TWO, **more})["assessment"]
        return said["recommended"], [one["blocker"] for one in said["blockers"]]

    def standing(self, claim: str) -> tuple[str | None, list[str]]:
        """The status as it is written, and what is missing behind the claim."""
        said = self.get(f"/v1/claims/{claim}")
        return said["status"], said["gaps"]

    def _post(self, path: str, body: Any, headers: dict[str, str]) -> Any:
        answer = self._client.post(path, json=body, headers={**self._headers, **headers})
        assert answer.status_code == 200, answer.text
        return answer.json()
