"""Keeps a worker process running: starts another one where it dies, ends it when told to."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Final

REFUSED: Final = 78
"""Exit status (EX_CONFIG) of a worker process where another start would change nothing."""
BURST: Final = "--burst"
MODULE: Final = "ops.worker_process"
"""The program of a worker process; run, not imported: its libraries are no use here."""
PAUSE_SECONDS: Final = (0.2, 5.0)
"""Before the next start; doubled while processes die within `STEADY_SECONDS`."""
STEADY_SECONDS: Final = 30.0
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Supervisor:
    """One worker process at a time, of the same arguments."""

    def __init__(
        self, arguments: Sequence[str], remark: Callable[[str], None], module: str = MODULE
    ) -> None:
        self._command = [sys.executable, "-m", module, *arguments]
        self._burst = BURST in arguments
        self._remark = remark
        self._stopping = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Until a signal, the end of a burst, or a start that was refused; the exit status."""
        before = {number: signal.signal(number, self._stop) for number in _SIGNALS}
        try:
            return self._keep_running()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _keep_running(self) -> int:
        pause, longest = PAUSE_SECONDS
        while True:
            started = time.monotonic()
            status = self._once()
            if self._stopping.is_set() or self._burst or status == REFUSED:
                return max(status, 0) if not self._stopping.is_set() else 0
            if time.monotonic() - started > STEADY_SECONDS:
                pause = PAUSE_SECONDS[0]
            self._remark(f"the worker ended ({_how(status)}): another one starts")
            if self._stopping.wait(pause):
                return 0
            pause = min(longest, pause * 2)

    def _once(self) -> int:
        # The pipe tells the child when we are gone, whatever way that happens.
        with subprocess.Popen(self._command, stdin=subprocess.PIPE) as child:  # noqa: S603 - ours
            self._child = child
            if self._stopping.is_set():
                child.terminate()
            status = child.wait()
        self._child = None
        return status

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping.set()
        child = self._child
        if child is not None and child.returncode is None:
            child.terminate()


def _how(status: int) -> str:
    return f"killed by signal {-status}" if status < 0 else f"status {status}"
