"""Doctor, third part: the key store and the read models, held against the log."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands import key_tables
from commands.key_rows import WorkspaceRow
from commands.wrapping import unwrap
from domain.canonical import JsonObject
from ops.cli_checks import Check, note, ok, problem
from ops.cli_doctor_log import LogSeen
from ops.cli_doctor_pages import damage, format_problem, unreadable
from ops.standalone_verifier import snapshot
from projections.catalogue import CATALOGUE
from projections.schema import FORMAT

_REBUILD: Final = "stop what has it open, then run `memoranda rebuild`"
_VERSIONS: Final = (
    "SELECT max(position) FROM (SELECT max(position) AS position FROM memory_version"
    " UNION ALL SELECT max(position) FROM edge_version)"
)

_PARKED: Final = (
    "SELECT projection, version, count(DISTINCT workspace || '/' || stream) FROM parked"
    " WHERE state = 'parked' GROUP BY projection, version"
)


def check_keys(file: Path, master_key: bytes | None, seen: LogSeen | None) -> Check:
    """The key store opens with the master key, and has the keys of the latest events."""
    try:
        with snapshot(file) as keys:
            wrong = format_problem(keys, "key store", key_tables.VERSION)
            if wrong is None:
                wrong = damage(keys, "key store", "workspace_key", "data_key")
            if wrong is not None:
                return wrong
            rows = [WorkspaceRow(*row) for row in keys.execute("SELECT * FROM workspace_key")]
            if master_key is not None and not all(opens(master_key, row) for row in rows):
                return problem(
                    "key store",
                    "master.key does not open it",
                    "put back the master.key and the keys.db that belong to this log",
                )
            missing = _missing_keys(keys, frozenset() if seen is None else seen.keys)
            if missing:
                return problem(
                    "key store",
                    f"{missing} keys of the latest events are not in it: it is older than the log",
                    "restore a keys.db that is as new as the log",
                )
            counts = dict(keys.execute("SELECT state, count(*) FROM data_key GROUP BY state"))
    except (OSError, sqlite3.Error) as error:
        return unreadable("key store", "keys.db", error)
    said = f"{len(rows)} workspaces; keys destroyed: {counts.get('destroyed', 0)}"
    return ok("key store", said, workspaces=len(rows), keys=counts)


def opens(master_key: bytes, row: WorkspaceRow) -> bool:
    """Whether a master key opens the key of a workspace, and that its root secret."""
    key = unwrap(AESGCM(master_key), row.wrapped_key, row.workspace)
    return key is not None and unwrap(AESGCM(key), row.wrapped_root, row.workspace) is not None


def _missing_keys(keys: sqlite3.Connection, wanted: frozenset[str]) -> int:
    (found,) = keys.execute(
        "SELECT count(*) FROM json_each(?) AS wanted JOIN data_key ON key_id = wanted.value",
        (json.dumps(sorted(wanted)),),
    ).fetchone()
    return len(wanted) - int(found)


def check_views(
    file: Path, seen: LogSeen | None, *, in_use: bool, lag_events_max: int
) -> Iterator[Check]:
    """Format, pages and positions of the read models; they can always be rebuilt."""
    try:
        with snapshot(file) as views:
            yield _check_views(views, seen, in_use=in_use, lag_events_max=lag_events_max)
    except (OSError, sqlite3.Error) as error:
        yield problem("read models", f"views.db is damaged or no database ({error})", _REBUILD)


def _check_views(
    views: sqlite3.Connection, seen: LogSeen | None, *, in_use: bool, lag_events_max: int
) -> Check:
    name = "read models"
    (found,) = views.execute("PRAGMA user_version").fetchone()
    if found != FORMAT:
        return problem(name, f"format {found}, this program reads {FORMAT}", _REBUILD)
    (pages,) = views.execute("PRAGMA quick_check(1)").fetchone()
    if pages != "ok":
        return problem(name, f"the file is damaged ({pages})", _REBUILD)
    positions = positions_of(views)
    if seen is None:
        return note(name, "there is no log to compare them with", positions=positions)
    (last,) = views.execute(_VERSIONS).fetchone()
    if (last or 0) > seen.head:
        return problem(name, "they hold events that the log does not", _REBUILD)
    lag = max(0, seen.head - min(positions.values()))
    parked = parked_of(views)
    facts: JsonObject = {"positions": positions, "lag": lag, "parked": parked}
    if parked:
        waiting = ", ".join(f"{count} of {projection}" for projection, count in parked.items())
        return problem(name, f"streams are parked: {waiting}", "`memoranda parked list`", **facts)
    if lag == 0:
        return ok(name, f"at the head of the log, position {seen.head}", **facts)
    if in_use and lag > lag_events_max:
        return problem(
            name,
            f"{lag} events behind a running process",
            "see which one fails: GET /health/ready",
            **facts,
        )
    return note(name, f"{lag} events behind: a running or the next process catches up", **facts)


def parked_of(views: sqlite3.Connection) -> dict[str, int]:
    """By projection how many streams an event stands in the way of."""
    rows = views.execute(_PARKED).fetchall()
    known = {(name, version): count for name, version, count in rows}
    return {
        one.name: known[one.name, one.version]
        for one in CATALOGUE
        if (one.name, one.version) in known
    }


def positions_of(views: sqlite3.Connection) -> dict[str, int]:
    """How far each projection of this program has seen the log; 0 where it has not begun."""
    rows = views.execute("SELECT projection, version, position FROM checkpoint").fetchall()
    known = {(name, version): position for name, version, position in rows}
    return {one.name: known.get((one.name, one.version), 0) for one in CATALOGUE}
