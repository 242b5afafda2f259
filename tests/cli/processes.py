"""The program as people run it: a process of its own."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys

from tests.services import fork_server

HOST_KEY = "host-key-of-the-tests-0123456789abcdef"
READY = re.compile(r"memoranda is ready on http://(\S+):(\d+) \(data: (.+)\)\n")
START_SECONDS_MAX = 90


def environment(**settings):
    """The environment without settings of ours, then with those given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MEMORANDA_")}
    return kept | {f"MEMORANDA_{name.upper()}": value for name, value in settings.items()}


def memoranda(*arguments, settings=(), **options):
    """Run a command to its end."""
    return fork_server.finished(
        [sys.executable, "-m", "ops.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment(**dict(settings)),
        timeout=START_SECONDS_MAX,
        **options,
    )


class Server:
    """A running `memoranda serve` on a free port."""

    def __init__(self, data, **settings):
        self.process = fork_server.Started(
            [sys.executable, "-m", "ops.cli", "serve", "--data", str(data), "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(**settings),
        )
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line)
            match = READY.fullmatch(line)
            if match is not None:
                self.host, self.port, self.data = match[1], int(match[2]), match[3]
                return
        raise AssertionError(self.process.stderr.read())

    def connect(self):
        """A connection to it."""
        return contextlib.closing(http.client.HTTPConnection(self.host, self.port, timeout=30))

    def stop(self, number=signal.SIGTERM):
        """End it by a signal: exit status, further output, errors."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=START_SECONDS_MAX)
        return self.process.returncode, out, err


@contextlib.contextmanager
def serving(data, **settings):
    """A server for the time of a block; ended hard if the block did not end it."""
    server = Server(data, **settings)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()
