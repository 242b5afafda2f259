"""How much is in a data folder, which may be in use."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from domain.canonical import JsonObject
from ops.cli_doctor_files import files_of
from ops.cli_doctor_store import positions_of
from ops.data_folder import DataFolderError
from ops.standalone_verifier import snapshot

_COUNTED: Final = {
    "memory.remembered": "memories",
    "relationship.related": "relationships",
    "recall.recorded": "recalls",
}
"""The events that begin what is counted."""
_EVENTS: Final = "SELECT workspace, topic, count(*) FROM event{} GROUP BY workspace, topic"
_FORGOTTEN: Final = (
    "SELECT count(*) FROM memory_version WHERE to_position IS NULL AND forgotten IS NOT NULL{}"
)


def measured(folder: Path, workspace: str | None = None) -> JsonObject:
    """Counts, positions and bytes. Raises DataFolderError where there is no store to count.

    `memories`, `relationships` and `recalls` are those ever recorded, the forgotten ones too. For
    one workspace alone what is only known of the whole store is None: where it is, its bytes.
    """
    try:
        workspaces, head = _counts(folder / "log.db", workspace)
        positions, forgotten = _read_models(folder / "views.db", workspace)
    except (OSError, sqlite3.Error) as error:
        raise DataFolderError(
            f"{folder} cannot be counted ({error}): `memoranda doctor` says what is wrong"
        ) from None
    names = ("events", *_COUNTED.values())
    totals = {name: sum(said[name] for said in workspaces.values()) for name in names}
    return {
        "data": str(folder.absolute()) if workspace is None else None,
        **totals,
        "forgotten": forgotten,
        "head": head,
        "read_models": positions,
        "workspaces": workspaces,
        **_bytes(folder if workspace is None else None, totals["memories"]),
    }


def _bytes(folder: Path | None, memories: int) -> JsonObject:
    if folder is None:
        return dict.fromkeys(("files", "bytes", "bytes_per_memory"))
    files = files_of(folder)
    size = sum(files.values())
    return {
        "files": files,
        "bytes": size,
        "bytes_per_memory": round(size / memories) if memories else None,
    }


def _counts(file: Path, workspace: str | None) -> tuple[dict[str, dict[str, int]], int]:
    """Per workspace what was recorded; and the head of the log."""
    only, given = _only(" WHERE", workspace)
    workspaces: dict[str, dict[str, int]] = {}
    with snapshot(file) as log:
        rows = log.execute(_EVENTS.format(only), given).fetchall()
        (head,) = log.execute("SELECT coalesce(max(position), 0) FROM event").fetchone()
    for name, topic, count in rows:
        said = workspaces.setdefault(name, dict.fromkeys(("events", *_COUNTED.values()), 0))
        said["events"] += count
        if topic in _COUNTED:
            said[_COUNTED[topic]] += count
    return workspaces, head


def _read_models(file: Path, workspace: str | None) -> tuple[dict[str, int] | None, int | None]:
    """How far each projection has seen the log, and how many memories are forgotten for good."""
    if not file.exists():
        return None, None
    only, given = _only(" AND", workspace)
    with snapshot(file) as views:
        (forgotten,) = views.execute(_FORGOTTEN.format(only), given).fetchone()
        return positions_of(views), forgotten


def _only(word: str, workspace: str | None) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if workspace is None else (f"{word} workspace = ?", (workspace,))
