"""The restored store as it will be, made beside the old one and checked before it takes its place.

It is a data folder, whichever store it is for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from commands.key_rotation import rotate_master
from commands.key_sqlite import SqliteKeyRows
from commands.sqlite_files import connect
from domain.envelope import CorruptEventError
from domain.errors import MemorandaError
from ops.backup_folder import one_file
from ops.backup_format import (
    KEYS,
    LOG,
    MANIFEST,
    BackupError,
    Manifest,
    digest_of,
    new_file,
    write_all,
)
from ops.backup_reapply import Reapplied, reapply
from ops.progress import OnProgress
from ops.verification import verify_store

MASTER: Final = "master.key"
MASTER_BYTES: Final = 32
LEAP: Final = 65_536
"""Positions that are left out: clients may have seen them in the log that is replaced."""


@dataclass(frozen=True, slots=True)
class Given:
    """What is restored: a backup, and what belongs to it and is kept elsewhere.

    `keys` is the key store's file where it is not in the folder, `master_key` opens it (None: that
    of the store that is restored does), `erasures` are files of `memoranda backup --erasures`.
    """

    backup: Path
    keys: Path | None = None
    master_key: bytes | None = field(default=None, repr=False)
    erasures: Sequence[Path] = ()


def make_stage(
    stage: Path,
    manifest: Manifest,
    given: Given,
    master_key: bytes,
    seen: int,
    on_progress: OnProgress,
) -> Reapplied:
    """Make the store in the empty folder `stage`, its keys wrapped by `master_key`.

    `given.erasures` are carried out in it. `seen` is the last position of the log that it is to
    replace. Raises BackupError where a file is not that of the backup, or anything in the store is
    wrong; WrongMasterKeyError; StoreError.
    """
    _copy_in(stage, manifest, given, on_progress)
    with new_file(stage / MASTER) as descriptor:
        write_all(descriptor, master_key.hex().encode() + b"\n")
    with closing(SqliteKeyRows(stage / KEYS)) as rows:
        rotate_master(rows, given.master_key or master_key, master_key)
    _leap(stage / LOG, max(manifest.position, seen))
    try:
        done = reapply(stage, given.erasures)
    except (CorruptEventError, MemorandaError) as error:
        raise BackupError(
            f"what was erased since the backup cannot be erased again in it ({error}): nothing "
            "was changed"
        ) from error
    for name in (LOG, KEYS):
        one_file(stage / name)
    _check(stage, master_key)
    return done


def _copy_in(stage: Path, manifest: Manifest, given: Given, on_progress: OnProgress) -> None:
    total, done = sum(one.bytes for one in manifest.files.values()), 0

    def moved(size: int) -> None:
        nonlocal done
        done += size
        on_progress(done, total)

    for name, said in manifest.files.items():
        source = given.keys if name == KEYS and given.keys else given.backup / name
        if not source.is_file():
            raise BackupError(
                f"{source} is missing: put it there, or name where the keys are with --keys; "
                "nothing was changed"
            )
        with new_file(stage / name) as descriptor:
            found = digest_of(source, descriptor, moved)
        if found != (said.bytes, said.sha256):
            raise BackupError(
                f"{source} is damaged, or belongs to another backup: its size and SHA-256 are not "
                f"those in {given.backup / MANIFEST}; nothing was changed"
            )


def _leap(log: Path, seen: int) -> None:
    """Let the next position be one that nobody can have seen."""
    with closing(connect(log)) as connection:
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'event'")
        connection.execute("INSERT INTO sqlite_sequence VALUES ('event', ?)", (seen + LEAP,))


def _check(stage: Path, master_key: bytes) -> None:
    try:
        report = verify_store(stage, master_key)
    except (ValueError, sqlite3.Error) as error:
        raise BackupError(f"the backup cannot be used ({error}): nothing was changed") from error
    if report.wrong:
        first = "position {position}, {event}, column {column}: {rule}".format_map(
            report.findings[0]
        )
        raise BackupError(
            f"{report.wrong} events of the restored store would be wrong ({first}): nothing was "
            "changed; take another backup, or other files of erasures"
        )
