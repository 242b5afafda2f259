"""Doctor for the server mode, first part: the database itself, its schema, roles and clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from commands.postgres_connections import READER_ROLE, WRITER_ROLE
from commands.store_errors import StoreError
from domain.instants import Micros
from ops.cli_checks import Check, note, ok, problem
from ops.cli_doctor_bell import check_bell
from ops.cli_doctor_server import SKEW_SECONDS_MAX
from ops.cli_doctor_shared import check_contents
from ops.migrating import check_schema
from ops.settings import Settings

CONNECT_SECONDS: Final = 5
_SECOND: Final = 1_000_000
_ABOUT: Final = (
    "SELECT current_setting('server_version'), current_user::text,"
    " (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
)
_NOW: Final = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
_ROLES: Final = (
    "SELECT rolname::text, pg_has_role(oid, 'SET') FROM pg_roles WHERE rolname = ANY(%s)"
)


def check_shared(settings: Settings) -> Iterator[Check]:
    """Everything that these settings of the server mode name; no secret is shown."""
    key = settings.master_key
    yield check_master_key(settings)
    database, checks = _check_database(settings)
    yield from checks
    if database is not None:
        url = database.url
        master = None if key is None else bytes.fromhex(key.get_secret_value())
        yield from check_contents(url, master, database.now_us, settings.lag_events_max)
    yield from check_bell(settings)


def check_master_key(settings: Settings) -> Check:
    """Whether there is one; whether it is the right one is seen at the key store."""
    if settings.master_key is not None:
        return ok("master key", "it is set; keep a copy where no backup of the database is")
    return problem(
        "master key",
        "MEMORANDA_MASTER_KEY IS MISSING: NO MASTER KEY MEANS NO DATA, nobody can read what is "
        "stored",
        "set it to the key that the store was made with; for a new database make one with "
        "`openssl rand -hex 32`, and keep a copy",
    )


@dataclass(frozen=True, slots=True)
class _Usable:
    """A database with this program's schema, and what time it has."""

    url: str
    now_us: Micros


def _check_database(settings: Settings) -> tuple[_Usable | None, list[Check]]:
    if settings.database_url is None:
        return None, [
            problem(
                "database",
                "MEMORANDA_DATABASE_URL is missing, and MEMORANDA_REDIS_URL is set",
                "set both for the server mode, or none for a data folder",
            )
        ]
    url = settings.database_url.get_secret_value()
    try:
        with closing(psycopg.connect(url, connect_timeout=CONNECT_SECONDS)) as connection:
            connection.autocommit = True
            clock, now_us = _check_clock(connection)
            checks = [_check_answers(connection), _check_roles(connection), clock]
    except psycopg.Error as error:
        said = f"it does not answer ({type(error).__name__})"
        remedy = "check MEMORANDA_DATABASE_URL, and that the server runs"
        return None, [problem("database", said, remedy)]
    schema = _check_schema(url)
    usable = _Usable(url, now_us) if schema.status == "ok" else None
    return usable, [checks[0], schema, *checks[1:]]


def _check_answers(connection: psycopg.Connection[Any]) -> Check:
    begun = time.perf_counter()
    version, user, superuser = connection.execute(_ABOUT).fetchall()[0]
    milliseconds = round((time.perf_counter() - begun) * 1000, 1)
    said = f"PostgreSQL {version} answers in {milliseconds} ms"
    facts = {"version": version, "answers_ms": milliseconds, "user": user}
    if superuser:
        return note("database", f"{said}; {user} is a superuser", "use a login of its own", **facts)
    return ok("database", said, **facts)


def _check_schema(url: str) -> Check:
    try:
        check_schema(url)
    except StoreError as error:
        said, _, remedy = str(error).rpartition(": ")
        return problem("schema", said, remedy)
    return ok("schema", "it is this program's")


def _check_roles(connection: psycopg.Connection[Any]) -> Check:
    wanted = (WRITER_ROLE, READER_ROLE)
    found = dict(connection.execute(_ROLES, (list(wanted),)).fetchall())
    missing = [role for role in wanted if role not in found]
    if missing:
        return problem(
            "roles", f"there is no {' and no '.join(missing)}", "run `memoranda migrate`"
        )
    closed = [role for role in wanted if not found[role]]
    if closed:
        named = ", ".join(closed)
        return problem("roles", f"this user may not work as {named}", f"GRANT {named} TO this user")
    return ok("roles", f"this user may work as {' and '.join(wanted)}")


def _check_clock(connection: psycopg.Connection[Any]) -> tuple[Check, Micros]:
    """This machine's clock against the database's, measured in the middle of a question."""
    before = time.time_ns()
    (theirs,) = connection.execute(_NOW).fetchall()[0]
    ours = (before + time.time_ns()) // 2000
    skew = round((theirs - ours) / _SECOND, 3)
    if abs(skew) > SKEW_SECONDS_MAX:
        said = f"the database's clock differs by {skew:+} seconds"
        return problem("clock", said, "set the clocks of both", skew_s=skew), theirs
    return ok("clock", f"the database's differs by {skew:+} seconds", skew_s=skew), theirs
