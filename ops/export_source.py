"""The events of a workspace that an export is made of, page by page, in the order of the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from commands.log_store import LogStore
from commands.opening import Opened, Unsealed, checked
from commands.sealing import Sealer
from commands.store_rows import StoredRow
from domain.envelope import Head
from domain.errors import invalid
from domain.exports import TOPICS, grave_of
from domain.ids import MEMORY, PROPOSAL, RELATIONSHIP
from ops.export_spool import Spool
from ops.progress import OnProgress

PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """What is exported: a workspace up to a position, or one session of it."""

    workspace: str
    session: str | None
    until: int


class ExportSource:
    """Reads the log twice: for what lies in graves and what belongs to a session, then the rows.

    `head` is the end of the log as it was at the beginning; what comes later is not looked at.
    """

    def __init__(self, store: LogStore, sealer: Sealer, asked: Asked, spool: Spool) -> None:
        self._store = store
        self._sealer = sealer
        self._asked = asked
        self._spool = spool
        self.head = store.head()
        self.last = 0
        """Where the last row stands; known after the survey."""

    def survey(self, on_progress: OnProgress) -> None:
        """The first reading, of heads alone. A grave counts wherever it stands."""
        for page in self._pages(self.head):
            found = [checked(row) for row in page]
            graves = (grave_of(one.head, one.row.position) for one in found)
            self._spool.bury(grave for grave in graves if grave is not None)
            if self._asked.session is not None:
                for one in found:
                    self._consider(one.head, self._asked.session)
                found = self._belonging(found)
            within = [one.row.position for one in found if one.row.position <= self._asked.until]
            self.last = max([self.last, *within])
            on_progress(page[-1].position, 2 * self.head)

    def _consider(self, head: Head, session: str) -> None:
        """What is of the session, and names nothing that is not.

        Its first event says so; the events that follow it in its stream belong to it. Erasures are
        of the workspace, and may name what is of other sessions.
        """
        said = head.structure
        own = said.get("session") == session and head.version == 1
        if own and self._spool.members(_named(head)) == set(_named(head)):
            self._spool.join([head.stream])

    def _belonging(self, found: Sequence[Unsealed]) -> list[Unsealed]:
        streams = self._spool.members(one.head.stream for one in found)
        return [one for one in found if one.head.stream in streams]

    def rows(self, on_progress: OnProgress) -> Iterator[list[tuple[Unsealed, Opened | None]]]:
        """The second reading, opened as far as their keys are there."""
        self._refuse_half_a_transaction()
        for page in self._pages(min(self.head, self._asked.until)):
            found = self._sealer.bare(page)
            if self._asked.session is not None:
                streams = self._spool.members(one.head.stream for one, _ in found)
                found = [one for one in found if one[0].head.stream in streams]
            yield found
            on_progress(self.head + page[-1].position, 2 * self.head)

    def at(self, stream: str, position: int) -> Unsealed:
        """The event of a stream at a position."""
        rows = self._store.load({stream: 0})[stream]
        return checked(next(row for row in rows if row.position == position))

    def _pages(self, until: int) -> Iterator[Sequence[StoredRow]]:
        position = 0
        while True:
            rows = self._store.rows_after(
                position, PAGE, workspace=self._asked.workspace, topics=TOPICS
            )
            kept = [row for row in rows if row.position <= until]
            if kept:
                yield kept
            if len(kept) < PAGE:
                return
            position = kept[-1].position

    def _refuse_half_a_transaction(self) -> None:
        """What happened at once is exported whole, or an event would name one that is missing."""
        until, workspace = self._asked.until, self._asked.workspace
        following = self._store.rows_after(until, 1, workspace=workspace, topics=TOPICS)
        if not following or until >= self.head:
            return
        before = self._store.appended_at(until)
        if following[0].appended_us == before:
            raise invalid(
                f"position {until} is in the middle of a transaction: name the last position of "
                "one, or a time",
                field="as_known",
            )


def _named(head: Head) -> list[str]:
    """The streams that an event names, without its own."""
    if head.stream.startswith(MEMORY):
        return []
    if head.stream.startswith(RELATIONSHIP):
        return [head.structure["source_id"], head.structure["target_id"]]
    targets = [stream for stream, _ in head.structure.get("targets") or ()]
    if head.stream.startswith(PROPOSAL):
        return [*targets, head.structure["target_id"]]
    return targets
