"""Killed anywhere, an import goes on and leaves what it would have left; so does an export."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.backup.worlds import World, said
from tests.cli.processes import environment, memoranda
from tests.exports.history import WORKSPACE, exported, imported, tell
from tests.inputs import envelope
from tests.services import fork_server
from tests.services.ports import wait_until

MEMORIES = 1200


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """(folder of a store, its export)."""
    world = World(tmp_path_factory.mktemp("large") / "store")
    with world.open() as talk:
        tell(talk)
        for number in range(MEMORIES // 200):
            talk.memoranda.execute_each(
                [
                    (talk.who, _body(talk, said(f"memory {number} {at}"), f"key {number} {at}"))
                    for at in range(200)
                ]
            )
    file = world.folder.parent / "large.jsonl"
    exported(world, file)
    return world.folder, file


def _body(talk, content, key):
    changes = {"idempotency_key": f"command {next(talk.numbers)}"}
    return envelope("remember", envelope_changes=changes, **content, identity_key=key)


def events(folder):
    """How many events are stored."""
    try:
        with closing(sqlite3.connect(f"file:{folder}/log.db?mode=ro", uri=True)) as log:
            return log.execute("SELECT count(*) FROM event").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize("after", [1, 300, 700, 1100, 1700])
def test_an_import_that_was_killed_goes_on(large, new_world, tmp_path, after):
    _, file = large
    world = new_world()
    process = fork_server.Started(
        [sys.executable, "-m", "ops.cli", "import", str(file), "--data", str(world.folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    wait_until(
        lambda: events(world.folder) >= after or process.poll() is not None, "some of the events"
    )
    process.send_signal(signal.SIGKILL)
    process.wait()

    report = imported(world, file)

    assert report.appended + report.known == report.events
    again = tmp_path / "again.jsonl"
    exported(world, again)
    assert again.read_bytes() == file.read_bytes()
    with world.open() as talk:
        one = talk.send("remember", identity_key="key 3 7")["record"]
    assert one["version"] == 2


def test_an_export_that_was_killed_leaves_no_file_and_can_be_made_again(large, tmp_path):
    folder, file = large
    out = tmp_path / "out.jsonl"
    process = fork_server.Started(
        [
            sys.executable,
            "-m",
            "ops.cli",
            "export",
            str(out),
            "--data",
            str(folder),
            "--workspace",
            WORKSPACE,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    part = tmp_path / "out.jsonl.part"
    while not (part.exists() and part.stat().st_size) and process.poll() is None:
        os.sched_yield()
    process.send_signal(signal.SIGKILL)
    process.wait()

    assert not out.exists() or out.read_bytes() == file.read_bytes()
    out.unlink(missing_ok=True)
    made = memoranda("export", out, "--data", folder, "--workspace", WORKSPACE)
    assert made.returncode == 0, made.stderr
    assert out.read_bytes() == file.read_bytes()
