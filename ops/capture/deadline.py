"""An end to waiting, whatever it is that one waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ops.cli_errors import UnreachableError


def within(seconds: float | None, work: Callable[[], None]) -> None:
    """Do the work; UnreachableError where it has not ended in time.

    It is left behind then, in a thread that ends with the process: a name server, a file system
    and a server that sends a byte now and then cannot be interrupted in another way. So only for
    work that may be broken off at any moment, as a process may.
    """
    if seconds is None:
        work()
        return
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the work was asked for
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True, name="capture")
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise UnreachableError(
            f"it took longer than {seconds:g} s: the next run goes on where this one stopped; "
            "--timeout gives it longer",
            sent=True,
        )
    for error in raised:
        raise error
