"""The first and last thing of every request: its id, its host, and what nobody expected."""

from __future__ import annotations

import traceback
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from domain.errors import Code, MemorandaError
from ops.http.hosts import AllowedHosts
from ops.http.leftovers import Body
from ops.http.problems import LOG, respond
from ops.http.request_ids import chosen_id, remember_id, stamp
from ops.logs import request_named


class Gate:
    """ASGI middleware: every answer carries the request's id, every failure has an answer.

    `requests_max` requests may be answered at once, the waiting ones included; more are refused
    before their bodies are read. Probes are answered nevertheless.
    """

    def __init__(self, app: ASGIApp, hosts: AllowedHosts, requests_max: int) -> None:
        self._app = app
        self._hosts = hosts
        self._requests_max = requests_max
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection event."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = chosen_id(headers)
        remember_id(scope, request_id)
        body = Body(receive, headers)
        out = _Stamped(send, request_id, body)
        refusal = self._hosts.refusal(headers.getlist("host")) or self._full(scope["path"])
        if refusal is not None:
            await respond(scope["path"], request_id, refusal)(scope, body, out)
            return
        # Counted on the event loop's one thread.
        self._inside += 1
        try:
            await self._answer(scope, body, out, request_id)
        finally:
            self._inside -= 1

    def _full(self, path: str) -> MemorandaError | None:
        if self._inside < self._requests_max or path.startswith("/health/"):
            return None
        return MemorandaError(
            Code.OVERLOADED,
            f"{self._requests_max} requests are being answered: try again",
            retry_after=1,
        )

    async def _answer(self, scope: Scope, body: Body, out: _Stamped, request_id: str) -> None:
        with request_named(request_id):
            try:
                await self._app(scope, body, out)
            except ClientDisconnect:
                # Nobody is left to answer; nothing was begun, since bodies are read first.
                LOG.info("the client of %s went away", request_id)
            except Exception as error:
                _report(request_id, error)
                if out.begun:
                    raise
                await respond(scope["path"], request_id, _unexpected())(scope, body, out)


class _Stamped:
    """A `send` that puts the id on the answer, and knows whether one has begun."""

    def __init__(self, send: Send, request_id: str, body: Body) -> None:
        self._send = send
        self._request_id = request_id
        self._body = body
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            reusable = await self._body.finish()
            headers = stamp(message.get("headers", ()), self._request_id)
            message["headers"] = headers if reusable else [*headers, (b"connection", b"close")]
        await self._send(message)


def _unexpected() -> MemorandaError:
    return MemorandaError(
        Code.INTERNAL,
        "the server failed: its log names the cause under the correlation_id of this answer",
    )


def _report(request_id: str, error: BaseException) -> None:
    """Where it failed, without the error's message, which could quote what was stored."""
    frames: list[Any] = traceback.format_tb(error.__traceback__)
    name = type(error).__name__
    LOG.error("%s failed with %s\n%s", request_id, name, "".join(frames).rstrip())
