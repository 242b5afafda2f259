"""Stores for doctor to look at, and what it finds."""

from __future__ import annotations

import contextlib
import sqlite3

from tests.cli_operations.running import run


def examined(data, **settings):
    """Exit status, and the checks by name; of several of one name the worst."""
    done = run("doctor", "--data", data, "--json", **settings)
    order = ("ok", "note", "problem")
    checks = {}
    for check in done.json["checks"]:
        known = checks.setdefault(check["check"], check)
        if order.index(check["status"]) > order.index(known["status"]):
            checks[check["check"]] = check
    return done.code, checks


def problems(checks):
    return {name: check for name, check in checks.items() if check["status"] == "problem"}


@contextlib.contextmanager
def opened(file):
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        yield connection


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def change(data, statement):
    with opened(data / "log.db") as log:
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (trigger,) in log.execute(triggers).fetchall():
            log.execute(f"DROP TRIGGER {trigger}")
        log.execute(statement)
