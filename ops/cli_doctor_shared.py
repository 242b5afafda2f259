"""Doctor for the server mode, second part: log, keys and read models of a migrated database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from commands.key_rows import WorkspaceRow
from commands.postgres_connections import WRITER_ROLE, Connection, connect, store_error
from domain.canonical import JsonObject
from domain.envelope import CorruptEventError
from domain.instants import Micros, server_time
from ops.cli_checks import RESTORE, Check, note, ok, problem
from ops.cli_doctor_log import (
    RECENT_EVENTS,
    LogSeen,
    api_keys_verdict,
    erasures_verdict,
    seen_in,
)
from ops.cli_doctor_store import opens
from projections import checkpoints
from projections.catalogue import CATALOGUE
from projections.database import reading
from projections.parked_streams import parked_streams
from projections.unusable import ViewsFormatError
from projections.views_postgres import open_reader

_AHEAD_US: Final = 1_000_000
_RECENT: Final = (
    "SELECT position, appended_at, state FROM memoranda_log.event ORDER BY position DESC LIMIT %s"
)
_API_KEYS: Final = "SELECT expires_at, revoked_at FROM memoranda_log.api_key"
_ERASURES: Final = (
    "SELECT count(DISTINCT originator_id), count(DISTINCT originator_id) FILTER (WHERE NOT EXISTS"
    " (SELECT FROM memoranda_log.event AS done WHERE done.originator_id = event.originator_id"
    " AND done.topic = 'erasure.completed')) FROM memoranda_log.event WHERE topic = 'erasure.step'"
)
_WORKSPACES: Final = (
    "SELECT workspace, wrapped_key, wrapped_root, audit_key_id FROM memoranda_keys.workspace_key"
)
_STATES: Final = "SELECT state, count(*) FROM memoranda_keys.data_key GROUP BY state"
_THERE: Final = "SELECT count(*) FROM memoranda_keys.data_key WHERE key_id = ANY(%s::text[])"
_PART_HEADS: Final = (
    "SELECT part, max(position) FROM memoranda_log.event WHERE part IS NOT NULL GROUP BY part"
)
_READ_ONLY: Final = {"default_transaction_read_only": "on"}


def check_contents(
    url: str, master_key: bytes | None, now_us: Micros, lag_events_max: int
) -> Iterator[Check]:
    """What is in the database; `now_us` is its own time."""
    try:
        with closing(connect(url, WRITER_ROLE, settings=_READ_ONLY)) as connection:
            seen, checks = _check_log(connection, now_us)
            yield from checks
            yield _check_keys(connection, master_key, seen)
            heads = dict(_rows(connection, _PART_HEADS))
    except psycopg.Error as error:
        yield _unusable("log", error)
        return
    yield _check_views(url, heads, lag_events_max)


def _rows(connection: Connection, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(query.encode(), parameters).fetchall()


def _check_log(connection: Connection, now_us: Micros) -> tuple[LogSeen, list[Check]]:
    recent = _rows(connection, _RECENT, RECENT_EVENTS)
    try:
        seen = seen_in(recent)
        log = ok("log", f"head at {seen.head}", head=seen.head)
    except (CorruptEventError, ValueError) as error:
        seen = LogSeen(recent[0][0], recent[0][1], frozenset())
        log = problem("log", f"one of the last events is damaged ({error})", RESTORE)
    ahead = seen.last_us - now_us
    if log.status == "ok" and ahead > _AHEAD_US:
        log = problem(
            "log",
            f"the last event is {ahead // _AHEAD_US} seconds in the future "
            f"({server_time(seen.last_us)}): the clock of a server is wrong, or was",
            "set the clocks; until they have caught up, new events stand right after the last one",
            head=seen.head,
            ahead_us=ahead,
        )
    ((asked, waiting),) = _rows(connection, _ERASURES)
    keys = api_keys_verdict(_rows(connection, _API_KEYS), now_us)
    return seen, [log, keys, erasures_verdict(asked, waiting, "a server that runs works on them")]


def _check_keys(connection: Connection, master_key: bytes | None, seen: LogSeen) -> Check:
    """Every workspace's key opens with the master key, and the latest events' keys are there."""
    rows = [WorkspaceRow(*row) for row in _rows(connection, _WORKSPACES)]
    if master_key is None and rows:
        return problem(
            "key store",
            f"{len(rows)} workspaces, and no master key to open them",
            "set MEMORANDA_MASTER_KEY to the key that the store was made with",
            workspaces=len(rows),
        )
    closed = sum(master_key is not None and not opens(master_key, row) for row in rows)
    if closed:
        return problem(
            "key store",
            f"MEMORANDA_MASTER_KEY does not open {closed} of {len(rows)} workspaces",
            "set it to the key that the store was made with, or that it was last rotated to",
            workspaces=len(rows),
        )
    ((found,),) = _rows(connection, _THERE, list(seen.keys))
    missing = len(seen.keys) - found
    if missing:
        return problem(
            "key store",
            f"{missing} keys of the latest events are not in it: it is older than the log",
            "restore the schema memoranda_keys from a backup that is as new as the log",
        )
    counts = dict(_rows(connection, _STATES))
    said = f"{len(rows)} workspaces; keys destroyed: {counts.get('destroyed', 0)}"
    return ok("key store", said, workspaces=len(rows), keys=counts)


def _check_views(url: str, heads: dict[int, int], lag_events_max: int) -> Check:
    name = "read models"
    views = open_reader(url)
    try:
        with reading(views) as connection:
            reached = {one.name: checkpoints.positions(connection, one) for one in CATALOGUE}
            parked = [one.projection for one in parked_streams(connection, CATALOGUE, None)]
    except ViewsFormatError as error:
        said, _, remedy = str(error).rpartition(": ")
        return problem(name, said, remedy)
    except SQLAlchemyError as error:
        return problem(name, f"they cannot be read ({type(error).__name__})", "`memoranda rebuild`")
    finally:
        views.dispose()
    lags = {
        projection: max((head - seen.get(part, 0) for part, head in heads.items()), default=0)
        for projection, seen in reached.items()
    }
    counted = {one: parked.count(one) for one in dict.fromkeys(parked)}
    facts: JsonObject = {"lags": {one: max(0, lag) for one, lag in lags.items()}, "parked": counted}
    if parked:
        waiting = ", ".join(f"{count} of {one}" for one, count in counted.items())
        return problem(name, f"streams are parked: {waiting}", "`memoranda parked list`", **facts)
    return _lagging(name, facts, lag_events_max)


def _lagging(name: str, facts: JsonObject, lag_events_max: int) -> Check:
    behind = {one: lag for one, lag in facts["lags"].items() if lag}
    if not behind:
        return ok(name, "they have seen the whole log", **facts)
    said = ", ".join(f"{one} {lag} positions" for one, lag in behind.items())
    if max(behind.values()) > lag_events_max:
        remedy = "start more workers with `memoranda worker`, look at what they say"
        return problem(name, f"far behind: {said}", remedy, **facts)
    return note(name, f"behind: {said}; workers or the next reader catch up", **facts)


def _unusable(check: str, error: psycopg.Error) -> Check:
    """What the database refused in the middle of the check."""
    said, _, remedy = str(store_error(error)).rpartition(": ")
    return problem(check, said, remedy)
