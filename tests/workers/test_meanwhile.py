"""What happens to the log, and to the checkpoint, while a follower is at work on a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from projections.catalogue import CATALOGUE
from tests.projections.commands import remember
from tests.projections.histories import World
from tests.projections.memory_log import MemoryLog
from tests.projections.views import rows
from workers.catch_up import Follower, catch_up

RECORDS = CATALOGUE[0]


@dataclass
class Growing:
    """A log in which something happens right after a page of it was read."""

    log: MemoryLog
    happens: list[Callable[[], object]]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.log, name)

    def after(self, *asked: Any, **more: Any) -> Any:
        found = self.log.after(*asked, **more)
        if self.happens:
            self.happens.pop()()
        return found


def test_what_is_appended_while_a_batch_is_read_is_handled_next(engine):
    # Given
    world = World().given([remember("One")])
    log = Growing(world.log, [lambda: world.given([remember("Two")])])
    # When the log grows between the look at its events and the end of the batch
    reached = catch_up(RECORDS, 0, log, engine)
    # Then nothing was passed
    assert reached == world.log.head()
    assert len(rows(engine)) == 2


def test_a_follower_that_is_behind_does_not_take_the_checkpoint_back(engine):
    # Given two followers of one file, one of which takes small steps
    log = World().given([remember("One"), remember("Two"), remember("Three")]).log
    slow, quick = (Follower(RECORDS, 0, log, engine) for _ in range(2))
    reached = quick.advance(0, 500)
    # When it goes on from where it thinks that the checkpoint is
    answer = slow.advance(0, 1)
    # Then it learns where the other one is
    assert answer == reached == slow.position()
    assert len(rows(engine)) == 3
