"""Faults of the store in the words of the contract: what the caller is told, and no more.

What it is not told goes to the operator's log.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from typing import Final

from commands.store_errors import (
    KeyMissingError,
    OutcomeUnknownError,
    StoreBusyError,
    StoreError,
    StreamConflictError,
)
from domain.envelope import CorruptEventError
from domain.errors import Code, MemorandaError

_LOG: Final = logging.getLogger("memoranda.commands")


class _ToldInWords:
    def __enter__(self) -> None:
        """Nothing to be done before."""

    def __exit__(self, _: object, fault: BaseException | None, __: object) -> None:
        if isinstance(fault, StoreError | CorruptEventError):
            raise refusal_of(fault) from fault


_TOLD_IN_WORDS: Final = _ToldInWords()


def told_in_words() -> AbstractContextManager[None]:
    """Turn faults of the store within the block into the MemorandaError that tells of them."""
    return _TOLD_IN_WORDS


def refusal_of(fault: Exception) -> MemorandaError:
    """The refusal that tells of a fault."""
    if isinstance(fault, MemorandaError):
        return fault
    if isinstance(fault, StreamConflictError):
        return MemorandaError(
            Code.VERSION_CONFLICT,
            "others kept changing the same records meanwhile: read them, try again",
        )
    if isinstance(fault, OutcomeUnknownError):
        return _not_durable(
            "it is not known whether this was recorded: send it again with the same "
            "idempotency_key, which does it once"
        )
    if isinstance(fault, StoreBusyError):
        return _not_durable(f"nothing was recorded: {fault}")
    if isinstance(fault, KeyMissingError):
        return MemorandaError(Code.INTERNAL, f"nothing was done: {fault}", reason="KEY_MISSING")
    if isinstance(fault, StoreError):
        return _not_durable(
            f"nothing was recorded: {fault}. Free or repair the data folder's disk, then try again"
        )
    if isinstance(fault, CorruptEventError):
        return MemorandaError(
            Code.INTERNAL,
            f"a stored event is damaged ({fault}): run `memoranda verify` and restore a backup",
            reason="CORRUPTED",
        )
    _LOG.error("a command failed unexpectedly", exc_info=fault)
    return MemorandaError(Code.INTERNAL, "an internal error: the server's log says more")


def _not_durable(message: str) -> MemorandaError:
    return MemorandaError(Code.DURABILITY_FAILED, message, retry_after=1)
