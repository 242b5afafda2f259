"""How commands fail: told on standard error, with what to do, and an exit status."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import typer

from domain.canonical import JsonObject
from domain.envelope import CorruptEventError
from domain.errors import RETRYABLE, Code, MemorandaError
from ops.cli_shared import remark

REFUSED: Final = 1
BAD_INPUT: Final = 2
UNREACHABLE: Final = 3
_BAD_INPUT_CODES: Final = frozenset(
    {Code.INVALID_REQUEST, Code.INVALID_BUDGET, Code.IDEMPOTENCY_KEY_REQUIRED}
)


class RefusedError(Exception):
    """A request that the store refused; `wire` is the `error` member of the contract."""

    def __init__(self, wire: JsonObject) -> None:
        super().__init__(str(wire["message"]))
        self.wire = wire


@contextmanager
def refusing() -> Iterator[None]:
    """What the store refuses in this process, as a server tells it: RefusedError."""
    try:
        yield
    except MemorandaError as error:
        raise RefusedError(error.as_wire()) from None


class EndedError(Exception):
    """A command that failed with this `error` member and this exit status, here or on a server."""

    def __init__(self, wire: JsonObject, status: int) -> None:
        super().__init__(str(wire["message"]))
        self.wire = wire
        self.status = status if status > 0 else REFUSED


class UnreachableError(Exception):
    """The server did not answer. `sent`: it may have carried the request out nevertheless."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Failure:
    """What to tell, and the exit status. `unsure`: it may have happened nevertheless."""

    wire: JsonObject
    status: int
    unsure: bool = False


@contextmanager
def telling(*, as_json: bool, key: str | None = None) -> Iterator[None]:
    """End the command with its exit status where the block fails in a way that was foreseen.

    `key` is the idempotency key of the command in the block: told where nobody knows whether it
    happened, so that it can be repeated.
    """
    try:
        yield
    except Exception as error:
        failure = _failure(error)
        if failure is None:
            raise
        _tell(failure, key if failure.unsure else None, as_json=as_json)
        raise typer.Exit(failure.status) from None


def _failure(error: Exception) -> Failure | None:
    match error:
        case MemorandaError():
            return _refusal(error.as_wire())
        case RefusedError():
            return _refusal(error.wire)
        case CorruptEventError():
            return _refusal(_damaged(error))
        case EndedError():
            return Failure(error.wire, error.status)
        case UnreachableError():
            return Failure(failed("UNREACHABLE", str(error)), UNREACHABLE, unsure=error.sent)
        case _:
            # The store's own failures; what knows them takes a second to load.
            from ops.failures import said

            message = None if isinstance(error, typer.Exit) else said(error)
            if message is None:
                return None
            return Failure(failed("STORE_UNAVAILABLE", message), REFUSED)


def _refusal(wire: JsonObject) -> Failure:
    code = wire["code"]
    status = BAD_INPUT if code in _BAD_INPUT_CODES else REFUSED
    return Failure(wire, status, unsure=code == Code.INTERNAL or code in RETRYABLE)


def _damaged(error: CorruptEventError) -> JsonObject:
    """The `error` member for a stored event that cannot be what was written, as over HTTP."""
    return MemorandaError(
        Code.INTERNAL,
        f"the store is damaged ({error}): run `memoranda verify` and restore a backup",
        reason="CORRUPTED",
    ).as_wire()


def failed(code: str, message: str) -> JsonObject:
    """The `error` member of a failure that no code of the contract names."""
    return {"code": code, "message": message, "retryable": False}


def _tell(failure: Failure, key: str | None, *, as_json: bool) -> None:
    wire = failure.wire
    if as_json:
        body: JsonObject = {"ok": False, "error": wire}
        repeat = {} if key is None else {"idempotency_key": key}
        remark(json.dumps(body | repeat, ensure_ascii=False))
        return
    where = f" ({wire['field']})" if "field" in wire else ""
    reason = f" [{wire['reason']}]" if "reason" in wire else ""
    remark(f"error: {wire['code']}{where}: {wire['message']}{reason}")
    if key is not None:
        remark(
            "It is not known whether it happened. Repeat it with the same key, and it happens "
            f"once: --idempotency-key {key}"
        )
