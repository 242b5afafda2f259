"""Cursors of lists: where a page ended, signed so that only we can make one (design.md §7).

A cursor belongs to one workspace (whose secret signs it) and to one question; the page size may
change from page to page.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import Final

from domain.canonical import Json, canonical
from domain.errors import MemorandaError, invalid

_MAC_BYTES: Final = 32
_LABEL: Final = b"memoranda.list-cursor.v1\n"


def write_cursor(secret: bytes, question: Json, after: str) -> str:
    """A cursor behind the item `after` of the answer to `question` (any JSON)."""
    said = canonical({"after": after, "question": _digest(question)})
    return base64.urlsafe_b64encode(said + _mac(secret, said)).rstrip(b"=").decode()


def read_cursor(secret: bytes | None, question: Json, cursor: str) -> str:
    """The item that a page ended with; INVALID_REQUEST if not ours, or of another question.

    `secret` is None for a workspace that has none, and so has given no cursor.
    """
    if secret is None:
        raise _refusal()
    try:
        data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError):
        raise _refusal() from None
    said, mac = data[:-_MAC_BYTES], data[-_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(secret, said)):
        raise _refusal()
    found = json.loads(said)
    if found["question"] != _digest(question):
        raise _refusal()
    after: str = found["after"]
    return after


def _digest(question: Json) -> str:
    return hashlib.sha256(canonical(question)).hexdigest()[:32]


def _mac(secret: bytes, said: bytes) -> bytes:
    return hmac.new(secret, _LABEL + said, hashlib.sha256).digest()


def _refusal() -> MemorandaError:
    return invalid(
        "cursor is not one that this list gave for these filters: start without a cursor",
        field="cursor",
        reason="CURSOR_INVALID",
    )
