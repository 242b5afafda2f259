"""Doctor, second part: what is in the files. Nothing is written, and the store may be in use."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands import key_tables, store_schema
from commands.key_tables import WorkspaceRow
from commands.wrapping import unwrap
from domain.canonical import JsonObject
from domain.envelope import CorruptEventError, Head, unpack_state
from domain.instants import Micros, parse_instant, server_time
from ops.cli_checks import RESTORE, Check, note, ok, problem
from ops.standalone_verifier import snapshot
from projections.catalogue import CATALOGUE
from projections.schema import FORMAT

RECENT_EVENTS: Final = 256
"""So many of the last events are looked at for keys that are missing."""
CLOCK_EVENTS: Final = 10_000
_STANDING_US: Final = 9
"""No commit is that quick: where two appends are closer, the clock stood or had jumped back."""
_SECOND: Final = 1_000_000
_REBUILD: Final = "stop what has it open, then run `memoranda rebuild`"
_STEPS: Final = (
    "SELECT count(*) FROM (SELECT appended_at - lag(appended_at) OVER (ORDER BY position) AS step"
    " FROM event WHERE position > ?) WHERE step BETWEEN 1 AND ?"
)
_VERSIONS: Final = (
    "SELECT max(position) FROM (SELECT max(position) AS position FROM memory_version"
    " UNION ALL SELECT max(position) FROM edge_version)"
)


@dataclass(frozen=True, slots=True)
class LogSeen:
    """What the rest has to fit: head, append time of the last event, keys of the latest ones."""

    head: int
    last_us: Micros
    keys: frozenset[str]


def check_log(file: Path, now_us: Micros) -> tuple[LogSeen | None, list[Check]]:
    """Format, pages, clock and API keys of the log; None where it cannot be read."""
    try:
        with snapshot(file) as log:
            wrong = _format_problem(log, "log", store_schema.VERSION)
            if wrong is None:
                wrong = _damage(log, "log", "event", "api_key")
            if wrong is not None:
                return None, [wrong]
            seen = _seen(log)
            return seen, [
                ok("log", f"format {store_schema.VERSION}, head at {seen.head}", head=seen.head),
                _check_clock(log, seen, now_us),
                _check_api_keys(log, now_us),
            ]
    except (OSError, sqlite3.Error, CorruptEventError, ValueError) as error:
        return None, [_unreadable("log", "log.db", error)]


def _unreadable(check: str, file: str, error: Exception) -> Check:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CANTOPEN:
        return problem(check, f"{file} cannot be opened", "check its owner and permissions (0600)")
    return problem(check, f"{file} is damaged or no database ({error})", RESTORE)


def _format_problem(connection: sqlite3.Connection, check: str, known: int) -> Check | None:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not tables:
        return problem(check, "it is empty", f"{RESTORE}; without one, the next start begins anew")
    if "store_format" not in tables:
        return problem(
            check, "it is a database of another program", "choose another folder with --data"
        )
    (found,) = connection.execute("SELECT max(version) FROM store_format").fetchone()
    if found == known:
        return None
    return problem(
        check,
        f"it has format {found}, this program reads format {known}",
        "use the version of Memoranda that wrote it, or a newer one",
        format=found,
    )


def _damage(connection: sqlite3.Connection, check: str, *tables: str) -> Check | None:
    """What SQLite finds in the pages of tables.

    One at a time, without event_ref: SQLite before 3.41 takes each row of a table whose primary
    key orders its columns otherwise for NULL. Its pages are read when the log is.
    """
    for table in tables:
        (found,) = connection.execute(f"PRAGMA quick_check('{table}')").fetchone()
        if found != "ok":
            return problem(check, f"{table} is damaged ({found})", RESTORE)
    return None


def _seen(log: sqlite3.Connection) -> LogSeen:
    recent = log.execute(
        "SELECT position, appended_at, state FROM event ORDER BY position DESC LIMIT ?",
        (RECENT_EVENTS,),
    ).fetchall()
    heads = (Head.from_bytes(unpack_state(row["state"])[0]) for row in recent)
    keys = frozenset(head.key for head in heads if head.key is not None)
    log.execute("SELECT sum(length(stream)) FROM event_ref").fetchone()
    if not recent:
        return LogSeen(0, 0, keys)
    return LogSeen(recent[0]["position"], recent[0]["appended_at"], keys)


def _check_clock(log: sqlite3.Connection, seen: LogSeen, now_us: Micros) -> Check:
    """The machine's clock against the log's times, which only grow."""
    ahead = seen.last_us - now_us
    if ahead > _SECOND:
        return problem(
            "clock",
            f"the last event is {ahead // _SECOND} seconds in the future "
            f"({server_time(seen.last_us)}): the clock is wrong, or was when it was written",
            "set the clock; until it has caught up, new events stand right after the last one",
            ahead_us=ahead,
        )
    (standing,) = log.execute(_STEPS, (seen.head - CLOCK_EVENTS, _STANDING_US)).fetchone()
    if standing:
        return note(
            "clock",
            f"it stood or had jumped back at {standing} of the last appends: their times are "
            "right after one another",
            "let the clock be kept by NTP or the like",
            jumps=standing,
        )
    return ok("clock", f"{server_time(now_us)}, later than every event")


def _check_api_keys(log: sqlite3.Connection, now_us: Micros) -> Check:
    rows = log.execute("SELECT expires_at, revoked_at FROM api_key").fetchall()
    revoked = sum(row["revoked_at"] is not None for row in rows)
    expired = sum(
        row["revoked_at"] is None
        and row["expires_at"] is not None
        and parse_instant(row["expires_at"], "expires_at") <= now_us
        for row in rows
    )
    valid = len(rows) - revoked - expired
    facts = {"in_force": valid, "expired": expired, "revoked": revoked}
    said = f"{valid} in force, {expired} expired, {revoked} revoked"
    if valid:
        return ok("api keys", said, **facts)
    remedy = "a server needs one: `memoranda keys create --name NAME`"
    return note("api keys", said, remedy, **facts)


def check_keys(file: Path, master_key: bytes | None, seen: LogSeen | None) -> Check:
    """The key store opens with the master key, and has the keys of the latest events."""
    try:
        with snapshot(file) as keys:
            wrong = _format_problem(keys, "key store", key_tables.VERSION)
            if wrong is None:
                wrong = _damage(keys, "key store", "workspace_key", "data_key")
            if wrong is not None:
                return wrong
            rows = [WorkspaceRow(*row) for row in keys.execute("SELECT * FROM workspace_key")]
            if master_key is not None and not all(_opens(master_key, row) for row in rows):
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
        return _unreadable("key store", "keys.db", error)
    said = f"{len(rows)} workspaces; keys destroyed: {counts.get('destroyed', 0)}"
    return ok("key store", said, workspaces=len(rows), keys=counts)


def _opens(master_key: bytes, row: WorkspaceRow) -> bool:
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
    facts: JsonObject = {"positions": positions, "lag": lag}
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


def positions_of(views: sqlite3.Connection) -> dict[str, int]:
    """How far each projection of this program has seen the log; 0 where it has not begun."""
    rows = views.execute("SELECT projection, version, position FROM checkpoint").fetchall()
    known = {(name, version): position for name, version, position in rows}
    return {one.name: known.get((one.name, one.version), 0) for one in CATALOGUE}
