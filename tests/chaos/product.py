"""The product as `make chaos` runs it: with a witness, poison, and faults where they are asked for.

Servers and supervisors are forked from one process that has loaded `tests.chaos.preload`; a
supervisor starts its worker process with `python -m tests.chaos.product`. The environment says
what is put in, and nothing outside of this module reads it: `CHAOS_MARK` is how the id of a
request begins whose events no projection can handle, `CHAOS_BREAK` names a fault of
`tests.chaos.breaks`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, text

from domain.ports import LogReader
from domain.recorded import RecordedEvent
from projections import catalogue
from projections.catalogue import Projection

MARK: Final = "CHAOS_MARK"
BREAK: Final = "CHAOS_BREAK"
MODULE: Final = "tests.chaos.product"
PRELOAD: Final = "tests.chaos.preload"
_WITNESS: Final = text(
    "INSERT INTO public.witness (projection, position, stream, version)"
    " VALUES (:projection, :position, :stream, :version)"
)


class PoisonError(ValueError):
    """What a handler raises for an event that is marked."""


def is_poison(event: RecordedEvent, mark: str) -> bool:
    """Whether the request that caused it is marked: an erasure takes that from no event."""
    return bool(mark) and event.context.request.startswith(mark)


def witnessed(base: Projection, mark: str) -> Projection:
    """The same projection; it tells in a table of every event that it handled, every time.

    Its rows, those of the witness and the checkpoint are of one transaction.
    """

    def apply(connection: Connection, events: Sequence[RecordedEvent], log: LogReader) -> None:
        for number, event in enumerate(events):
            if is_poison(event, mark):
                # What was written before an event fails must not stay.
                base.apply(connection, events[:number], log)
                raise PoisonError
        base.apply(connection, events, log)
        if events:
            connection.execute(_WITNESS, [_row(base, event) for event in events])

    return replace(base, apply=apply)


def _row(projection: Projection, event: RecordedEvent) -> dict[str, object]:
    return {
        "projection": projection.name,
        "position": event.position,
        "stream": event.stream,
        "version": event.version,
    }


def install() -> None:
    """Put it all into this process; before anything else takes the catalogue."""
    mark = os.environ.get(MARK, "")
    made = tuple(witnessed(one, mark) for one in catalogue.CATALOGUE)
    catalogue.CATALOGUE = made  # type: ignore[misc, assignment]
    from tests.chaos import breaks

    breaks.install(os.environ.get(BREAK, ""))


def serve(data: Path, settings: dict[str, str], says: Pipe, errors: Path) -> None:
    """`memoranda serve`, in a process of its own."""
    _become(settings, says, errors)
    from ops.cli import main

    sys.argv = ["memoranda", "serve", "--data", str(data), "--port", "0"]
    main()


def supervise(settings: dict[str, str], says: Pipe, errors: Path) -> None:
    """`memoranda worker`, in a process of its own; its worker process has what this one has."""
    _become(settings, says, errors)
    from ops.supervisor import Supervisor

    raise SystemExit(Supervisor(["memoranda"], _remark, MODULE).run())


def _become(settings: dict[str, str], says: Pipe, errors: Path) -> None:
    """Settings, output and errors of a process that was started by itself."""
    assert PRELOAD in sys.modules, "the process that forks has not loaded what it should"
    os.environ |= settings
    os.dup2(says.fileno(), 1)
    with errors.open("ab") as file:
        os.dup2(file.fileno(), 2)
    parent = parent_process()
    assert parent is not None

    def end_with_it() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_it, daemon=True).start()


def _remark(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _worker_process() -> int:
    install()
    from ops.worker_process import main

    run: Callable[[Sequence[str]], int] = main
    return run(sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(_worker_process())
