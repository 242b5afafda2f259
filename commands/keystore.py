"""The keys that seal events, apart from the log, so that destroying one erases (design.md §2)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from commands.bounded import Bounded
from commands.clock import MonotonicIds
from commands.key_levels import KeyLevels
from commands.key_pool import KeyPool
from commands.key_rows import KeyRows
from commands.key_sqlite import SqliteKeyRows
from commands.secrets import WorkspaceSecrets
from commands.store_errors import KeyMissingError, WrongMasterKeyError
from commands.wrapping import KEY_BYTES
from domain.ports import Clock

_CACHED_MAX: Final = 65_536
_READ_BLOCK: Final = 1000


@dataclass(frozen=True, slots=True)
class _Cached:
    key: bytes | None


class KeyStore:
    """The keys of one store. Safe to share between the threads of one process."""

    def __init__(self, rows: KeyRows, levels: KeyLevels) -> None:
        self._rows = rows
        self._levels = levels
        self._pool = KeyPool(rows, levels)
        self._cache: Bounded[tuple[str, str], _Cached] = Bounded(_CACHED_MAX)
        # One lock for the rows and for what is held of them: a key that is read while it is being
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
        _check_size(master_key)
        return cls.over(SqliteKeyRows(path), master_key, clock, random=random)

    @classmethod
    def over(
        cls,
        rows: KeyRows,
        master_key: bytes,
        clock: Clock,
        *,
        random: Callable[[int], bytes] = os.urandom,
    ) -> Self:
        """The key store over its rows, which it closes. Raises WrongMasterKeyError."""
        try:
            _check_size(master_key)
            levels = KeyLevels(rows, master_key, MonotonicIds(clock, random), random)
            levels.check_master_key()
        except BaseException:
            rows.close()
            raise
        return cls(rows, levels)

    def close(self) -> None:
        """Close the rows. Keys that were not used stay reserved for good."""
        with self._lock:
            self._rows.close()

    def workspace(self, workspace: str) -> WorkspaceSecrets | None:
        """The secrets of a workspace; None where it has none yet."""
        with self._lock:
            known = self._levels.known(workspace)
            return None if known is None else known.secrets

    def ensure_workspace(self, workspace: str) -> WorkspaceSecrets:
        """The secrets of a workspace, which gets its keys if it has none."""
        with self._lock:
            return self._levels.ensured(workspace).secrets

    def import_workspace(self, workspace: str, slots: bytes) -> bool:
        """Make sure of a workspace whose slots have this secret; whether they have.

        They have not where the workspace was there before, with another one.
        """
        with self._lock:
            return self._levels.ensured(workspace, slots).secrets.slots == slots

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
            if self._rows.changed():
                self._cache.clear()
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
        rows = self._rows.keys(workspace, key_ids)
        known = self._levels.known(workspace)
        found = {
            row.key_id: None if known is None else known.open(row)
            for row in rows
            if known is not None or row.wrapped is None
        }
        absent = set(key_ids) - found.keys()
        if absent:
            raise KeyMissingError(
                f"{len(absent)} keys that events name are not in the key store: restore "
                f"{self._rows.name} from a backup that is not older than the log"
            )
        for key_id, key in found.items():
            self._cache.put((workspace, key_id), _Cached(key))
        return found

    def destroy(self, workspace: str, key_ids: Sequence[str]) -> int:
        """Destroy keys for good; gives how many of them are destroyed now, the earlier ones too.

        A key that is not there is destroyed as well, so that no backup can bring it back. Raises
        StoreError for an audit key, or one of another workspace: nothing is destroyed then. Raises
        StoreBusyError where the keys are destroyed and their traces are not: repeat it.
        """
        wanted = sorted(set(key_ids))
        with self._lock:
            # Forgotten first, so that an unknown outcome leaves none of them in memory.
            for key_id in wanted:
                self._cache.drop((workspace, key_id))
            self._pool.discard(workspace, wanted)
            self._rows.destroy(workspace, wanted)
        return len(wanted)

    def compact(self) -> None:
        """Leave nothing of destroyed keys in the files of the key store; see its `KeyRows`."""
        with self._lock:
            self._rows.compact()


def _check_size(master_key: bytes) -> None:
    if len(master_key) != KEY_BYTES:
        raise WrongMasterKeyError(f"the master key must have {KEY_BYTES} bytes")
