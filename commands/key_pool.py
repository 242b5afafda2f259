"""Data keys that were made durable ahead of their use (design.md §2, Keys)."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from typing import Final

from commands.bounded import Bounded
from commands.key_levels import KeyLevels
from commands.key_rows import KeyRows
from commands.store_errors import StoreError

BLOCK: Final = 256
"""Keys that one transaction makes, so that an append need not write any."""
_WORKSPACES_MAX: Final = 1024


class KeyPool:
    """The keys that this process made and has not used yet, per workspace.

    What is left of it at the end of the process stays reserved for good: no other process ever
    uses it. Its owner has a lock.
    """

    def __init__(self, rows: KeyRows, levels: KeyLevels) -> None:
        self._rows = rows
        self._levels = levels
        self._process = os.getpid()
        self._pools: Bounded[str, deque[tuple[str, bytes]]] = Bounded(_WORKSPACES_MAX)

    def take(self, workspace: str) -> tuple[str, bytes]:
        """Id and key; the key is on the disk, and nobody else gets it."""
        if os.getpid() != self._process:
            raise StoreError("the key store was opened before the fork: open it in the child")
        pool = self._pools.get(workspace)
        if not pool:
            pool = self._filled(workspace)
            self._pools.put(workspace, pool)
        return pool.popleft()

    def discard(self, workspace: str, key_ids: Iterable[str]) -> None:
        """Never hand out these."""
        pool = self._pools.get(workspace)
        if pool:
            gone = frozenset(key_ids)
            self._pools.put(workspace, deque(key for key in pool if key[0] not in gone))

    def _filled(self, workspace: str) -> deque[tuple[str, bytes]]:
        parent = self._levels.ensured(workspace).wrapping
        block = [self._levels.new_key(parent, workspace, "reserved") for _ in range(BLOCK)]
        self._rows.add_keys([row for row, _ in block])
        return deque((row.key_id, key) for row, key in block)
