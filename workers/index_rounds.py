"""What is to be done for the recall index, over all workspaces; the manifest says it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from sqlalchemy.exc import IntegrityError

from domain.events import MemoryForgotten
from projections import index_manifest as manifest
from projections import index_news as news
from projections.index_folder import remove_stranger
from projections.index_news import News
from projections.records import TOPICS
from workers.index_builds import never
from workers.indexing import Indexer
from workers.tiers import to_merge

LOG: Final = logging.getLogger("memoranda.index")
FLUSH_EVENTS: Final = 1_000
"""New events of a workspace after which they become a segment."""
IDLE_SECONDS: Final = 60
"""Without new events for so long what there is becomes a segment, however little it is."""
ABANDONED_SECONDS: Final = 900
"""A directory that is being made for so long is taken for one whose maker died."""
SCANNED_AT_ONCE: Final = 50_000
"""Positions of the log that one look goes through."""


class Growth(Protocol):
    """How many events of a topic a workspace has in a part of the log, and the last one's place."""

    @property
    def workspace(self) -> str: ...
    @property
    def topic(self) -> str: ...
    @property
    def events(self) -> int: ...
    @property
    def position(self) -> int: ...


Grown: TypeAlias = Callable[[int, int, Sequence[str]], Sequence[Growth]]
"""Positions (after, until] of the log and topics → what there is of them."""


@dataclass(frozen=True, slots=True)
class IndexRounds:
    """Finds what is due, and does it. Safe to share between threads and processes.

    `grown(after, until, topics)` counts events of the log without reading them.
    """

    indexer: Indexer
    grown: Grown
    flush_events: int = FLUSH_EVENTS
    idle_seconds: float = IDLE_SECONDS

    def due(self) -> list[str]:
        """Look through the log for what is new; the workspaces of which a segment is to be made."""
        builds = self.indexer.builds
        while self._scan():
            pass
        idle_since = builds.now_us() - round(self.idle_seconds * 1_000_000)
        with builds.store.reading() as connection:
            found = news.due(connection, self.flush_events, idle_since)
            return [*found, *(one for one in news.marked(connection) if one not in found)]

    def work_off(self, stop: Callable[[], bool] = never) -> bool:
        """`work` for all that is due; whether anything was."""
        due = self.due()
        for workspace in due:
            if stop():
                break
            self.work(workspace, stop)
        return bool(due)

    def compact_all(self, stop: Callable[[], bool] = never) -> bool:
        """`compact` wherever there is anything to merge; whether there was."""
        found = self.compactable()
        for workspace in found:
            if stop():
                break
            self.compact(workspace, stop)
        return bool(found)

    def work(self, workspace: str, stop: Callable[[], bool] = never) -> None:
        """Make the segments of a workspace that are due, without what was forgotten.

        Where somebody found one that cannot be used, every byte of all is looked at first.
        """
        store = self.indexer.builds.store
        with store.reading() as connection:
            suspect = news.is_suspect(connection, workspace)
        if suspect:
            self.indexer.check(workspace)
            with store.writing() as connection:
                news.suspect(connection, workspace, found=False)
        while self.indexer.flush(workspace, stop) and not stop():
            pass
        if self.indexer.purge(workspace, stop):
            self.indexer.builds.sweep(workspace)

    def compact(self, workspace: str, stop: Callable[[], bool] = never) -> bool:
        """Merge neighbours of a workspace, until it has few; whether anything was done."""
        done = False
        while not stop():
            run = to_merge(self.indexer.builds.known(workspace).live)
            if not run or not self.indexer.merge(workspace, run, stop):
                break
            done = True
        return done

    def compactable(self) -> list[str]:
        """The workspaces with segments to merge."""
        with self.indexer.builds.store.reading() as connection:
            names = news.workspaces(connection)
            return [one for one in names if to_merge(manifest.read(connection, one).live)]

    def tidy(self, *, alone: bool = False) -> None:
        """Remove what is nobody's; `alone`: nobody else has the folder, so nobody builds."""
        builds = self.indexer.builds
        before = builds.now_us() - (0 if alone else ABANDONED_SECONDS * 1_000_000)
        with builds.store.reading() as connection:
            known = news.workspaces(connection)
            unclean = news.unclean(connection, before)
        for workspace in {*unclean, *(known if alone else ())}:
            builds.sweep(workspace, builds=workspace in unclean)
        for path in builds.folder.strangers(known):
            LOG.warning("a folder of no index is removed: %s", path.name)
            remove_stranger(path)

    def _scan(self) -> bool:
        """Look through the next positions of the log; whether there are more."""
        log, store = self.indexer.log, self.indexer.builds.store
        head = log.head()
        with store.reading() as connection:
            after = news.scan_position(connection)
        if after >= head:
            return False
        until = min(head, after + SCANNED_AT_ONCE)
        # Read before the transaction: a long log would keep all others from writing meanwhile.
        found = self._news(after, until)
        try:
            with store.writing() as connection:
                if news.scanned(connection) == after:
                    news.note(connection, until, found, self.indexer.builds.now_us())
        except IntegrityError:
            # Another process wrote the first row of a workspace, or of the scan, just now.
            return True
        return until < head

    def _news(self, after: int, until: int) -> list[News]:
        found: dict[str, News] = {}
        for one in self.grown(after, until, TOPICS):
            known = found.get(one.workspace, News(one.workspace, 0, 0, urgent=False))
            found[one.workspace] = News(
                one.workspace,
                max(known.head, one.position),
                known.events + one.events,
                urgent=known.urgent or one.topic == MemoryForgotten.TOPIC,
            )
        return list(found.values())
