"""A server that may be killed at any moment, also before it answers."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

from tests.cli.processes import HOST_KEY, READY, environment
from tests.services import fork_server

END_SECONDS_MAX: Final = 60.0
QUIET_SECONDS_MAX: Final = 120.0
"""Longer than anything takes: who waits that long for progress has found a hang."""


class Killed:
    """One `memoranda serve` process over a data folder; what it says on stderr is kept."""

    def __init__(self, data: Path, said: Path) -> None:
        with said.open("ab") as errors:
            self.process = fork_server.Started(
                [sys.executable, "-m", "ops.cli", "serve", "--data", str(data), "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment(host_key=HOST_KEY),
            )

    def port(self) -> int:
        """Its port, once it answers; 0 where it ended before."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = READY.fullmatch(line)
            if found is not None:
                return int(found[2])
        return 0

    def kill_within(self, seconds: float) -> None:
        """Kill it at that moment, whatever it does then; it should not have ended by itself."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        else:
            raise AssertionError(f"the server ended by itself: {self.process.returncode}")

    def kill(self) -> None:
        """SIGKILL: nothing of it runs any more when this returns."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> int:
        """An orderly end; its exit status."""
        self.process.terminate()
        self.process.communicate(timeout=END_SECONDS_MAX)
        return self.process.returncode


class Gate:
    """Where callers learn which ports answer now, and where the killer counts what they do."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ports: list[int] = []
        self._turn = 0
        self._sent = 0
        self._answered = 0
        self.failure = ""

    def fail(self, failure: str) -> None:
        """A caller cannot go on: there is nothing more to wait for."""
        with self._changed:
            self.failure = self.failure or failure
            self._changed.notify_all()

    def open(self, port: int) -> None:
        with self._changed:
            self._ports.append(port)
            self._changed.notify_all()

    def close(self, port: int | None = None) -> None:
        """No request any more to a port, or to any."""
        with self._changed:
            self._ports = [one for one in self._ports if port not in (one, None)]

    def port(self) -> int:
        """The port of a server that was seen to answer; another one each time."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._ports, QUIET_SECONDS_MAX):
                raise AssertionError("no server came back")
            self._turn += 1
            return self._ports[self._turn % len(self._ports)]

    def sending(self) -> None:
        with self._changed:
            self._sent += 1
            self._changed.notify_all()

    def answered(self) -> None:
        with self._changed:
            self._answered += 1
            self._changed.notify_all()

    def wait_for_more(self, count: int, *, answers: bool) -> None:
        """Until so many further requests were sent, or answered."""
        with self._changed:
            wanted = count + (self._answered if answers else self._sent)
            if not self._changed.wait_for(
                lambda: (self._answered if answers else self._sent) >= wanted or self.failure,
                QUIET_SECONDS_MAX,
            ):
                raise AssertionError("the callers do not get on")
            assert not self.failure, self.failure
