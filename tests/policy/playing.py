"""A case of the policy as commands and questions over HTTP, as a client would send them.

Which memory and version an event of a case became is kept here, so that an answer is told in the
names of the case. What no command can make is an `ImpossibleError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, Final

from domain.canonical import JsonObject
from domain.errors import invalid
from domain.instants import parse_instant
from domain.resolver.policies import NEWEST_RECORDED

ABSENT: Final = "mem_00000000000000000000000000"
LIMITS: Final = {
    "max_items": 100,
    "max_depth": 1,
    "max_payload_bytes": 1_000_000,
    "max_cost": 1_000,
    "timeout_ms": 60_000,
    "supernode_threshold": 100,
}

Send = Callable[[str, JsonObject, Mapping[str, str]], JsonObject]
"""(operation, input, {session, recorded_at, request}) → the result; raises MemorandaError."""


class ImpossibleError(Exception):
    """No command makes such an event: its target comes later, or is in another session."""


class Played:
    """The events of a case, sent one after the other in a workspace of strict sessions."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._names: dict[tuple[str, int], str] = {}
        self._payload: dict[str, list[tuple[int, int, str]]] = {}
        self._made: dict[str, tuple[str, int]] = {}
        self._said: dict[str, Mapping[str, Any]] = {}
        self._dead: set[str] = set()
        self._known: list[tuple[int, int]] = []

    def going_on(self, send: Send) -> Played:
        """The same case, asked and played on in another store."""
        other = copy(self)
        other._send = send
        return other

    def play(self, event: Mapping[str, Any]) -> None:
        """Send an event; the MemorandaError that refuses it."""
        if self._said.get(event["id"]) == event:
            return  # delivered twice: the same command under the same key
        memory, version, position = getattr(self, f"_{event['type']}")(event)
        self._said[event["id"]] = event
        self._made[event["id"]] = (memory, version)
        self._names[memory, version] = event["id"]
        if event["type"] in {"assertion", "correction"}:
            self._payload.setdefault(memory, []).append((version, position, event["id"]))
        appended = event.get("appended_at", event["recorded_at"])
        self._known.append((parse_instant(appended, "appended_at"), position))

    def ask(self, query: Mapping[str, Any]) -> JsonObject:
        """The answer to the query of a case, in the names of the case."""
        key = query.get("key")
        said: JsonObject = {
            "objective": query.get("text", key),
            "seed_ids": [],
            "limits": {**LIMITS, "max_items": query.get("limit", LIMITS["max_items"])},
            "as_of": query["as_of"],
            "policy": NEWEST_RECORDED,
            "explain": True,
        }
        if key is not None:
            said["slot"] = key
        if "as_known_at" in query:
            said["as_known_position"] = self._position(query["as_known_at"])
        found = self._send("recall", said, {"session": query["session"]})
        until = said.get("as_known_position", max((at for _, at in self._known), default=0))
        excluded = [self._exclusion(one) for one in found["excluded"]["items"]]
        return {
            "selected": [self._shown(item) for item in found["items"]],
            "excluded": [
                one for at, one in enumerate(excluded) if one and one not in excluded[:at]
            ],
            "conflicts": [self._conflict(one, until) for one in found["conflicts"]],
            "items": [item["record"]["content"] for item in found["items"]],
        }

    def _position(self, known_at: str) -> int:
        """An instant of storing as the position of the last event that was stored by then."""
        until = parse_instant(known_at, "as_known_at")
        return max((position for at, position in self._known if at <= until), default=0)

    def _shown(self, item: Mapping[str, Any]) -> str:
        """The event whose text an item shows."""
        return self._said_by(item["record"]["id"], item["record"]["version"])

    def _said_by(self, memory: str, version: int) -> str:
        """The event whose text a version has: an expiry or a forget repeats the one before."""
        return [name for number, _, name in self._payload[memory] if number <= version][-1]

    def _exclusion(self, one: Mapping[str, Any]) -> JsonObject | None:
        """None for a version that only repeats what the next one says."""
        name = self._said_by(one["id"], one["version"])
        if one["reason"] == "corrected" and name == self._said_by(one["id"], one["version"] + 1):
            return None
        found = {"id": name, "reason": one["reason"]}
        if one["by"] is None:
            return found
        memory, _, version = one["by"].partition("@")
        return {**found, "by": self._names[memory, int(version)]}

    def _conflict(self, one: Mapping[str, Any], until: int) -> JsonObject:
        def name(candidate: str) -> str:
            memory, _, version = candidate.partition("@")
            if version:  # a branch of a fork
                return self._names[memory, int(version)]
            return self._current(memory, until)

        return {
            "winner": name(one["winner"]),
            "losers": [name(loser) for loser in one["losers"]],
            "decided_by": one["decided_by"],
        }

    def _current(self, memory: str, until: int) -> str:
        """The event that a memory shows by a position."""
        return [name for _, position, name in self._payload[memory] if position <= until][-1]

    # --- one event each -----------------------------------------------------------------------

    def _assertion(self, event: Mapping[str, Any]) -> tuple[str, int, int]:
        if event["id"] in self._said:
            raise invalid("another event has this id", field="id", reason="ID_CONFLICT")
        done = self._command("remember", event, self._content(event) | {
            "kind": "fact", "schema_version": "1", "provenance": self._sources(event), "tags": [],
            **_bounds(event),
        })  # fmt: skip
        return _committed(done)

    def _correction(self, event: Mapping[str, Any]) -> tuple[str, int, int]:
        memory, version = self._target(event)
        bounds = _bounds(event)
        clear = [name for name in bounds if bounds[name] is None]
        patch: JsonObject = {**self._content(event), "add_provenance": self._sources(event)}
        patch |= {name: at for name, at in bounds.items() if at is not None}
        said = {"target": {"kind": "memory", "id": memory}, "expected_version": version}
        return _committed(
            self._command("update", event, said | {"patch": patch | {"clear": clear}})
        )

    def _expiry(self, event: Mapping[str, Any]) -> tuple[str, int, int]:
        memory, _ = self._target(event)
        said = {"target": {"kind": "memory", "id": memory}}
        patch = {"expires_at": event["expires_at"], "add_provenance": self._sources(event)}
        return _committed(self._command("update", event, said | {"patch": patch}))

    def _tombstone(self, event: Mapping[str, Any]) -> tuple[str, int, int]:
        scope = event.get("scope", "lineage")
        said: JsonObject = {"mode": "tombstone", "scope": scope, "reason": event["source"]}
        if scope == "key":
            memory = self._in_slot(event)
            self._covers_slot(event)
        else:
            memory, version = self._target(event)
            if scope == "event":
                said["version"] = version
                self._dead.add(event["target"])
        return _committed(self._command("forget", event, said | {"memory_id": memory}))

    def _supersession(self, event: Mapping[str, Any]) -> tuple[str, int, int]:
        members = [self._made[name][0] for name in (*event["targets"], event["canonical"])]
        said: JsonObject = {
            "memory_ids": members,
            "canonical_id": members[-1],
            "reason": event["source"],
            "preserve_disagreements": True,
        }
        how = {"session": event["session"], "recorded_at": event["recorded_at"]}
        proposed = self._send("consolidate", said | {"mode": {"mode": "propose"}}, how)
        approved = {"proposal_id": proposed["proposal_id"], "approval_policy": "of-the-case"}
        mode = {"mode": {"mode": "apply_approved", **approved}}
        done = self._command("consolidate", event, said | mode)
        position = done["receipt"]["position"]
        for memory in members[:-1]:  # each has a version that says so
            version = max(number for one, number in self._names if one == memory) + 1
            self._names[memory, version] = event["id"]
        return members[0], version, position

    def _command(self, operation: str, event: Mapping[str, Any], said: JsonObject) -> JsonObject:
        how = {"session": event["session"], "recorded_at": event["recorded_at"]}
        return self._send(operation, said, how | {"request": f"{event['id']} {len(self._known)}"})

    def _content(self, event: Mapping[str, Any]) -> JsonObject:
        value = {"text": event["value"], "properties": {"slot": event["key"]}}
        return {"content": {"format": "text_and_properties", "value": value}}

    def _sources(self, event: Mapping[str, Any]) -> list[JsonObject]:
        if "source" not in event:
            return []
        return [{"source_id": event["source"], "locator": None, "observed_at": None}]

    def _target(self, event: Mapping[str, Any]) -> tuple[str, int]:
        """The memory and version that an event names; one that is nowhere is sent as it is.

        Where all that corrected it is deleted, a correction of it continues what deleted that.
        """
        memory, version = self._made.get(event["target"], (ABSENT, 1))
        later = [name for number, _, name in self._payload.get(memory, ()) if number > version]
        if later and event["type"] == "correction" and self._dead.issuperset(later):
            version = max(number for one, number in self._names if one == memory)
        return memory, version

    def _covers_slot(self, event: Mapping[str, Any]) -> None:
        """Each memory of the slot gets a version that says so."""
        for name, said in self._said.items():
            if said.get("key") == event["key"] and said["session"] == event["session"]:
                memory = self._made[name][0]
                last = max(number for one, number in self._names if one == memory)
                self._names.setdefault((memory, last + 1), event["id"])

    def _in_slot(self, event: Mapping[str, Any]) -> str:
        """A memory of the slot that a tombstone covers."""
        for name, said in self._said.items():
            if said.get("key") == event["key"] and said["session"] == event["session"]:
                return self._made[name][0]
        raise ImpossibleError(event["id"])


def _bounds(event: Mapping[str, Any]) -> JsonObject:
    names = ("valid_from", "valid_until", "expires_at")
    return {name: event[name] for name in names if name in event}


def _committed(done: JsonObject) -> tuple[str, int, int]:
    receipt = done["receipt"]
    return receipt["committed_id"], receipt["committed_version"], receipt["position"]
