"""Somebody whose sessions are sent as windows, and what comes out of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from domain.canonical import Json, JsonObject
from domain.context import Context
from ops.memoranda import Memoranda
from tests.bundles.windows import proposal, says, window
from tests.circumstances import context

UPDATE = "update_existing_claim"
RULE = "Release notes are drafted by the person who merges the change"
CLOSE = "Release notes are always drafted by the person who merges the change"
SUPERSEDE = "supersede_existing_claim"
ADD = "add_new_claim"
_BUDGETS = {
    "max_items": 50,
    "max_depth": 1,
    "max_payload_bytes": 1_048_576,
    "max_cost": 1000,
    "timeout_ms": 60_000,
    "supernode_threshold": 50,
}


def day(number: int) -> str:
    """Ten o'clock on a day of a June."""
    return f"2024-06-{number:02d}T10:00:00Z"


def saying(rule: str, scope: str = "the whole repository", **changes: Json) -> JsonObject:
    """A proposal that says this; with an action that makes no concept it names none."""
    said: JsonObject = {
        "durable_claim": {"rule": rule, "scope": scope},
        "claim_text": f"They said: {rule}",
    }
    made = proposal(**{**said, **changes})
    if made["action"] != "create_new_concept":
        made = {name: made[name] for name in made if name not in {"title", "concept_type"}}
    return {name: value for name, value in made.items() if value is not None}


def about(verdict: JsonObject) -> JsonObject:
    """The ids by which a proposal names the takeaway of a verdict."""
    return {"concept_id": verdict["concept_id"], "claim_id": verdict["claim_id"]}


@dataclass
class Scribe:
    """Sends windows of one actor in one repository; each has words of its own."""

    store: Memoranda
    actor: str = "ana"
    workspace: str = "w"
    repo: str | None = "github.com/acme/app"
    remarks: Any = field(default_factory=itertools.count)

    @property
    def context(self) -> Context:
        return context(workspace=self.workspace, actor=self.actor)

    def window(self, *proposals: Json, **changes: Json) -> JsonObject:
        """A window whose words nobody has said before."""
        said = {"events": [says(f"Remark {next(self.remarks)} of {self.actor}")], "repo": self.repo}
        return window(*proposals, **{**said, **changes})

    def send(self, body: JsonObject) -> JsonObject:
        return self.store.windows.submit(self.context, body)

    def say(self, rule: str, *args: str, on: int = 10, **changes: Json) -> JsonObject:
        """One proposal in a window of its own; its verdict, with the window's id and result."""
        answer = self.send(self.window(saying(rule, *args, **changes), observed_at=day(on)))
        return {**answer["proposals"][0], **{k: answer[k] for k in ("window_id", "result")}}

    def ask_about(self, rule: str, close: str) -> JsonObject:
        """Two claims that say the same, and a third window that is close to both: ambiguous."""
        self.say(rule, title="One", on=2)
        other = self.say("Tug crews eat at noon", title="Two", on=2)
        self.say(rule, action=UPDATE, on=4, **about(other))
        return self.say(close, title="Three", on=12)

    def resolve(self, window_id: str, index: int, claim_id: str) -> JsonObject:
        return self.store.windows.resolve(self.context, window_id, index, claim_id)

    def replay(self, window_id: str) -> str:
        return str(self.store.window_replay.replay(self.context, window_id)["verdict"])

    def found(self, words: str) -> dict[str, str]:
        """The texts that a recall finds, by memory."""
        said = {"objective": words, "seed_ids": [], "limits": _BUDGETS, "page_token": None}
        items = self._asked("recall", said)["items"]
        return {item["record"]["id"]: _text(item["record"]) for item in items}

    def forget(self, memory_id: str, mode: str = "application_delete") -> JsonObject:
        return self._asked("forget", {"memory_id": memory_id, "mode": mode, "reason": "asked for"})

    def lifecycle(self, memory_id: str) -> str:
        said = self._asked("trace", {"target": {"kind": "memory", "id": memory_id}})
        return str(said["versions"][-1]["lifecycle"])

    def _asked(self, operation: str, said: JsonObject) -> JsonObject:
        envelope: JsonObject = {
            "contract_version": "v1", "operation": operation, "input": said
        }  # fmt: skip
        if operation not in {"recall", "trace"}:
            envelope["idempotency_key"] = f"key {next(self.remarks)}"
        answer: JsonObject = self.store.execute(self.context, envelope)["result"]["result"]
        return answer


def _text(record: JsonObject) -> str:
    value = record["content"]["value"]
    return str(value["text"] if isinstance(value, dict) else value)
