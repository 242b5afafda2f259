"""What it takes to ask a recorded recall again, at its own basis."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine

from domain.ports import Clock, LogReader
from read_api.basis_choice import BasisChoice, WaitFor
from read_api.memtables import Memtables
from read_api.queries import Trusted
from read_api.selecting import SlotRef


@dataclass(frozen=True, slots=True)
class Rereading:
    """The log, the read models, the index, and who knows how far they are. Safe to share."""

    log: LogReader
    views: Engine
    memtables: Memtables
    wait_for: WaitFor
    slot_ref: SlotRef
    clock: Clock
    trusted: Trusted

    def bases(self) -> BasisChoice:
        """What fixes a recorded basis again."""
        return BasisChoice(self.log, self.memtables, self.wait_for, self.clock)
