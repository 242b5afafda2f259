"""Doctor: the recall index on disk. What is wrong with it costs time only: the log has it all."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from ops.cli_checks import Check, note, ok
from ops.standalone_verifier import snapshot
from projections.index_folder import IndexFolder
from projections.index_schema import FORMAT
from projections.lexical.segment_files import SegmentError, digest_of

_NAME: Final = "index"
_ANEW: Final = "it is made anew from the log"


def check_index(file: Path, root: Path) -> Check:
    """Every byte of every segment that the manifest names, and how much is not in any."""
    try:
        with snapshot(file) as manifest:
            (found,) = manifest.execute("PRAGMA user_version").fetchone()
            if found != FORMAT:
                return note(_NAME, f"index.db has format {found}: {_ANEW}")
            segments = manifest.execute(
                "SELECT workspace, name, digest, documents, bytes FROM index_segment"
                " WHERE state = 'live'"
            ).fetchall()
            (pending,) = manifest.execute(
                "SELECT coalesce(sum(pending), 0) FROM index_workspace"
            ).fetchone()
    except (OSError, sqlite3.Error) as error:
        return note(_NAME, f"index.db is damaged or no database ({error}): {_ANEW}")
    folder = IndexFolder(root)
    damaged = sum(
        not _is_whole(folder.segment(workspace, name), digest)
        for workspace, name, digest, _, _ in segments
    )
    documents, size = (sum(one[at] for one in segments) for at in (3, 4))
    facts = {"segments": len(segments), "damaged": damaged, "documents": documents}
    said = f"{len(segments)} segments with {documents} versions, {size} bytes; {pending} not in any"
    if damaged:
        return note(
            _NAME, f"{damaged} of {said}: damaged or missing, made anew from the log", **facts
        )
    return ok(_NAME, said, **facts)


def _is_whole(folder: Path, digest: str) -> bool:
    try:
        return digest_of(folder) == digest
    except SegmentError:
        return False
