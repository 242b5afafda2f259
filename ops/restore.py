"""`memoranda restore`: a backup takes the place of a store, and what was erased stays erased."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from commands.sqlite_files import connect
from commands.store_errors import StoreError
from domain.canonical import JsonObject
from domain.envelope import CorruptEventError
from ops.backup_erasures import check_erasures, erasures_of, write_erasures
from ops.backup_format import KEYS, LOG, BackupError, Manifest, into, read_manifest
from ops.backup_reapply import Reapplied
from ops.backup_stage import MASTER, MASTER_BYTES, Given, make_stage
from ops.backup_switch import staged, switch
from ops.data_folder import held
from ops.progress import OnProgress

CURRENT: Final = "erasures"
"""In the folder where the store is made: what the store that is replaced was made to forget."""


@dataclass(frozen=True, slots=True)
class Target:
    """The store that is restored. What is in it is replaced only where that is asked for.

    With `despite_damage` that may be a store whose own erasures cannot be read, or not all.
    """

    replace: bool = False
    despite_damage: bool = False


@dataclass(frozen=True, slots=True)
class Restored:
    """What a store holds now, and what was erased in it again."""

    manifest: Manifest
    again: Reapplied


def checked(given: Given) -> Manifest:
    """The manifest of what is given; BackupError where that cannot be restored by anybody."""
    for file in given.erasures:
        check_erasures(file)
    return read_manifest(given.backup)


def restore_folder(data: Path, given: Given, target: Target, on_progress: OnProgress) -> Restored:
    """Restore a backup of either store as a data folder, which nobody may have open.

    Its master key stays where it has one. A kill at any moment leaves the old or the new store.
    Raises BackupError, DataFolderError, WrongMasterKeyError or StoreError: nothing is changed then.
    """
    manifest = checked(given)
    with into(data), held(data):
        master_key = _master_key(data, given)
        present = any((data / name).exists() for name in (LOG, KEYS))
        if present and not target.replace:
            raise not_empty(str(data))
        with staged(data) as stage:
            if present:
                current = stage / CURRENT
                write_erasures(current, _erasures(data, target))
                given = replace(given, erasures=[*given.erasures, current])
            seen = _last_position(data / LOG)
            again = make_stage(stage, manifest, given, master_key, seen, on_progress)
            switch(data)
    return Restored(manifest, again)


def not_empty(where: str) -> BackupError:
    """The refusal to replace a store that nobody spoke of."""
    return BackupError(
        f"there is a store in {where}, and a restore replaces all of it: restore elsewhere, or say "
        "--replace; nothing was changed"
    )


def _master_key(data: Path, given: Given) -> bytes:
    file = data / MASTER
    if file.exists():
        return read_master_key(file)
    if given.master_key is None:
        raise BackupError(
            "the master key is in no backup, and without it nothing can be read: put the copy that "
            f"you kept at {file}, or name it with --master-key; nothing was changed"
        )
    return given.master_key


def read_master_key(file: Path) -> bytes:
    """The key in a file of hexadecimal digits; BackupError where there is none."""
    try:
        key = bytes.fromhex(file.read_text("ascii"))
    except OSError as error:
        raise BackupError(f"{file} cannot be read ({error.strerror}): check its name") from None
    except ValueError:
        key = b""
    if len(key) != MASTER_BYTES:
        raise BackupError(f"{file} holds no master key: {2 * MASTER_BYTES} hexadecimal digits")
    return key


def _erasures(data: Path, target: Target) -> Iterator[JsonObject]:
    """What the store that is replaced was made to forget: of either file, as much as can be."""
    return (
        line
        for name in (LOG, KEYS)
        for line in readable(_erasures_in(data / name), target, str(data / name))
    )


def readable(lines: Iterable[JsonObject], target: Target, where: str) -> Iterator[JsonObject]:
    """The lines; those that cannot be read are left out where the store may be damaged."""
    try:
        yield from lines
    except (sqlite3.Error, StoreError, CorruptEventError, LookupError, ValueError) as error:
        if not target.despite_damage:
            raise BackupError(
                f"what was erased since the backup cannot be read from {where} ({error}), and the "
                "backup would bring it back: give the latest file of `memoranda backup --erasures` "
                "with --erasures, and say --despite-damage; nothing was changed"
            ) from error


def _erasures_in(file: Path) -> Iterator[JsonObject]:
    if file.exists():
        with closing(connect(file)) as opened:
            if file.name == LOG:
                yield from erasures_of(opened.execute, None)
            else:
                yield from erasures_of(None, opened.execute)


def _last_position(log: Path) -> int:
    """The last position that was given out; 0 where nobody can tell any more."""
    if not log.exists():
        return 0
    try:
        with closing(connect(log)) as opened:
            found = opened.execute("SELECT max(seq) FROM sqlite_sequence").fetchone()
    except sqlite3.DatabaseError:
        return 0  # a damaged one, which was said to be replaced all the same
    return int(found[0] or 0)
