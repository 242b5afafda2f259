"""Killed in the middle of a transaction, an import goes on and leaves what it would have left."""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import signal
import sqlite3
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

import ops.storage
from commands.store_sqlite import SqliteRecorder
from domain.canonical import canonical
from ops import importer
from ops.importer import import_file
from ops.wiring import open_memoranda
from tests.cli.processes import memoranda
from tests.importer.lines import forget, refused_rows, relate, remember, update, written
from tests.laws.masks import masked

ACTOR = "cli:tests"
ROUNDS = 16
KILLS = 5


def history(rounds):
    """Keys that change hands, an edge that grows old, and two refused lines in each round."""
    rows = []
    for number in range(rounds):
        rows += [
            remember("shared", f"round {number}", key=None),
            remember(f"own {number}", key=None),
            relate("shared", f"own {number}", identity_key=f"edge {number}", key=None),
            relate("shared", "nobody", key=None),
            update(f"edge {number}", kind="relationship", key=None, confidence=0.25),
            update("shared", key=None, confidence=0.5),
            b"no json\n",
            forget("shared", ("tombstone", "application_delete")[number % 2], key=None),
        ]
    return rows


class DyingConnection(sqlite3.Connection):
    """The writer of a process that dies at the first commit after a line."""

    done: ClassVar[int] = 0
    line: ClassVar[int] = 0
    committed: ClassVar[bool] = False

    def execute(self, sql, *args):
        dying = sql == "COMMIT" and self.done >= self.line
        if dying and self.committed:
            super().execute(sql)
        if dying:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(sql, *args)


def die(data, path, line, committed, point_seconds):
    """Import until a line was executed, then die in the next transaction (a process of its own)."""
    DyingConnection.line, DyingConnection.committed = line, committed
    importer.POINT_SECONDS = point_seconds
    ops.storage.SqliteRecorder = functools.partial(SqliteRecorder, factory=DyingConnection)
    store = open_memoranda(Path(data))

    def on_progress(done, _):
        DyingConnection.done = done

    import_file(store, Path(path), actor=ACTOR, on_progress=on_progress)


@pytest.fixture(scope="module")
def processes():
    """Young processes that know our modules: a fork each, from one without threads."""
    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(["tests.importer.test_killed"])
    return made


def log_of(data):
    """What the log says, but for ids, times of the server and hashes."""
    store = open_memoranda(data)
    try:
        return masked(
            {
                "event": [event.stream, event.version, event.topic, event.recorded_at],
                "context": event.context.as_json(),
                "facts": [json.loads(canonical([f.structure(), f.sealed()])) for f in event.facts],
            }
            for event in store.log.after(0, 10**6)
        )
    finally:
        store.close()


def test_an_import_that_is_killed_five_times_leaves_the_log_of_one_that_was_not(
    processes, tmp_path
):
    # Given a file that one process imports without interruption
    rows, dice = history(ROUNDS), Random(1)
    whole = written(tmp_path / "whole.jsonl", rows)
    store = open_memoranda(tmp_path / "whole")
    expected = import_file(store, whole, actor=ACTOR)
    store.close()
    # When five others die over it, at random lines, before or after a commit, with old or new
    # resume points
    path, data = written(tmp_path / "lines.jsonl", rows), tmp_path / "data"
    for line in sorted(dice.sample(range(len(rows) - 16), KILLS)):
        said = (str(data), str(path), line, dice.random() < 0.5, dice.choice((0, 0, 0.5)))
        process = processes.Process(target=die, args=said)
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
    done = memoranda("import", path, "--data", data, "--actor", ACTOR, "--json")
    # Then every line was accepted or refused
    report = json.loads(done.stdout)
    assert report["accepted"] + report["refused"] == report["lines"] == len(rows)
    assert report["refused"] == expected.refused == 2 * ROUNDS
    assert refused_rows(path) == refused_rows(whole)
    # And the log is that of the import that nobody killed
    assert log_of(data) == log_of(tmp_path / "whole")
