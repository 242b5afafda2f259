"""What a store was made to forget, as a file: so that no older backup brings it back.

Lines of JSON: a header, requests of erasures, ids of destroyed keys, ids of revoked API keys, and
a last line with the number and the SHA-256 of the others. No content is in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Final

from domain.canonical import JsonObject, canonical
from domain.envelope import head_of
from domain.instants import server_time
from ops.backup_database import Query, database_query, database_snapshot
from ops.backup_folder import folder_snapshot
from ops.backup_format import BackupError, alone_in, into, new_file, write_all
from ops.settings import ServerMode
from workers.catch_up import wall_clock_us

FORMAT: Final = "memoranda.erasures/1"

_REQUESTED: Final = "SELECT state FROM event WHERE topic = 'erasure.step' ORDER BY position"
_DESTROYED: Final = (
    "SELECT workspace, key_id FROM data_key WHERE state = 'destroyed' ORDER BY key_id"
)
_REVOKED: Final = "SELECT key_id FROM api_key WHERE revoked_at IS NOT NULL ORDER BY key_id"
_KEYS_A_LINE: Final = 500


def erasures_of(log: Query | None, keys: Query | None) -> Iterator[JsonObject]:
    """All that a store was made to forget; without one of its parts, what the other says."""
    for (state,) in log(_REQUESTED) if log else ():
        head = head_of(state)
        said = head.structure
        if said["mode"] == "requested":
            yield {
                "erasure": head.stream,
                "context": head.context.as_json(),
                "scope": said["scope"],
                "targets": said["targets"],
            }
    destroyed = keys(_DESTROYED) if keys else ()
    for workspace, rows in groupby(destroyed, key=lambda row: row[0]):
        while block := [key for _, key in islice(rows, _KEYS_A_LINE)]:
            yield {"workspace": workspace, "destroyed": block}
    for (key,) in log(_REVOKED) if log else ():
        yield {"revoked": key}


def write_erasures(path: Path, lines: Iterable[JsonObject]) -> int:
    """Write a new file; how many lines it got. Raises OSError."""
    digest, count = hashlib.sha256(), 0
    header: JsonObject = {"format": FORMAT, "made_at": server_time(wall_clock_us())}
    with new_file(path) as descriptor:
        for said in chain([header], lines):
            line = canonical(said) + b"\n"
            digest.update(line)
            write_all(descriptor, line)
            count += 1
        write_all(descriptor, canonical({"lines": count, "sha256": digest.hexdigest()}) + b"\n")
    return count - 1


def read_erasures(path: Path) -> Iterator[JsonObject]:
    """The lines of a file, which `check_erasures` has found whole."""
    with path.open("rb") as file:
        next(file)
        for line in file:
            said = json.loads(line)
            if "lines" not in said:
                yield said


def check_erasures(path: Path) -> None:
    """Raise BackupError for a file that is damaged, cut off, of a newer program, or another one."""
    digest, count, last = hashlib.sha256(), 0, b""
    try:
        with path.open("rb") as file:
            for line in file:
                if count == 0 and json.loads(line).get("format") != FORMAT:
                    raise BackupError(
                        f"{path} is no file of erasures that this version knows: name one that "
                        "`memoranda backup --erasures` has written"
                    )
                digest.update(last)
                last, count = line, count + 1
        end = json.loads(last)
        whole = end == {"lines": count - 1, "sha256": digest.hexdigest()}
    except OSError as error:
        raise BackupError(f"{path} cannot be read ({error.strerror}): check its name") from None
    except (ValueError, AttributeError):
        whole = False
    if not whole:
        raise BackupError(f"{path} is damaged or cut off: take another copy of it")


def backup_erasures(where: Path | ServerMode, out: Path) -> int:
    """Write what a store was made to forget into the new file `out`; how many lines it got.

    Raises BackupError, or StoreError for a store that cannot be read; there is no `out` then.
    """
    out = out.resolve()
    draft = out.with_name(out.name + ".partial")
    with into(out), alone_in(out.parent):
        if out.exists():
            raise BackupError(f"{out} is there already: choose another name; nothing was changed")
        draft.unlink(missing_ok=True)
        try:
            with _queries(where) as (log, keys):
                count = write_erasures(draft, erasures_of(log, keys))
            draft.rename(out)
        finally:
            draft.unlink(missing_ok=True)
    return count


@contextmanager
def _queries(where: Path | ServerMode) -> Iterator[tuple[Query, Query]]:
    if isinstance(where, Path):
        with folder_snapshot(where) as seen:
            yield seen.log.execute, seen.keys.execute
    else:
        with database_snapshot(where.database_url) as snapshot:
            query = database_query(snapshot.connection)
            yield query, query
