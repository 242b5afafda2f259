"""Events into stored bytes and back: head, commitment, seal, hash (design.md §2, Bytes)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.store_rows import StoredRow, originator_id
from domain.canonical import JsonObject, canonical, parse_stored
from domain.envelope import (
    NONCE_BYTES,
    SALT_BYTES,
    CorruptEventError,
    EventContext,
    Head,
    commitment,
    event_hash,
    pack_state,
    unpack_state,
)
from domain.errors import MemorandaError
from domain.instants import parse_instant
from domain.recorded import RecordedEvent
from domain.registry import Event, RawEvent, Registry


class SealingKeys(Protocol):
    """Where the keys come from: the key store."""

    def take(self, workspace: str) -> tuple[str, bytes]:
        """Id and key of a data key that was never used."""
        ...

    def audit(self, workspace: str) -> tuple[str, bytes]:
        """Id and key of the workspace's audit key."""
        ...

    def open_keys(self, workspace: str, key_ids: Iterable[str]) -> dict[str, bytes | None]:
        """Keys by id, None for destroyed ones; raises KeyMissingError."""
        ...


class Sealed(NamedTuple):
    """An event as it is appended. `hash` is what the stream's next event names as `prev`."""

    stream: str
    version: int
    topic: str
    state: bytes
    hash: bytes
    workspace: str
    key: str | None


@dataclass(frozen=True, slots=True)
class _Unsealed:
    """A stored event whose bytes are what was written, before its body is opened."""

    row: StoredRow
    head: Head
    head_bytes: bytes
    body: bytes


