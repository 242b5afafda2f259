"""What erasures ask of the read side: the files of the read models, and what is held in memory."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from commands.erasure_steps import NotYetError
from domain.context import Context
from ops.rebuild import discard_building
from ops.recall_index import RecallIndex
from projections.catalogue import CATALOGUE
from projections.database import compact, reading, truncate_wal
from projections.parked_streams import first_parked
from read_api.derivations import Derivations
from read_api.memtables import Memtables
from read_api.underway import Underway

_LOG: Final = logging.getLogger("memoranda.erasure")
PATIENCE_SECONDS: Final = 2.0
"""How long one try of a step waits for others; the next try waits anew."""


class Following(Protocol):
    """Who knows how far the read models are: `InProcessRunner`, or `WorkersElsewhere`."""

    def wait_for(self, workspace: str, position: int, timeout_s: float) -> int:
        """Wait until a workspace is followed up to a position; the one reached in that time."""
        ...


@dataclass(frozen=True, slots=True)
class ReadSideCleaner:
    """Implements `commands.erasure_steps.ReadSide` for the embedded mode."""

    views: Engine
    views_path: Path
    runner: Following
    index: RecallIndex
    memtables: Memtables
    underway: Underway

    def clear_views(self, forgotten: Mapping[str, int]) -> None:
        """The rows first, then the pages and the files that held them, those of the index too.

        Of a forget that is parked the rows are gone too: its memory was withdrawn.
        """
        for workspace, position in forgotten.items():
            if self.runner.wait_for(workspace, position, PATIENCE_SECONDS) < position:
                raise NotYetError("the read models have not seen the forget yet")
        self.index.clear(forgotten)
        discard_building(self.views_path)
        compact(self.views)
        if not truncate_wal(self.views, round(PATIENCE_SECONDS * 1000)):
            raise NotYetError("a reader still holds on to the write-ahead log of the read models")

    def settle(self) -> None:
        """Questions take as long as their timeout allows."""
        if not self.underway.settle(PATIENCE_SECONDS):
            raise NotYetError("a question that was asked before the forget has no answer yet")

    def clear_caches(self, workspace: str, position: int) -> None:
        """The index of the workspace; what else is in memory goes with the keys."""
        self.memtables.let_go(workspace, position, PATIENCE_SECONDS)


@dataclass(frozen=True, slots=True)
class DerivedInViews:
    """Implements `domain.ports.DerivedMemories` over the read models."""

    views: Engine
    runner: Following

    def __call__(
        self, context: Context, memories: Sequence[str], position: int
    ) -> list[str] | None:
        """None where the read models have not seen all by then, or cannot be read."""
        if self.runner.wait_for(context.workspace, position, PATIENCE_SECONDS) < position:
            return None
        try:
            with reading(self.views) as connection:
                if first_parked(connection, CATALOGUE, context.workspace) is not None:
                    return None
                return Derivations(connection, context.workspace, context.viewer).derived(memories)
        except SQLAlchemyError as fault:
            # The forget is recorded, whatever is wrong with the read models.
            _LOG.warning("what was made from a forgotten memory is not known: %s", fault)
            return None
