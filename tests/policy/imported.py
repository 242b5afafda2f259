"""A case of the policy as the streams of a store that took it from others: whatever it holds.

No command made these events. `imported_streams` says which event stands where, in the order of
arrival: a lineage is a stream, a tombstone or an expiry stands in the stream of its target, and one
of a slot in the stream of each memory that it covers. What no stream has is named by a version
that never comes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from domain.canonical import JsonObject
from domain.envelope import EventContext
from domain.ids import MEMORY, encode_id, uuid7
from domain.instants import parse_instant
from domain.registry import Event
from tests.policy.imported_events import Said, event_of

_STATEMENTS: Final = frozenset({"assertion", "correction"})


class Placed(NamedTuple):
    """One event of the log, before it is sealed."""

    stream: str
    version: int
    event: Event
    context: EventContext
    recorded_at: str


@dataclass
class Streams:
    """The events in the order of arrival; `names` says which event of the case is which."""

    placed: list[Placed] = field(default_factory=list)
    places: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)
    """The id in the case of each event that is placed."""
    missing: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By id what the case names and does not have."""

    @property
    def names(self) -> dict[str, str]:
        """By `<stream>@<version>` the id of the event in the case."""
        there = {f"{s}@{v}": name for name, found in self.places.items() for s, v in found}
        return there | {f"{s}@{v}": name for name, (s, v) in self.missing.items()}

    def name(self, event_id: str) -> str:
        """`<stream>@<version>` of an event of the case."""
        stream, version = self.places[event_id][0]
        return f"{stream}@{version}"


def imported_streams(
    events: Sequence[Said],
    slot_ref: Callable[[str], str],
    *,
    workspace: str = "w",
    actor: str = "ann",
    new_id: Callable[[int], str] | None = None,
) -> Streams:
    """The events of a case, each once, as streams; see the module.

    `slot_ref` is that of the workspace, `new_id` gives the id of the n-th stream, from 1.
    """
    once = {event["id"]: event for event in reversed(events)}
    said = [once.pop(event["id"]) for event in events if event["id"] in once]
    return _Placing(said, slot_ref, workspace, actor, new_id or _memory_id).streams


def _memory_id(number: int) -> str:
    return encode_id(MEMORY, uuid7(number, bytes(10)))


