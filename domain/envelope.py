"""The stored bytes of an event and the hash over them. Pinned (design.md §2, Bytes).

    state      = "MEM1" ‖ u32be len(head) ‖ head ‖ body
    event_hash = SHA-256("memoranda.event.v1\\n" ‖ SHA-256(head) ‖ SHA-256(body))
    commitment = HMAC-SHA-256(salt16, canonical(payload))

An event that another store wrote keeps its head and its hash, and is sealed anew with a key of
this one, or without its payload (docs/adr/0028):

    state      = "MEM2" ‖ u32be len(head) ‖ head ‖ SHA-256(body as first written)
                 ‖ SHA-256(rest) ‖ rest
    rest       = u8 len(key) ‖ key ‖ body, both empty where the payload was left out

The hash covers the bytes as stored, never re-encoded JSON, so that a flipped byte is seen by
somebody who holds no key.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final, NamedTuple

from domain.canonical import Json, canonical, parse_head
from domain.ids import hex_of_id

MAGIC: Final = b"MEM1"
IMPORTED: Final = b"MEM2"
_HASH_DOMAIN: Final = b"memoranda.event.v1\n"
SALT_BYTES: Final = 16
NONCE_BYTES: Final = 12
_DIGEST_BYTES: Final = 32


class CorruptEventError(Exception):
    """Stored bytes that are not an event; the message says what is wrong, not what is stored.

    Where a row of the log is known: its `position`, the `workspace` of its column, and as
    `originator_ids` the hex ids of the streams that it may belong to, which are two where its
    columns contradict its head.
    """

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        workspace: str | None = None,
        originator_ids: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.position = position
        self.workspace = workspace
        self.originator_ids = originator_ids


class EventContext(NamedTuple):
    """Who and what stood behind an event: `ctx` of the head. All strings are opaque."""

    workspace: str
    actor: str
    agent: str | None
    session: str
    request: str
    correlation: str
    trace: str | None

    def as_json(self) -> dict[str, Json]:
        """The `ctx` object of the head."""
        return {
            "workspace": self.workspace,
            "actor": self.actor,
            "agent": self.agent,
            "session": self.session,
            "request": self.request,
            "correlation": self.correlation,
            "trace": self.trace,
        }


class Head(NamedTuple):
    """The readable part of an event: everything but its payload.

    `stream` is the public id, `version` counts from 1, `structure` is `s`, `key` names the row of
    the key store that seals the body (None without payload), `commitment` and `prev` are hex.
    """

    v: int
    stream: str
    version: int
    topic: str
    recorded_at: str
    context: EventContext
    structure: dict[str, Json]
    key: str | None
    commitment: str | None
    prev: str | None

    def to_bytes(self) -> bytes:
        """The canonical bytes that are stored, hashed and authenticated."""
        return canonical(
            {
                "v": self.v,
                "stream": self.stream,
                "version": self.version,
                "topic": self.topic,
                "recorded_at": self.recorded_at,
                "ctx": self.context.as_json(),
                "s": self.structure,
                "key": self.key,
                "commitment": self.commitment,
                "prev": self.prev,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Head:
        """Read a head back; raises CorruptEventError where it is none."""
        try:
            raw = parse_head(data)
            if not isinstance(raw["stream"], str):
                raise TypeError
            head = cls(
                v=raw["v"],
                stream=raw["stream"],
                version=raw["version"],
                topic=raw["topic"],
                recorded_at=raw["recorded_at"],
                context=EventContext(**raw["ctx"]),
                structure=raw["s"],
                key=raw["key"],
                commitment=raw["commitment"],
                prev=raw["prev"],
            )
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CorruptEventError("the head is not the JSON of an event head") from None
        if hex_of_id(head.stream) is None:
            raise CorruptEventError("the head names no stream")
        return head


class StoredState(NamedTuple):
    """A `state` column taken apart.

    `body_sha256` is of the body as it was first written, which the event's hash covers. Of an
    `imported` event `key` names the key of this store that seals `body`; both are empty where its
    payload was left out.
    """

    head: bytes
    body: bytes
    body_sha256: bytes
    imported: bool = False
    key: str | None = None

    @property
    def hash(self) -> bytes:
        """The 32 bytes that the next event of the stream names as `prev`."""
        parts = hashlib.sha256(self.head).digest() + self.body_sha256
        return hashlib.sha256(_HASH_DOMAIN + parts).digest()

    def key_of(self, head: Head) -> str | None:
        """The key of this store that seals the body, given the head read; None without one."""
        return self.key if self.imported else head.key


def pack_state(head: bytes, body: bytes) -> bytes:
    """The `state` column of an event of this store: magic, length of the head, head, body."""
    return MAGIC + len(head).to_bytes(4, "big") + head + body


def pack_imported(head: bytes, body_sha256: bytes, key: str | None, body: bytes) -> bytes:
    """The `state` column of an event that had a payload in another store.

    `body` is sealed with the key of this store that `key` names; None and empty leave it out.
    """
    name = (key or "").encode()
    rest = len(name).to_bytes(1, "big") + name + body
    check = hashlib.sha256(rest).digest()
    return IMPORTED + len(head).to_bytes(4, "big") + head + body_sha256 + check + rest


def unpack_state(state: bytes) -> StoredState:
    """A `state` column; raises CorruptEventError."""
    magic, end = state[:4], 8 + int.from_bytes(state[4:8], "big")
    if magic not in (MAGIC, IMPORTED):
        raise CorruptEventError("the state does not begin with MEM1 or MEM2")
    if len(state) < end:
        raise CorruptEventError("the state is shorter than its head")
    head, rest = state[8:end], state[end:]
    if magic == MAGIC:
        return StoredState(head, rest, hashlib.sha256(rest).digest())
    return _unpack_imported(head, rest)


def _unpack_imported(head: bytes, rest: bytes) -> StoredState:
    first, check = rest[:_DIGEST_BYTES], rest[_DIGEST_BYTES : 2 * _DIGEST_BYTES]
    sealed = rest[2 * _DIGEST_BYTES :]
    if hashlib.sha256(sealed).digest() != check:
        raise CorruptEventError("what was sealed at the import is not what was written")
    size = 1 + sealed[0] if sealed else 0
    key, body = sealed[1:size], sealed[size:]
    if not size or len(key) != size - 1 or bool(key) != bool(body) or not key.isascii():
        raise CorruptEventError("key and body of an imported event do not go together")
    return StoredState(head, body, first, imported=True, key=key.decode() or None)


def head_of(state: bytes) -> Head:
    """The head of a stored event, with the key that seals it here; raises CorruptEventError."""
    stored = unpack_state(state)
    head = Head.from_bytes(stored.head)
    return head if not stored.imported else head._replace(key=stored.key)


def event_hash(head: bytes, body: bytes) -> bytes:
    """The 32 bytes that the next event of the stream names as `prev`."""
    parts = hashlib.sha256(head).digest() + hashlib.sha256(body).digest()
    return hashlib.sha256(_HASH_DOMAIN + parts).digest()


def commitment(salt: bytes, payload: bytes) -> str:
    """Hex of the keyed commitment to a payload; the salt dies with the payload."""
    return hmac.digest(salt, payload, "sha256").hex()
