"""Request bodies: JSON by name, bounded while they are read."""

from __future__ import annotations

from email.message import Message
from typing import Final

from fastapi import Request

from domain.errors import Code, MemorandaError
from domain.limits import BODY_BYTES_MAX

_JSON: Final = "application/json"


async def read_body(request: Request) -> bytes:
    """The body of a JSON request.

    INVALID_REQUEST with status 415 for another content type, with 413 as soon as the body is
    known to be larger than `BODY_BYTES_MAX`; the rest is then not read.
    """
    _check_type(request)
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > BODY_BYTES_MAX:
        raise _too_large()
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > BODY_BYTES_MAX:
            raise _too_large()
        chunks.append(chunk)
    return b"".join(chunks)


def _check_type(request: Request) -> None:
    values = request.headers.getlist("content-type")
    message = Message()
    message["content-type"] = values[0] if len(values) == 1 else ""
    charset = message.get_content_charset("utf-8")
    encoding = request.headers.get("content-encoding", "identity")
    if message.get_content_type() != _JSON or charset != "utf-8" or encoding != "identity":
        raise MemorandaError(
            Code.INVALID_REQUEST,
            f"the body must be {_JSON} in UTF-8, not compressed: send that Content-Type",
            field="Content-Type",
            status=415,
        )


def _too_large() -> MemorandaError:
    return MemorandaError(
        Code.INVALID_REQUEST,
        f"the body is too large: at most {BODY_BYTES_MAX} bytes, send less at a time",
        reason="BODY_TOO_LARGE",
        status=413,
    )
