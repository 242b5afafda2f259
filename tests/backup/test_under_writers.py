"""A backup is a store as it was at one moment, however much is written and erased meanwhile."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

from ops.backup_format import digest_of
from ops.backup_stage import Given
from tests.backup.worlds import said, traces
from tests.cli.processes import memoranda
from tests.erasure.world import Talk

WRITERS = 3


def settings_of(world):
    if world.mode is None:
        return {"data": str(world.folder)}
    return {
        "data": str(world.folder),
        "database_url": world.mode.database_url,
        "redis_url": world.mode.redis_url,
        "master_key": world.mode.master_key.hex(),
    }


def test_backups_of_a_store_that_is_written_to(new_world, kind, tmp_path):
    # Given
    world, stop, written = new_world(kind), threading.Event(), threading.Semaphore(0)

    def write(number):
        talk = Talk(memoranda_, numbers=itertools.count(number * 10**6))
        for at in itertools.count():
            memory = talk.remember(**said(f"text {number} {at}"))
            if at % 4 == 1:
                talk.forget(memory)
            else:
                kept.append(memory)
            written.release()
            if stop.is_set():
                return

    with world.open() as talk, ThreadPoolExecutor(WRITERS) as pool:
        memoranda_, kept = talk.memoranda, []
        first = talk.remember(**said("before all"))
        writers = [pool.submit(write, number) for number in range(1, WRITERS + 1)]
        # When
        heads = []
        try:
            for number in range(4):
                for _ in range(8):
                    assert written.acquire(timeout=30)
                before = talk.memoranda.log.head()
                done = memoranda(
                    "backup", tmp_path / f"b{number}", "--json", settings=settings_of(world)
                )
                assert done.returncode == 0, done.stderr
                heads.append((before, talk.memoranda.log.head()))
        finally:
            stop.set()
        for writer in writers:
            writer.result(timeout=60)
        answers = traces(talk, first)
    # Then
    for number, (before, after) in enumerate(heads):
        restored = new_world("folder")
        done = restored.restore(Given(tmp_path / f"b{number}", master_key=world.master_key()))
        assert before <= done.manifest.position <= after
        with restored.open() as talk:
            assert traces(talk, first) == answers
    assert any(before < after for before, after in heads)


def test_a_backup_leaves_the_store_as_it_was(new_world, tmp_path):
    world = new_world("folder")
    with world.open() as talk:
        talk.remember(**said("text"))
    before = {name: digest_of(world.folder / name) for name in ("log.db", "keys.db", "views.db")}

    world.backup(tmp_path / "backup")

    assert {name: digest_of(world.folder / name) for name in before} == before
