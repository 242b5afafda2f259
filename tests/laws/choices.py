"""What the numbers of a step mean: the input that each verb makes of them and of what is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from domain.canonical import Json, JsonObject
from tests.builders import properties, source, text
from tests.circumstances import an_id
from tests.inputs import BUDGET

WORDS: Final = ("zebra", "otter", "blue", "sky", "vim", "emacs", "réunion", "月曜日")
DATES: Final = (None, "2020-01-01T00:00:00Z", "2999-01-01T02:00:00+02:00")
ABSENT: Final = an_id("mem_", 7)


@dataclass(frozen=True)
class Step:
    """One act; the numbers choose among what there is at that moment."""

    actor: int
    verb: str
    a: int
    b: int
    c: int


class Sent(Protocol):
    """A command that was sent."""

    @property
    def envelope(self) -> JsonObject: ...


class Known(Protocol):
    """What a group has seen so far."""

    visibility: str | None
    prefix: str

    @property
    def known(self) -> Mapping[str, list[str]]: ...

    @property
    def asked(self) -> Sequence[Sent]: ...

    def pick(self, kind: str, number: int) -> str: ...


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


def _remember(known: Known, step: Step) -> Made:
    chosen = "private" if step.c % 4 == 0 else None
    return "remember", {
        "content": _content(step),
        "identity_key": (None, None, "k0", "k1", "")[step.b % 5],
        "visibility": known.visibility or chosen,
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


def _update(known: Known, step: Step) -> Made:
    target = {"kind": "memory", "id": known.pick("memory", step.a)}
    expected = 1 if step.b % 6 == 0 else None
    return "update", {"target": target, "patch": _patch(step), "expected_version": expected}


def _relate(known: Known, step: Step) -> Made:
    return "relate", {
        "source_id": known.pick("memory", step.a),
        "target_id": known.pick("memory", step.b),
        "kind": ("supports", "contradicts")[step.c % 2],
        "identity_key": "e0" if step.c % 4 == 0 else None,
        "properties": [step.c, None],
        "provenance": [source(f"src{step.c % 3}")] if step.c % 2 else [],
    }


def _revise(known: Known, step: Step) -> Made:
    target = {"kind": "relationship", "id": known.pick("edge", step.a)}
    return "update", {"target": target, "patch": _patch(step)}


def _forget(known: Known, step: Step) -> Made:
    mode = ("expire", "tombstone", "application_delete")[step.b % 3]
    scope = "lineage" if mode == "expire" else ("lineage", "event", "key", "event")[step.c % 4]
    return "forget", {
        "memory_id": known.pick("memory", step.a),
        "mode": mode,
        "scope": scope,
        "version": 1 + step.c % 3 if scope == "event" else None,
        "expires_at": DATES[1 + step.c % 2] if mode == "expire" else None,
    }


def _members(known: Known, step: Step) -> list[str]:
    one, other = known.pick("memory", step.a), known.pick("memory", step.b)
    return [one, other if other != one else known.pick("memory", step.b + 1)]


def _propose(known: Known, step: Step) -> Made:
    members = _members(known, step)
    canonical = members[0] if step.c % 2 else None
    return "consolidate", {"memory_ids": members, "canonical_id": canonical}


def _apply(known: Known, step: Step) -> Made:
    """Repeats a proposal that was made; without one, what was never proposed."""
    proposal, said = ABSENT, {"memory_ids": _members(known, step)}
    if known.known["proposed"]:
        at = step.a % len(known.known["proposed"])
        proposal = known.known["proposal"][at]
        proposed = known.asked[int(known.known["proposed"][at])].envelope["input"]
        said = {name: proposed[name] for name in ("memory_ids", "canonical_id")}
    mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "p"}
    return "consolidate", {"mode": mode, **said}


def _recall(known: Known, step: Step) -> Made:
    seeds = [known.pick("memory", step.b)] if step.c % 2 else []
    said: dict[str, Json] = {
        "objective": f"{WORDS[step.a % 8]} {WORDS[step.c % 8]}",
        "seed_ids": seeds,
        "explain": step.c % 3 == 0,
    }
    # Time must not decide what is compared: a minute is never reached.
    said["limits"] = {**BUDGET, "timeout_ms": 60_000, "supernode_threshold": 1 + step.b % 4}
    return "recall", said


def _trace(known: Known, step: Step) -> Made:
    kinds = {"memory": "memory", "relationship": "edge", "recall": "recall"}
    kind = ("memory", "relationship", "recall", "mutation")[step.b % 4]
    name = f"{known.prefix}-{step.a}" if kind == "mutation" else known.pick(kinds[kind], step.a)
    return "trace", {"target": {"kind": kind, "id": name}}


MAKE: Final[dict[str, Callable[[Known, Step], Made]]] = {
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
