"""The upper levels of the key store: what the master key wraps, one entry per workspace.

Master key → workspace key → root secret, audit key and data keys. The secret of a workspace's slots
is derived from its root, but where the workspace was imported: then it is that of the store it
came from, so that references of slots in its events still mean the same (docs/adr/0028).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.bounded import Bounded
from commands.clock import MonotonicIds
from commands.key_rows import KeyRow, KeyRows, WorkspaceRow
from commands.secrets import WorkspaceSecrets
from commands.store_errors import StoreError, StoreFormatError, WrongMasterKeyError
from commands.wrapping import KEY_BYTES, unwrap, wrap
from domain.envelope import NONCE_BYTES

_WORKSPACES_MAX: Final = 4096
_KEY: Final = "key_"


@dataclass(frozen=True, slots=True)
class WorkspaceKeys:
    """What is held of a workspace in memory; `wrapping` is its key, ready to wrap others."""

    workspace: str
    wrapping: AESGCM
    secrets: WorkspaceSecrets
    audit_key: tuple[str, bytes]

    def open(self, row: KeyRow) -> bytes | None:
        """The data key of a row; None for a destroyed one."""
        return _opened(self.wrapping, row)


class KeyLevels:
    """Makes and opens the keys of workspaces. Its owner has a lock."""

    def __init__(
        self, rows: KeyRows, master_key: bytes, ids: MonotonicIds, random: Callable[[int], bytes]
    ) -> None:
        self._rows = rows
        self._master = AESGCM(master_key)
        self._ids = ids
        self._random = random
        self._cache: Bounded[str, WorkspaceKeys] = Bounded(_WORKSPACES_MAX)

    def check_master_key(self) -> None:
        """Raise WrongMasterKeyError if another master key made this key store."""
        row = self._rows.any_workspace()
        if row is not None:
            self._unlock(row)

    def known(self, workspace: str) -> WorkspaceKeys | None:
        """The keys of a workspace; None where it has none yet."""
        known = self._cache.get(workspace)
        if known is None:
            row = self._rows.workspace(workspace)
            if row is None:
                return None
            known = self._unlock(row)
            self._cache.put(workspace, known)
        return known

    def ensured(self, workspace: str, slots: bytes | None = None) -> WorkspaceKeys:
        """The keys of a workspace, which are made if it has none.

        `slots` is then the secret of its slots, if not one that is derived from its root.
        """
        known = self.known(workspace)
        if known is None:
            self._make(workspace, slots)
            # Another process may have been first.
            known = self.known(workspace)
        if known is None:
            raise StoreError("the keys of a workspace are gone right after they were made")
        return known

    def new_key(self, parent: AESGCM, workspace: str, state: str) -> tuple[KeyRow, bytes]:
        """A new data key and the row that stores it."""
        key_id, key = self._ids.new(_KEY), self._random(KEY_BYTES)
        wrapped = wrap(parent, key, key_id, self._random(NONCE_BYTES))
        return KeyRow(key_id, workspace, wrapped, state), key

    def _make(self, workspace: str, slots: bytes | None) -> None:
        key, root = self._random(KEY_BYTES), self._random(KEY_BYTES)
        parent = AESGCM(key)
        audit, _ = self.new_key(parent, workspace, "audit")
        row = WorkspaceRow(
            workspace,
            wrap(self._master, key, workspace, self._random(NONCE_BYTES)),
            wrap(parent, root, workspace, self._random(NONCE_BYTES)),
            audit.key_id,
        )
        keys = [audit]
        if slots is not None:
            name = slots_key(workspace)
            wrapped = wrap(parent, slots, name, self._random(NONCE_BYTES))
            keys.append(KeyRow(name, workspace, wrapped, "audit"))
        self._rows.add_workspace(row, keys)

    def _unlock(self, row: WorkspaceRow) -> WorkspaceKeys:
        key = unwrap(self._master, row.wrapped_key, row.workspace)
        if key is None:
            raise WrongMasterKeyError(
                "the master key does not open this key store: start with the master.key (or the "
                "setting) that it was made with; nothing was changed"
            )
        parent = AESGCM(key)
        root = unwrap(parent, row.wrapped_root, row.workspace)
        slots_id = slots_key(row.workspace)
        kept = self._rows.keys(row.workspace, [row.audit_key_id, slots_id])
        opened = {one.key_id: _opened(parent, one) for one in kept}
        audit = opened.get(row.audit_key_id)
        if root is None or audit is None:
            raise _damaged()
        secrets = WorkspaceSecrets.derive(root)
        slots = opened.get(slots_id)
        if slots is not None:
            secrets = replace(secrets, slots=slots)
        return WorkspaceKeys(row.workspace, parent, secrets, (row.audit_key_id, audit))


def slots_key(workspace: str) -> str:
    """The id of the row that holds the secret of an imported workspace's slots."""
    return f"slots_{workspace}"


def _opened(parent: AESGCM, row: KeyRow) -> bytes | None:
    if row.wrapped is None:
        return None
    key = unwrap(parent, row.wrapped, row.key_id)
    if key is None:
        raise _damaged()
    return key


def _damaged() -> StoreFormatError:
    return StoreFormatError(
        "a key of the key store is damaged: restore it (keys.db, or the schema memoranda_keys) "
        "from a backup"
    )
