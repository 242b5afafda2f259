"""Another master key for a key store: the keys of workspaces are wrapped anew, nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.key_rows import KeyRows, WorkspaceRow
from commands.store_errors import WrongMasterKeyError
from commands.wrapping import KEY_BYTES, unwrap, wrap
from domain.envelope import NONCE_BYTES


def rotate_master(
    rows: KeyRows, old: bytes, new: bytes, *, random: Callable[[int], bytes] = os.urandom
) -> int:
    """Wrap all workspace keys by `new` instead of `old`, 32 bytes each; how many there were.

    In one transaction: a process that dies leaves all of them under the one key or the other, and
    a repeat finds what is done already. No process may have the key store open meanwhile: it would
    go on to make workspaces under the old key. Raises WrongMasterKeyError, and changes nothing,
    where a key is under neither of the two.
    """
    if len(new) != KEY_BYTES or len(old) != KEY_BYTES:
        raise WrongMasterKeyError(f"a master key must have {KEY_BYTES} bytes")
    before, after = AESGCM(old), AESGCM(new)

    def wrapped(row: WorkspaceRow) -> bytes:
        if unwrap(after, row.wrapped_key, row.workspace) is not None:
            return row.wrapped_key
        key = unwrap(before, row.wrapped_key, row.workspace)
        if key is None:
            raise WrongMasterKeyError(
                "neither master key opens this key store: give the one that it was made with; "
                "nothing was changed"
            )
        return wrap(after, key, row.workspace, random(NONCE_BYTES))

    return rows.rewrap(wrapped)
