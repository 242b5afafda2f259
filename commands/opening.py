"""Stored bytes of an event, checked without a key and opened with one (design.md §2, Bytes)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.store_rows import StoredRow, originator_id
from domain.canonical import JsonObject, parse_stored
from domain.envelope import (
    NONCE_BYTES,
    SALT_BYTES,
    CorruptEventError,
    Head,
    StoredState,
    commitment,
    unpack_state,
)


@dataclass(frozen=True, slots=True)
class Unsealed:
    """A stored event whose bytes are what was written, before its body is opened.

    `key` is that of this store which opens it: None without a payload, and where that was left
    out of an import.
    """

    row: StoredRow
    head: Head
    state: StoredState
    key: str | None


class Opened(NamedTuple):
    """What was in a body: the salt of the commitment, and the canonical bytes of the payload."""

    salt: bytes
    payload: bytes


def checked(row: StoredRow) -> Unsealed:
    """What can be checked of a row without any key; raises CorruptEventError."""
    try:
        state = unpack_state(row.state)
        if state.hash != row.event_hash:
            raise CorruptEventError("the bytes are not those of the hash")
        head = Head.from_bytes(state.head)
    except CorruptEventError as error:
        raise corrupt(row, str(error)) from None
    said = (originator_id(head.stream), head.version, head.topic, head.context.workspace)
    if said != (row.originator_id, row.version, row.topic, row.workspace):
        raise corrupt(row, "the columns are not those of the event", said[0])
    keyless = head.key is None
    whole = not keyless if state.imported else keyless == (state.body == b"")
    if not whole or keyless != (head.commitment is None):
        raise corrupt(row, "key, commitment and body do not go together")
    return Unsealed(row, head, state, state.key_of(head))


def opened_by(found: Unsealed, key: bytes) -> Opened:
    """Open a body with its key; raises CorruptEventError where it does not fit."""
    nonce, sealed = found.state.body[:NONCE_BYTES], found.state.body[NONCE_BYTES:]
    try:
        text = AESGCM(key).decrypt(nonce, sealed, found.state.head)
    except (InvalidTag, ValueError):
        raise corrupt(found.row, "the body was not sealed with this head by its key") from None
    opened = Opened(text[:SALT_BYTES], text[SALT_BYTES:])
    if commitment(opened.salt, opened.payload) != found.head.commitment:
        raise corrupt(found.row, "the payload is not the one committed to")
    return opened


def parsed_payload(payload: bytes) -> JsonObject:
    """The payload as JSON; raises CorruptEventError."""
    try:
        said = parse_stored(payload)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise CorruptEventError("the payload is no JSON object")
    return said


def at_row(error: CorruptEventError, row: StoredRow) -> CorruptEventError:
    """The same error, of the same kind, with the place of the row."""
    return type(error)(
        f"position {row.position}: {error}",
        position=row.position,
        workspace=row.workspace,
        originator_ids=(row.originator_id,),
    )


def corrupt(row: StoredRow, said: str, other: str | None = None) -> CorruptEventError:
    """What is wrong with a row; `other` is the stream that its head names."""
    return CorruptEventError(
        f"position {row.position}: {said}",
        position=row.position,
        workspace=row.workspace,
        originator_ids=(row.originator_id, *(() if other is None else (other,))),
    )
