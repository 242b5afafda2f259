"""Building the read models of PostgreSQL anew from the log, beside the live ones.

A new generation of tables follows the log as far as the live one has, is compared with it row by
row, and takes its place in one transaction. Readers and writers of the live one go on all the
time: the latter wait twice, while the last events are caught up with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from sqlalchemy import Connection, Engine

from domain.ports import LogReader
from ops.bounded_log import BoundedLog
from ops.generation_switch import (
    Generation,
    alone,
    bounds_of,
    building,
    comparable,
    drop_retired,
    flip,
    has_followed,
    positions,
    quiet,
    reference,
)
from projections.catalogue import CATALOGUE, Projection
from projections.checkpoints import BusyError
from projections.comparing import differences
from projections.generation_tables import analyze
from projections.generations import KIND, schema_of
from projections.unusable import ViewsDifferError
from projections.views_postgres import PARTS, of_generation, open_builder, open_owner
from workers.catch_up import BATCH_EVENTS, Follower, catch_up, never

PASSES_MAX: Final = 20
SETTLED_EVENTS: Final = 1_000
"""So few events are caught up with while writers of the live tables wait."""

_Bounds: TypeAlias = Mapping[tuple[str, int], int]


def rebuild_beside(
    log: LogReader,
    url: str,
    on_progress: Callable[[int, int], None],
    *,
    stop: Callable[[], bool] = never,
    compare: bool = True,
    drop_older: bool = False,
    catalogue: Sequence[Projection] = CATALOGUE,
    batch: int = BATCH_EVENTS,
) -> int | None:
    """Build a generation of read models beside the live one, and make it live.

    `on_progress` is told how far the projections have come, on average over all parts, and how far
    they have to. What an interrupted call has built is continued by the next one. Returns the
    position that was reached; None where `stop` ended it earlier: nothing has changed then. Two
    calls at once do one after the other.

    The user of the URL must own the tables. Raises ViewsDifferError where a row is not as in the
    live tables; what was built is kept. `compare=False` is for live tables that are wrong. The
    tables of other versions of the program stay live for them, unless `drop_older`.
    """
    with ExitStack() as opened:
        owner, views = open_owner(url), open_builder(url)
        opened.callback(owner.dispose)
        opened.callback(views.dispose)
        opened.enter_context(alone(owner))
        drop_retired(owner)
        number = building(owner, log.head())
        with owner.begin() as connection:
            live = reference(connection)
            like = live if compare and live and has_followed(connection, live) else None
        built = of_generation(views, number)
        growing = _Growing(log, owner, number, built, live, like, catalogue, batch, on_progress)
        if like is not None and like.kind == KIND:
            _follow(of_generation(views, like.number), log, catalogue, stop)
        if not growing.approach(stop):
            return None
        growing.check_all()
        position = growing.take_over(drop_older=drop_older)
        drop_retired(owner)
        return position


def _follow(
    views: Engine, log: LogReader, catalogue: Sequence[Projection], stop: Callable[[], bool]
) -> None:
    """Bring the live tables to the head of the log, as a worker does, where none is at work."""
    for projection in catalogue:
        for part in range(PARTS):
            at = Follower(projection, part, log, views).position()
            if log.after(at, 1, part=part, topics=projection.topics):
                with suppress(BusyError):
                    catch_up(projection, part, log, views, stop=stop)


@dataclass(frozen=True, slots=True)
class _Growing:
    """The generation that grows, what it replaces, and what it has to be like.

    It follows the log as far as the latter has, or to the head where it is like nothing.
    """

    log: LogReader
    owner: Engine
    number: int
    views: Engine
    live: Generation | None
    like: Generation | None
    catalogue: Sequence[Projection]
    batch: int
    on_progress: Callable[[int, int], None]

    def approach(self, stop: Callable[[], bool]) -> bool:
        """Come close to the live tables, which go on; False where stopped."""
        for _ in range(PASSES_MAX):
            read = self._fill(stop)
            if read is None:
                return False
            if read <= SETTLED_EVENTS:
                break
        with self.owner.begin() as connection:
            analyze(connection, self.number)
        return True

    def check_all(self) -> None:
        """Compare every row, at one position of both; writers wait until it is reached."""
        if self.like is None:
            return
        at_once = self.owner.execution_options(isolation_level="REPEATABLE READ")
        with at_once.connect() as snapshot:
            with quiet(self.owner, self.live):
                self._fill(never)
                # The first statement takes the snapshot, which outlives the quiet.
                snapshot.exec_driver_sql("SELECT 1")
            self._compare(snapshot)

    def take_over(self, *, drop_older: bool) -> int:
        """Catch up with the rest, compare what that has touched, and flip; the position."""
        with quiet(self.owner, self.live) as connection:
            touched: set[str] = set()
            self._fill(never, touched)
            self._compare(connection, touched)
            flip(connection, self.number, drop_older=drop_older)
            return max(self._bounds().values())

    def _compare(self, connection: Connection, streams: Collection[str] | None = None) -> None:
        like = self.like
        if like is None or (streams is not None and not streams):
            return
        schemas = like.schema, schema_of(self.number)
        columns = comparable(connection, like, self.catalogue)
        if found := differences(connection, schemas, columns, streams):
            raise ViewsDifferError([*map(str, found)])

    def _bounds(self) -> _Bounds:
        """Where it has to come to now."""
        head = self.log.head()
        with self.owner.begin() as connection:
            return bounds_of(connection, self.like, self.catalogue, PARTS, head)

    def _fill(self, stop: Callable[[], bool], touched: set[str] | None = None) -> int | None:
        """Follow the log up to the live tables; how many events were read, None where stopped.

        `touched` collects the records that they are about.
        """
        bounds = self._bounds()
        with self.owner.begin() as connection:
            progress = Progress(positions(connection, self.number), bounds, self.on_progress)
        read = 0
        for projection in self.catalogue:
            for part in range(PARTS):
                key = projection.name, part
                if progress.behind(key) and not stop():
                    log = BoundedLog(self.log, bounds[key], touched)
                    look = partial(progress.look, key, log, stop)
                    catch_up(projection, part, log, self.views, self.batch, look)
                    progress.tell(key, log.read_to)
                    read += log.read
        if stop():
            return None
        progress.done()
        return read


class Progress:
    """How far all projections have come in all parts, on average."""

    def __init__(
        self,
        reached: Mapping[tuple[str, int], int],
        bounds: _Bounds,
        on_progress: Callable[[int, int], None],
    ) -> None:
        self._bounds = bounds
        self._reached = {key: min(reached.get(key, 0), bound) for key, bound in bounds.items()}
        self._on_progress = on_progress

    def behind(self, key: tuple[str, int]) -> bool:
        """Whether a projection has anything left to read of a part."""
        return self._reached[key] < self._bounds[key]

    def look(self, key: tuple[str, int], log: BoundedLog, stop: Callable[[], bool]) -> bool:
        """Called before each batch: tell how far it is, and whether to stop."""
        self.tell(key, log.read_to)
        return stop()

    def tell(self, key: tuple[str, int], position: int) -> None:
        """A projection has come to a position in a part."""
        self._reached[key] = max(self._reached[key], position)
        self._say()

    def done(self) -> None:
        """All are where they had to go."""
        self._reached = dict(self._bounds)
        self._say()

    def _say(self) -> None:
        count = max(1, len(self._bounds))
        self._on_progress(sum(self._reached.values()) // count, sum(self._bounds.values()) // count)
