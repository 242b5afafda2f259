"""The stored bytes of an event and the hash over them. Pinned (design.md §2, Bytes).

    state      = "MEM1" ‖ u32be len(head) ‖ head ‖ body
    event_hash = SHA-256("memoranda.event.v1\\n" ‖ SHA-256(head) ‖ SHA-256(body))
    commitment = HMAC-SHA-256(salt16, canonical(payload))

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
_HASH_DOMAIN: Final = b"memoranda.event.v1\n"
SALT_BYTES: Final = 16
NONCE_BYTES: Final = 12


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


def pack_state(head: bytes, body: bytes) -> bytes:
    """The `state` column: magic, length of the head, head, body."""
    return MAGIC + len(head).to_bytes(4, "big") + head + body


def unpack_state(state: bytes) -> tuple[bytes, bytes]:
    """Head and body of a `state` column; raises CorruptEventError."""
    if state[:4] != MAGIC:
        raise CorruptEventError("the state does not begin with MEM1")
    end = 8 + int.from_bytes(state[4:8], "big")
    if len(state) < end:
        raise CorruptEventError("the state is shorter than its head")
    return state[8:end], state[end:]


def event_hash(head: bytes, body: bytes) -> bytes:
    """The 32 bytes that the next event of the stream names as `prev`."""
    parts = hashlib.sha256(head).digest() + hashlib.sha256(body).digest()
    return hashlib.sha256(_HASH_DOMAIN + parts).digest()


def commitment(salt: bytes, payload: bytes) -> str:
    """Hex of the keyed commitment to a payload; the salt dies with the payload."""
    return hmac.digest(salt, payload, "sha256").hex()
