"""Killed by SIGKILL at the n-th touch of a folder, in a process of its own.

Touches are what Python reports to audit hooks: files that are opened, made, renamed and removed,
and databases that are opened.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

TOUCHES = {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.chmod", "sqlite3.connect"}
FAILED = 3


def dies_at(touch: int, folder: Path, work: Callable[[], object]) -> bool:
    """Do the work in a child that is killed at that touch; False where it ended before."""
    child = os.fork()
    if child == 0:
        _work(touch, str(folder), work)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, "the work failed: see the output"
    return False


def _work(touch: int, folder: str, work: Callable[[], object]) -> None:
    touched = 0

    def look(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal touched
        if event in TOUCHES and arguments and folder in str(arguments[0]):
            touched += 1
            if touched == touch:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.addaudithook(look)
        work()
    except BaseException as error:  # noqa: BLE001 - the child ends here, whatever it was
        print(f"{type(error).__name__}: {error}", file=sys.__stderr__, flush=True)
        os._exit(FAILED)
    os._exit(0)
