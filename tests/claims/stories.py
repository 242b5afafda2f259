"""A store that is asked in process, by people who each have a name."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from domain.context import PERMISSIONS, Context
from domain.contract import Content
from domain.errors import MemorandaError
from ops.memoranda import Memoranda
from read_api.claim_questions import ClaimFilters, ClaimQuestion, EvidenceQuestion
from read_api.reassessing import ReassessmentQuestion
from tests.circumstances import context

SLOT = {"subject": "store", "predicate": "engine"}
TWO = "two-independent-current-sources/v1"
ONE = "single-trusted-source/v1"
REVIEWED = "reviewer-approval/v1"


@dataclass
class Story:
    """Commands in one line each; a key for every one of them."""

    store: Memoranda
    workspace: str = "w"
    keys: Any = field(default_factory=itertools.count)

    def by(self, actor: str) -> Context:
        return context(
            workspace=self.workspace, actor=actor, permissions=frozenset(PERMISSIONS) - {"host"}
        )

    def key(self) -> str:
        return f"key {next(self.keys)}"

    def _execute(self, operation: str, said: dict[str, Any], by: str) -> Any:
        envelope = {
            "contract_version": "v1",
            "idempotency_key": self.key(),
            "operation": operation,
            "input": said,
        }
        return self.store.execute(self.by(by), envelope)["result"]["result"]

    def remember(self, text: str, by: str = "ann", kind: str = "observation", **more: Any) -> str:
        properties = more.pop("properties", None)
        content: dict[str, Any] = {"format": "text", "value": text}
        if properties is not None:
            value = {"text": text, "properties": properties}
            content = {"format": "text_and_properties", "value": value}
        said = {
            "kind": kind,
            "schema_version": "1",
            "content": content,
            "provenance": [],
            "tags": [],
            **more,
        }
        return self._execute("remember", said, by)["record"]["id"]

    def claim(self, value: Any, by: str = "ann", **more: Any) -> str:
        said = {**SLOT, "object": value, "status": "candidate", **more}
        return self.remember(f"the store is {value}", by, "claim", properties=said)

    def source(self, name: str, claim: str, by: str = "sam", kind: str = "supports") -> str:
        """A source of its own that speaks for or against a claim."""
        memory = self.remember(f"the {name}", by, "source")
        self.relate(memory, claim, kind, by)
        return memory

    def relate(
        self, source: str, target: str, kind: str = "supports", by: str = "sam", **more: Any
    ) -> str:
        said = {
            "source_id": source,
            "target_id": target,
            "kind": kind,
            "properties": {},
            "provenance": [],
            "lifecycle": "active",
            **more,
        }
        return self._execute("relate", said, by)["relationship"]["id"]

    def update(self, kind: str, record: str, by: str = "ann", **patch: Any) -> Any:
        said = {"target": {"kind": kind, "id": record}, "expected_version": None, "patch": patch}
        return self._execute("update", said, by)

    def forget(self, memory: str, mode: str = "tombstone", by: str = "ann") -> Any:
        said = {"memory_id": memory, "mode": mode, "reason": "because"}
        return self._execute("forget", said, by)

    def assess(self, claim: str, policy: str = TWO, by: str = "kim", **more: Any) -> Any:
        key = more.pop("key", None) or self.key()
        return self.store.assessor.assess(self.by(by), claim, policy, key=key, **more)

    def recommended(self, claim: str, policy: str = TWO, **more: Any) -> tuple[str, list[str]]:
        """What comes out, and the names of all blockers."""
        said = self.assess(claim, policy, **more)["assessment"]
        return said["recommended"], [one["blocker"] for one in said["blockers"]]

    def review(self, claim: str, by: str = "rae", verdict: Any = "approved", **more: Any) -> Any:
        policy = more.pop("policy", REVIEWED)
        key = more.pop("key", None) or self.key()
        return self.store.assessor.review(self.by(by), claim, policy, verdict, key=key, **more)

    def derive(self, *memories: tuple[str, int], by: str = "kim", **more: Any) -> Any:
        """A fact from memories at their versions."""
        said: dict[str, Any] = {
            "kind": "fact",
            "policy": TWO,
            "assessment": None,
            "key": self.key(),
            **more,
        }
        text = {"format": "text", "value": said.pop("text", "the store is PostgreSQL")}
        content = TypeAdapter(Content).validate_python(text)
        return self.store.deriver.derive(
            self.by(by), list(memories), said.pop("kind"), content, **said
        )

    def reassessed(self, policy: str = TWO, since: int = 0, by: str = "kim") -> Any:
        self._seen()
        asked = ReassessmentQuestion(policy=policy, since=since)
        return self.store.reassessing.answer(self.by(by), asked)

    def recall(self, objective: str, by: str = "ann") -> Any:
        limits = {
            "max_items": 10,
            "max_depth": 1,
            "max_payload_bytes": 10**6,
            "max_cost": 1000,
            "timeout_ms": 60_000,
            "supernode_threshold": 1000,
        }
        said = {"objective": objective, "seed_ids": [], "limits": limits, "page_token": None}
        return self._execute("recall", said, by)

    def replay(self, decision: str, by: str = "kim") -> Any:
        return self.store.assessments.replay(self.by(by), decision)

    def read(self, claim: str, by: str = "ann", **asked: Any) -> Any:
        self._seen()
        return self.store.claims.one(self.by(by), claim, ClaimQuestion(**asked))

    def evidence(self, claim: str, by: str = "ann", **asked: Any) -> Any:
        self._seen()
        return self.store.claims.evidence(self.by(by), claim, EvidenceQuestion(**asked))

    def audit(self, claim: str, by: str = "ann") -> Any:
        self._seen()
        return self.store.claims.audit(self.by(by), claim, ClaimQuestion())

    def page(self, by: str = "ann", **filters: Any) -> Any:
        self._seen()
        return self.store.claims.page(self.by(by), ClaimFilters(**filters))

    def _seen(self) -> None:
        head = self.store.log.head()
        assert self.store.runner.wait_for(self.workspace, head, 30) >= head


def refused(act: Any, *args: Any, **more: Any) -> tuple[str, str | None, str | None]:
    """Code, field and reason of what is refused."""
    try:
        done = act(*args, **more)
    except MemorandaError as refusal:
        return str(refusal.code), refusal.field, refusal.reason
    raise AssertionError(f"not refused: {done}")
