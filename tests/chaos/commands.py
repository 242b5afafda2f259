"""Mixed commands over a few names, so that callers meet on the same records."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any, Final

from domain.canonical import Json, JsonObject
from tests.builders import properties, source, text
from tests.chaos.journals import Told
from tests.inputs import BUDGET, envelope

WORDS: Final = ("zebra", "otter", "blue", "sky", "vim", "emacs", "réunion", "月曜日")
VERBS: Final = (
    "remember", "remember", "upsert", "upsert", "update", "update", "update", "relate", "relate",
    "forget", "propose", "apply", "recall",
)  # fmt: skip
MUTATIONS: Final = tuple(verb for verb in VERBS if verb not in ("recall", "propose"))
KEPT: Final = 60
"""How many of each kind are remembered to be used again: few, so that callers collide."""
Said = tuple[str, dict[str, Json]]


class Seen:
    """What the callers of a workspace have been told of: ids, versions, proposals."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: defaultdict[str, dict[str, Any]] = defaultdict(dict)

    def learn(self, told: Told) -> None:
        result = told.result or {}
        with self._lock:
            for kind, name in (("memory", "record"), ("edge", "relationship")):
                if name in result:
                    self._put(kind, result[name]["id"], result[name]["version"])
            if result.get("applied") is False:
                self._put("proposal", result["proposal_id"], told.envelope["input"])

    def _put(self, kind: str, name: str, value: Any) -> None:
        known = self._known[kind]
        known.pop(name, None)
        known[name] = value
        if len(known) > KEPT:
            del known[next(iter(known))]

    def pick(self, kind: str, dice: Random, count: int = 1) -> list[tuple[str, Any]]:
        """Some that are known, each once; fewer where there are not so many."""
        with self._lock:
            known = list(self._known[kind].items())
        return dice.sample(known, min(count, len(known)))


def command(dice: Random, seen: Seen, key: str, verbs: tuple[str, ...] = VERBS) -> JsonObject:
    """An envelope; what cannot be said yet becomes a memory."""
    said = _SAY[dice.choice(verbs)](dice, seen) or _remember(dice, seen)
    operation, fields = said
    made: JsonObject = envelope(operation, envelope_changes={"idempotency_key": key}, **fields)
    return made


def _content(dice: Random) -> JsonObject:
    words = " ".join(dice.choices(WORDS, k=dice.randrange(1, 30)))
    if dice.randrange(3):
        return text(words)
    return properties(note=words, slot=f"s{dice.randrange(4)}", object=dice.randrange(2))


def _remember(dice: Random, seen: Seen) -> Said:
    return "remember", {
        "content": _content(dice),
        "tags": [dice.choice(WORDS)],
        "visibility": dice.choice((None, None, None, "private")),
        "provenance": [source(f"src{dice.randrange(3)}")],
    }


def _upsert(dice: Random, seen: Seen) -> Said:
    return "remember", {"content": _content(dice), "identity_key": f"k{dice.randrange(12)}"}


def _update(dice: Random, seen: Seen) -> Said | None:
    kind = dice.choice(("memory", "memory", "edge"))
    picked = seen.pick(kind, dice)
    if not picked:
        return None
    ((found, version),) = picked
    patch: list[JsonObject] = [{"confidence": 0.5}, {"add_provenance": [source("src9")]}]
    if kind == "memory":
        patch.append({"content": _content(dice)})
    return "update", {
        "target": {"kind": "memory" if kind == "memory" else "relationship", "id": found},
        "expected_version": dice.choice((version, version, None)),
        "patch": dice.choice(patch),
    }


def _relate(dice: Random, seen: Seen) -> Said | None:
    ends = [found for found, _ in seen.pick("memory", dice, 2)]
    if not ends:
        return None
    return "relate", {
        "source_id": ends[0],
        "target_id": ends[-1],
        "kind": dice.choice(("supports", "contradicts")),
        "identity_key": dice.choice((None, None, f"e{dice.randrange(4)}")),
        "properties": [dice.randrange(9), None],
    }


def _forget(dice: Random, seen: Seen) -> Said | None:
    picked = seen.pick("memory", dice)
    if not picked:
        return None
    ((found, version),) = picked
    mode = dice.choice(("expire", "tombstone", "application_delete", "application_delete"))
    scope = "lineage" if mode == "expire" else dice.choice(("lineage", "event", "key"))
    return "forget", {
        "memory_id": found,
        "mode": mode,
        "scope": scope,
        "version": dice.randrange(1, version + 1) if scope == "event" else None,
        "expires_at": "2020-01-01T00:00:00Z" if mode == "expire" else None,
    }


def _propose(dice: Random, seen: Seen) -> Said | None:
    members = [found for found, _ in seen.pick("memory", dice, 3)]
    return ("consolidate", {"memory_ids": members}) if len(members) > 1 else None


def _apply(dice: Random, seen: Seen) -> Said | None:
    picked = seen.pick("proposal", dice)
    if not picked:
        return None
    ((proposal, said),) = picked
    mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "p"}
    return "consolidate", {**said, "mode": mode}


def _recall(dice: Random, seen: Seen) -> Said:
    return "recall", {"objective": dice.choice(WORDS), "limits": {**BUDGET, "timeout_ms": 60_000}}


_SAY: Final[dict[str, Callable[[Random, Seen], Said | None]]] = {
    "remember": _remember,
    "upsert": _upsert,
    "update": _update,
    "relate": _relate,
    "forget": _forget,
    "propose": _propose,
    "apply": _apply,
    "recall": _recall,
}
