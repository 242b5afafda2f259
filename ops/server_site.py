"""The log and the read models of the server mode, as a worker process opens them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.store_postgres import PostgresRecorder
from domain.events import REGISTRY
from ops.migrating import check_schema
from ops.settings import ServerMode
from projections.catalogue import CATALOGUE, Projection
from projections.database import open_views
from workers.site import Site


@contextmanager
def open_site(mode: ServerMode, catalogue: Sequence[Projection] = CATALOGUE) -> Iterator[Site]:
    """Connect to a migrated database; everything is closed at the end of the block.

    Raises StoreError where it does not answer, has another schema, or other keys.
    """
    check_schema(mode.database_url)
    clock = SystemClock()
    with ExitStack() as opened:
        rows = PostgresKeyRows(mode.database_url)
        keys = KeyStore.over(rows, mode.master_key, clock)
        opened.callback(keys.close)
        store = PostgresRecorder(mode.database_url, clock)
        opened.callback(store.close)
        views = open_views(mode.database_url)
        opened.callback(views.dispose)
        log = StoreLogReader(store, Sealer(keys, REGISTRY))
        yield Site(log, views, store.part_heads, catalogue)
