"""The stream that makes a command happen once: scope is workspace × actor × key, for ever."""

from __future__ import annotations

from typing import NamedTuple

from domain.canonical import JsonObject
from domain.errors import Code, MemorandaError
from domain.event_bases import Target
from domain.events import CommandRecorded, Receipt
from domain.ids import RECEIPT, derived_id, encode_id
from domain.recorded import RecordedEvent


def receipt_stream(secret: bytes, workspace: str, actor: str, key: str) -> str:
    """The receipt stream of an idempotency key."""
    return encode_id(RECEIPT, derived_id(secret, "receipt", workspace, actor, key))


class ReceiptState(NamedTuple):
    """A recorded command; `position` is that of the receipt, the last of its transaction."""

    said: Receipt
    targets: tuple[Target, ...]
    correlation: str
    position: int


def apply_receipt(state: ReceiptState | None, event: RecordedEvent) -> ReceiptState | None:
    """The state after the one event of a receipt stream."""
    for fact in event.facts:
        if isinstance(fact, CommandRecorded) and fact.payload is not None:
            state = ReceiptState(
                said=fact.payload,
                targets=tuple(fact.targets),
                correlation=event.context.correlation,
                position=event.position,
            )
    return state


def expect_same(state: ReceiptState, fingerprint: str | None) -> None:
    """IDEMPOTENCY_CONFLICT where the key of a receipt comes with another request."""
    if state.said.fingerprint != fingerprint:
        raise MemorandaError(
            Code.IDEMPOTENCY_CONFLICT,
            "idempotency_key was already used with a different request: use a new key",
            field="idempotency_key",
        )


def receipt_answer(state: ReceiptState, *, replayed: bool) -> JsonObject:
    """The receipt of spec/operations.md §4."""
    return {
        "committed_id": state.said.committed_id,
        "committed_version": state.said.committed_version,
        "audit_correlation_id": state.correlation,
        "replayed": replayed,
        "position": state.position,
    }
