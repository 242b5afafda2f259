"""Cases whose stream no command makes, as a file of events that another store has exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from commands.clock import MonotonicIds, SystemClock
from commands.store_rows import NewRow, part_of
from domain.instants import parse_instant
from domain.slots import slot_ref
from ops.beside import open_beside
from ops.event_import import import_events
from ops.exporting import ExportQuestion, export
from ops.settings import ServerMode
from tests.exports.history import Tampered
from tests.policy.imported import Streams, imported_streams
from tests.policy.playing import Played, Send

_IDS: Final = MonotonicIds(SystemClock())
_STATEMENTS: Final = frozenset({"assertion", "correction"})


def foreign_file(
    events: Sequence[Mapping[str, Any]], workspace: str, folder: Path
) -> tuple[Path, Streams]:
    """A file of the events of a case, and where each stands. Nothing of them was checked.

    The store that they stand in for that is thrown away: it has strict sessions.
    """
    out = folder / f"{workspace}.jsonl"
    with open_beside(folder / f"{workspace}.made") as beside:
        secret = beside.keys.ensure_workspace(workspace).slots
        streams = imported_streams(
            events,
            lambda slot: slot_ref(secret, slot),
            workspace=workspace,
            new_id=lambda _: _IDS.new("mem_"),
        )
        tips: dict[str, str] = {}
        for placed in streams.placed:
            sealed = beside.sealer.seal(
                stream=placed.stream,
                version=placed.version,
                event=placed.event,
                context=placed.context,
                recorded_at=placed.recorded_at,
                prev=tips.get(placed.stream),
            )
            tips[placed.stream] = sealed.hash.hex()
            part = part_of(placed.stream, workspace)
            said = (sealed.topic, sealed.state, sealed.hash, workspace, part)
            beside.store.append([NewRow(placed.stream, placed.version, *said)], [])
    export(folder / f"{workspace}.made", ExportQuestion(workspace=workspace), out, lambda *_: None)
    return _strict(out), streams


def _strict(file: Path) -> Path:
    """Its workspace had strict sessions, and wanted sources."""
    changed = Tampered(file)
    changed.lines[0]["settings"] |= {"session_isolation": "strict", "require_source": True}
    return changed.write(file, hashes=True)


class Arrived(Played):
    """A case whose events were imported; asked as one that was played."""

    def __init__(
        self,
        send: Send,
        events: Sequence[Mapping[str, Any]],
        streams: Streams,
        positions: Mapping[tuple[str, int], int],
    ) -> None:
        super().__init__(send)
        said = {event["id"]: event for event in reversed(events)}
        self._texts: dict[str, str] = {}
        self._chosen: dict[str, str] = {}
        for event_id, placed in zip(streams.arrived, streams.placed, strict=True):
            event, place = said[event_id], (placed.stream, placed.version)
            self._said[event_id], self._made[event_id] = event, place
            self._names[place] = event_id
            if event["type"] in _STATEMENTS:
                entry = (placed.version, positions[place], event_id)
                self._payload.setdefault(placed.stream, []).append(entry)
                self._texts[event_id] = str(event["value"])
            appended = event.get("appended_at", event["recorded_at"])
            self._known.append((parse_instant(appended, "appended_at"), positions[place]))
        for name, place in streams.missing.items():
            self._names[place] = name

    def _shown(self, item: Mapping[str, Any]) -> str:
        """Of a fork the version that is shown is another one than the last: its text says which."""
        record = item["record"]
        told = record["content"]["value"]["text"]
        known = [name for _, _, name in self._payload[record["id"]] if self._texts[name] == told]
        self._chosen[record["id"]] = known[-1]
        return known[-1]

    def _current(self, memory: str, until: int) -> str:
        return self._chosen.get(memory) or super()._current(memory, until)

    def _said_by(self, memory: str, version: int) -> str:
        name = self._names.get((memory, version))
        if name is not None and self._said[name]["type"] in _STATEMENTS:
            return name
        return super()._said_by(memory, version)


def arrived(
    where: Path | ServerMode,
    events: Sequence[Mapping[str, Any]],
    workspace: str,
    send: Send,
    folder: Path,
) -> Arrived:
    """Import the events of a case beside whoever has the store open."""
    file, streams = foreign_file(events, workspace, folder)
    import_events(where, file, lambda *_: None)
    return Arrived(send, events, streams, positions_of(where, streams))


def positions_of(where: Path | ServerMode, streams: Streams) -> dict[tuple[str, int], int]:
    """Where the events of a case stand in the log of a store."""
    with open_beside(where) as beside:
        stored = beside.store.load(dict.fromkeys((one.stream for one in streams.placed), 0))
    return {(stream, row.version): row.position for stream, rows in stored.items() for row in rows}
