"""The log itself, for auditors: heads, sizes and hashes as they are stored (design.md §2, §7).

An event's hash is SHA-256 over a fixed prefix, the digest of its head and the digest of its body;
the head is canonical JSON and the digest of the body is given, so that a reader can recompute the
hash and the chain without any key. What is private to somebody else is left out; payloads are for
those who may read, without what was erased or forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from domain.canonical import JsonObject
from domain.context import Context
from domain.envelope import StoredState, unpack_state
from domain.errors import not_found
from domain.events import CommandRecorded, MemoryForgotten
from domain.exports import QUOTING
from domain.ids import MEMORY, split_id
from domain.instants import Micros, server_time
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.visibility import Home, Viewer

EVENTS_MAX: Final = 200
REASON: Final = "reason"


class RawRow(Protocol):
    """A row of the log, undecoded."""

    @property
    def position(self) -> int: ...
    @property
    def state(self) -> bytes: ...
    @property
    def event_hash(self) -> bytes: ...
    @property
    def workspace(self) -> str: ...
    @property
    def appended_us(self) -> Micros: ...


class RawRows(Protocol):
    """The rows of the log; the write side's store has them."""

    def rows_after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> Sequence[RawRow]: ...

    def load(self, wanted: Mapping[str, int]) -> Mapping[str, Sequence[RawRow]]: ...


@dataclass(frozen=True, slots=True)
class _Raw:
    """A row with its head read."""

    row: RawRow
    head: JsonObject
    state: StoredState

    @property
    def stream(self) -> str:
        return str(self.head["stream"])

    @property
    def structure(self) -> JsonObject:
        said: JsonObject = self.head["s"]
        return said

    @property
    def homed(self) -> bool:
        """Whether the event itself says to whom it is visible."""
        return "visibility" in self.structure

    @property
    def told(self) -> list[tuple[str, int]]:
        """The memories whose text the payload holds, or may quote, at their versions."""
        if self.stream.startswith(MEMORY):
            return [(self.stream, self.head["version"])]
        if self.head["topic"] in QUOTING:
            named = self.structure.get("targets") or ()
            return [(key, version) for key, version in named if key.startswith(MEMORY)]
        return []

    def named(self) -> list[str]:
        """The records that the event names beside its own stream."""
        targets = [target for target, _ in self.structure.get("targets") or ()]
        one = self.structure.get("target_id")
        return targets if one is None else [*targets, one]


class RawEvents:
    """Reads the log of one workspace at a time; safe to share between threads."""

    def __init__(self, rows: RawRows, log: LogReader) -> None:
        self._rows = rows
        self._log = log

    def after(self, context: Context, position: int, limit: int) -> JsonObject:
        """`{events, next_after, position}`: events after a position, in order.

        `next_after` is where to go on, also past events that are hidden from this caller; it does
        not move at the end of the log. `position` is the end.
        """
        head = self._log.head()
        rows = self._rows.rows_after(position, limit, workspace=context.workspace)
        decoded = self._log.after(position, limit, workspace=context.workspace)
        payloads = {event.position: event for event in decoded}
        last = rows[-1].position if rows else position
        events = self._shown(context, [_raw(row) for row in rows], payloads)
        return {"events": events, "next_after": last, "position": head}

    def stream(self, context: Context, stream: str, version: int, limit: int) -> JsonObject:
        """`{stream, events, next_after, position}`: events after a version; else NOT_FOUND."""
        head = self._log.head()
        found = self._load(context, [stream]).get(stream, [])
        if not self._visible(context, found[:1]):
            raise not_found("the stream")
        page = [raw for raw in found if raw.head["version"] > version][:limit]
        payloads = {e.position: e for e in self._log.stream(context.workspace, stream)}
        events = self._shown(context, page, payloads)
        last = page[-1].head["version"] if page else version
        return {"stream": stream, "events": events, "next_after": last, "position": head}

    def _load(self, context: Context, streams: Sequence[str]) -> dict[str, list[_Raw]]:
        """The streams of the workspace, heads read; what is not there is left out."""
        wanted = {stream: 0 for stream in streams if split_id(stream) is not None}
        found = self._rows.load(wanted) if wanted else {}
        return {
            stream: [_raw(row) for row in rows]
            for stream, rows in found.items()
            if rows and rows[0].workspace == context.workspace
        }

    def _shown(
        self, context: Context, raws: Sequence[_Raw], decoded: Mapping[int, RecordedEvent]
    ) -> list[JsonObject]:
        visible = self._visible(context, raws)
        memories = {key for raw in visible for key, _ in raw.told}
        found = self._load(context, sorted(memories))
        hidden = {key: _hidden(events) for key, events in found.items()}
        return [
            {
                **_stored(raw),
                **_payload(context, raw, decoded, forgotten=_forgotten(context, raw, hidden)),
            }
            for raw in visible
        ]

    def _visible(self, context: Context, raws: Sequence[_Raw]) -> list[_Raw]:
        """Without what is private to others, and what names something that is."""
        named = {record for raw in raws if not raw.homed for record in raw.named()}
        strangers = {
            record
            for record, found in self._load(context, sorted(named)).items()
            if not _own(found[0].structure, context.viewer)
        }
        return [raw for raw in raws if _shows(raw, context.viewer, strangers)]


