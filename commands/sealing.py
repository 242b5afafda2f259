"""Events into stored bytes and back: head, commitment, seal, hash (design.md §2, Bytes)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.opening import (
    Opened,
    Unsealed,
    at_row,
    checked,
    corrupt,
    opened_by,
    parsed_payload,
)
from commands.store_rows import StoredRow
from domain.canonical import canonical
from domain.envelope import (
    NONCE_BYTES,
    SALT_BYTES,
    CorruptEventError,
    EventContext,
    Head,
    commitment,
    event_hash,
    pack_imported,
    pack_state,
    unpack_state,
)
from domain.errors import MemorandaError
from domain.instants import parse_instant
from domain.recorded import RecordedEvent
from domain.registry import Event, RawEvent, Registry

Keys: TypeAlias = Mapping[str, Mapping[str, bytes | None]]
"""By workspace the keys by their ids, None for destroyed ones."""


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
        found = [checked(row) for row in rows]
        keys = self._opening_keys(found)
        return [self._recorded(one, keys) for one in found]

    def bare(self, rows: Sequence[StoredRow]) -> list[tuple[Unsealed, Opened | None]]:
        """Stored events as their bytes, with salt and payload where there is one to be read.

        Raises CorruptEventError and KeyMissingError as `open_many` does.
        """
        found = [checked(row) for row in rows]
        keys = self._opening_keys(found)
        return [(one, _opened(one, keys)) for one in found]

    def seal_again(
        self, head: Head, head_bytes: bytes, first: bytes, opened: Opened | None
    ) -> Sealed:
        """The stored bytes of an event of another store, whose head and hash stay what they are.

        `first` is SHA-256 of its body there. Its payload is sealed with a key of this store; None
        leaves it out.
        """
        key_id, body = None, b""
        if opened is not None:
            audited = self._registry.event_type(head.topic).AUDIT_KEY
            take = self._keys.audit if audited else self._keys.take
            key_id, key = take(head.context.workspace)
            nonce = self._random(NONCE_BYTES)
            cipher = _shared(key) if audited else AESGCM(key)
            body = nonce + cipher.encrypt(nonce, opened.salt + opened.payload, head_bytes)
        state = pack_state(head_bytes, b"")
        if head.key is not None:
            state = pack_imported(head_bytes, first, key_id, body)
        return Sealed(
            stream=head.stream,
            version=head.version,
            topic=head.topic,
            state=state,
            hash=unpack_state(state).hash,
            workspace=head.context.workspace,
            key=key_id,
        )

    def _opening_keys(self, found: Sequence[Unsealed]) -> Keys:
        wanted: dict[str, dict[str, None]] = {}
        for one in found:
            if one.key is not None:
                wanted.setdefault(one.head.context.workspace, {})[one.key] = None
        return {
            workspace: self._keys.open_keys(workspace, key_ids)
            for workspace, key_ids in wanted.items()
        }

    def _recorded(self, found: Unsealed, keys: Keys) -> RecordedEvent:
        row, head = found.row, found.head
        opened = _opened(found, keys)
        try:
            payload = None if opened is None else parsed_payload(opened.payload)
            raw = RawEvent(head.topic, head.v, head.structure, payload)
            facts = self._registry.decode(raw)
            recorded_us = parse_instant(head.recorded_at, "recorded_at")
        except CorruptEventError as error:
            raise at_row(error, row) from None
        except MemorandaError:
            raise corrupt(row, "recorded_at is no timestamp") from None
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
            erased=head.key is not None and opened is None,
            key=found.key,
            hash=row.event_hash.hex(),
        )


def _opened(found: Unsealed, keys: Keys) -> Opened | None:
    """Salt and payload of an event; None without a payload, or where it is erased."""
    key = None if found.key is None else keys[found.head.context.workspace][found.key]
    return None if key is None else opened_by(found, key)


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
