"""The keys that seal events, apart from the log, so that destroying one erases (design.md §2)."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from commands import key_tables
from commands.bounded import Bounded
from commands.clock import MonotonicIds
from commands.key_levels import KeyLevels
from commands.key_pool import KeyPool
from commands.secrets import WorkspaceSecrets
from commands.sqlite_files import connect, private_file, translated
from commands.sqlite_writer import Writer, ensure_schema
from commands.store_errors import KeyMissingError, StoreBusyError, WrongMasterKeyError
from commands.wrapping import KEY_BYTES
from domain.ports import Clock

_CACHED_MAX: Final = 65_536
_READ_BLOCK: Final = 1000


@dataclass(frozen=True, slots=True)
class _Cached:
    key: bytes | None


class KeyStore:
    """The key store of one data folder. Safe to share between the threads of one process."""

    def __init__(self, writer: Writer, levels: KeyLevels) -> None:
        self._writer = writer
        self._levels = levels
        self._pool = KeyPool(writer, levels)
        self._cache: Bounded[tuple[str, str], _Cached] = Bounded(_CACHED_MAX)
        # One lock for the file and for what is held of it: a key that is read while it is being
        # destroyed would otherwise come back into the cache.
        self._lock = threading.Lock()

    @classmethod
    def open(
        cls,
        path: Path,
        master_key: bytes,
        clock: Clock,
        *,
        random: Callable[[int], bytes] = os.urandom,
    ) -> Self:
        """Open keys.db, or make it; `master_key` is 32 bytes, `random` gives that many bytes.

        Raises WrongMasterKeyError, StoreFormatError for a file of a newer or another program,
        StoreFullError where it cannot be made.
        """
        if len(master_key) != KEY_BYTES:
            raise WrongMasterKeyError(f"the master key must have {KEY_BYTES} bytes")
        private_file(path)
        writer = Writer(lambda: _connect(path))
        levels = KeyLevels(writer, master_key, MonotonicIds(clock, random), random)
        try:
            ensure_schema(writer, key_tables.TABLES, key_tables.VERSION)
            levels.check_master_key()
        except BaseException:
            writer.close()
            raise
        return cls(writer, levels)

    def close(self) -> None:
        """Close the file. Keys that were not used stay reserved for good."""
        with self._lock:
            self._writer.close()

    def workspace(self, workspace: str) -> WorkspaceSecrets | None:
        """The secrets of a workspace; None where it has none yet."""
        with self._lock:
            known = self._levels.known(workspace)
            return None if known is None else known.secrets

    def ensure_workspace(self, workspace: str) -> WorkspaceSecrets:
        """The secrets of a workspace, which gets its keys if it has none."""
        with self._lock:
            return self._levels.ensured(workspace).secrets

    def audit(self, workspace: str) -> tuple[str, bytes]:
        """Id and key of the workspace's audit key, which is never destroyed."""
        with self._lock:
            return self._levels.ensured(workspace).audit_key

    def take(self, workspace: str) -> tuple[str, bytes]:
        """Id and key of a data key that nobody had or will have again; it is on the disk."""
        with self._lock:
            key_id, key = self._pool.take(workspace)
            self._cache.put((workspace, key_id), _Cached(key))
            return key_id, key

    def open_keys(self, workspace: str, key_ids: Iterable[str]) -> dict[str, bytes | None]:
        """Keys by id; None for a destroyed one. Raises KeyMissingError if one is not there."""
        found: dict[str, bytes | None] = {}
        unread: list[str] = []
        with self._lock:
            for key_id in key_ids:
                cached = self._cache.get((workspace, key_id))
                if cached is None:
                    unread.append(key_id)
                else:
                    found[key_id] = cached.key
        for start in range(0, len(unread), _READ_BLOCK):
            # Writers get their turn between the blocks.
            with self._lock:
                found.update(self._read(workspace, unread[start : start + _READ_BLOCK]))
        return found

    def _read(self, workspace: str, key_ids: Sequence[str]) -> dict[str, bytes | None]:
        with translated():
            rows = key_tables.key_rows(self._writer.connection, workspace, key_ids)
        known = self._levels.known(workspace)
        found = {
            row.key_id: None if known is None else known.open(row)
            for row in rows
            if known is not None or row.wrapped is None
        }
        absent = set(key_ids) - found.keys()
        if absent:
            raise KeyMissingError(
                f"{len(absent)} keys that events name are not in the key store: restore keys.db "
                "from a backup that is not older than the log"
            )
        for key_id, key in found.items():
            self._cache.put((workspace, key_id), _Cached(key))
        return found

    def destroy(self, workspace: str, key_ids: Sequence[str]) -> int:
        """Destroy keys for good; gives how many of them are destroyed now, the earlier ones too.

        A key that is not there is destroyed as well, so that no backup can bring it back. On
        return neither the file nor its write-ahead log holds the wrapped keys. Raises StoreError
        for an audit key, or one of another workspace: nothing is destroyed then. Raises
        StoreBusyError where a reader of another process holds on to the write-ahead log: the
        keys are destroyed, their traces are not; repeat it.
        """
        wanted = sorted(set(key_ids))
        with self._lock:
            # Forgotten first, so that an unknown outcome leaves none of them in memory.
            for key_id in wanted:
                self._cache.drop((workspace, key_id))
            self._pool.discard(workspace, wanted)
            with self._writer.transaction() as connection:
                key_tables.destroy_rows(connection, workspace, wanted)
            self._empty_wal()
        return len(wanted)

    def compact(self) -> None:
        """Write the file anew, so that no page holds the rest of a row that was moved before.

        SQLite overwrites what is deleted, but may leave a copy where rows were moved to another
        page. Takes as long as the file is large, some 0.2 s for 100 000 keys; others wait. Raises
        StoreBusyError as `destroy` does, and StoreFullError where there is no room for a copy.
        """
        with self._lock:
            with translated():
                self._writer.connection.execute("VACUUM")
            self._empty_wal()

    def _empty_wal(self) -> None:
        with translated():
            checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)"
            (busy, _, _) = self._writer.connection.execute(checkpoint).fetchone()
        if busy:
            raise StoreBusyError(
                "the keys are destroyed, but another process holds on to their traces: try again"
            )


def _connect(path: Path) -> sqlite3.Connection:
    connection = connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")  # no copy of keys outside of the data folder
    return connection
