"""What the routes share: the store behind them, and who asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Annotated, Final

from fastapi import Depends, Request

from domain.context import Context
from domain.errors import Code, MemorandaError, invalid
from ops.http.authentication import Authenticator, Operator
from ops.http.bodies import read_body, read_lines
from ops.http.permissions import ROUTES
from ops.http.rates import RateLimiter
from ops.http.request_ids import correlation_id
from ops.jobs import Jobs
from ops.memoranda import Memoranda
from ops.settings import Settings

FRESH_SECONDS: Final = 1.0
"""How long a reader waits at most for what was recorded before it asked."""


class Door:
    """One store, opened for HTTP; shared by all requests."""

    def __init__(self, memoranda: Memoranda, settings: Settings) -> None:
        self.memoranda = memoranda
        self.settings = settings
        rates = RateLimiter(settings.rate_per_second, settings.rate_burst)
        self.authenticator = Authenticator(memoranda.keys, settings.host_key, rates)
        self.jobs = Jobs(memoranda.folder.path, settings)
        self._waiting = BoundedSemaphore(max(1, settings.workers // 2))
        self._counting = BoundedSemaphore(1)

    def wait(self, caller: Context, position: int | None) -> None:
        """Wait for the read models of a workspace; OVERLOADED when time is over.

        Without a position a reader sees what was recorded before it asked, unless that takes
        longer than `FRESH_SECONDS`; the answer says how far it saw. At most half of the worker
        threads may wait, so that writes always find one.
        """
        wanted = self.memoranda.log.head() if position is None else position
        if self.memoranda.runner.seen(caller.workspace) >= wanted:
            return
        if not self._waiting.acquire(blocking=False):
            if position is None:
                return
            raise MemorandaError(
                Code.OVERLOADED,
                "too many requests wait for a min_position: try again",
                field="min_position",
                retry_after=1,
            )
        try:
            if position is None:
                self.memoranda.runner.wait_for(caller.workspace, wanted, FRESH_SECONDS)
            else:
                self.memoranda.read.wait(caller.workspace, position, self.settings.wait_seconds_max)
        finally:
            self._waiting.release()

    @contextmanager
    def reading(self, caller: Context, position: int | None) -> Iterator[None]:
        """`wait`, then look for one record. What is not found may be what is not seen yet.

        NOT_FOUND would be a lie then, so it becomes OVERLOADED: ask again.
        """
        wanted = self.memoranda.log.head() if position is None else position
        self.wait(caller, position)
        seen = self.memoranda.runner.seen(caller.workspace)
        try:
            yield
        except MemorandaError as refusal:
            if refusal.code is not Code.NOT_FOUND or seen >= wanted:
                raise
            raise MemorandaError(
                Code.OVERLOADED,
                f"it is not here up to position {seen}, and the log ends at {wanted}: ask again",
                reason="NOT_CAUGHT_UP",
                retry_after=1,
            ) from None

    @contextmanager
    def counting(self) -> Iterator[None]:
        """For what reads a whole table: one at a time, OVERLOADED for everybody else."""
        if not self._counting.acquire(blocking=False):
            raise MemorandaError(
                Code.OVERLOADED, "somebody else is counting: try again", retry_after=1
            )
        try:
            yield
        finally:
            self._counting.release()


def door_of(request: Request) -> Door:
    """The door that a request came in by."""
    door: Door = request.app.state.door
    return door


def caller_of(request: Request) -> Context:
    """Who asks. Runs on a worker thread: a key that is not cached is looked up in the store.

    The permission of a route that has its own is checked here; the operations of the contract
    check their own, after they are parsed.
    """
    context = door_of(request).authenticator.context(request.headers, correlation_id(request.scope))
    _refuse_repeats(request)
    needed = ROUTES[request.method, request.scope["route"].path_format]
    if isinstance(needed, str):
        context.require(needed)
    elif needed is not None:
        context.require_any(*needed)
    return context


def operator_of(request: Request) -> Operator:
    """Who operates, on the routes that need `operate`."""
    operator = door_of(request).authenticator.operator(request.headers)
    _refuse_repeats(request)
    return operator


def _refuse_repeats(request: Request) -> None:
    """Each query parameter once: with two values of one, nobody can tell which was meant."""
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name in seen:
            raise invalid(f"{name} is given more than once: send it once", field=name)
        seen.add(name)


CurrentDoor = Annotated[Door, Depends(door_of)]
Caller = Annotated[Context, Depends(caller_of)]
CurrentOperator = Annotated[Operator, Depends(operator_of)]
Body = Annotated[bytes, Depends(read_body)]
Lines = Annotated[bytes, Depends(read_lines)]
