"""JSON out: one way to write an answer."""

from __future__ import annotations

import json

from starlette.responses import Response

from domain.canonical import Json, JsonObject

POSITION_HEADER = "X-Memoranda-Position"
PRIVATE = {"Cache-Control": "private, no-cache"}
"""Answers hold memories of one workspace, so no shared cache may keep them."""


def json_response(body: Json, status: int = 200, media_type: str = "application/json") -> Response:
    """An answer in UTF-8, members in the order in which they are given."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), status, media_type=media_type, headers=PRIVATE)


def seen_response(body: JsonObject) -> Response:
    """The same for what is read: `position` of the body is in a header too."""
    response = json_response(body)
    response.headers[POSITION_HEADER] = str(body["position"])
    return response
