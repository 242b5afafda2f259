"""Doctor: whether a database is one of ours, of a format that is known, and whole."""

from __future__ import annotations

import sqlite3

from ops.cli_checks import RESTORE, Check, problem


def unreadable(check: str, file: str, error: Exception) -> Check:
    """A file that SQLite cannot read, or cannot even open."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CANTOPEN:
        return problem(check, f"{file} cannot be opened", "check its owner and permissions (0600)")
    return problem(check, f"{file} is damaged or no database ({error})", RESTORE)


def format_problem(connection: sqlite3.Connection, check: str, known: int) -> Check | None:
    """What is wrong where it is no file of ours, or of another format than `known`."""
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


def damage(connection: sqlite3.Connection, check: str, *tables: str) -> Check | None:
    """What SQLite finds in the pages of tables.

    One at a time, without event_ref: SQLite before 3.41 takes each row of a table whose primary
    key orders its columns otherwise for NULL. Its pages are read when the log is.
    """
    for table in tables:
        (found,) = connection.execute(f"PRAGMA quick_check('{table}')").fetchone()
        if found != "ok":
            return problem(check, f"{table} is damaged ({found})", RESTORE)
    return None
