"""Wrapped keys and derived secrets: as they are stored, and depended upon, for good."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.secrets import WorkspaceSecrets
from commands.wrapping import unwrap, wrap

PARENT = AESGCM(bytes(range(32)))
KEY = bytes(range(32, 64))
NONCE = bytes(range(12))
WRAPPED = (
    "000102030405060708090a0b6723f438e1c0e43ca568bda09dc45642b3e7b507"
    "c44e694b005edfbe21543e8d8f8df39928e6b8642bab87553c097edf"
)


def hkdf(root: bytes, label: bytes) -> bytes:
    """RFC 5869 with SHA-256, no salt and one block, by hand."""
    extracted = hmac.new(bytes(32), root, hashlib.sha256).digest()
    return hmac.new(extracted, label + b"\x01", hashlib.sha256).digest()


def test_a_wrapped_key_has_the_bytes_it_always_had():
    assert wrap(PARENT, KEY, "key_x", NONCE).hex() == WRAPPED


def test_a_wrapped_key_opens_under_its_parent_and_its_name_alone():
    stored = bytes.fromhex(WRAPPED)

    assert unwrap(PARENT, stored, "key_x") == KEY
    assert unwrap(PARENT, stored, "key_y") is None
    assert unwrap(AESGCM(bytes(32)), stored, "key_x") is None
    assert unwrap(PARENT, stored[:-1], "key_x") is None
    assert unwrap(PARENT, b"", "key_x") is None


@pytest.mark.parametrize("name", ["ids", "slots", "fingerprints", "page_tokens"])
def test_secrets_are_derived_from_the_root_by_their_label(name):
    root = bytes(range(32))

    secret = getattr(WorkspaceSecrets.derive(root), name)

    assert secret == hkdf(root, f"memoranda.{name}.v1".encode())
