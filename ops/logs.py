"""The log of the process: one line an event, with the request that it belongs to. Never content.

As text for people, or as JSON objects for machines. Messages of our own name positions, codes and
settings; of an exception only its type and where it was raised are written, since its message
could quote what is stored.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

LogFormat: TypeAlias = Literal["text", "json"]
_REQUEST: Final[ContextVar[str | None]] = ContextVar("memoranda_request", default=None)
_LINE: Final = "%(time)s %(levelname)s %(name)s%(mark)s %(message)s"


@contextmanager
def request_named(request_id: str) -> Iterator[None]:
    """What is logged meanwhile belongs to that request."""
    token = _REQUEST.set(request_id)
    try:
        yield
    finally:
        _REQUEST.reset(token)


class _Told(logging.Formatter):
    """Adds the time and the request, and takes the message out of exceptions."""

    def format(self, record: logging.LogRecord) -> str:
        request = _REQUEST.get()
        moment = datetime.fromtimestamp(record.created, UTC)
        record.time = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record.mark = "" if request is None else f" [{request}]"
        record.request = request
        return super().format(record)

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name is the library's
        """The type and the frames."""
        kind, _, frames = ei
        lines = "".join(traceback.format_tb(frames)).rstrip()
        return f"{kind.__name__}\n{lines}"


class _Json(_Told):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        said = {
            "time": record.time,  # type: ignore[attr-defined]  # set by the formatter above
            "level": record.levelname,
            "logger": record.name,
            "correlation_id": record.request,  # type: ignore[attr-defined]
            "message": text,
        }
        return json.dumps(said, ensure_ascii=False)


def start_logging(form: LogFormat, level: int = logging.WARNING) -> None:
    """Write the process's log to standard error; whatever was set before is replaced."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json("%(message)s") if form == "json" else _Told(_LINE))
    logging.basicConfig(handlers=[handler], level=level, force=True)
