"""Servers and workers of the server mode in processes of their own, each of which may be killed."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.chaos import product
from tests.chaos.servers import END_SECONDS_MAX, QUIET_SECONDS_MAX, Gate
from tests.cli.processes import READY

SERVERS: Final = 2
WORKERS: Final = 3
_FORESEEN: Final = "workers.jobs.JobFailedError: "
"""A job that could not go on, and said so."""
_WORKING: Final = re.compile(r"memoranda worker (\d+) is ready\n")


class Place:
    """A process of the fleet: where it was killed, another one takes its place."""

    def __init__(self, start: Callable[[Any], BaseProcess], hear: Callable[[str], None]) -> None:
        self._start = start
        self._hear = hear
        self._listeners: list[threading.Thread] = []
        self._number = 0
        self.process = self._started()

    def _started(self) -> BaseProcess:
        heard, says = multiprocessing.Pipe(duplex=False)
        process = self._start(says)
        process.start()
        says.close()
        self._number += 1
        listener = threading.Thread(target=self._listen, args=[heard, self._number], daemon=True)
        listener.start()
        self._listeners.append(listener)
        return process

    def _listen(self, heard: Any, number: int) -> None:
        """To the last word of a process and of those that it started, though others came after."""
        with heard, os.fdopen(os.dup(heard.fileno()), encoding="utf-8") as lines:
            for line in lines:
                if number == self._number:
                    self._hear(line)

    def kill(self) -> None:
        """SIGKILL: nothing of it runs any more when this returns."""
        self.process.kill()
        self.process.join()

    def again(self) -> None:
        """Another one is started, and not waited for."""
        self.process = self._started()

    def stop(self) -> str:
        """An orderly end; what was wrong with it."""
        self.process.terminate()
        self.process.join(END_SECONDS_MAX)
        if self.process.exitcode is None:
            self.kill()
            return "did not end when it was told to"
        for listener in self._listeners:
            listener.join(END_SECONDS_MAX)
            if listener.is_alive():
                return "left a process behind"
        # Told so soon after its start that it had no handler yet: the signal itself ends it.
        orderly = (0, -signal.SIGTERM)
        return "" if self.process.exitcode in orderly else f"ended with {self.process.exitcode}"


class Server:
    """`memoranda serve`; the gate knows its port while it answers."""

    def __init__(
        self, start: Callable[[Any], BaseProcess], gate: Gate, ready: Callable[[], None]
    ) -> None:
        self._gate = gate
        self._ready = ready
        self.port = 0
        self.place = Place(start, self._hear)

    def _hear(self, line: str) -> None:
        found = READY.fullmatch(line)
        if found is not None:
            self.port = int(found[2])
            self._gate.open(self.port)
            self._ready()

    def revive(self) -> bool:
        """Start another one where it ended by itself: without a database none starts."""
        if self.place.process.exitcode is None:
            return False
        port, self.port = self.port, 0
        self._gate.close(port)
        self.place.again()
        return True

    def kill(self) -> bool:
        """Kill it and start another one; False where it does not answer yet."""
        port, self.port = self.port, 0
        if not port:
            return False
        self.place.kill()
        self._gate.close(port)
        self.place.again()
        return True


class Worker:
    """`memoranda worker`: a supervisor, and the worker process that does its jobs."""

    def __init__(self, start: Callable[[Any], BaseProcess], ready: Callable[[], None]) -> None:
        self._ready = ready
        self.horse = 0
        self.place = Place(start, self._hear)

    def _hear(self, line: str) -> None:
        found = _WORKING.fullmatch(line)
        if found is not None:
            self.horse = int(found[1])
            self._ready()

    def kill(self) -> bool:
        """Kill the supervisor and start another one; False where nobody works yet."""
        if not self.horse:
            return False
        self.horse = 0
        self.place.kill()
        self.place.again()
        return True

    def kill_horse(self) -> bool:
        """Kill the worker process, which the supervisor sees; False where there is none."""
        horse, self.horse = self.horse, 0
        if not horse:
            return False
        with suppress(ProcessLookupError):
            os.kill(horse, signal.SIGKILL)
            return True
        return False


class Fleet:
    """All of them, over one database and one Redis."""

    def __init__(
        self,
        folder: Path,
        of_servers: dict[str, str],
        of_workers: dict[str, str],
        gate: Gate,
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([product.PRELOAD])
        self.errors = folder / "errors.log"
        self._changed = threading.Condition()

        def starting(target: Any, *arguments: Any) -> Callable[[Any], BaseProcess]:
            return lambda says: context.Process(target=target, args=(*arguments, says, self.errors))

        self.servers = [
            Server(starting(product.serve, folder / f"data-{number}", of_servers), gate, self._tell)
            for number in range(SERVERS)
        ]
        self.workers = [
            Worker(starting(product.supervise, of_workers), self._tell) for _ in range(WORKERS)
        ]

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def all_ready(self) -> None:
        """Return when all of them are at work."""
        with self._changed:
            ready = self._changed.wait_for(
                lambda: (
                    all(one.port for one in self.servers) and all(one.horse for one in self.workers)
                ),
                QUIET_SECONDS_MAX,
            )
        said = self.errors.read_text(encoding="utf-8") if self.errors.exists() else ""
        assert ready, f"the fleet did not start: {said[-2000:]}"

    def kill_one(self, sort: str, dice: Random) -> bool:
        """Kill one of a sort (`api`, `worker`, `horse`); False where none is at work."""
        kills: dict[str, Sequence[Callable[[], bool]]] = {
            "api": [one.kill for one in self.servers],
            "worker": [one.kill for one in self.workers],
            "horse": [one.kill_horse for one in self.workers],
        }
        order = dice.sample(kills[sort], len(kills[sort]))
        return any(kill() for kill in order)

    def revive(self) -> int:
        """What a service manager does: servers that ended are started again; how many."""
        return sum(one.revive() for one in self.servers)

    def stop(self) -> list[str]:
        """An orderly end of all; sentences on what did not end so."""
        places = [("a server", one.place) for one in self.servers]
        places += [("a worker", one.place) for one in self.workers]
        return [f"{name} {wrong}" for name, place in places if (wrong := place.stop())]

    def kill_all(self) -> None:
        """Nothing runs any more."""
        for place in [*(one.place for one in self.servers), *(one.place for one in self.workers)]:
            place.kill()

    def faults(self) -> list[str]:
        """Stack traces on standard error, one of each: of what nobody foresaw.

        RQ tells of its own when its keys are flushed from under it; nothing of ours is in them.
        """
        said = self.errors.read_text(encoding="utf-8")
        traces = said.split("Traceback (most recent call last):\n")[1:]
        told = {_end(trace): trace for trace in traces}
        return [
            "\n".join([*_ours(trace), end])
            for end, trace in told.items()
            if _ours(trace) and not end.startswith(_FORESEEN)
        ]


def _end(trace: str) -> str:
    """The first line that is not indented: what was raised."""
    return next((line for line in trace.split("\n") if line[:1].strip()), trace)


def _ours(trace: str) -> list[str]:
    """The places in it that are no library's."""
    lines = trace.partition(_end(trace))[0].split("\n")
    return [line for line in lines if "  File " in line and "/lib/python" not in line]
