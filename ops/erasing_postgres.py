"""What erasures ask of the read side in the server mode: the schemas of the read models."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, select, text
from sqlalchemy.exc import OperationalError

from commands.erasure_steps import NotYetError
from ops.erasing import PATIENCE_SECONDS, Following
from ops.generation_switch import REBUILD_KEY, positions
from ops.recall_index import RecallIndex
from projections.database import part_in, writing
from projections.generations import GENERATION, KIND, State
from projections.schema import METADATA
from projections.vacuuming import VacuumRefusedError, outlive_readers, vacuum
from projections.views_postgres import of_generation
from read_api.memtables import Memtables
from read_api.underway import Underway

_ALONE: Final = text("SELECT pg_try_advisory_xact_lock(:key)")


@dataclass(frozen=True, slots=True)
class PostgresReadSideCleaner:
    """Implements `commands.erasure_steps.ReadSide` for the server mode.

    `views` are connections that may write. What is held in memory is that of this process.
    """

    views: Engine
    following: Following
    index: RecallIndex
    memtables: Memtables
    underway: Underway

    def clear_views(self, forgotten: Mapping[str, int]) -> None:
        """The rows first, in all generations; then what PostgreSQL keeps of them.

        Nobody who asked before sees them any more, and their room is free for other rows. It is
        not overwritten: `docs/trust.md` says what that means.
        """
        for workspace, position in forgotten.items():
            if self.following.wait_for(workspace, position, PATIENCE_SECONDS) < position:
                raise NotYetError("the read models have not seen the forget yet")
        self.index.clear(forgotten)
        numbers = self._cleared(forgotten)
        if not outlive_readers(self.views, PATIENCE_SECONDS):
            raise NotYetError("a question that was asked before the forget is still read for")
        try:
            vacuum(self.views, numbers)
        except VacuumRefusedError as refused:
            raise NotYetError(str(refused)) from refused
        except OperationalError as waited:
            raise NotYetError("the read models are being vacuumed, or changed, already") from waited

    def settle(self) -> None:
        """Questions take as long as their timeout allows."""
        if not self.underway.settle(PATIENCE_SECONDS):
            raise NotYetError("a question that was asked before the forget has no answer yet")

    def clear_caches(self, workspace: str, position: int) -> None:
        """The index of the workspace in this process; what else is in memory goes with the keys."""
        self.memtables.let_go(workspace, position, PATIENCE_SECONDS)

    def _cleared(self, forgotten: Mapping[str, int]) -> list[int]:
        """All generations; those that nobody follows are emptied."""
        row = GENERATION.c
        with self.views.begin() as connection:
            found = connection.execute(select(row.number, row.kind, row.state)).all()
            behind = {
                number
                for number, _, _ in found
                if self._behind(positions(connection, number), forgotten)
            }
        for number, kind, state in found:
            if state == State.LIVE and kind != KIND and number in behind:
                raise NotYetError(
                    "the read models of another version of the program have not seen the forget: "
                    "run its workers, or drop them with `memoranda rebuild --drop-older`"
                )
        self._empty(
            [number for number, _, state in found if number in behind and state != State.LIVE]
        )
        return [number for number, kind, _ in found if kind == KIND]

    def _behind(self, reached: Mapping[tuple[str, int], int], forgotten: Mapping[str, int]) -> bool:
        """Whether a generation may hold what was forgotten."""
        return any(
            at < position
            for workspace, position in forgotten.items()
            for (_, part), at in reached.items()
            if part == part_in(self.views, workspace)
        )

    def _empty(self, numbers: Collection[int]) -> None:
        """What an interrupted rebuild left; a rebuild that goes on sees the forget by itself."""
        for number in numbers:
            with writing(of_generation(self.views, number)) as connection:
                if not connection.scalar(_ALONE, {"key": REBUILD_KEY}):
                    raise NotYetError("a rebuild is under way that has not seen the forget yet")
                for table in METADATA.sorted_tables:
                    connection.execute(table.delete())
