"""Events of another store, appended as they are (spec/policy.md §2.11, docs/adr/0028).

Ids, heads and hashes stay; payloads are sealed with keys of this store; references and guards of
identity keys are derived again. What the store has it keeps: what was forgotten here stays so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

from commands.foreign_claims import IdentityClaims
from commands.foreign_event import ForeignEvent, conflict, graves_in, new_row
from commands.keystore import KeyStore
from commands.log_store import LogStore
from commands.sealing import Sealer
from commands.store_errors import StreamConflictError
from commands.store_rows import NewRow, RefRow, StoredRow
from domain.events import (
    MemoryRemembered,
    RecallRecorded,
    SettingsChange,
    WorkspaceSettingsChanged,
)
from domain.exports import Grave
from domain.instants import parse_instant
from domain.recorded import RecordedEvent
from domain.references import SLOT, event_refs

TRIES: Final = 3
"""How often a page is put together anew because somebody else appended to one of its streams."""
PLACES_MAX: Final = 10_000_000
"""How far ahead of a log its new end may be: PostgreSQL takes the places up to there one by one."""


_Done = TypeVar("_Done")


class Sorted(NamedTuple):
    """The events of a page: new here, known here, of or about memories that were forgotten here,
    and recalls that cannot be placed.
    """

    new: list[ForeignEvent]
    known: int
    forgotten: int
    unplaced: int


class ForeignEvents:
    """Appends to one workspace. `strict` says whether its sessions have their own identity keys.

    Where the log ends before the first new event, all keep their places in it, and with them the
    bases that recalls were answered at; `last` is the place of the last of them. Else, or where
    that lies more than `PLACES_MAX` ahead, they get new ones, and recalls are left out, since what
    their basis says would mean another one here.
    """

    def __init__(
        self,
        store: LogStore,
        keys: KeyStore,
        sealer: Sealer,
        workspace: str,
        *,
        strict: bool,
        last: int,
    ) -> None:
        self._store = store
        self._sealer = sealer
        self._workspace = workspace
        self._claims = IdentityClaims(store, keys, sealer, workspace, strict)
        self._first: ForeignEvent | None = None
        self._placed = False
        self._last = last

    def check(self, page: Sequence[ForeignEvent]) -> None:
        """Compare a page with what is stored, and write nothing.

        VERSION_CONFLICT with the reason ID_TAKEN for an id of another workspace, DIVERGED where a
        record went another way here, SLOT_FORGOTTEN, IDENTITY_TAKEN.
        """
        self._claims.of(self._sorted(page).new)

    def _sorted(self, page: Sequence[ForeignEvent]) -> Sorted:
        wanted = {one.head.stream for one in page} | {said for one in page for said, _ in one.named}
        stored = self._store.load(dict.fromkeys(wanted, 0))
        graves = {stream: graves_in(rows) for stream, rows in stored.items()}
        tips = {stream: (rows[-1].version, rows[-1].event_hash) for stream, rows in stored.items()}
        new: list[ForeignEvent] = []
        known = forgotten = unplaced = 0
        for one in page:
            stream, version = one.head.stream, one.head.version
            rows = stored.get(stream, [])
            self._refuse_taken(one, rows)
            if one.alive and any(grave.versions is None for grave in graves.get(stream, ())):
                forgotten += 1
            elif any(row.version == version and row.event_hash == one.hash for row in rows):
                known += 1
            elif _is_about_forgotten(one, graves):
                forgotten += 1
            elif one.head.topic == RecallRecorded.TOPIC and not self._is_placed(one):
                unplaced += 1
            elif one.follows(*tips.get(stream, (0, None))):
                self._is_placed(one)
                new.append(one)
                tips[stream] = version, one.hash
            else:
                raise conflict(
                    "DIVERGED", f"{one.name} is another event here: this record went another way"
                )
        for one in new:
            self._refuse_forgotten_slot(one)
        return Sorted(new, known, forgotten, unplaced)

    def _is_placed(self, first: ForeignEvent) -> bool:
        """Decided once, by the first new event."""
        if self._first is None:
            self._first = first
            head = self._store.head()
            self._placed = head < first.place.position and self._last <= head + PLACES_MAX
        return self._placed

    def isolate(self, stream: str, said: SettingsChange) -> bool:
        """Make the sessions of the workspace strict before its first record comes.

        `stream` is that of its settings, and all of them are set at once. False where there is no
        place before what is placed: then nothing is, since the settings take the first place.
        """
        first = self._first
        self._placed = (
            first is not None and self._placed and first.place.position - 1 > self._store.head()
        )
        if first is None or not self._placed:
            return False
        sealed = self._sealer.seal(
            stream=stream,
            version=1,
            event=WorkspaceSettingsChanged(payload=said),
            context=first.head.context,
            recorded_at=first.head.recorded_at,
            prev=None,
        )
        place = first.place._replace(position=first.place.position - 1)
        self._store.append_placed([new_row(sealed, self._store.parts)], [], [place])
        return True

    def _refuse_taken(self, one: ForeignEvent, rows: Sequence[StoredRow]) -> None:
        if any(row.workspace != self._workspace for row in rows):
            raise conflict("ID_TAKEN", f"the id {one.head.stream} is in use here: it is not free")

    def _refuse_forgotten_slot(self, one: ForeignEvent) -> None:
        """A slot that was forgotten here takes in nothing that was recorded before."""
        ref = one.head.structure.get("slot_ref")
        if one.head.topic != MemoryRemembered.TOPIC or ref is None or not one.alive:
            return
        streams = {stream for stream, _ in self._store.references(self._workspace, SLOT, ref)}
        stored = self._store.load(dict.fromkeys(streams - {one.head.stream}, 0))
        recorded_us = parse_instant(one.head.recorded_at, "recorded_at")
        session = one.head.structure["session"]
        graves = [grave for rows in stored.values() for grave in graves_in(rows)]
        if any(
            grave.scope == "key" and grave.covers(one.head.version, session, recorded_us)
            for grave in graves
        ):
            raise conflict(
                "SLOT_FORGOTTEN", f"the slot of {one.name} was forgotten here after it was recorded"
            )

    def append(self, page: Sequence[ForeignEvent]) -> Sorted:
        """Append what is new, in one transaction, with its references.

        Raises as `check` does, StreamConflictError where others append to the same records all the
        time, and StoreError.
        """
        return _tried(lambda: self._append(page))

    def _append(self, page: Sequence[ForeignEvent]) -> Sorted:
        found = self._sorted(page)
        rows: list[NewRow] = []
        refs: list[RefRow] = []
        for one in found.new:
            again = self._sealer.seal_again(one.head, one.head_bytes, one.body_sha256, one.opened)
            refs += self._refs(one, len(rows))
            rows.append(new_row(again, self._store.parts))
        if self._placed:
            self._store.append_placed(rows, refs, [one.place for one in found.new])
        else:
            self._store.append(rows, refs)
        return found

    def claim(self, page: Sequence[ForeignEvent]) -> None:
        """Give the records of a page their identity keys, once all pages are appended.

        Raises as `append` does.
        """
        _tried(lambda: self._claim(page))

    def _claim(self, page: Sequence[ForeignEvent]) -> None:
        rows = [new_row(sealed, self._store.parts) for sealed in self._claims.of(page)]
        self._store.append(rows, [])

    def _refs(self, one: ForeignEvent, index: int) -> Iterable[RefRow]:
        head = one.head
        event = RecordedEvent(
            position=0,
            appended_us=0,
            stream=head.stream,
            version=head.version,
            topic=head.topic,
            recorded_at=head.recorded_at,
            recorded_us=0,
            context=head.context,
            facts=one.facts,
            erased=False,
            key=None,
            hash="",
        )
        for kind, ref in event_refs(event):
            yield RefRow(self._workspace, kind, ref, head.stream, index)


def _tried(work: Callable[[], _Done]) -> _Done:
    for _ in range(TRIES - 1):
        with suppress(StreamConflictError):
            return work()
    return work()


def _is_about_forgotten(one: ForeignEvent, graves: Mapping[str, Sequence[Grave]]) -> bool:
    """Whether it names, or may quote, what was forgotten here and not in the file."""
    named = ((version, grave) for of, version in one.named for grave in graves.get(of, ()))
    return any(one.is_about(version, grave) for version, grave in named)
