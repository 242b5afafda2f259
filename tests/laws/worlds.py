"""A world of few names in which random agents collide: commands by choice numbers.

The same steps give the same envelopes whatever else happens in the store: names are picked among
those that the group itself has seen, so that two transcripts can be compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from hypothesis import Phase, settings
from hypothesis import strategies as st

from domain.canonical import Json, JsonObject
from domain.context import Context
from domain.errors import MemorandaError
from ops.wiring import Memoranda
from tests.builders import properties, source, text
from tests.circumstances import an_id, context
from tests.inputs import BUDGET, envelope

WORDS: Final = ("zebra", "otter", "blue", "sky", "vim", "emacs", "réunion", "月曜日")
DATES: Final = (None, "2020-01-01T00:00:00Z", "2999-01-01T02:00:00+02:00")
ABSENT: Final = an_id("mem_", 7)
VERBS: Final = (
    "remember", "remember", "remember", "update", "update", "relate", "revise", "forget",
    "propose", "apply", "recall", "trace", "again",
)  # fmt: skip
MUTATIONS: Final = tuple(verb for verb in VERBS if verb not in ("recall", "trace"))


def law(examples: int) -> settings:
    """Whole stores are slow to shrink in: a failure is told as it was found, with its blob."""
    return settings(max_examples=examples, phases=(Phase.explicit, Phase.reuse, Phase.generate))


@dataclass(frozen=True)
class Step:
    """One act; the numbers choose among what there is at that moment."""

    actor: int
    verb: str
    a: int
    b: int
    c: int


def steps(
    verbs: Sequence[str] = VERBS, *, actors: int = 2, size: int = 15
) -> st.SearchStrategy[list[Step]]:
    numbers = st.integers(0, 23)
    one = st.builds(
        Step, st.integers(0, actors - 1), st.sampled_from(verbs), numbers, numbers, numbers
    )
    return st.lists(one, max_size=size)


def random_steps(seed: int, count: int, verbs: Sequence[str] = VERBS) -> list[Step]:
    dice = Random(seed)
    return [
        Step(dice.randrange(2), dice.choice(verbs), *(dice.randrange(24) for _ in range(3)))
        for _ in range(count)
    ]


@dataclass(frozen=True)
class Asked:
    """What was sent, by whom, and what came back: a body, or the error as it is told."""

    context: Context
    envelope: JsonObject
    answer: JsonObject

    @property
    def result(self) -> JsonObject | None:
        return self.answer.get("result", {}).get("result")

    @property
    def mutated(self) -> bool:
        """Whether it was recorded under its key."""
        return bool((self.result or {}).get("receipt"))


def caught_up(memoranda: Memoranda) -> Memoranda:
    """The same, once its read models have seen all of its log."""
    head = memoranda.log.head()
    assert memoranda.runner.wait_for(head, 30.0) >= head
    return memoranda


def ask(memoranda: Memoranda, who: Context, body: JsonObject) -> JsonObject:
    try:
        return memoranda.execute(who, body)
    except MemorandaError as refusal:
        return {"error": refusal.as_wire()}


@dataclass
class Group:
    """Two actors of one workspace who share what they have seen."""

    memoranda: Memoranda
    workspace: str
    actors: tuple[str, str] = ("ana", "bea")
    visibility: str | None = None
    """Of what they remember; None lets the steps choose."""
    prefix: str = "g"
    known: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    asked: list[Asked] = field(default_factory=list)

    def play(self, sequence: Sequence[Step]) -> Group:
        for step in sequence:
            self.do(step)
        return self

    def do(self, step: Step) -> Asked:
        """Make the step's envelope of what is known now, send it, and remember what came back."""
        who = self.who(step)
        body = self.body(step)
        if step.verb == "again" and self.asked:
            earlier = self.asked[step.a % len(self.asked)]
            who, body = earlier.context, earlier.envelope
        asked = Asked(who, body, ask(self.memoranda, who, body))
        self.learn(asked)
        return asked

    def who(self, step: Step) -> Context:
        return context(
            workspace=self.workspace,
            actor=self.actors[step.actor],
            session=f"s{step.b % 2}",
            request_id=f"req-{self.prefix}-{len(self.asked)}",
        )

    def learn(self, asked: Asked) -> None:
        self.asked.append(asked)
        result = asked.result or {}
        for kind, found in (
            ("memory", result.get("record", {}).get("id")),
            ("edge", result.get("relationship", {}).get("id")),
            ("recall", result.get("recall_id")),
        ):
            if found is not None and found not in self.known[kind]:
                self.known[kind].append(found)
        if "proposal_id" in result and not result["applied"]:
            self.known["proposal"].append(result["proposal_id"])
            self.known["proposed"].append(str(len(self.asked) - 1))

    def body(self, step: Step) -> JsonObject:
        operation, said = _MAKE[step.verb](self, step)
        key = {"idempotency_key": f"{self.prefix}-{len(self.asked)}"}
        made: JsonObject = envelope(operation, envelope_changes=key, **said)
        return made

    def pick(self, kind: str, number: int) -> str:
        there = self.known[kind]
        return there[number % len(there)] if there else ABSENT


Made = tuple[str, dict[str, Json]]


def _content(step: Step) -> JsonObject:
    words = f"{WORDS[step.a % 8]} {WORDS[step.b % 8]}"
    slot = {"slot": f"s{step.b % 2}"} if step.a % 3 == 0 else {}
    if step.c % 3 == 0:
        return text(words)
    said = {**slot, "object": step.c % 2, "status": "draft"}
    if step.c % 3 == 1:
        return properties(note=words, **said)
    return {"format": "text_and_properties", "value": {"text": words, "properties": said}}


