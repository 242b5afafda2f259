"""Ids: 16 bytes, shown as a prefix and 26 characters of Crockford base32 (design.md §2, Ids).

Random ids are UUIDv7 (made where a clock and dice are at hand); derived ids are UUIDv8 of an
HMAC, for streams that two commands must meet on: identity guards, receipts, policies.
"""

from __future__ import annotations

import hmac
from typing import Final
from uuid import UUID

MEMORY: Final = "mem_"
RELATIONSHIP: Final = "rel_"
PROPOSAL: Final = "prop_"
RECALL: Final = "recall_"
DECISION: Final = "dec_"
CONCEPT: Final = "con_"
CLAIM: Final = "clm_"
WINDOW: Final = "win_"
GUARD: Final = "guard_"
RECEIPT: Final = "receipt_"
ERASURE: Final = "erasure_"
SYSTEM: Final = "system_"

PREFIXES: Final = frozenset(
    {
        MEMORY, RELATIONSHIP, PROPOSAL, RECALL, DECISION, CONCEPT, CLAIM, WINDOW,
        GUARD, RECEIPT, ERASURE, SYSTEM,
    }
)  # fmt: skip

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH: Final = 26
_PAIRS: Final = [high + low for high in _ALPHABET for low in _ALPHABET]
# Python reads base 32 with the digits 0-9a-v; every other character becomes one that it refuses.
_TO_PYTHON: Final = dict.fromkeys(range(128), "?") | dict(
    zip(map(ord, _ALPHABET), "0123456789abcdefghijklmnopqrstuv", strict=True)
)


def encode_id(prefix: str, uuid: UUID) -> str:
    """The public form of an id: it sorts as the 16 bytes do."""
    number = uuid.int
    return prefix + "".join([_PAIRS[number >> shift & 0x3FF] for shift in range(120, -1, -10)])


def decode_id(text: str, prefix: str) -> UUID | None:
    """The 16 bytes of a public id; None for everything that is not exactly such an id.

    No trimming, no case folding, no prefixes of ids: a near miss is a miss.
    """
    digits = text[len(prefix) :]
    if not text.startswith(prefix) or len(digits) != _LENGTH or not digits.isascii():
        return None
    try:
        number = int(digits.translate(_TO_PYTHON), 32)
    except ValueError:
        return None
    return UUID(int=number) if number < 2**128 else None


def split_id(text: str) -> tuple[str, UUID] | None:
    """Prefix and bytes of any of our ids; None for everything else."""
    prefix = text[: text.find("_") + 1]
    if prefix not in PREFIXES:
        return None
    uuid = decode_id(text, prefix)
    return None if uuid is None else (prefix, uuid)


def derived_id(secret: bytes, *parts: str) -> UUID:
    """UUIDv8 (RFC 9562) of HMAC-SHA-256 over the length-prefixed UTF-8 parts."""
    encoded = [part.encode() for part in parts]
    said = b"".join([len(data).to_bytes(4, "big") + data for data in encoded])
    return _versioned(hmac.digest(secret, said, "sha256")[:16], 8)


def uuid7(unix_ms: int, random: bytes) -> UUID:
    """UUIDv7 (RFC 9562) of a millisecond and ten random bytes (the first holds the counter)."""
    return _versioned(unix_ms.to_bytes(6, "big") + random[:10], 7)


def _versioned(data: bytes, version: int) -> UUID:
    number = int.from_bytes(data, "big")
    number = number & ~(0xF << 76) | version << 76
    return UUID(int=number & ~(0x3 << 62) | 0x2 << 62)
