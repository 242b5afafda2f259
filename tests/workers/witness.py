"""A projection that is not idempotent, and a worker process that has it.

`python -m tests.workers.witness MODE` with the settings of a worker in the environment.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from ops.logs import start_logging
from ops.settings import load_settings, server_mode
from ops.worker_process import run
from projections.catalogue import CATALOGUE

RECORDS = CATALOGUE[0]
_INSERT = text(
    "INSERT INTO public.witness (projection, position, stream, version)"
    " VALUES (:projection, :position, :stream, :version)"
)
_SLEEP = text("SELECT pg_sleep(:seconds)")


def witness(seconds=0.0, say=None):
    """Counts each event every time it is handled; tells of a batch before it begins."""

    def apply(connection, events, _):
        if say is not None and events:
            say("batch")
        for event in events:
            connection.execute(
                _INSERT,
                {
                    "projection": "witness",
                    "position": event.position,
                    "stream": event.stream,
                    "version": event.version,
                },
            )
            if seconds:
                connection.execute(_SLEEP, {"seconds": seconds})

    return replace(RECORDS, name="witness", apply=apply)


def content_of(events):
    return repr([fact.payload for event in events for fact in event.facts])


def raising(error):
    """A handler that always raises, with all that it was given in its words."""

    def apply(_, events, __):
        if events:
            said = content_of(events)
            if error == "operational":
                raise OperationalError(said, {"content": said}, Exception(said))
            raise ValueError(said)

    return replace(RECORDS, name=f"raising-{error}", apply=apply)


def say(line):
    print(line, flush=True)


CATALOGUES = {
    "slow": lambda: (witness(0.005, say),),
    "quick": lambda: (witness(),),
    "raising": lambda: (raising("value"), raising("operational"), witness()),
}

if __name__ == "__main__":
    settings = load_settings()
    # As every program of ours does: without it a library's logger writes whole tracebacks.
    start_logging(settings.log_format)
    mode = server_mode(settings)
    catalogue = CATALOGUES[sys.argv[1]]()
    raise SystemExit(run(mode, ["memoranda"], burst=False, say=say, catalogue=catalogue))
