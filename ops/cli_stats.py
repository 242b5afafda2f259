"""`memoranda stats`: how much is in a data folder, which may be in use."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from domain.canonical import JsonObject
from ops.cli_errors import telling
from ops.cli_shared import DataOption, JsonOption, say_json
from ops.cli_where import show
from ops.settings import load_settings

if TYPE_CHECKING:
    from rich.text import Text

_COUNTED: Final = {
    "memory.remembered": "memories",
    "relationship.related": "relationships",
    "recall.recorded": "recalls",
}
"""The events that begin what is counted."""


def stats(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Count what a data folder holds, and what it takes; it may be in use."""
    with telling(as_json=as_json):
        found = measured(load_settings(data=data).data)
    if as_json:
        say_json(found)
    else:
        show(_told(found))


def measured(folder: Path) -> JsonObject:
    """Counts, positions and bytes. Raises DataFolderError where there is no store to count.

    `memories`, `relationships` and `recalls` are those ever recorded, the forgotten ones too.
    """
    from ops.cli_doctor_files import files_of
    from ops.data_folder import DataFolderError

    try:
        workspaces, head = _counts(folder / "log.db")
        positions, forgotten = _read_models(folder / "views.db")
    except (OSError, sqlite3.Error) as error:
        raise DataFolderError(
            f"{folder} cannot be counted ({error}): `memoranda doctor` says what is wrong"
        ) from None
    files = files_of(folder)
    names = ("events", *_COUNTED.values())
    totals = {name: sum(said[name] for said in workspaces.values()) for name in names}
    size = sum(files.values())
    return {
        "data": str(folder.absolute()),
        **totals,
        "forgotten": forgotten,
        "head": head,
        "read_models": positions,
        "workspaces": workspaces,
        "files": files,
        "bytes": size,
        "bytes_per_memory": round(size / totals["memories"]) if totals["memories"] else None,
    }


def _counts(file: Path) -> tuple[dict[str, dict[str, int]], int]:
    """Per workspace what was recorded; and the head of the log."""
    from ops.standalone_verifier import snapshot

    workspaces: dict[str, dict[str, int]] = {}
    with snapshot(file) as log:
        rows = log.execute(
            "SELECT workspace, topic, count(*) FROM event GROUP BY workspace, topic"
        ).fetchall()
        (head,) = log.execute("SELECT coalesce(max(position), 0) FROM event").fetchone()
    for workspace, topic, count in rows:
        said = workspaces.setdefault(workspace, dict.fromkeys(("events", *_COUNTED.values()), 0))
        said["events"] += count
        if topic in _COUNTED:
            said[_COUNTED[topic]] += count
    return workspaces, head


def _read_models(file: Path) -> tuple[dict[str, int] | None, int | None]:
    """How far each projection has seen the log, and how many memories are forgotten for good."""
    from ops.cli_doctor_store import positions_of
    from ops.standalone_verifier import snapshot

    if not file.exists():
        return None, None
    with snapshot(file) as views:
        (forgotten,) = views.execute(
            "SELECT count(*) FROM memory_version"
            " WHERE to_position IS NULL AND forgotten IS NOT NULL"
        ).fetchone()
        return positions_of(views), forgotten


def _told(found: JsonObject) -> Iterator[Text]:
    from ops.cli_text import counted, line, pairs, plain

    yield line(
        counted(found["memories"], "memory", "memories"),
        f"{found['forgotten']} of them forgotten" if found["forgotten"] else "",
        counted(found["relationships"], "relationship"),
        counted(found["recalls"], "recall"),
        counted(found["events"], "event"),
    )
    for workspace, said in sorted(found["workspaces"].items()):
        yield line(f"{plain(workspace)}: {pairs(said)}", indent=1)
    positions = found["read_models"] or {}
    seen = ", ".join(f"{name} at {position}" for name, position in positions.items())
    yield line(f"log at {found['head']}", seen or "no read models")
    for name, size in found["files"].items():
        yield line(f"{size:>14,}  {name}")
    each = found["bytes_per_memory"]
    yield line(f"{found['bytes']:>14,}  bytes", f"{each:,} a memory" if each is not None else "")
