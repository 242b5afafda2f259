"""Both databases that hold read models; a test runs once on each (see `database`)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest
from sqlalchemy import Connection, Engine, update

from projections import generation_tables, generations
from projections.database import open_views, writing
from projections.generations import State
from projections.schema import METADATA
from projections.views_postgres import (
    PARTS,
    generation_of,
    of_generation,
    open_owner,
    open_reader,
)


class Database(Protocol):
    """Where a test keeps read models."""

    parts: int

    @contextmanager
    def new_views(self) -> Iterator[Engine]:
        """Empty read models for one example, for those who follow the log."""
        ...

    def reader(self, views: Engine) -> Engine:
        """The same read models for those who ask."""
        ...


@dataclass
class Sqlite:
    """A file for each example."""

    parts: int = 1

    @contextmanager
    def new_views(self) -> Iterator[Engine]:
        with tempfile.TemporaryDirectory() as folder:
            engine = open_views(Path(folder) / "views.db")
            try:
                yield engine
            finally:
                engine.dispose()

    def reader(self, views: Engine) -> Engine:
        return views


@dataclass
class Postgres:
    """A database whose generations are emptied and used again; the first one is live."""

    url: str
    parts: int = PARTS
    _free: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._engine = open_views(self.url)
        self._reader = open_reader(self.url)

    @contextmanager
    def new_views(self) -> Iterator[Engine]:
        number = self.another()
        engine = of_generation(self._engine, number)
        with writing(engine) as connection:
            for table in METADATA.sorted_tables:
                connection.execute(table.delete())
        try:
            yield engine
        finally:
            self._free.insert(0, number)

    def reader(self, views: Engine) -> Engine:
        return of_generation(self._reader, generation_of(views))

    def another(self) -> int:
        """The number of a generation that is not live; it is this test's."""
        return self._free.pop(0) if self._free else self._make()

    def flip(self, owner: Connection, number: int) -> int:
        """Make a generation live in the transaction of a connection; the one that was."""
        before: int = owner.scalar(generations.LIVE_HELD)
        for one, state in ((before, State.RETIRED), (number, State.LIVE)):
            row = generations.GENERATION.c.number == one
            owner.execute(update(generations.GENERATION).where(row).values(state=state.value))
        return before

    def _make(self) -> int:
        owner = open_owner(self.url)
        with owner.begin() as connection:
            number = generation_tables.make(connection, State.RETIRED)
        owner.dispose()
        return number

    def close(self) -> None:
        self._engine.dispose()
        self._reader.dispose()


_current: Database = Sqlite()


@contextmanager
def using(database: Database) -> Iterator[Database]:
    """Make it the one that `new_views` and logs are made for."""
    global _current  # noqa: PLW0603 - Hypothesis takes no fixture for each of its examples
    before, _current = _current, database
    try:
        yield database
    finally:
        _current = before


@pytest.fixture(scope="module", params=["sqlite", "postgres"], autouse=True)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """The database that the module's tests run on."""
    which = Sqlite() if request.param == "sqlite" else request.getfixturevalue("views_in_postgres")
    with using(which):
        yield which


@pytest.fixture(scope="module")
def views_in_postgres(postgres_module_url: str) -> Iterator[Postgres]:
    """A migrated database of the module's own."""
    made = Postgres(postgres_module_url)
    try:
        yield made
    finally:
        made.close()


def current() -> Database:
    """The database of the test that runs."""
    return _current


@contextmanager
def new_views() -> Iterator[Engine]:
    """Empty read models for one example, in the database of the test that runs."""
    with _current.new_views() as engine:
        yield engine
