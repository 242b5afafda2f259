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
# Python reads base 32 with the digits 0-9a-v; every other byte becomes one that it refuses.
_DIGITS: Final = dict(zip(_ALPHABET.encode(), b"0123456789abcdefghijklmnopqrstuv", strict=True))
_TO_PYTHON: Final = bytes(_DIGITS.get(byte, ord("?")) for byte in range(256))


def encode_id(prefix: str, uuid: UUID | int) -> str:
    """The public form of an id, given as a UUID or as its number: it sorts as the 16 bytes do."""
    n = uuid if isinstance(uuid, int) else uuid.int
    two = _PAIRS
    # Written out, which takes half the time of a loop: every command makes three ids.
    return (
        f"{prefix}{two[n >> 120]}{two[n >> 110 & 1023]}{two[n >> 100 & 1023]}"
        f"{two[n >> 90 & 1023]}{two[n >> 80 & 1023]}{two[n >> 70 & 1023]}{two[n >> 60 & 1023]}"
        f"{two[n >> 50 & 1023]}{two[n >> 40 & 1023]}{two[n >> 30 & 1023]}{two[n >> 20 & 1023]}"
        f"{two[n >> 10 & 1023]}{two[n & 1023]}"
    )


def decode_id(text: str, prefix: str) -> UUID | None:
    """The 16 bytes of a public id; None for everything that is not exactly such an id.

    No trimming, no case folding, no prefixes of ids: a near miss is a miss.
    """
    number = _number(text, prefix)
    return None if number is None else UUID(int=number)


def split_id(text: str) -> tuple[str, UUID] | None:
    """Prefix and bytes of any of our ids; None for everything else."""
    prefix = text[: text.find("_") + 1]
    uuid = decode_id(text, prefix) if prefix in PREFIXES else None
    return None if uuid is None else (prefix, uuid)


def hex_of_id(text: str) -> str | None:
    """The 16 bytes of any of our ids as 32 hex digits; None for everything else."""
    prefix = text[: text.find("_") + 1]
    number = _number(text, prefix) if prefix in PREFIXES else None
    return None if number is None else f"{number:032x}"


def _number(text: str, prefix: str) -> int | None:
    digits = text[len(prefix) :]
    if len(digits) != _LENGTH or not text.startswith(prefix) or not digits.isascii():
        return None
    try:
        number = int(digits.encode().translate(_TO_PYTHON), 32)
    except ValueError:
        return None
    return number if number < 2**128 else None


def derived_id(secret: bytes, *parts: str) -> int:
    """UUIDv8 (RFC 9562) of HMAC-SHA-256 over the length-prefixed UTF-8 parts, as its number."""
    encoded = [part.encode() for part in parts]
    said = b"".join([len(data).to_bytes(4, "big") + data for data in encoded])
    return _versioned(hmac.digest(secret, said, "sha256")[:16], 8)


def uuid7(unix_ms: int, random: bytes) -> int:
    """UUIDv7 (RFC 9562) of a millisecond and ten random bytes, as its number.

    The first bytes hold the counter.
    """
    return _versioned(unix_ms.to_bytes(6, "big") + random[:10], 7)


def _versioned(data: bytes, version: int) -> int:
    number = int.from_bytes(data, "big")
    number = number & _NOT_VERSION | version << 76
    return number & _NOT_VARIANT | 0x2 << 62


_NOT_VERSION: Final = ~(0xF << 76)
_NOT_VARIANT: Final = ~(0x3 << 62)
