"""What the fork server starts behaves as what is started by itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.services import fork_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is one on Linux alone")
PROGRAMS = {
    "arguments": "import sys; print(sys.argv, sys.path[0])",
    "environment": "import os; print(sorted(os.environ.items()))",
    "folder": "import os; print(os.getcwd())",
    "input": "import sys; print(sys.stdin.read().upper()); print(sys.stdin.encoding)",
    "errors": "import sys; print('said'); print('told', file=sys.stderr)",
    "raised": "raise KeyError('canary')",
    "status": "import sys; sys.exit(7)",
    "words": "import sys; sys.exit('no')",
    "interrupt": "raise KeyboardInterrupt",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "at the end": "import atexit; atexit.register(print, 'end'); print('begin')",
    "a thread": "import threading; threading.Timer(0.01, print, ['late']).start()",
    "files": "import os; print([n for n in range(3, 99) if os.path.exists(f'/proc/self/fd/{n}')])",
    "parent": "import os; print(os.getppid())",
    "main": "import __main__; x = 1; print(__name__, __main__.x)",
    "signals": "import signal; print([signal.getsignal(n) for n in (1, 2, 13, 15, 17)])",
}


def told(process):
    """Status, output, and the end of the errors: a trace tells of the fork server, too."""
    out, errors = process.communicate("said so")
    return process.returncode, out, errors.splitlines()[-1:]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_when_started_by_itself(name, tmp_path):
    command = [sys.executable, "-c", PROGRAMS[name], "one", "two words"]
    options = {"cwd": tmp_path, "env": {**os.environ, "NUMBER": "1"}, "text": True}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)

    by_itself = told(subprocess.Popen(command, **options, **pipes))

    with fork_server.Started(command, **options, **pipes) as forked:
        assert told(forked) == by_itself


def test_a_module_is_run_as_the_program():
    command = [sys.executable, "-m", "ops.cli", "keys", "create"]

    forked = fork_server.finished(command, capture_output=True, text=True)

    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (forked.returncode, forked.stdout) == (done.returncode, done.stdout) == (2, "")
    assert forked.stderr == done.stderr


def test_what_it_prints_is_there_before_it_ends():
    command = [sys.executable, "-c", "print('ready', flush=True); input()"]
    with fork_server.Started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        assert process.poll() is None

        process.send_signal(signal.SIGTERM)

        assert process.wait() == -signal.SIGTERM


def test_the_program_is_loaded_already():
    script = "import sys; print({'ops.serve', 'ops.cli'} <= sys.modules.keys())"

    assert fork_server.finished([sys.executable, "-c", script], capture_output=True).stdout == (
        b"True\n"
    )


def test_a_process_that_takes_too_long_is_killed():
    command = [sys.executable, "-c", "import threading; threading.Event().wait()"]

    with pytest.raises(subprocess.TimeoutExpired):
        fork_server.finished(command, timeout=0.1)


@pytest.mark.parametrize(
    ("name", "value"), [("PYTHONOPTIMIZE", "2"), ("PYTHONPATH", "/nowhere"), ("LC_ALL", "POSIX")]
)
def test_what_only_a_start_reads_is_heeded(name, value):
    command = [sys.executable, "-c", "import sys; print('ops.serve' in sys.modules)"]

    done = fork_server.finished(command, env={**os.environ, name: value}, capture_output=True)

    assert done.stdout == b"False\n"


def test_an_own_session_is_had():
    script = "import os; print(os.getsid(0) == os.getpid())"
    with fork_server.Started(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout.read() == b"True\n"