class _Placing:
    def __init__(
        self,
        said: Sequence[Said],
        slot_ref: Callable[[str], str],
        workspace: str,
        actor: str,
        new_id: Callable[[int], str],
    ) -> None:
        self._statements = {one["id"]: one for one in said if one["type"] in _STATEMENTS}
        self._ref, self._workspace, self._actor, self._new_id = slot_ref, workspace, actor, new_id
        self._ids: dict[str, str] = {}
        self._last: dict[str, tuple[str, int]] = {}
        """By stream the last statement that is placed, until a tombstone comes."""
        self._missing: dict[str, str] = {}
        self._lineages = {name: self._lineage(one) for name, one in self._statements.items()}
        self.streams = Streams()
        lengths: dict[str, int] = {}
        for event in said:
            for lineage in self._standing(event):
                stream = self._stream(lineage)
                lengths[stream] = lengths.get(stream, 0) + 1
                self.streams.places.setdefault(event["id"], []).append((stream, lengths[stream]))
        for name, lineage in self._missing.items():
            stream = self._stream(lineage)
            self.streams.missing[name] = stream, lengths.get(stream, 0) + 1
        counted: dict[str, int] = {}
        for event in said:
            for stream, version in self.streams.places.get(event["id"], ()):
                counted[stream] = version
                self._place(event, stream, version)

    def _own(self, name: str, session: str) -> Said | None:
        found = self._statements.get(name)
        return found if found is not None and found["session"] == session else None

    def _lineage(self, statement: Said) -> str:
        """The root, the id that is missing, or the least one of a cycle; of a session."""
        passed: list[str] = []
        at: Said | None = statement
        end: str = statement["id"]
        while at is not None and at["id"] not in passed:
            passed.append(at["id"])
            end = at.get("target", at["id"]) if at["type"] == "correction" else at["id"]
            at = self._own(end, statement["session"]) if end != at["id"] else None
        if end in passed and self._statements[end]["type"] == "correction":
            end = min(passed[passed.index(end) :])
        return end if end in passed else self._of(end, statement["session"])

    def _stream(self, lineage: str) -> str:
        return self._ids.setdefault(lineage, self._new_id(len(self._ids) + 1))

    def _of(self, target: str, session: str) -> str:
        """The lineage of a target, which may be of another session or nowhere."""
        if target in self._statements and self._own(target, session):
            return self._lineages[target]
        lineage = f"{session} {target}"
        if target not in self._statements:
            self._missing[target] = lineage
        return lineage

    def _standing(self, event: Said) -> list[str]:
        match event["type"]:
            case "assertion" | "correction":
                return [self._lineages[event["id"]]]
            case "supersession":
                targets = [self._of(one, event["session"]) for one in event["targets"]]
                self._of(event["canonical"], event["session"])  # perhaps nowhere
                return list(dict.fromkeys(targets))
            case "tombstone" if event.get("scope") == "key":
                return self._covered(event)
            case _:
                # A tombstone of another session stands where it means to reach (S04, D15).
                known = self._lineages.get(event["target"])
                return [known or self._of(event["target"], event["session"])]

    def _covered(self, event: Said) -> list[str]:
        until = parse_instant(event["recorded_at"], "recorded_at")
        found = [
            self._lineages[one["id"]]
            for one in self._statements.values()
            if one["session"] == event["session"]
            and self._ref(one["key"]) == self._ref(event["key"])
            and parse_instant(one["recorded_at"], "recorded_at") <= until
        ]
        return list(dict.fromkeys(found))

    # --- one event each -----------------------------------------------------------------------

    def _place(self, event: Said, stream: str, version: int) -> None:
        context = EventContext(
            workspace=self._workspace,
            actor=self._actor,
            agent=None,
            session=event["session"],
            request=event["id"],
            correlation=event["id"],
            trace=None,
        )
        made = self._event(event, stream, version)
        if event["type"] in _STATEMENTS:
            self._last[stream] = stream, version
        elif event["type"] == "tombstone":
            self._last.pop(stream, None)
        self.streams.placed.append(Placed(stream, version, made, context, event["recorded_at"]))
        self.streams.arrived.append(event["id"])

    def _event(self, event: Said, stream: str, version: int) -> Event:
        home = {
            "session": event["session"],
            "visibility": "workspace",
            "owner": self._actor,
            "slot_ref": self._slot_of(event, stream),
        }
        return event_of(event, home, self._named(event, stream, version))

    def _named(self, event: Said, stream: str, version: int) -> JsonObject:
        """What it names of the places of others."""
        match event["type"]:
            case "correction":
                return self._aimed(event, stream, version)
            case "supersession":
                return {"target_id": self._stream(self._of(event["canonical"], event["session"]))}
            case "tombstone" if event.get("scope") == "event":
                return {"targets": [self._target(event["target"])]}
            case _:
                return {}

    def _slot_of(self, event: Said, stream: str) -> str | None:
        """Its own; of what names none, that of a statement of the stream."""
        if "key" in event and event["key"] is not None:
            return self._ref(event["key"])
        of_stream = [
            one["key"]
            for name, one in sorted(self._statements.items(), key=self._is_no_root)
            if self._stream(self._lineages[name]) == stream
        ]
        return self._ref(of_stream[0]) if of_stream else None

    def _is_no_root(self, statement: tuple[str, Said]) -> bool:
        return self._lineages[statement[0]] != statement[0]

    def _target(self, name: str) -> tuple[str, int]:
        known = self._statements.get(name)
        if known is not None:
            return self.streams.places[name][0]
        return self.streams.missing[name]

    def _aimed(self, event: Said, stream: str, version: int) -> JsonObject:
        """Nothing, as by a command, where no other statement comes between."""
        target = self._target(event["target"])
        plain = {self._last.get(stream), (stream, version - 1)}
        return {} if target in plain else {"targets": [target]}
