"""Claims over the log and the read models alone: no recall index is made or kept up.

An index of a hundred thousand memories takes longer to make than all else here, and its threads
would work beside what is measured.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from commands.erasure import Eraser
from commands.service import CommandService
from commands.validation_policies import PolicyBook
from commands.workspace_settings import SettingsBook
from domain.context import Context
from domain.errors import MemorandaError
from domain.requests import parse_request
from ops.beside import open_beside
from ops.parts import WorkspaceLookup
from ops.read_models import open_read_models
from projections.catalogue import CATALOGUE
from read_api.claims import Claims
from tests.benchmarks.speed_data import envelope_of
from workers.runner import InProcessRunner


class Followed(NamedTuple):
    """Claims, and forgetting what they rest on."""

    claims: Claims
    commands: CommandService
    runner: InProcessRunner

    def forget(self, who: Context, memory: str) -> None:
        """Forget a memory, and wait until the read models have seen it."""
        said = {"memory_id": memory, "mode": "tombstone", "reason": "It was wrong."}
        [done] = self.commands.execute_many(
            [(who, parse_request(envelope_of("forget", said)))], atomic=False
        )
        assert not isinstance(done, MemorandaError), done
        position = done[1]["receipt"]["position"]
        self.runner.wake(position)
        assert self.runner.wait_for(who.workspace, position, 60) >= position


@contextmanager
def followed(data: Path) -> Iterator[Followed]:
    """The read models of what is in a folder, made at once and then followed in a thread."""
    with open_beside(data) as beside:
        started = time.perf_counter()
        views = open_read_models(Path(beside.views), beside.log)
        print(f"  {beside.log.head()} events, read models in {time.perf_counter() - started:.0f} s")
        runner = InProcessRunner(beside.log, views, CATALOGUE)
        runner.start()
        settings = SettingsBook(beside.engine, beside.keys, beside.log)
        eraser = Eraser(store=beside.store, keys=beside.keys, engine=beside.engine, log=beside.log)
        try:
            yield Followed(
                Claims(
                    views=views,
                    log=beside.log,
                    clock=beside.clock,
                    secrets=WorkspaceLookup(beside.keys),
                    policies=PolicyBook(beside.engine, beside.keys, beside.log).at,
                    seen=runner.seen,
                    wait_for=runner.wait_for,
                    trusted=settings.trusted,
                ),
                CommandService(beside.engine, beside.keys, beside.log, eraser, beside.clock),
                runner,
            )
        finally:
            runner.stop()
            views.dispose()
