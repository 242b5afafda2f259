"""What the parts of both doors have in common: a store in this process, or a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from domain.canonical import JsonObject

if TYPE_CHECKING:
    from domain.context import Context
    from ops.memoranda import Memoranda


class Asking(Protocol):
    """A server that is asked by path."""

    def get(self, path: str) -> JsonObject:
        """The body of an answer."""
        ...

    def post(self, path: str, body: JsonObject, key: str) -> JsonObject:
        """The body of an answer to what is sent, once under an idempotency key."""
        ...

    def about_window(self, path: str, body: JsonObject) -> JsonObject:
        """What became of a window of a session."""
        ...


class Local:
    """A store in this process, asked as somebody."""

    def __init__(self, memoranda: Memoranda, context: Context) -> None:
        self._memoranda = memoranda
        self._context = context

    def _followed(self, position: int | None) -> None:
        """Wait for a position; without one for all that is stored."""
        wanted = self._memoranda.log.head() if position is None else position
        self._memoranda.read.wait(self._context.workspace, wanted)
