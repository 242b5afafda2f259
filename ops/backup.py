"""`memoranda backup`: a consistent copy of log and keys, checked before it gets its name."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

from commands.postgres_connections import translated
from commands.sqlite_files import sync_folder
from domain.instants import server_time
from ops.backup_database import copy_keys, copy_log, database_snapshot
from ops.backup_folder import copy_database, count_rows, folder_snapshot, head_of
from ops.backup_format import (
    KEYS,
    LOG,
    MANIFEST,
    TABLES,
    BackupError,
    BackupFile,
    Manifest,
    Source,
    alone_in,
    digest_of,
    into,
    new_file,
    new_folder,
    sync_file,
    write_all,
)
from ops.progress import OnProgress
from ops.settings import ServerMode
from ops.standalone_verifier import verify
from workers.catch_up import wall_clock_us

_PARTIAL: Final = ".partial"


def backup(where: Path | ServerMode, out: Path, on_progress: OnProgress) -> Manifest:
    """Back up a data folder or a database, in use or not, into the new folder `out`.

    It grows as `<out>.partial` and is renamed when all of it is on the disk and every hash in it
    was found right. `on_progress` is told pages or events. Raises BackupError, or StoreError for a
    store that cannot be read; there is no `out` then.
    """
    out = out.resolve()
    with into(out), _growing(out) as draft:
        made_at = server_time(wall_clock_us())
        master_key = _copied(where, draft, on_progress)
        _verify(draft, master_key)
        source: Source = "folder" if isinstance(where, Path) else "postgresql"
        files = {name: _described(draft / name) for name in (LOG, KEYS)}
        position = head_of(draft / LOG)
        manifest = Manifest(made_at, version("memoranda"), source, position, files)
        with new_file(draft / MANIFEST) as descriptor:
            write_all(descriptor, manifest.to_bytes())
    return manifest


@contextmanager
def _growing(out: Path) -> Iterator[Path]:
    """A new folder beside `out`, which becomes `out` at the end of the block."""
    draft = out.with_name(out.name + _PARTIAL)
    with alone_in(out.parent):
        if out.exists() and not (out.is_dir() and not any(out.iterdir())):
            raise BackupError(f"{out} is there already: choose another name; nothing was changed")
        if draft.exists():
            shutil.rmtree(draft)  # of a backup that was killed
        new_folder(draft)
        try:
            yield draft
            sync_folder(draft)
            draft.rename(out)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        sync_folder(out.parent)


def _copied(where: Path | ServerMode, draft: Path, on_progress: OnProgress) -> bytes | None:
    """Copy both files; gives the master key, None where the folder is without it."""
    if isinstance(where, ServerMode):
        with translated(), database_snapshot(where.database_url) as snapshot:
            copy_keys(snapshot, draft / KEYS)
            copy_log(snapshot, draft / LOG, on_progress)
        return where.master_key
    with folder_snapshot(where) as seen:
        # The keys first, and let go: an erasure waits for who reads them.
        copy_database(seen.keys, draft / KEYS, lambda _done, _pages: None)
        seen.keys.close()
        copy_database(seen.log, draft / LOG, on_progress)
    file = where / "master.key"
    return bytes.fromhex(file.read_text("ascii")) if file.exists() else None


def _verify(draft: Path, master_key: bytes | None) -> None:
    keys = () if master_key is None else (draft / KEYS, master_key)
    try:
        report = verify(draft / LOG, *keys)
    except ValueError as error:
        raise BackupError(f"the store cannot be backed up: {error}") from None
    if report.wrong:
        first = "position {position}, {event}, column {column}: {rule}".format_map(
            report.findings[0]
        )
        raise BackupError(
            f"{report.wrong} events of the store are wrong ({first}): no backup was made of it. "
            "Look with `memoranda verify`, and keep the earlier backups"
        )


def _described(file: Path) -> BackupFile:
    sync_file(file)
    size, digest = digest_of(file)
    return BackupFile(size, digest, count_rows(file, TABLES[file.name]))
