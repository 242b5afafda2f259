"""Killed between any two steps, or at any moment, an erasure is completed after the next start."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from domain.erasure import STEPS
from ops.wiring import open_memoranda
from tests.erasure.test_steps import at_rest, erasures
from tests.erasure.world import PLAIN, WORDS, Talk
from tests.services import fork_server

ROOT = Path(__file__).parents[2]

STOPPING = """
import sys
from pathlib import Path
import ops.storage
import ops.wiring
from tests.erasure.world import PLAIN, SAID, Talk

data, when, step = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

class Stopping(ops.storage.SqliteRecorder):
    def append(self, rows, refs, **options):
        steps = [row for row in rows if row.topic.startswith("erasure.")]
        here = any(f'"{step}"'.encode() in row.state or row.topic == f"erasure.{step}"
                   for row in steps)
        if here and when == "before":
            self.stop()
        appended = super().append(rows, refs, **options)
        if here:
            self.stop()
        return appended

    def stop(self):
        print("stopped", flush=True)
        sys.stdin.read()

ops.storage.SqliteRecorder = Stopping
talk = Talk(ops.wiring.open_memoranda(data))
memory = talk.remember(**SAID)
talk.recall(PLAIN)
talk.forget(memory)
"""

FORGETTING = """
import itertools
import sys
import time
from pathlib import Path
from ops.wiring import open_memoranda
from tests.erasure.world import SAID, Talk

talk = Talk(open_memoranda(Path(sys.argv[1])), numbers=itertools.count(time.time_ns()))
print("ready", flush=True)
while True:
    talk.recall("xqzywarble")
    memory = talk.remember(**{**SAID, "identity_key": None})
    talk.recall("xqzywarble")
    talk.forget(memory)
    print("forgotten", flush=True)
"""


def started(script, *arguments):
    return fork_server.Started(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


POINTS = [
    *(("after", step) for step in STEPS[:-1]),
    # What a step does may be done, and not told yet.
    *(("before", step) for step in ("keys_destroyed", "views_cleared", "completed")),
]


@pytest.mark.parametrize(("when", "step"), POINTS)
def test_an_erasure_that_was_killed_is_completed_by_itself(tmp_path, when, step):
    # Given
    data = tmp_path / "data"
    with started(STOPPING, data, when, step) as process:
        assert process.stdout.readline() == b"stopped\n"
        process.send_signal(signal.SIGKILL)
    # When
    with closing(open_memoranda(data)) as memoranda:
        unread = PLAIN not in repr(memoranda.log.after(0, 1000, topics=("memory.remembered",)))
        at_rest(memoranda)
        # Then
        assert unread, "its keys are gone as soon as the store is open"
        assert erasures(memoranda) == [list(STEPS)]
    assert WORDS.found_under(data, inflate=False) == {}


def test_whenever_it_was_killed_every_erasure_is_completed_once(tmp_path):
    data, dice = tmp_path / "data", random.Random(3)
    for _ in range(3):
        with started(FORGETTING, data) as process:
            assert process.stdout.readline() == b"ready\n"
            assert process.stdout.readline() == b"forgotten\n"  # however slow the machine is
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(dice.uniform(0.05, 0.6))
            process.send_signal(signal.SIGKILL)

    with closing(open_memoranda(data)) as memoranda:
        at_rest(memoranda)
        interrupted = erasures(memoranda)
        talk = Talk(memoranda, numbers=itertools.count(time.time_ns()))
        for item in talk.recall(PLAIN)["items"]:
            talk.forget(item["record"]["id"])

        assert len(interrupted) >= 3
        assert all(steps == list(STEPS) for steps in erasures(memoranda))
    assert WORDS.found_under(data, inflate=False) == {}
