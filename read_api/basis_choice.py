"""Fixing the basis of a recall once, and waiting until it can be seen (operations.md §6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.context import Context
from domain.contract import RecallInput
from domain.instants import Micros, parse_instant
from domain.ports import Clock, LogReader
from read_api.basis import Basis
from read_api.deadlines import Deadline
from read_api.memtables import Memtables
from read_api.page_tokens import PageToken
from read_api.past_basis import whole_appends
from read_api.workspace_index import WorkspaceIndex

WAITING_SHARE: Final = 0.5
"""The part of its time that a recall waits for others; the rest is for an answer, even a partial
one."""

WaitFor: TypeAlias = Callable[[str, int, float], int]
"""Wait until the projections have handled a position of a workspace, for so many seconds; the
position reached."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A basis, and the index that has reached it.

    `partial` says that something was stored before the question which is not seen yet, or which
    is parked.
    """

    basis: Basis
    index: WorkspaceIndex
    partial: bool


WAITING_AHEAD_SECONDS_MAX: Final = 2.0
"""How long a question waits for a position that nobody has written yet."""


class BasisChoice:
    """Chooses the basis of each recall."""

    def __init__(
        self, log: LogReader, memtables: Memtables, wait_for: WaitFor, clock: Clock
    ) -> None:
        self._log = log
        self._memtables = memtables
        self._wait_for = wait_for
        self._clock = clock

    def choose(
        self, context: Context, said: RecallInput, token: PageToken | None, deadline: Deadline
    ) -> Chosen:
        """The log as it stands now, or as the token or the question says, as far as it is seen.

        The projections and the index are brought up to the head in any case, so that what was
        forgotten after the basis stays hidden.
        """
        waiting = deadline.sooner(WAITING_SHARE)
        head = max(self._log.head(), said.min_position or 0)
        wanted = self._position(said, token, head)
        ahead = head > self._log.head()
        patience = WAITING_AHEAD_SECONDS_MAX if ahead else waiting.remaining_s()
        reached = self._wait_for(context.workspace, head, min(patience, waiting.remaining_s()))
        index = self._memtables.of(context.workspace)
        indexed = index.follow(head, waiting)
        seen = min(reached, indexed)
        position = wanted if wanted <= seen else whole_appends(self._log, seen)
        basis = Basis(
            workspace=context.workspace,
            actor=context.actor,
            position=position,
            as_of_us=self._as_of(said, token, position),
            session=context.viewer.session,
        )
        return Chosen(basis, index, partial=position < wanted or indexed < head)

    def again(self, basis: Basis, deadline: Deadline) -> Chosen:
        """A basis that was chosen before, with all that was forgotten since.

        `partial` where the projections or the index do not reach the head in half of the time.
        """
        waiting = deadline.sooner(WAITING_SHARE)
        head = self._log.head()
        reached = self._wait_for(basis.workspace, head, waiting.remaining_s())
        index = self._memtables.of(basis.workspace)
        indexed = index.follow(head, waiting)
        return Chosen(basis, index, partial=min(reached, indexed) < head)

    def _position(self, said: RecallInput, token: PageToken | None, head: int) -> int:
        if token is not None:
            return token.position
        if said.as_known_position is not None:
            return min(head, said.as_known_position)
        if said.as_known_at is not None:
            return self._log.position_at(parse_instant(said.as_known_at, "as_known_at"))
        return head

    def _as_of(self, said: RecallInput, token: PageToken | None, position: int) -> Micros:
        """What was stored is never in the future: now is no earlier than the last append."""
        if token is not None:
            return token.as_of_us
        if said.as_of is not None:
            return parse_instant(said.as_of, "as_of")
        return max(self._clock.now_us(), self._log.appended_at(position))