def _remember(group: Group, step: Step) -> Made:
    chosen = "private" if step.c % 4 == 0 else None
    return "remember", {
        "content": _content(step),
        "identity_key": (None, None, "k0", "k1", "")[step.b % 5],
        "visibility": group.visibility or chosen,
        "confidence": (None, 0, 0.5)[step.a % 3],
        "tags": [WORDS[step.c % 8]] if step.b % 2 else [],
        "provenance": [source(f"src{step.c % 3}")] if step.a % 2 else [],
        "valid_until": DATES[step.c % 3] if step.a % 4 == 0 else None,
        "expires_at": DATES[step.b % 3] if step.a % 5 == 0 else None,
    }


def _patch(step: Step) -> JsonObject:
    choices: list[JsonObject] = [
        {},
        {"content": _content(step)},
        {"content": text(WORDS[step.b % 8])},
        {"confidence": 0},
        {"lifecycle": ("active", "expired", "superseded", "tombstoned")[step.b % 4]},
        {"clear": ["confidence", "expires_at"]},
        {"add_tags": [WORDS[step.b % 8]], "add_provenance": [source("src9")]},
        {"valid_until": DATES[step.b % 3], "expires_at": DATES[step.c % 3]},
    ]
    return choices[step.c % 8]


def _update(group: Group, step: Step) -> Made:
    target = {"kind": "memory", "id": group.pick("memory", step.a)}
    expected = 1 if step.b % 6 == 0 else None
    return "update", {"target": target, "patch": _patch(step), "expected_version": expected}


def _relate(group: Group, step: Step) -> Made:
    return "relate", {
        "source_id": group.pick("memory", step.a),
        "target_id": group.pick("memory", step.b),
        "kind": ("supports", "contradicts")[step.c % 2],
        "identity_key": "e0" if step.c % 4 == 0 else None,
        "properties": [step.c, None],
        "provenance": [source(f"src{step.c % 3}")] if step.c % 2 else [],
    }


def _revise(group: Group, step: Step) -> Made:
    target = {"kind": "relationship", "id": group.pick("edge", step.a)}
    return "update", {"target": target, "patch": _patch(step)}


def _forget(group: Group, step: Step) -> Made:
    mode = ("expire", "tombstone", "application_delete")[step.b % 3]
    scope = "lineage" if mode == "expire" else ("lineage", "event", "key", "event")[step.c % 4]
    return "forget", {
        "memory_id": group.pick("memory", step.a),
        "mode": mode,
        "scope": scope,
        "version": 1 + step.c % 3 if scope == "event" else None,
        "expires_at": DATES[1 + step.c % 2] if mode == "expire" else None,
    }


def _members(group: Group, step: Step) -> list[str]:
    one, other = group.pick("memory", step.a), group.pick("memory", step.b)
    return [one, other if other != one else group.pick("memory", step.b + 1)]


def _propose(group: Group, step: Step) -> Made:
    members = _members(group, step)
    canonical = members[0] if step.c % 2 else None
    return "consolidate", {"memory_ids": members, "canonical_id": canonical}


def _apply(group: Group, step: Step) -> Made:
    """Repeats a proposal that was made; without one, what was never proposed."""
    proposal, said = ABSENT, {"memory_ids": _members(group, step)}
    if group.known["proposed"]:
        at = step.a % len(group.known["proposed"])
        proposal = group.known["proposal"][at]
        proposed = group.asked[int(group.known["proposed"][at])].envelope["input"]
        said = {name: proposed[name] for name in ("memory_ids", "canonical_id")}
    mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "p"}
    return "consolidate", {"mode": mode, **said}


def _recall(group: Group, step: Step) -> Made:
    seeds = [group.pick("memory", step.b)] if step.c % 2 else []
    said: dict[str, Json] = {
        "objective": f"{WORDS[step.a % 8]} {WORDS[step.c % 8]}",
        "seed_ids": seeds,
        "explain": step.c % 3 == 0,
    }
    # Time must not decide what is compared: a minute is never reached.
    said["limits"] = {**BUDGET, "timeout_ms": 60_000, "supernode_threshold": 1 + step.b % 4}
    return "recall", said


def _trace(group: Group, step: Step) -> Made:
    kinds = {"memory": "memory", "relationship": "edge", "recall": "recall"}
    kind = ("memory", "relationship", "recall", "mutation")[step.b % 4]
    name = f"{group.prefix}-{step.a}" if kind == "mutation" else group.pick(kinds[kind], step.a)
    return "trace", {"target": {"kind": kind, "id": name}}


_MAKE: Final[dict[str, Callable[[Group, Step], Made]]] = {
    "remember": _remember,
    "update": _update,
    "relate": _relate,
    "revise": _revise,
    "forget": _forget,
    "propose": _propose,
    "apply": _apply,
    "recall": _recall,
    "trace": _trace,
    "again": _remember,
}


def every_trace(group: Group) -> list[tuple[str, str]]:
    """Everything of the group that can be traced, as (kind, id)."""
    keys = [asked.envelope["idempotency_key"] for asked in group.asked if asked.mutated]
    requests = [asked.context.request_id for asked in group.asked if asked.mutated]
    kinds: dict[str, list[Any]] = {
        "memory": group.known["memory"],
        "relationship": group.known["edge"],
        "recall": group.known["recall"],
        "mutation": keys + requests,
    }
    return [(kind, found) for kind, names in kinds.items() for found in dict.fromkeys(names)]
