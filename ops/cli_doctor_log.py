"""Doctor, second part: the log, its times, the API keys and the erasures in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from commands import store_schema
from domain.envelope import CorruptEventError, head_of
from domain.instants import Micros, parse_instant, server_time
from ops.cli_checks import Check, note, ok, problem
from ops.cli_doctor_pages import damage, format_problem, unreadable
from ops.standalone_verifier import snapshot

RECENT_EVENTS: Final = 256
"""So many of the last events are looked at for keys that are missing."""
CLOCK_EVENTS: Final = 10_000
_STANDING_US: Final = 9
"""No commit is that quick: where two appends are closer, the clock stood or had jumped back."""
_SECOND: Final = 1_000_000
_STEPS: Final = (
    "SELECT count(*) FROM (SELECT appended_at - lag(appended_at) OVER (ORDER BY position) AS step"
    " FROM event WHERE position > ?) WHERE step BETWEEN 1 AND ?"
)
_ERASURES: Final = (
    "SELECT count(DISTINCT originator_id), count(DISTINCT originator_id) FILTER (WHERE NOT EXISTS"
    " (SELECT 1 FROM event AS done WHERE done.originator_id = event.originator_id"
    " AND done.topic = 'erasure.completed')) FROM event WHERE topic = 'erasure.step'"
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
            wrong = format_problem(log, "log", store_schema.VERSION)
            if wrong is None:
                wrong = damage(log, "log", "event", "api_key")
            if wrong is not None:
                return None, [wrong]
            seen = _seen(log)
            return seen, [
                ok("log", f"format {store_schema.VERSION}, head at {seen.head}", head=seen.head),
                _check_clock(log, seen, now_us),
                _check_api_keys(log, now_us),
                _check_erasures(log),
            ]
    except (OSError, sqlite3.Error, CorruptEventError, ValueError) as error:
        return None, [unreadable("log", "log.db", error)]


def _seen(log: sqlite3.Connection) -> LogSeen:
    recent = log.execute(
        "SELECT position, appended_at, state FROM event ORDER BY position DESC LIMIT ?",
        (RECENT_EVENTS,),
    ).fetchall()
    log.execute("SELECT sum(length(stream)) FROM event_ref").fetchone()
    return seen_in([tuple(row) for row in recent])


def seen_in(recent: Sequence[tuple[Any, ...]]) -> LogSeen:
    """What the last events say, each as (position, append time, state), the latest first.

    Raises CorruptEventError or ValueError for one that is none.
    """
    heads = (head_of(state) for _, _, state in recent)
    keys = frozenset(head.key for head in heads if head.key is not None)
    position, appended_us, _ = recent[0] if recent else (0, 0, b"")
    return LogSeen(position, appended_us, keys)


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
    return api_keys_verdict([tuple(row) for row in rows], now_us)


def api_keys_verdict(rows: Sequence[tuple[Any, ...]], now_us: Micros) -> Check:
    """How many API keys are in force, each given as (expires_at, revoked_at)."""
    revoked = sum(revoked_at is not None for _, revoked_at in rows)
    expired = sum(
        revoked_at is None
        and expires_at is not None
        and parse_instant(expires_at, "expires_at") <= now_us
        for expires_at, revoked_at in rows
    )
    valid = len(rows) - revoked - expired
    facts = {"in_force": valid, "expired": expired, "revoked": revoked}
    said = f"{valid} in force, {expired} expired, {revoked} revoked"
    if valid:
        return ok("api keys", said, **facts)
    remedy = "a server needs one: `memoranda keys create --name NAME`"
    return note("api keys", said, remedy, **facts)


def _check_erasures(log: sqlite3.Connection) -> Check:
    """Whether what was to be destroyed is destroyed; what is left is told, not done here."""
    asked, waiting = log.execute(_ERASURES).fetchone()
    return erasures_verdict(
        asked, waiting, "the process that has the folder open works on them, else the next one does"
    )


def erasures_verdict(asked: int, waiting: int, remedy: str) -> Check:
    """How many erasures were asked for, and how many of them are not completed."""
    facts = {"asked": asked, "waiting": waiting}
    if not waiting:
        return ok("erasures", f"{asked} completed", **facts)
    return note(
        "erasures",
        f"{waiting} of {asked} are not completed",
        remedy,
        **facts,
    )
