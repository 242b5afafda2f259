"""`memoranda verify`: the rules of docs/verify.py, applied to a data folder."""

from __future__ import annotations

from pathlib import Path

from ops.backup_switch import finish_interrupted
from ops.standalone_verifier import Report, verify

__all__ = ["Report", "verify_store"]


def verify_store(data_dir: Path, master_key: bytes | None) -> Report:
    """Check the log of a data folder, which may be in use; nothing is written.

    But a restore that was killed is finished first.

    With the master key (32 bytes) payloads are opened, too. Raises OSError, sqlite3.Error or
    ValueError where the folder holds no store of this format.
    """
    finish_interrupted(data_dir)
    if master_key is None:
        return verify(data_dir / "log.db")
    return verify(data_dir / "log.db", data_dir / "keys.db", master_key)
