"""The recall index, asked what a takeaway may be about (docs/spec/bundle.md §4.5).

It answers from all of the log or not at all: what was not seen would be stored a second time.
"""

from __future__ import annotations

from typing import Final

from domain.bundles.identity import NO_REPOSITORY
from domain.bundles.wording import Wording
from domain.context import Context
from domain.errors import Code, MemorandaError
from domain.ports import Clock, LogReader
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from read_api.deadlines import Deadline
from read_api.lookups import Question
from read_api.memtables import Memtables
from read_api.workspace_index import WorkspaceIndex

CANDIDATES_MAX: Final = 24
"""Memories that a proposal is compared with. It bounds what a proposal costs: what says the very
same is found by the guard of its wording, whatever its rank."""
PREPARING_SECONDS: Final = 5.0
SEARCHING_SECONDS: Final = 5.0
"""While the engine waits. It takes milliseconds; a machine that is busy has moments, too."""


class SimilarInIndex:
    """`commands.window_shelf.SimilarMemories` over the recall index."""

    def __init__(self, memtables: Memtables, log: LogReader, clock: Clock) -> None:
        self._memtables = memtables
        self._log = log
        self._clock = clock

    def prepare(self, workspace: str) -> int:
        """Bring the index of a workspace up to the log; how far it sees then."""
        return self._followed(workspace, Deadline.after(PREPARING_SECONDS))[1]

    def alike(self, context: Context, repo: str | None, wording: Wording) -> tuple[list[str], int]:
        """Private memories of the caller in a repository, best first, and how far it had seen."""
        deadline = Deadline.after(SEARCHING_SECONDS)
        index, position = self._followed(context.workspace, deadline)
        now = max(self._clock.now_us(), self._log.appended_at(position))
        basis = Basis(position, now, context.actor, context.viewer.session)
        filters = Filters(repo=repo or NO_REPOSITORY, private_owner=context.actor)
        terms = query_terms(f"{wording.rule}\n{wording.scope}", deadline.expired)
        look = index.look(basis, Question(terms, CANDIDATES_MAX, filters), deadline)
        if look.stopped:
            raise _behind()
        return [hit.memory_id for hit in look.hits], position

    def _followed(self, workspace: str, deadline: Deadline) -> tuple[WorkspaceIndex, int]:
        head = self._log.head()
        index = self._memtables.of(workspace)
        if index.follow(head, deadline) < head:
            raise _behind()
        return index, head


def _behind() -> MemorandaError:
    return MemorandaError(
        Code.OVERLOADED, "the recall index is behind: send the window again", retry_after=1
    )
