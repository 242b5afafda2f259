"""Request ids and trace contexts, taken from headers or made (spec/operations.md §1)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders

REQUEST_ID: Final = "X-Request-Id"
CORRELATION_ID: Final = "X-Correlation-Id"
_ID: Final = re.compile(r"[A-Za-z0-9\-_.:/]{1,128}")
_TRACEPARENT: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?")
_STATE: Final = "memoranda.request_id"


def chosen_id(headers: Headers) -> str:
    """The first of the two headers that holds one usable id, else a new UUID."""
    for name in (REQUEST_ID, CORRELATION_ID):
        values = headers.getlist(name)
        if len(values) == 1 and _ID.fullmatch(values[0]):
            return values[0]
    return str(uuid.uuid4())


def remember_id(scope: Any, request_id: str) -> None:
    """Keep the id of a request for those who answer it."""
    scope[_STATE] = request_id


def correlation_id(scope: Any) -> str:
    """The id of the request that is being answered."""
    return str(scope[_STATE])


def stamp(raw: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """Response headers with the id in both of its headers."""
    headers = MutableHeaders(raw=list(raw))
    headers[REQUEST_ID] = request_id
    headers[CORRELATION_ID] = request_id
    return headers.raw


def traceparent(headers: Headers) -> str | None:
    """A W3C trace context as sent; None for one that is not valid, as the recommendation asks.

    Version 00 has exactly four members; later versions may add some.
    """
    values = headers.getlist("traceparent")
    match = _TRACEPARENT.fullmatch(values[0]) if len(values) == 1 else None
    if match is None or len(values[0]) > 512:
        return None
    version, trace, parent, more = match.groups()
    if version == "ff" or (version == "00" and more is not None):
        return None
    return None if set(trace) == {"0"} or set(parent) == {"0"} else values[0]