class Sealer:
    """Seals events with keys of the key store, and opens them. Safe to share between threads.

    `random` gives that many random bytes: a salt, then a nonce for each sealed payload.
    """

    def __init__(
        self,
        keys: SealingKeys,
        registry: Registry,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._keys = keys
        self._registry = registry
        self._random = random

    def seal(
        self,
        *,
        stream: str,
        version: int,
        event: Event,
        context: EventContext,
        recorded_at: str,
        prev: str | None,
    ) -> Sealed:
        """The stored bytes of a new event; `prev` is hex, None at version 1.

        Takes a key that no other event has, unless the event has no payload by nature, or is
        one for the audit key. Raises ValueError for an event whose payload is missing.
        """
        payload = _to_seal(event)
        key_id, key, salt, committed = None, b"", b"", None
        if payload is not None:
            take = self._keys.audit if event.AUDIT_KEY else self._keys.take
            key_id, key = take(context.workspace)
            salt = self._random(SALT_BYTES)
            committed = commitment(salt, payload)
        head = Head(
            v=event.V,
            stream=stream,
            version=version,
            topic=event.TOPIC,
            recorded_at=recorded_at,
            context=context,
            structure=event.structure(),
            key=key_id,
            commitment=committed,
            prev=prev,
        ).to_bytes()
        body = b""
        if payload is not None:
            nonce = self._random(NONCE_BYTES)
            cipher = _shared(key) if event.AUDIT_KEY else AESGCM(key)
            body = nonce + cipher.encrypt(nonce, salt + payload, head)
        return Sealed(
            stream=stream,
            version=version,
            topic=event.TOPIC,
            state=pack_state(head, body),
            hash=event_hash(head, body),
            workspace=context.workspace,
            key=key_id,
        )

    def open(self, row: StoredRow) -> RecordedEvent:
        """One stored event; see `open_many`."""
        return self.open_many([row])[0]

    def open_many(self, rows: Sequence[StoredRow]) -> list[RecordedEvent]:
        """Stored events, decoded, in the order given. An erased one has payload None.

        Raises CorruptEventError, naming the position, where bytes, hash, columns, seal or
        commitment do not fit; UnknownTopicError for an event of a newer program; KeyMissingError
        where a key is neither there nor destroyed.
        """
        checked = [_checked(row) for row in rows]
        wanted: dict[str, dict[str, None]] = {}
        for found in checked:
            if found.head.key is not None:
                wanted.setdefault(found.head.context.workspace, {})[found.head.key] = None
        keys = {
            workspace: self._keys.open_keys(workspace, key_ids)
            for workspace, key_ids in wanted.items()
        }
        return [self._recorded(found, keys) for found in checked]

    def _recorded(
        self, found: _Unsealed, keys: dict[str, dict[str, bytes | None]]
    ) -> RecordedEvent:
        row, head = found.row, found.head
        key = None if head.key is None else keys[head.context.workspace][head.key]
        try:
            payload = None if key is None else _payload(found, key)
            raw = RawEvent(head.topic, head.v, head.structure, payload)
            facts = self._registry.decode(raw)
            recorded_us = parse_instant(head.recorded_at, "recorded_at")
        except CorruptEventError as error:
            raise type(error)(
                f"position {row.position}: {error}",
                position=row.position,
                workspace=row.workspace,
                originator_ids=(row.originator_id,),
            ) from None
        except MemorandaError:
            raise _corrupt(row, "recorded_at is no timestamp") from None
        return RecordedEvent(
            position=row.position,
            appended_us=row.appended_us,
            stream=head.stream,
            version=head.version,
            topic=head.topic,
            recorded_at=head.recorded_at,
            recorded_us=recorded_us,
            context=head.context,
            facts=facts,
            erased=head.key is not None and key is None,
            key=head.key,
            hash=row.event_hash.hex(),
        )


@lru_cache(maxsize=16)
def _shared(audit_key: bytes) -> AESGCM:
    """The cipher of an audit key, which seals many events; making one costs more than to use it."""
    return AESGCM(audit_key)


def _to_seal(event: Event) -> bytes | None:
    said = event.sealed()
    if said is not None:
        return canonical(said)
    if type(event).model_fields["payload"].is_required():
        raise ValueError(f"a {event.TOPIC} is sealed with its payload")
    return None


def _checked(row: StoredRow) -> _Unsealed:
    """What can be checked of a row without any key."""
    try:
        head_bytes, body = unpack_state(row.state)
        if event_hash(head_bytes, body) != row.event_hash:
            raise CorruptEventError("the bytes are not those of the hash")
        head = Head.from_bytes(head_bytes)
    except CorruptEventError as error:
        raise _corrupt(row, str(error)) from None
    said = (originator_id(head.stream), head.version, head.topic, head.context.workspace)
    if said != (row.originator_id, row.version, row.topic, row.workspace):
        raise _corrupt(row, "the columns are not those of the event", said[0])
    if (head.key is None) != (body == b"") or (head.key is None) != (head.commitment is None):
        raise _corrupt(row, "key, commitment and body do not go together")
    return _Unsealed(row, head, head_bytes, body)


def _payload(found: _Unsealed, key: bytes) -> JsonObject:
    nonce, sealed = found.body[:NONCE_BYTES], found.body[NONCE_BYTES:]
    try:
        opened = AESGCM(key).decrypt(nonce, sealed, found.head_bytes)
    except (InvalidTag, ValueError):
        raise CorruptEventError("the body was not sealed with this head by its key") from None
    salt, payload = opened[:SALT_BYTES], opened[SALT_BYTES:]
    if commitment(salt, payload) != found.head.commitment:
        raise CorruptEventError("the payload is not the one committed to")
    return _parsed(payload)


def _parsed(payload: bytes) -> JsonObject:
    try:
        said = parse_stored(payload)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise CorruptEventError("the payload is no JSON object")
    return said


def _corrupt(row: StoredRow, said: str, other: str | None = None) -> CorruptEventError:
    """`other`: the stream that the head names."""
    return CorruptEventError(
        f"position {row.position}: {said}",
        position=row.position,
        workspace=row.workspace,
        originator_ids=(row.originator_id, *(() if other is None else (other,))),
    )