def _raw(row: RawRow) -> _Raw:
    state = unpack_state(row.state)
    return _Raw(row, json.loads(state.head), state)


def _own(said: JsonObject, viewer: Viewer) -> bool:
    """Whether a record whose structure says its home may be seen; one without a home may."""
    if "visibility" not in said:
        return True
    return Home(said["session"], said["visibility"], said["owner"]).visible_to(viewer)


def _shows(raw: _Raw, viewer: Viewer, strangers: set[str]) -> bool:
    """Whether who looks may know of an event."""
    if raw.homed:
        return _own(raw.structure, viewer)
    by = raw.head["ctx"]
    if by["actor"] == viewer.actor and viewer.session in (None, by["session"]):
        return True
    named = raw.named()
    # A receipt that changed nothing names what it concerns in its payload alone.
    silent = raw.head["topic"] == CommandRecorded.TOPIC and not named
    return not silent and strangers.isdisjoint(named)


def _hidden(raws: Sequence[_Raw]) -> frozenset[int]:
    """The versions of a memory whose text was forgotten; all of them, after a tombstone."""
    forgets = [raw.structure for raw in raws if raw.head["topic"] == MemoryForgotten.TOPIC]
    final = [said for said in forgets if said["mode"] != "expire"]
    if any(said["scope"] != "event" for said in final):
        return frozenset(range(1, len(raws) + 1))
    return frozenset(version for said in final for _, version in said.get("targets") or ())


def _forgotten(context: Context, raw: _Raw, hidden: Mapping[str, frozenset[int]]) -> bool:
    """Whether the payload holds what was forgotten, or may quote it.

    What quotes it is there for auditors, as reasons are.
    """
    topic = raw.head["topic"]
    if topic in QUOTING and "forget" not in context.permissions:
        return any(gone <= version for key, version in raw.told for gone in hidden.get(key, ()))
    own = raw.head["version"] in hidden.get(raw.stream, ())
    return own and topic != MemoryForgotten.TOPIC


def _stored(raw: _Raw) -> JsonObject:
    return {
        "event": f"{raw.stream}@{raw.head['version']}",
        "position": raw.row.position,
        "appended_at": server_time(raw.row.appended_us),
        "head": raw.head,
        "head_bytes": len(raw.state.head),
        "body_bytes": len(raw.state.body),
        "body_sha256": raw.state.body_sha256.hex(),
        "event_hash": raw.row.event_hash.hex(),
    }


def _payload(
    context: Context, raw: _Raw, decoded: Mapping[int, RecordedEvent], *, forgotten: bool
) -> JsonObject:
    """`payload`, and why it is null: `none` there, `erased`, `forgotten`, no `permission`."""
    event = decoded.get(raw.row.position)
    why: str | None = None
    if raw.head["key"] is None:
        why = "none"
    elif event is None or event.erased:
        why = "erased"
    elif forgotten:
        why = "forgotten"
    elif "read" not in context.permissions:
        why = "permission"
    if event is None or why is not None:
        return {"payload": None, "payload_absent": why}
    said = [fact.sealed() or {} for fact in event.facts]
    if "forget" not in context.permissions:
        # Free text of reasons is for auditors (spec/operations.md §7).
        said = [{name: one[name] for name in one if name != REASON} for one in said]
    return {"payload": said[0] if len(said) == 1 else said, "payload_absent": None}
