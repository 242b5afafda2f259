"""Keys wrapped by keys (design.md §2, Keys): nonce12 ‖ AES-256-GCM(parent, key, aad = name)."""

from __future__ import annotations

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


def wrap(parent: AESGCM, key: bytes, name: str, nonce: bytes) -> bytes:
    """The stored form of a key; `name` is what it belongs to: its id, or its workspace."""
    return nonce + parent.encrypt(nonce, key, name.encode())


def unwrap(parent: AESGCM, wrapped: bytes, name: str) -> bytes | None:
    """The key; None where parent or name are others, or where a byte was changed."""
    try:
        return parent.decrypt(wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], name.encode())
    except (InvalidTag, ValueError):
        return None
