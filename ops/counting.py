"""How much is in a data folder, which may be in use."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
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
    place = None if workspace is not None else (str(folder.absolute()), files_of(folder))
    return summed(workspaces, head, positions, forgotten, place)


def summed(
    workspaces: Mapping[str, Mapping[str, int]],
    head: int,
    positions: Mapping[str, int] | None,
    forgotten: int | None,
    place: tuple[str | None, Mapping[str, int]] | None,
) -> JsonObject:
    """What is told of counts; `place` is where the store is and the bytes by file, or by schema."""
    names = ("events", *_COUNTED.values())
    totals = {name: sum(said[name] for said in workspaces.values()) for name in names}
    data, files = (None, None) if place is None else place
    size = None if files is None else sum(files.values())
    memories = totals["memories"]
    return {
        "data": data,
        **totals,
        "forgotten": forgotten,
        "head": head,
        "read_models": positions,
        "workspaces": workspaces,
        "files": files,
        "bytes": size,
        "bytes_per_memory": round(size / memories) if size is not None and memories else None,
    }


def _counts(file: Path, workspace: str | None) -> tuple[dict[str, dict[str, int]], int]:
    """Per workspace what was recorded; and the head of the log."""
    only, given = _only(" WHERE", workspace)
    with snapshot(file) as log:
        rows = log.execute(_EVENTS.format(only), given).fetchall()
        (head,) = log.execute("SELECT coalesce(max(position), 0) FROM event").fetchone()
    return by_workspace(rows), head


def by_workspace(rows: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """Rows of workspace, topic and count, as they are told."""
    workspaces: dict[str, dict[str, int]] = {}
    for name, topic, count in rows:
        said = workspaces.setdefault(name, dict.fromkeys(("events", *_COUNTED.values()), 0))
        said["events"] += count
        if topic in _COUNTED:
            said[_COUNTED[topic]] += count
    return workspaces


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
