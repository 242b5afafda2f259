"""Request bodies: of a named type, bounded while they are read."""

from __future__ import annotations

from email.message import Message
from typing import Final

from fastapi import Request

from domain.errors import Code, MemorandaError
from domain.limits import BODY_BYTES_MAX

JSON: Final = "application/json"
JSON_LINES: Final = "application/x-ndjson"
LINES_BYTES_MAX: Final = BODY_BYTES_MAX + 1024
"""Of a body of JSON Lines: one of the longest lines fits, with its end."""


async def read_body(request: Request) -> bytes:
    """The body of a JSON request.

    INVALID_REQUEST with status 415 for another content type, with 413 as soon as the body is
    known to be larger than `BODY_BYTES_MAX`; the rest is then not read.
    """
    return await _read(request, JSON, BODY_BYTES_MAX)


async def read_lines(request: Request) -> bytes:
    """The body of a request of JSON Lines, up to `LINES_BYTES_MAX`; refused as `read_body` does."""
    return await _read(request, JSON_LINES, LINES_BYTES_MAX)


async def _read(request: Request, media_type: str, most: int) -> bytes:
    _check_type(request, media_type)
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise _too_large(most)
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise _too_large(most)
        chunks.append(chunk)
    return b"".join(chunks)


def _check_type(request: Request, media_type: str) -> None:
    values = request.headers.getlist("content-type")
    message = Message()
    message["content-type"] = values[0] if len(values) == 1 else ""
    charset = message.get_content_charset("utf-8")
    encoding = request.headers.get("content-encoding", "identity")
    if message.get_content_type() != media_type or charset != "utf-8" or encoding != "identity":
        raise MemorandaError(
            Code.INVALID_REQUEST,
            f"the body must be {media_type} in UTF-8, not compressed: send that Content-Type",
            field="Content-Type",
            status=415,
        )


def _too_large(most: int) -> MemorandaError:
    return MemorandaError(
        Code.INVALID_REQUEST,
        f"the body is too large: at most {most} bytes, send less at a time",
        reason="BODY_TOO_LARGE",
        status=413,
    )
