"""The log and the read models of the server mode, as servers and workers open them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from sqlalchemy import Engine

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.store_postgres import PostgresRecorder
from domain.events import REGISTRY
from domain.ports import Clock
from ops.migrating import check_schema
from ops.settings import ServerMode
from projections.catalogue import CATALOGUE, Projection
from projections.database import open_views
from workers.site import Site


@dataclass(frozen=True, slots=True)
class Database:
    """A migrated database, its keys unlocked. `views` are connections that may write."""

    keys: KeyStore
    store: PostgresRecorder
    sealer: Sealer
    log: StoreLogReader
    views: Engine

    def site(self, catalogue: Sequence[Projection] = CATALOGUE) -> Site:
        """What followers need of it."""
        return Site(self.log, self.views, self.store.part_heads, catalogue, self.store.grown)


def open_database(mode: ServerMode, clock: Clock, opened: ExitStack) -> Database:
    """Connect; `opened` closes everything.

    Raises StoreError where the database does not answer, StoreFormatError where its schema is not
    this program's, WrongMasterKeyError.
    """
    check_schema(mode.database_url)
    keys = KeyStore.over(PostgresKeyRows(mode.database_url), mode.master_key, clock)
    opened.callback(keys.close)
    store = PostgresRecorder(mode.database_url, clock)
    opened.callback(store.close)
    views = open_views(mode.database_url)
    opened.callback(views.dispose)
    sealer = Sealer(keys, REGISTRY)
    return Database(keys, store, sealer, StoreLogReader(store, sealer), views)


@contextmanager
def open_site(mode: ServerMode, catalogue: Sequence[Projection] = CATALOGUE) -> Iterator[Site]:
    """What a worker follows; everything is closed at the end of the block. Raises as above."""
    with ExitStack() as opened:
        yield open_database(mode, SystemClock(), opened).site(catalogue)
