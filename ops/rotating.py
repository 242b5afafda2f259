"""Another master key for a store: what it wraps is wrapped anew, and no event is touched."""

from __future__ import annotations

import secrets
import stat
from contextlib import closing
from pathlib import Path
from typing import Final

from commands.key_postgres import PostgresKeyRows
from commands.key_rotation import rotate_master
from commands.key_sqlite import SqliteKeyRows
from ops.data_folder import DataFolder, DataFolderError
from ops.master_keys import MASTER_KEY_BYTES
from ops.migrating import check_schema
from ops.settings import ServerMode, SettingsError

_OTHERS: Final = 0o077


def rotate_folder(data: Path, new: bytes | None) -> int:
    """Give a data folder another master key, a fresh one by default; how many workspaces it has.

    A process that dies leaves a store that opens with one of master.key and master.key.new, and
    the next one that opens it keeps that one. Raises DataFolderError, also where anybody has the
    folder open, and WrongMasterKeyError.
    """
    if not (data / "log.db").exists():
        raise DataFolderError(f"there is no store in {data}: name one with --data")
    with closing(DataFolder.open(data)) as folder:
        chosen = secrets.token_bytes(MASTER_KEY_BYTES) if new is None else new
        _refuse_the_same(folder.master_key, chosen)

        def rotation(old: bytes, to: bytes) -> int:
            with closing(SqliteKeyRows(folder.keys)) as rows:
                done = rotate_master(rows, old, to)
                # What the old key opens stands in no page any more.
                rows.compact()
                return done

        return folder.rotate(rotation, chosen)


def rotate_database(mode: ServerMode, new: bytes | None) -> int:
    """Give a database another master key (32 bytes); how many workspaces were still under the old.

    Processes that go on with the old key may make workspaces under it, so it is repeated when they
    have ended. Raises SettingsError without a new key, StoreError, WrongMasterKeyError.
    """
    if new is None:
        raise SettingsError(
            "the new master key is missing: make one with `openssl rand -hex 32`, KEEP A COPY "
            "where the database's backups are not, and give it in MEMORANDA_NEW_MASTER_KEY or "
            "with --new-key-file"
        )
    _refuse_the_same(mode.master_key, new)
    check_schema(mode.database_url)
    with closing(PostgresKeyRows(mode.database_url)) as rows:
        return rotate_master(rows, mode.master_key, new)


def _refuse_the_same(old: bytes, new: bytes) -> None:
    if secrets.compare_digest(old, new):
        raise SettingsError("the new master key is the one in use: choose another")


def key_in(file: Path) -> bytes:
    """The master key in a file that its owner alone can read. Raises SettingsError."""
    try:
        mode, text = file.stat().st_mode, file.read_text("ascii").strip()
        key = bytes.fromhex(text)
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be read ({error.strerror}): check --new-key-file"
        ) from None
    except ValueError:
        key = b""
    if stat.S_IMODE(mode) & _OTHERS:
        raise SettingsError(f"others may read {file}: chmod 600 {file}")
    if len(key) != MASTER_KEY_BYTES:
        raise SettingsError(
            f"{file} holds no master key: 64 hexadecimal digits, as `openssl rand -hex 32` prints"
        )
    return key
