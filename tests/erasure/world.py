"""A memory that says two rare words in all its parts, and everything that was ever made of it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any, Final

from domain.canonical import Json, JsonObject, canonical
from domain.context import CONTRACT_PERMISSIONS, Context
from domain.errors import MemorandaError
from ops.wiring import Memoranda
from read_api.list_filters import MemoryFilters
from tests.circumstances import context
from tests.erasure.traces import Words
from tests.inputs import BUDGET, envelope

PLAIN: Final = "xqzywarble"
ACCENTED: Final = "ẅxénophœbe"
WORDS: Final = Words(PLAIN, ACCENTED)
BOTH: Final = f"{PLAIN} {ACCENTED}"
WIDE: Final = {**BUDGET, "max_items": 50, "max_payload_bytes": 1 << 24, "timeout_ms": 20_000}


def content(more: str = "") -> JsonObject:
    properties = {"slot": f"slot {BOTH}", "repo": f"repo/{PLAIN}", "status": f"status {ACCENTED}"}
    return {
        "format": "text_and_properties",
        "value": {"text": f"the {BOTH} says {more}", "properties": {**properties, BOTH: [BOTH]}},
    }


SAID: Final[JsonObject] = {
    "kind": f"kind {BOTH}",
    "schema_version": f"1-{PLAIN}",
    "content": content(),
    "tags": [f"tag {BOTH}"],
    "provenance": [{"source_id": f"source {BOTH}", "locator": ACCENTED, "observed_at": None}],
    "identity_key": f"key {BOTH}",
}


@dataclass
class Talk:
    """Sends operations, and keeps what was sent, to be sent again."""

    memoranda: Memoranda
    who: Context = field(default_factory=context)
    sent: list[tuple[Context, JsonObject]] = field(default_factory=list)
    numbers: Any = field(default_factory=itertools.count)

    def send(self, operation: str, who: Context | None = None, **changes: Json) -> Any:
        key = f"command {next(self.numbers)}"
        body = envelope(operation, envelope_changes={"idempotency_key": key}, **changes)
        self.sent.append((who or self.who, body))
        return self.memoranda.execute(who or self.who, body)["result"]["result"]

    def remember(self, **changes: Json) -> str:
        return self.send("remember", **changes)["record"]["id"]

    def recall(self, objective: str, **changes: Json) -> Any:
        return self.send("recall", **{"objective": objective, "limits": WIDE, **changes})

    def update(self, memory: str, **patch: Json) -> Any:
        return self.send("update", target={"kind": "memory", "id": memory}, patch=patch)

    def forget(self, memory: str, mode: str = "application_delete", **changes: Json) -> Any:
        return self.send("forget", memory_id=memory, mode=mode, reason="asked to", **changes)

    def caught_up(self) -> None:
        head = self.memoranda.log.head()
        assert self.memoranda.runner.wait_for("", head, 30.0) >= head


@dataclass
class Told:
    """Ids of what was said."""

    memory: str
    other: str
    recalls: list[str]
    proposal: str


def tell(talk: Talk, *, long: int = 3000) -> Told:
    """Say it in every way: versions, questions, a rationale, a long text, among other memories."""
    other = talk.remember(content={"format": "text", "value": "an otter"}, tags=["kept"])
    memory = talk.remember(**SAID)
    for number in range(8):
        talk.remember(content={"format": "text", "value": f"heron {number} " * 40})
    talk.update(memory, add_tags=[f"later {PLAIN}"])
    talk.update(memory, content=content(f"again {BOTH} " * long))
    talk.update(memory, content=content("shorter"))
    talk.send("relate", source_id=memory, target_id=other)
    recalls = [talk.recall(word)["recall_id"] for word in (PLAIN, ACCENTED, f"{BOTH} otter")]
    proposal = talk.send(
        "consolidate", memory_ids=[memory, other], canonical_id=other, reason=f"both say {BOTH}"
    )
    return Told(memory, other, recalls, proposal["proposal_id"])


@dataclass
class Doors:
    """Every way to ask for what was told."""

    talk: Talk
    told: Told
    who: Context

    def recalled(self) -> dict[str, list[str]]:
        """Ids that each search by one of the words finds, by its name."""
        found = {
            word: [item["record"]["id"] for item in self.talk.recall(word)["items"]]
            for word in (PLAIN, ACCENTED, "wxenophoebe", BOTH)
        }
        return found | {name: self._listed(filters) for name, filters in self._filters().items()}

    def _filters(self) -> dict[str, MemoryFilters]:
        return {
            "tag": MemoryFilters(tag=f"tag {BOTH}"),
            "slot": MemoryFilters(slot=f"slot {BOTH}"),
            "kind": MemoryFilters(kind=f"kind {BOTH}"),
            "source": MemoryFilters(source_id=f"source {BOTH}"),
            "identity key": MemoryFilters(identity_key=f"key {BOTH}"),
            "status": MemoryFilters(status=f"status {ACCENTED}"),
        }

    def _listed(self, filters: MemoryFilters) -> list[str]:
        self.talk.caught_up()
        items = self.talk.memoranda.read.memories(self.who, filters)["items"]
        return [item["id"] for item in items]

    def answers(self) -> dict[str, bytes]:
        """What each door says, as bytes."""
        self.talk.caught_up()
        return {name: canonical(_asked(ask)) for name, ask in self._questions().items()}

    def _questions(self) -> dict[str, Any]:
        read, told, who = self.talk.memoranda.read, self.told, self.who
        ask = self.talk.memoranda.execute
        head = self.talk.memoranda.log.head()
        questions: dict[str, Any] = {
            "memory": lambda: read.memory(who, told.memory).body,
            "version": lambda: read.memory(who, told.memory, 1).body,
            "memories": lambda: read.memories(who, MemoryFilters(limit=100)),
            "log": lambda: [read.events(who, start, 200) for start in range(0, head, 200)],
            "stream": lambda: read.stream(who, told.memory, 0, 100),
            "proposal": lambda: read.stream(who, told.proposal, 0, 100),
        }
        for at, recall in enumerate(told.recalls):
            questions[f"recall {at}"] = lambda recall=recall: read.recall(who, recall)
            questions[f"trace of recall {at}"] = lambda recall=recall: self._trace("recall", recall)
            questions[f"stream of recall {at}"] = lambda recall=recall: read.stream(
                who, recall, 0, 10
            )
        questions["trace"] = lambda: self._trace("memory", told.memory)
        questions["trace of the other"] = lambda: self._trace("memory", told.other)
        for at, (by, body) in enumerate(self.talk.sent):
            if body["operation"] not in ("recall", "trace", "forget"):
                again = replace(by, permissions=CONTRACT_PERMISSIONS)
                key = body["idempotency_key"]
                questions[f"again {at}"] = lambda by=again, body=body: ask(by, body)
                questions[f"trace of {at}"] = lambda key=key: self._trace("mutation", key)
        for position in (None, head // 2, head):
            questions[f"recall as of {position}"] = lambda position=position: self._recall(position)
        return questions

    def _trace(self, kind: str, record: str) -> Any:
        target = {"kind": kind, "id": record}
        return self.talk.memoranda.execute(self.who, envelope("trace", target=target))

    def _recall(self, position: int | None) -> Any:
        known = {} if position is None else {"as_known_position": position}
        said = {"objective": "says otter heron", "limits": WIDE, "explain": True, **known}
        seeds = [self.told.memory, self.told.other]
        body = envelope("recall", seed_ids=seeds, **said)
        return self.talk.memoranda.execute(self.who, body)

    def saying(self) -> set[str]:
        """The doors at which one of the words is heard."""
        return {
            name for name, answer in self.answers().items() if WORDS.found_in(answer, inflate=False)
        }


def _asked(ask: Any) -> Json:
    try:
        return ask()
    except MemorandaError as refusal:
        return {"error": refusal.as_wire()}


def reader(*permissions: str) -> Context:
    """Who has told it all, with some of the permissions."""
    return context(permissions=frozenset(permissions))
